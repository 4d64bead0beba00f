"""The Tensor class itself, empty: its methods are put on it by the modules that need it to exist first."""

from __future__ import annotations

from typing import Any


class TensorMeta(type):
    """So that `isinstance(x, Tensor)` holds for Parameters, too, and class attributes can be added family by family."""


class Tensor(metaclass=TensorMeta):
    """A multi-dimensional array with a history of how it was computed."""

    __slots__ = ("_h", "__dict__", "__weakref__")

    @classmethod
    def _bind(cls, dead: list[int]) -> None:
        """Finalized tensors append their handle to `dead`; the core lets go of them at its next call."""

        def finalize(self: Any, append: Any = dead.append) -> None:
            try:
                append(self._h)
            except AttributeError:
                pass  # it never got a handle

        cls.__del__ = finalize  # type: ignore[attr-defined]
