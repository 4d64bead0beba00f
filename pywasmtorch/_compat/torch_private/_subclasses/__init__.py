"""torch._subclasses: programs ask it whether a tensor is fake."""

from .fake_tensor import FakeTensor

__all__ = ["FakeTensor"]
