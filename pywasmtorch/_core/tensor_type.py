"""The class Tensor without methods, and install, which adds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any


class TensorMeta(type):
    """So that `isinstance(x, Tensor)` holds for Parameters, too, and class attributes can be added family by family."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...


class Tensor(metaclass=TensorMeta):
    """A multi-dimensional array with a history of how it was computed."""

    __slots__ = ("_h", "__dict__", "__weakref__")

    if TYPE_CHECKING:  # what the other modules put on it

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...

    @classmethod
    def _bind(cls, finalize: Any) -> None:
        """`finalize` hands the handle of a tensor that nobody holds any more to the core."""
        cls.__del__ = finalize  # type: ignore[attr-defined]


def install(methods: Mapping[str, Any], properties: Mapping[str, tuple[Any, ...]]) -> None:
    """Puts methods on Tensor, and properties: what gets, sets and deletes each."""
    for name, method in methods.items():
        setattr(Tensor, name, method)
    for name, functions in properties.items():
        setattr(Tensor, name, property(*functions))
