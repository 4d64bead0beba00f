"""Copies and pickles of tensors."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from . import _dtype
from ._creation import from_bytes
from ._generated import ops
from ._tensor_type import Tensor
from .utils.hooks import warn_if_has_hooks

NOT_SAVED = ("_grad", "_hooks")


def dressed(plain: Tensor, kind: type, requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    """`plain`'s tensor as an object of a subclass, with its attributes."""
    if kind is not Tensor:
        result = Tensor._make_subclass(kind, plain, requires_grad)
    else:
        result = plain.requires_grad_() if requires_grad else plain
    result.__dict__.update(attributes)
    return result


def own_attributes(self: Tensor) -> dict[str, Any]:
    return {k: v for k, v in self.__dict__.items() if k not in NOT_SAVED}


def geometry(self: Tensor) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return self.storage_offset(), tuple(self.shape), tuple(self.stride())


def reduced(self: Tensor, protocol: int) -> Any:
    """What pickle stores, as torch names it: the storage, the geometry, whether it requires grad, attributes."""
    from ._utils import _rebuild_from_type_v2, _rebuild_tensor_v2
    from .storage import TypedStorage

    warn_if_has_hooks(self)
    arguments = (TypedStorage._of(self), *geometry(self), self.requires_grad, OrderedDict())
    attributes = own_attributes(self)
    if type(self) is Tensor and not attributes:
        return _rebuild_tensor_v2, arguments
    return _rebuild_from_type_v2, (_rebuild_tensor_v2, type(self), arguments, attributes)


def copied_storage(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """The bytes of a copy of the storage, made once per deep copy."""
    from . import _runtime as rt

    key = ("storage", ops._storage_pointer(self))
    flat = memo.get(key)
    if flat is None:
        data = rt.host.read(ops._storage_pointer(self), ops._storage_bytes(self))
        flat = memo[key] = from_bytes(data, (len(data),), _dtype.uint8)
    return flat


def copy_of(self: Tensor, memo: dict[Any, Any] | None) -> Tensor:
    """copy.copy shares the storage; copy.deepcopy copies it once, also where several tensors share it."""
    if memo is None:
        return dressed(self.detach() if type(self) is Tensor else self.data, type(self), self.requires_grad, own_attributes(self))
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment; detach() this one first.")
    import copy

    offset, size, stride = geometry(self)
    flat = copied_storage(self, memo)
    whole = flat.shape[0] // self.dtype.itemsize * self.dtype.itemsize
    same = ops.view_dtype(ops.narrow(flat, 0, 0, whole), self.dtype)
    plain = ops._data(ops.as_strided(same, size, stride, offset))
    result = dressed(plain, type(self), self.requires_grad, {k: copy.deepcopy(v, memo) for k, v in own_attributes(self).items()})
    memo[id(self)] = result
    if self.grad is not None:
        result.grad = copy.deepcopy(self.grad, memo)
    return result


def set_state(self: Tensor, state: Any) -> None:
    """What pickles of early versions give a tensor: its storage and geometry, or its data and whether it requires grad."""
    from ._utils import _rebuild_tensor

    if not isinstance(state, tuple) or len(state) not in (3, 4, 5):
        raise ValueError(f"a tensor's state must be a tuple of 3 to 5 values, not {type(state).__name__}")
    if len(state) == 4:
        self.data = _rebuild_tensor(*state)
        return
    if len(state) == 5:
        self.data = state[0]
        state = (state[3], state[4], state[2])
    self.requires_grad_(bool(state[0]))
