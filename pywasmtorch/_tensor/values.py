"""item, tolist, numpy, DLPack; int(), float(), bool() of tensors."""

from __future__ import annotations

import struct
from typing import Any

from .._core import dtype as _dtype
from .._core import frame
from .._core.device import device as Device
from .._core.device import is_meta_device
from .._core.dtype import FORMATS
from .._core.generated import ops
from .._core.operators import NUMBERS
from .._core.tensor_type import Tensor
from .from_data import from_array, readable, to_bytes
from .metadata import get_dtype, get_shape, host, is_meta, numel, stride

ITEM = NUMBERS["_item"] | 1 << 16


def item(self: Tensor) -> Any:
    """The value of a tensor with one element. RuntimeError for any other."""
    if frame.dead:
        frame.flush()
    words, doubles, invoke = frame.here()
    # A tensor given for a number is read while another call's frame is being filled.
    begun = words[0], words[1], words[2]
    words[0] = self._h
    if not invoke(ITEM):
        frame.raise_error()
    value = frame.take_scalar(words, doubles)
    words[0], words[1], words[2] = begun
    return value + (1 << 64) if type(value) is int and value < 0 and get_dtype(self) is _dtype.uint64 else value


def flat_values(self: Tensor) -> list[Any]:
    """All elements, in order, as Python numbers."""
    kind = get_dtype(self)
    if kind is _dtype.bfloat16 or kind in _dtype.FLOAT8:
        return flat_values(ops._to_dtype(self.detach(), _dtype.float32))
    data = to_bytes(self.detach())
    if kind.is_complex:
        parts = struct.unpack(f"<{len(data) // (kind.itemsize // 2)}{'f' if kind is _dtype.complex64 else 'd'}", data)
        return [complex(a, b) for a, b in zip(parts[::2], parts[1::2])]
    return list(struct.unpack(f"<{len(data) // kind.itemsize}{FORMATS[kind]}", data))


def nest(values: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    for n in reversed(shape[1:]):
        values = [values[i : i + n] for i in range(0, len(values), n)] if n else []
    if not values and 0 in shape[1:]:
        return empty_nest(shape)
    return values


def empty_nest(shape: tuple[int, ...]) -> list[Any]:
    return [empty_nest(shape[1:]) for _ in range(shape[0])] if shape else []


def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers; a number for a 0-d tensor."""
    return nest(flat_values(self), get_shape(self))


def check_no_grad(self: Tensor, what: str) -> None:
    if ops._requires_grad(self) and ops._is_grad_enabled():
        raise RuntimeError(f"Can't call {what}() on Tensor that requires grad. Use tensor.detach().{what}() instead.")


class _View:
    """What NumPy keeps while an array looks at a tensor's memory: the tensor."""

    __slots__ = ("tensor", "__array_interface__")


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The elements as a NumPy array: a view of the core's memory on CPython, a copy in Pyodide."""
    import numpy as np

    if is_meta(self):
        if force:
            readable(0)
        raise TypeError("can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")
    if force:
        self = self.detach()
    check_no_grad(self, "numpy")
    kind = get_dtype(self)
    if kind is _dtype.bfloat16 or kind in _dtype.FLOAT8:
        raise TypeError(f"Got unsupported ScalarType {kind._scalar_name}")
    name = "bool" if kind is _dtype.bool_ else kind._name
    shape = get_shape(self)
    address = getattr(host, "address", None)
    if address is None or not numel(self):
        return np.frombuffer(bytearray(to_bytes(self)), dtype=name).reshape(shape)
    view = _View()
    view.tensor = self.detach()
    view.__array_interface__ = {
        "shape": tuple(shape), "typestr": np.dtype(name).str, "data": (address(ops._lasting_pointer(self)), False),
        "strides": tuple(s * kind.itemsize for s in stride(self)), "version": 3,
    }
    return np.asarray(view)


def dlpack(self: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
    """A DLPack capsule over the tensor's memory (through NumPy). BufferError for what DLPack cannot say."""
    if ops._requires_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if is_meta(self):
        raise BufferError("Cannot pack tensors on meta")
    shared = numpy(self)
    return shared.__dlpack__() if max_version is None or not hasattr(shared, "__dlpack_device__") else shared.__dlpack__(max_version=max_version, copy=copy)


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The array API standard's `to` for devices."""
    return self.to(Device(device)) if is_meta_device(device) or is_meta(self) else self


def array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    result = numpy(self)
    return result if dtype is None else result.astype(dtype, copy=bool(copy))


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy's functions give for a tensor, as a tensor; uint8 for bools, as in torch."""
    return from_array(array, _dtype.uint8 if array.dtype.kind == "b" else None)


# ---- as numbers ----
def as_bool(self: Tensor) -> bool:
    n = numel(self)
    if n != 1:
        raise RuntimeError(f"Boolean value of Tensor with {'no values' if n == 0 else 'more than one value'} is ambiguous")
    return bool(item(self))


def as_index(self: Tensor) -> int:
    kind = get_dtype(self)
    if kind.is_floating_point or kind.is_complex or numel(self) != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


def only_value(self: Tensor) -> Any:
    if numel(self) != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return item(self)


def real_value(self: Tensor, kind: str) -> Any:
    value = only_value(self)
    if type(value) is complex:
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
        return value.real
    return value


def as_int(self: Tensor) -> int:
    return int(real_value(self, "int64_t"))


def as_float(self: Tensor) -> float:
    return float(real_value(self, "double"))


def as_complex(self: Tensor) -> complex:
    return complex(only_value(self))


METHODS = {
    "item": item, "tolist": tolist, "numpy": numpy, "to_device": to_device, "__array__": array, "__array_wrap__": array_wrap, "__array_priority__": 1000,
    "__dlpack__": dlpack, "__dlpack_device__": lambda self: (1, 0), "__bool__": as_bool, "__nonzero__": as_bool, "__index__": as_index, "__int__": as_int,
    "__long__": as_int, "__float__": as_float, "__complex__": as_complex,
}
