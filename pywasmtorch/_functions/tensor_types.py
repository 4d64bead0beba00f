"""Tensor types of old: FloatTensor and its like, which construct and which isinstance asks."""

from __future__ import annotations

from typing import Any

from .._core.arguments import type_name
from .._core.device import device as make_device
from .._core.dtype import DTYPES, dtype
from .._core.size import Size
from .._core.tensor_type import Tensor
from .._tensor.data import from_data
from .creation import empty


class _TensorType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype  # type: ignore[attr-defined]


def tensor_type(kind: dtype) -> type:
    """FloatTensor and its like: sizes as ints, or data as a sequence; a type for isinstance, too."""

    def make(cls: Any, *arguments: Any, device: Any = None) -> Tensor:
        if device is not None and make_device(device).type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {make_device(device).type} was passed")
        if not arguments:
            return empty(0, dtype=kind)
        if all(isinstance(a, int) for a in arguments):
            return empty(*arguments, dtype=kind)
        if len(arguments) == 1:
            if isinstance(arguments[0], Size):
                return empty(arguments[0], dtype=kind)
            if isinstance(arguments[0], Tensor) and arguments[0].dtype is not kind:
                raise TypeError(f"expected a tensor of {kind} (got {arguments[0].dtype})")
            if isinstance(arguments[0], (float, complex)):
                raise TypeError(f"new(): data must be a sequence (got {type_name(arguments[0])})")
            return from_data(arguments[0], kind)
        raise TypeError(f"{cls.__name__}() takes sizes as ints, or one sequence of data")

    return _TensorType(f"{kind._scalar_name}Tensor", (), {"__new__": make, "dtype": kind, "__module__": "torch"})


#: by name; there is none for complex dtypes
TENSOR_TYPES = {f"{kind._scalar_name}Tensor": tensor_type(kind) for kind in DTYPES if not kind.is_complex}
