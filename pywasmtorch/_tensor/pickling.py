"""copy.copy, copy.deepcopy and pickle of tensors."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from .._core.dtype import DTYPES
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .rebuild import (
    _rebuild_from_type_v2,
    _rebuild_meta_tensor_no_storage,
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
)
from .storage import TypedStorage, UntypedStorage, copied_storage
from .subclass import dressed, own_attributes


def geometry(self: Tensor) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return self.storage_offset(), tuple(self.shape), tuple(self.stride())


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warn about each hook of a tensor that is being pickled and not marked with `unserializable_hook`."""
    for hooks in tensor.__dict__.get("_hooks", {}).values():
        for hook in hooks.values():
            if not hasattr(hook, "__torch_unserializable__"):
                warnings.warn(
                    f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function "
                    "with @torch.utils.hooks.unserializable_hook to suppress this warning",
                    stacklevel=2,
                )


def reduced(self: Tensor, protocol: int) -> Any:
    """What pickle stores, as torch names it: the storage, the geometry, whether it requires grad, attributes."""
    warn_if_has_hooks(self)
    if self.is_meta:
        function: Any = _rebuild_meta_tensor_no_storage
        values = (self.dtype, tuple(self.shape), tuple(self.stride()), self.requires_grad)
        return (function, values) if type(self) is Tensor and not own_attributes(self) else (_rebuild_from_type_v2, (function, type(self), values, own_attributes(self)))
    rebuild: Any = _rebuild_tensor_v2
    arguments: tuple[Any, ...] = (TypedStorage._of(self), *geometry(self), self.requires_grad, OrderedDict())
    if self.dtype not in DTYPES:  # there is no class of storages of these
        rebuild, arguments = _rebuild_tensor_v3, (UntypedStorage._of(self), *arguments[1:], self.dtype)
    attributes = own_attributes(self)
    if type(self) is Tensor and not attributes:
        return rebuild, arguments
    return _rebuild_from_type_v2, (rebuild, type(self), arguments, attributes)


def copy_of(self: Tensor, memo: dict[Any, Any] | None) -> Tensor:
    """copy.copy shares the storage; copy.deepcopy copies it once, also where several tensors share it."""
    if memo is None:
        return dressed(self.detach() if type(self) is Tensor else self.data, type(self), self.requires_grad, own_attributes(self))
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment; detach() this one first.")
    import copy

    if self.is_meta:
        plain = ops.clone(self.detach())
    else:
        plain = copied(self, memo)
    result = dressed(plain, type(self), self.requires_grad, {k: copy.deepcopy(v, memo) for k, v in own_attributes(self).items()})
    memo[id(self)] = result
    if self.grad is not None:
        result.grad = copy.deepcopy(self.grad, memo)
    return result


def copied(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """The tensor over a copy of its storage."""
    offset, size, stride = geometry(self)
    flat = copied_storage(self, memo)
    whole = flat.shape[0] // self.dtype.itemsize * self.dtype.itemsize
    same = ops.view_dtype(ops.narrow(flat, 0, 0, whole), self.dtype)
    return ops._data(ops.as_strided(same, size, stride, offset))


def set_state(self: Tensor, state: Any) -> None:
    """What pickles of early versions give a tensor: its storage and geometry, or its data and whether it requires grad."""
    if not isinstance(state, tuple) or len(state) not in (3, 4, 5):
        raise ValueError(f"a tensor's state must be a tuple of 3 to 5 values, not {type(state).__name__}")
    if len(state) == 4:
        self.data = _rebuild_tensor(*state)
        return
    if len(state) == 5:
        self.data = state[0]
        state = (state[3], state[4], state[2])
    self.requires_grad_(bool(state[0]))
