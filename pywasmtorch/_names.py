"""How messages name things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._tensor_type import Tensor


def typename(obj: Any) -> str:
    """The name of a tensor's type, of a class or a function itself, or of another object's class with its module."""
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[attr-defined]
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if name is not None:
        return name
    kind = type(obj)
    return kind.__qualname__ if kind.__module__ in ("", "builtins") else f"{kind.__module__}.{kind.__qualname__}"


def absent(module: str) -> Callable[[str], Any]:
    """A module's `__getattr__`, which says what it has not, under PyTorch's name."""
    torch_name = "torch" + module[len(__package__) :]

    def __getattr__(name: str) -> Any:
        raise AttributeError(f"pywasmtorch has no {torch_name}.{name}; see docs/differences.md", name=name)

    return __getattr__
