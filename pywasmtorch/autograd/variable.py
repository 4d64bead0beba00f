"""Variable: deprecated name of Tensor."""

from __future__ import annotations

from typing import Any

from .._core.tensor_type import Tensor

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """``Variable(tensor, requires_grad)`` gives a tensor; every tensor is a Variable."""

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        result = data.detach()  # type: ignore[attr-defined]
        return result.requires_grad_() if requires_grad else result
