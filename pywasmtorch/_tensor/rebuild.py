"""torch._utils._rebuild_*: functions that checkpoints call to construct tensors."""

from __future__ import annotations

from math import prod
from typing import Any

from .._core import dtype as _dtype
from .._core.generated import ops
from .._core.lazy_import import lazy_import
from .._core.meta import on_meta
from .._core.tensor_type import Tensor
from .storage import TypedStorage, UntypedStorage
from .subclass import dressed

MAX_DIMENSIONS = 16
MAX_INT64 = 2**63 - 1

#: attributes that a state may not set: they are the tensor's own
RESERVED = frozenset({"_h", "_grad", "_sparse_grad", "_hooks", "_backward_hooks"})


def _element_size(dtype: _dtype.dtype) -> int:
    return dtype.itemsize


def _numbers(what: str, values: Any) -> tuple[int, ...]:
    if not isinstance(values, (tuple, list)) or any(type(v) is not int for v in values):
        raise ValueError(f"the {what} of a tensor must be a tuple of ints")
    return tuple(values)


def _rebuild_tensor(storage: Any, storage_offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    """A tensor over a storage, which it shares. RuntimeError where it reaches outside of the storage, ValueError for
    sizes and strides that no tensor has."""
    if isinstance(storage, UntypedStorage):
        storage = TypedStorage(wrap_storage=storage, dtype=_dtype.uint8)
    if not isinstance(storage, TypedStorage):
        raise ValueError(f"a tensor is made of a storage, not of {type(storage).__name__}")
    size, stride = _numbers("size", size), _numbers("stride", stride)
    if type(storage_offset) is not int:
        raise ValueError("the storage offset of a tensor must be an int")
    if len(size) != len(stride):
        raise ValueError(f"a tensor with {len(size)} sizes cannot have {len(stride)} strides")
    if len(size) > MAX_DIMENSIONS:
        raise RuntimeError(f"a tensor may have at most {MAX_DIMENSIONS} dimensions, got {len(size)}")
    if storage_offset < 0 or any(v < 0 for v in (*size, *stride)):
        raise RuntimeError(f"negative numbers in size {size}, stride {stride} or storage offset {storage_offset}")
    if prod(max(v, 1) for v in size) > MAX_INT64 or any(v > MAX_INT64 for v in stride):
        raise RuntimeError(f"size {size} with stride {stride} overflows 64 bits")
    needed = storage_offset + 1 + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
    if needed > storage.size() or storage_offset > MAX_INT64:
        raise RuntimeError(f"size {size} with stride {stride} and storage offset {storage_offset} needs {needed} elements, "
                           f"out of bounds for storage of size {storage.size()}")
    flat = storage._elements()
    if not needed:
        return ops._data(ops.as_strided(flat, size, stride, min(storage_offset, storage.size())))
    return ops._data(ops.as_strided(flat, size, stride, flat.storage_offset() + storage_offset))


def _with_metadata(tensor: Tensor, metadata: Any) -> Tensor:
    """Conjugates and negates what was saved as such a view."""
    if metadata:
        if not isinstance(metadata, dict):
            raise ValueError(f"a tensor's metadata must be a dict, not {type(metadata).__name__}")
        if metadata.get("conj"):
            tensor = ops.conj(tensor) if tensor.dtype.is_complex else tensor
        if metadata.get("neg"):
            tensor = ops.neg(tensor)
    return tensor


def _rebuild_tensor_v2(storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, metadata: Any = None) -> Tensor:
    """`_rebuild_tensor` with whether it requires grad. Hooks are not saved: `backward_hooks` is empty."""
    tensor = _with_metadata(_rebuild_tensor(storage, storage_offset, size, stride), metadata)
    return tensor.requires_grad_() if requires_grad else tensor


def _rebuild_tensor_v3(storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, dtype: Any, metadata: Any = None) -> Tensor:
    """`_rebuild_tensor_v2` over an untyped storage."""
    if not isinstance(dtype, _dtype.dtype):
        raise ValueError(f"a tensor's dtype must be a torch.dtype, not {type(dtype).__name__}")
    untyped = storage.untyped() if isinstance(storage, (TypedStorage, UntypedStorage)) else storage
    typed = TypedStorage(wrap_storage=untyped, dtype=dtype)
    return _rebuild_tensor_v2(typed, storage_offset, size, stride, requires_grad, backward_hooks, metadata)


def _set_obj_state(obj: Any, state: Any) -> Any:
    """Gives `obj` the attributes that were saved with it. ValueError where the state is none."""
    states = state if isinstance(state, tuple) else (state, None)
    if len(states) != 2 or not all(s is None or isinstance(s, dict) for s in states):
        raise ValueError(f"a state must be a dict or two of them, not {type(state).__name__}")
    for part in states:
        for name, value in (part or {}).items():
            if not isinstance(name, str):
                raise ValueError(f"attribute names are text, not {type(name).__name__}")
            if name not in RESERVED:
                obj.__dict__[name] = value
    return obj


def _rebuild_from_type(func: Any, type: Any, args: Any, dict: Any) -> Tensor:
    return _rebuild_from_type_v2(func, type, args, dict)


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Tensor:
    """A tensor of a subclass, or with attributes of its own."""
    plain = func(*args)
    if not isinstance(plain, Tensor):
        raise ValueError(f"a tensor's subclass is made of a tensor, not of {type(plain).__name__}")
    if type(plain) is not new_type:
        if not (isinstance(new_type, type) and issubclass(new_type, Tensor)):
            raise ValueError("the type of a tensor must be a subclass of torch.Tensor")
        plain = dressed(plain, new_type, plain.requires_grad, {})
    own = getattr(new_type, "__setstate__", None)
    if own is not None and own is not Tensor.__setstate__:
        plain.__setstate__(state)
        return plain
    return _set_obj_state(plain, state)


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    """A meta tensor. ValueError for what describes none."""
    if not isinstance(dtype, _dtype.dtype):
        raise ValueError(f"a tensor's dtype must be a torch.dtype, not {type(dtype).__name__}")
    size, stride = _numbers("size", size), _numbers("stride", stride)
    if any(not 0 <= v <= MAX_INT64 for v in (*size, *stride)):
        raise ValueError(f"size {size} and stride {stride} must be of 64 bits and not negative")
    tensor = on_meta(ops._empty_strided, size, stride, dtype)
    return tensor.requires_grad_() if requires_grad else tensor


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Tensor:
    """A sparse tensor of its indices, values and size, whose indices are checked."""
    return lazy_import("sparse._construct", "rebuilt")(layout, data)


def _absent(name: str, what: str) -> Any:
    def refuse(*arguments: Any, **names: Any) -> Any:
        raise NotImplementedError(f"torch._utils.{name}: pywasmtorch has no {what}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_rebuild_qtensor = _absent("_rebuild_qtensor", "quantized tensors")
_rebuild_nested_tensor = _absent("_rebuild_nested_tensor", "nested tensors")
_rebuild_wrapper_subclass = _absent("_rebuild_wrapper_subclass", "wrapper subclasses")
_rebuild_device_tensor_from_numpy = _absent("_rebuild_device_tensor_from_numpy", "tensors of other devices")
_rebuild_device_tensor_from_cpu_tensor = _absent("_rebuild_device_tensor_from_cpu_tensor", "tensors of other devices")
_rebuild_xla_tensor = _absent("_rebuild_xla_tensor", "tensors of other devices")
