"""`__new__`, `__len__`, `__iter__`, `__contains__`, `__hash__`, `__format__` and other special methods."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.checks import tensors_checked
from .._core.device import device as Device
from .._core.device import is_meta_device
from .._core.dtype import get_default_dtype
from .._core.generated import ops
from .._core.lazy_import import lazy_import
from .._core.size import Size
from .._core.tensor_type import Tensor
from . import indexing
from .from_data import from_data
from .metadata import get_dtype, get_ndim, get_shape, is_meta
from .printing import tensor_text
from .subclass import as_subclass, check_subclass, make_subclass
from .values import item


def untyped_storage(self: Tensor) -> Any:
    from .storage import UntypedStorage

    return UntypedStorage._of(self)


def storage(self: Tensor) -> Any:
    from .storage import TypedStorage

    return TypedStorage._of(self)


def positive(self: Tensor) -> Tensor:
    """The tensor itself. RuntimeError for bool."""
    if get_dtype(self) is _dtype.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


def invert(self: Tensor) -> Tensor:
    if get_dtype(self).is_floating_point or get_dtype(self).is_complex:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ops.bitwise_not(self)


def construct(cls: type, *arguments: Any, device: Any = None) -> Tensor:
    """torch.Tensor(2, 3) without initial values, torch.Tensor([1, 2]) with: of the default float dtype."""
    result = constructed(arguments, device)
    if cls is not Tensor:
        check_subclass(cls)
        result.__class__ = cls
    return result


def constructed(arguments: tuple[Any, ...], device: Any) -> Tensor:
    if device is not None and is_meta_device(device):
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {Device(device).type} was passed")
    if not arguments:
        return ops._empty((0,), get_default_dtype())
    if all(isinstance(a, int) for a in arguments) or isinstance(arguments[0], Size):
        sizes = arguments[0] if isinstance(arguments[0], Size) else arguments
        return ops._empty(sizes, get_default_dtype())
    if len(arguments) == 1:
        if isinstance(arguments[0], Tensor):
            return ops._alias(arguments[0])
        if isinstance(arguments[0], (float, complex)):
            raise TypeError(f"new(): data must be a sequence (got {type(arguments[0]).__name__})")
        return from_data(arguments[0], get_default_dtype())
    raise TypeError(f"new() received an invalid combination of arguments - got ({', '.join(type(a).__name__ for a in arguments)})")


def length(self: Tensor) -> int:
    shape = get_shape(self)
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


def iterate(self: Tensor) -> Any:
    if not get_ndim(self):
        raise TypeError("iteration over a 0-d tensor")
    return iter(ops.unbind(self, 0))


def contains(self: Tensor, element: Any) -> bool:
    if isinstance(element, (Tensor, bool, int, float, complex)):
        return bool(ops.any_function(ops.eq(self, element)).item())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def hash_(self: Tensor) -> int:
    return id(self)


def format_(self: Tensor, spec: str) -> str:
    if not get_ndim(self) and type(self) is Tensor and not is_meta(self):
        return format(item(self), spec)
    return object.__format__(self, spec)


def represent(self: Tensor, *, tensor_contents: Any = None) -> str:
    return tensor_text(self)


def shallow_copy(self: Tensor) -> Tensor:
    from .pickling import copy_of

    return copy_of(self, None)


def deep_copy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    from .pickling import copy_of

    return copy_of(self, memo)


def reduce_(self: Tensor, protocol: int) -> Any:
    from .pickling import reduced

    return reduced(self, protocol)


def set_state(self: Tensor, state: Any) -> None:
    from .pickling import set_state

    set_state(self, state)


METHODS = {
    "__new__": construct, "_make_subclass": staticmethod(make_subclass), "as_subclass": tensors_checked(as_subclass), "__len__": length, "__iter__": iterate, "__contains__": contains, "__hash__": hash_,
    "__getitem__": indexing.get, "__setitem__": indexing.put, "__format__": format_, "__repr__": represent, "__copy__": shallow_copy, "__deepcopy__": deep_copy,
    "__reduce_ex__": reduce_, "__setstate__": set_state, "untyped_storage": untyped_storage, "storage": storage,
    "__array_namespace__": lazy_import("_compat.array_api", "namespace_of_tensor"),
    "__neg__": ops.neg, "__pos__": positive, "positive": positive, "__abs__": ops.abs_function, "__invert__": invert,
}
