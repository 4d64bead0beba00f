"""The Tensor class itself, empty: its methods are put on it by the modules that need it to exist first."""

from __future__ import annotations

from typing import Any


class TensorMeta(type):
    """So that `isinstance(x, Tensor)` holds for Parameters, too, and class attributes can be added family by family."""


class Tensor(metaclass=TensorMeta):
    """A multi-dimensional array with a history of how it was computed."""

    __slots__ = ("_h", "__dict__", "__weakref__")

    @classmethod
    def _bind(cls, finalize: Any) -> None:
        """`finalize` hands the handle of a tensor that nobody holds any more to the core."""
        cls.__del__ = finalize  # type: ignore[attr-defined]
