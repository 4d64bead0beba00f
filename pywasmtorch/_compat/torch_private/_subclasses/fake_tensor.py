"""torch._subclasses.fake_tensor: there are no tensors without elements here."""

from __future__ import annotations

from typing import Any, NoReturn

from ...._core.tensor_type import Tensor

__all__ = ["FakeTensor", "FakeTensorMode", "is_fake"]


class FakeTensor(Tensor):
    """Nothing is an instance."""

    __slots__ = ()

    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("pywasmtorch has no torch._subclasses.FakeTensor; see docs/differences.md")


class FakeTensorMode:
    """Not here. NotImplementedError."""

    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("pywasmtorch has no torch._subclasses.FakeTensorMode; see docs/differences.md")


def is_fake(x: object) -> bool:
    return False
