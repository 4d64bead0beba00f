"""to, type, cpu, clone, contiguous, view, copy_: conversions and copies."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.checks import tensors_checked
from .._core.device import CPU, check_device, is_meta_device
from .._core.device import device as Device
from .._core.dtype import dtype
from .._core.generated import ops
from .._core.layout import contiguous_format, format_code, memory_format, preserve_format
from .._core.tensor_type import Tensor
from .._core.warning import COMPLEX_TO_REAL, COPIES, warn, warn_once
from .from_data import from_data
from .metadata import get_device_of, get_dtype, get_ndim, get_shape, is_contiguous, is_meta, stride


def to(self: Tensor, *arguments: Any, dtype: dtype | None = None, device: Any = None, non_blocking: bool = False, copy: bool = False, memory_format: Any = None) -> Tensor:
    """This tensor with another dtype or on another device; itself where nothing changes and `copy` is False. NotImplementedError from meta to
    the CPU: there are no values."""
    kind, place, rest = dtype, device, list(arguments)
    if rest and (isinstance(rest[0], _dtype.dtype) or _dtype.of_python_type(rest[0])):
        kind = rest.pop(0)
    elif rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
        kind, place = get_dtype(other), get_device_of(other)
    elif rest:
        place = rest.pop(0)
        if rest and not isinstance(rest[0], bool):
            kind = rest.pop(0)
    flags = dict(zip(("non_blocking", "copy"), rest))
    kind = _dtype.of_python_type(kind) or kind
    fits = isinstance(place, (str, int, Device, type(None))) and not isinstance(place, bool) and isinstance(kind, (_dtype.dtype, type(None)))
    if not fits or len(rest) > 2 or not all(isinstance(flag, bool) for flag in rest):
        got = ", ".join(type(a).__name__ for a in arguments)
        raise TypeError(f"to() received an invalid combination of arguments - got ({got}), but expected (torch.device device = None, torch.dtype dtype = None, bool "
                        "non_blocking = False, bool copy = False), (torch.dtype dtype, bool non_blocking, bool copy) or (Tensor tensor, bool non_blocking, bool copy)")
    copy = flags.get("copy", copy)
    if place is not None and is_meta_device(place) != is_meta(self):
        self, copy = moved(self), False
    if kind is not None and kind is not get_dtype(self):
        return converted(self, kind, memory_format)
    return clone(self, memory_format=memory_format) if copy else in_format(self, memory_format)


def moved(self: Tensor) -> Tensor:
    """The tensor on meta. NotImplementedError where it is there already: there is no way out."""
    return ops._from_meta(self) if is_meta(self) else ops._to_meta(self)


def as_dtype(self: Tensor, kind: _dtype.dtype) -> Tensor:
    if get_dtype(self).is_complex and not kind.is_complex and kind is not _dtype.bool_:
        warn_once(COMPLEX_TO_REAL)
    return ops._to_dtype(self, kind)


def converted(self: Tensor, kind: _dtype.dtype, form: memory_format | None) -> Tensor:
    result = as_dtype(self, kind)
    return result if form is None else clone(result, memory_format=form)


def in_format(self: Tensor, form: memory_format | None) -> Tensor:
    """The tensor itself where its strides suggest that format already, else a copy."""
    return self if form is None or format_code(form) in (-1, suggested_format(self)) else clone(self, memory_format=form)


def suggested_format(self: Tensor) -> int:
    """The memory format that a tensor's strides speak for: a channels last one, or contiguous."""
    sizes, strides, n = get_shape(self), stride(self), get_ndim(self)
    if n not in (4, 5) or strides[1] == 0:
        return 0
    least = 0
    for d in (1, *range(n - 1, 1, -1), 0):
        if sizes[d] == 0 or strides[d] < least or (d == 0 and least == strides[1]):
            return 0
        least = strides[d] * sizes[d]
    return n - 2


def set_real(self: Tensor, value: Any) -> None:
    copy_(ops.real(self), value)


def set_imag(self: Tensor, value: Any) -> None:
    copy_(ops.imag(self), value)


def converter(kind: _dtype.dtype) -> Any:
    def convert(self: Tensor, *, memory_format: Any = None) -> Tensor:
        if get_dtype(self) is not kind:
            return converted(self, kind, memory_format)
        return self if memory_format is None else in_format(self, memory_format)

    convert.__doc__ = f"This tensor as {kind}."
    return convert


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Any:
    """The name of the tensor's type, or the tensor converted to a dtype or a name of that kind."""
    if dtype is None:
        return f"torch.{'meta.' if is_meta(self) else ''}{get_dtype(self)._scalar_name}Tensor"
    by_type = isinstance(dtype, str) or (isinstance(dtype, type) and issubclass(dtype, Tensor)) or hasattr(dtype, "dtype")
    if isinstance(dtype, str):
        names = {f"torch.{kind._scalar_name}Tensor": kind for kind in _dtype.ALL_DTYPES}
        names["torch.Tensor"] = _dtype.get_default_dtype()
        if dtype not in names:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = names[dtype]
    if isinstance(dtype, type) and issubclass(dtype, Tensor):
        if dtype is not Tensor:
            raise ValueError(f"invalid type: '{dtype.__name__}'")
        dtype = _dtype.get_default_dtype()
    dtype = getattr(dtype, "dtype", dtype) if not isinstance(dtype, _dtype.dtype) else dtype
    return to(self, CPU if by_type else None, dtype, memory_format=memory_format)


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself, in `dtype` where that is given: every tensor is dense."""
    return self if dtype is None else to(self, dtype)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return to(self, other)


def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    if is_meta(self):
        self = moved(self)
    return in_format(self, memory_format)


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    check_device("cuda")
    return self


def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy, differentiable."""
    return ops.clone(self, format_code(memory_format))


def contiguous(self: Tensor, memory_format: memory_format = contiguous_format) -> Tensor:
    """The tensor itself where it is contiguous, else a contiguous copy."""
    if is_contiguous(self, memory_format):
        return self
    if memory_format is contiguous_format:
        return ops.contiguous(self)
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(self, memory_format=memory_format)


def view(self: Tensor, *shape: Any, **names: Any) -> Tensor:
    """The same data in another shape, or its bytes as another dtype. RuntimeError where strides do not allow it."""
    if "dtype" in names or (len(shape) == 1 and isinstance(shape[0], _dtype.dtype)):
        return ops.view_dtype(self, names.get("dtype") or shape[0])
    return ops.METHODS["view"](self, *shape, **names)


def copy_(self: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    if isinstance(other, Tensor) and get_dtype(other).is_complex and not get_dtype(self).is_complex:
        warn_once(COMPLEX_TO_REAL)
    return ops.copy__(self, other, non_blocking)


def new_tensor(self: Tensor, data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    if isinstance(data, Tensor):
        warn(COPIES)
    on_meta = is_meta(self) if device is None else is_meta_device(device)
    result = from_data(data, dtype or get_dtype(self))
    if on_meta != is_meta(result):
        result = moved(result)
    return result.requires_grad_() if requires_grad else result


METHODS = {
    "to": to, "to_dense": to_dense, "type": type_, "type_as": type_as, "cpu": cpu, "cuda": cuda, "clone": clone, "contiguous": contiguous, "view": view, "copy_": copy_,
    "new_tensor": tensors_checked(new_tensor, follows=False),
    **{name: converter(kind) for name, kind in {"bool": _dtype.bool_, "bfloat16": _dtype.bfloat16, **_dtype.ALIASES}.items()},
}
PROPERTIES = {"real": (ops.real, set_real), "imag": (ops.imag, set_imag)}
