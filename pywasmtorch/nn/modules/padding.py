"""CircularPad*, ConstantPad*, ZeroPad*, ReflectionPad*, ReplicationPad*.

``padding`` is one int for every side, or a tuple (before, after) for each dimension, the last one first.
A negative amount crops.
"""

from .. import functional as F
from .module import Module
from .utils import _ntuple, check_dims

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    _ndim: int
    _mode: str

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(2 * self._ndim)(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input):
        check_dims(input, self._ndim + 1, self._ndim + 2)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads with the values from the other end: (N, C, W) or (C, W)."""

    _ndim = 1


class CircularPad2d(_CircularPadNd):
    """Pads with the values from the other end: (N, C, H, W) or (C, H, W)."""

    _ndim = 2


class CircularPad3d(_CircularPadNd):
    """Pads with the values from the other end: (N, C, D, H, W) or (C, D, H, W)."""

    _ndim = 3


class _ConstantPadNd(_PadNd):
    _mode = "constant"

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, self._mode, self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with ``value``."""

    _ndim = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with ``value``."""

    _ndim = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with ``value``."""

    _ndim = 3


class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Pads the last dimension with zeros."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Pads the last two dimensions with zeros."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Pads the last three dimensions with zeros."""


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads with the values mirrored at the edge, the edge itself not repeated: (N, C, W) or (C, W)."""

    _ndim = 1


class ReflectionPad2d(_ReflectionPadNd):
    """:class:`ReflectionPad1d` for (N, C, H, W) or (C, H, W)."""

    _ndim = 2


class ReflectionPad3d(_ReflectionPadNd):
    """:class:`ReflectionPad1d` for (N, C, D, H, W) or (C, D, H, W)."""

    _ndim = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads with the value at the edge: (N, C, W) or (C, W)."""

    _ndim = 1


class ReplicationPad2d(_ReplicationPadNd):
    """:class:`ReplicationPad1d` for (N, C, H, W) or (C, H, W)."""

    _ndim = 2


class ReplicationPad3d(_ReplicationPadNd):
    """:class:`ReplicationPad1d` for (N, C, D, H, W) or (C, D, H, W)."""

    _ndim = 3
