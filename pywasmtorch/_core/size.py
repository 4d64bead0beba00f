"""torch.Size: the sizes of a tensor."""

from __future__ import annotations

from math import prod
from typing import Any


class Size(tuple):
    """The sizes of a tensor: a tuple of ints with `numel()`."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        self = tuple.__new__(cls, sizes)
        for i, size in enumerate(self):
            if type(size) is not int and not hasattr(size, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(size).__name__}')")
        return self

    def numel(self) -> int:
        return prod(self)

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__
