"""Subclasses of Tensor, and attributes set on tensors."""

from __future__ import annotations

from typing import Any

from .._core.arguments import type_name
from .._core.frame import new
from .._core.generated import ops
from .._core.overriding import without_subclasses
from .._core.tensor_type import Tensor

NOT_SAVED = ("_grad", "_sparse_grad", "_hooks")


def check_subclass(cls: type) -> None:
    """NotImplementedError for a class whose `__torch_dispatch__` would never be called."""
    if getattr(cls, "__torch_dispatch__", None) is not None:
        raise NotImplementedError(f"pywasmtorch calls no __torch_dispatch__ of tensors, which {cls.__name__} has; see docs/differences.md")


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """A new leaf of a subclass over the storage of `data`, whose version it shares."""
    check_subclass(cls)
    with without_subclasses():
        plain = ops.detach(data)
        result = new(cls)
        result._h = plain._h
        del plain._h
        if require_grad:
            result.requires_grad_()
    return result


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same data as an instance of a subclass of Tensor."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"cls must be a type that inherits from Tensor, not {type_name(cls)}")
    check_subclass(cls)
    result = ops._alias(self)
    result.__class__ = cls
    return result


def dressed(plain: Tensor, kind: type, requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    """`plain`'s tensor as an object of a subclass, with its attributes."""
    if kind is not Tensor:
        result = make_subclass(kind, plain, requires_grad)
    else:
        result = plain.requires_grad_() if requires_grad else plain
    result.__dict__.update(attributes)
    return result


def own_attributes(self: Tensor) -> dict[str, Any]:
    return {k: v for k, v in self.__dict__.items() if k not in NOT_SAVED}
