"""Legacy tensor types: FloatTensor, LongTensor and others."""

from __future__ import annotations

from typing import Any

from .._core.device import device as make_device
from .._core.dtype import DTYPES, dtype
from .._core.tensor_type import Tensor
from .creation import older_tensor


class _TensorType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype  # type: ignore[attr-defined]


def tensor_type(kind: dtype) -> type:
    """FloatTensor and its like: sizes as ints, or data as a sequence; a type for isinstance, too."""

    def make(cls: Any, *arguments: Any, device: Any = None) -> Tensor:
        if device is not None and make_device(device).type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {make_device(device).type} was passed")
        return older_tensor(cls.__name__, kind, arguments)

    return _TensorType(f"{kind._scalar_name}Tensor", (), {"__new__": make, "dtype": kind, "__module__": "torch"})


#: by name; there is none for complex dtypes
TENSOR_TYPES = {f"{kind._scalar_name}Tensor": tensor_type(kind) for kind in DTYPES if not kind.is_complex}
