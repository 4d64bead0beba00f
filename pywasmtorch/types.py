"""torch.types: type aliases for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any

from ._core.device import device
from ._core.dtype import dtype as _dtype
from ._core.layout import layout
from ._core.names import absent as _absent
from ._core.size import Size
from ._tensor import Tensor

_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors = Tensor | Sequence[Tensor | None]
_size = Size | builtins.list[builtins.int] | builtins.tuple[builtins.int, ...]
_symsize = _size
_int, _float, _complex, _bool, _str, _bytes = builtins.int, builtins.float, builtins.complex, builtins.bool, builtins.str, builtins.bytes
_device, _layout = device, layout
SymInt, SymFloat, SymBool = builtins.int, builtins.float, builtins.bool
IntLikeType, FloatLikeType, BoolLikeType = builtins.int, builtins.float, builtins.bool
PySymType = SymInt | SymFloat | SymBool
py_sym_types = (SymInt, SymFloat, SymBool)
Number = builtins.int | builtins.float | builtins.bool
_Number = (builtins.int, builtins.float, builtins.bool)
Device = device | builtins.str | builtins.int | None
FileLike = builtins.str | os.PathLike[str] | IO[builtins.bytes]
Storage = Any

__all__ = ["Device", "FileLike", "Number", "Size", "Storage", "Tensor", "_dtype"]

__getattr__ = _absent(__name__)
