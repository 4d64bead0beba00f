"""Names in error messages: typename, scalar_name, and `__getattr__` of modules for absent names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dtype import dtype
from .tensor_type import Tensor


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
    torch_name = torch_name_of(module)

    def __getattr__(name: str) -> Any:
        raise AttributeError(f"pywasmtorch has no {torch_name}.{name}; see docs/differences.md", name=name)

    return __getattr__


#: where PyTorch's private modules are, as far as programs touch them
PRIVATE = "_compat.torch_private."


def module_here(torch_name: str) -> str:
    """This package's name of a module: pywasmtorch.nn for torch.nn."""
    inside = torch_name.partition(".")[2]
    package = __name__.partition(".")[0]
    return f"{package}.{PRIVATE if inside.startswith('_') else ''}{inside}" if inside else package


def torch_name_of(module: str) -> str:
    """PyTorch's name of a module of this package."""
    return "torch" + module[len(__name__.partition(".")[0]) :].replace(f".{PRIVATE}", ".")


def scalar_name(kind: dtype) -> str:
    """As messages of torch's core name a dtype: Float, Long."""
    return kind._scalar_name
