"""The class Tensor without methods, and install, which adds them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from .lazy_import import PACKAGE, lazy_import

tell_overrides = lazy_import("overrides", "_of_new_subclass")

class TensorMeta(type):
    """So that `isinstance(x, Tensor)` holds for Parameters, too, class attributes can be added family by family, and functions learn of
    subclasses, whose `__torch_function__` they then ask."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **keywords: Any) -> None:
        super().__init__(name, bases, namespace, **keywords)
        if not cls.__module__.startswith(f"{PACKAGE}."):
            tell_overrides(cls)

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...


class Tensor(metaclass=TensorMeta):
    """A multi-dimensional array with a history of how it was computed."""

    __slots__ = ("_h", "__dict__", "__weakref__")
    _sparse = False  # those that are have no handle: pywasmtorch/sparse

    if TYPE_CHECKING:  # what the other modules put on it

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...

    @classmethod
    def _bind(cls, finalize: Any) -> None:
        """`finalize` hands the handle of a tensor that nobody holds any more to the core."""
        cls.__del__ = finalize  # type: ignore[attr-defined]


class ForgottenTensor(RuntimeError, AttributeError):
    """A tensor of an import before this one; an AttributeError, too, so that its finalizer has nothing to say."""


def forget(kind: type) -> None:
    """Lets no handle of these tensors be read: it would be another core's address."""

    def refuse(*_: Any) -> NoReturn:
        raise ForgottenTensor("this tensor is gone: pywasmtorch's modules were removed from sys.modules and imported again since it was made")

    kind._h = property(refuse, refuse)  # type: ignore[attr-defined]
    kind.__getattr__ = refuse  # type: ignore[attr-defined]
    kind.__torch_function__ = None  # type: ignore[attr-defined]


#: stays where it is when this package's modules are removed
_imports = sys.modules.setdefault("_pywasmtorch_imports", ModuleType("_pywasmtorch_imports", "The tensors of the last import of pywasmtorch."))
if hasattr(_imports, "tensor"):
    forget(_imports.tensor)
_imports.tensor = Tensor  # type: ignore[attr-defined]


def install(methods: Mapping[str, Any], properties: Mapping[str, tuple[Any, ...]]) -> None:
    """Puts methods on Tensor, and properties: what gets, sets and deletes each."""
    for name, method in methods.items():
        setattr(Tensor, name, method)
    for name, functions in properties.items():
        setattr(Tensor, name, property(*functions))
