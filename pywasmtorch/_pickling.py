"""Copies and pickles of tensors."""

from __future__ import annotations

from typing import Any

from . import _dtype
from ._creation import from_bytes
from ._generated import ops
from ._tensor_type import Tensor
from .utils.hooks import warn_if_has_hooks


def storage_bytes(self: Tensor) -> bytes:
    from . import _runtime as rt

    return rt.host.read(ops._storage_pointer(self), ops._storage_bytes(self))


def rebuild(kind: type, data: bytes, dtype: _dtype.dtype, offset: int, size: tuple[int, ...], stride: tuple[int, ...], requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    """A tensor over a storage of its own, with the geometry it had."""
    flat = from_bytes(data[: len(data) // dtype.itemsize * dtype.itemsize], (len(data) // dtype.itemsize,), dtype)
    result = ops._data(ops.as_strided(flat, size, stride, offset))
    return dressed(result, kind, requires_grad, attributes)


def dressed(plain: Tensor, kind: type, requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    """`plain`'s tensor as an object of a subclass, with its attributes."""
    if kind is not Tensor:
        result = Tensor._make_subclass(kind, plain, requires_grad)
    else:
        result = plain.requires_grad_() if requires_grad else plain
    result.__dict__.update(attributes)
    return result


def own_attributes(self: Tensor) -> dict[str, Any]:
    return {k: v for k, v in self.__dict__.items() if k not in ("_grad", "_hooks")}


def geometry(self: Tensor) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return self.storage_offset(), tuple(self.shape), tuple(self.stride())


def reduced(self: Tensor, protocol: int) -> Any:
    """What pickle stores: the elements' bytes and the geometry. RuntimeError for results of operators that require grad."""
    warn_if_has_hooks(self)
    offset, size, stride = geometry(self)
    return rebuild, (type(self), storage_bytes(self), self.dtype, offset, size, stride, self.requires_grad, own_attributes(self))


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
    key = ("storage", ops._storage_pointer(self))
    flat = memo.get(key)
    if flat is None:
        data = storage_bytes(self)
        flat = memo[key] = from_bytes(data, (len(data),), _dtype.uint8)
    whole = flat.shape[0] // self.dtype.itemsize * self.dtype.itemsize
    same = ops.view_dtype(ops.narrow(flat, 0, 0, whole), self.dtype)
    plain = ops._data(ops.as_strided(same, size, stride, offset))
    result = dressed(plain, type(self), self.requires_grad, {k: copy.deepcopy(v, memo) for k, v in own_attributes(self).items()})
    memo[id(self)] = result
    if self.grad is not None:
        result.grad = copy.deepcopy(self.grad, memo)
    return result
