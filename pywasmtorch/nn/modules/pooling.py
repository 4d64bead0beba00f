"""MaxPool*, MaxUnpool*, AvgPool*, LPPool*, AdaptiveMaxPool*, AdaptiveAvgPool*, FractionalMaxPool*."""

from .. import functional as F
from .module import Module
from .utils import _ntuple, _single

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _MaxPoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _window(self):
        return self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest value in each window: (N, C, L) or (C, L) → (N, C, L') or (C, L').

    Args:
        kernel_size (int or tuple): the window.
        stride (int or tuple): the step between windows. Default: ``kernel_size``.
        padding (int or tuple): -infinity added on both sides, at most half the window. Default: 0.
        dilation (int or tuple): the step within a window. Default: 1.
        return_indices (bool): give the places of the values too. Default: ``False``.
        ceil_mode (bool): round the output's size up. Default: ``False``.
    """

    def forward(self, input):
        return F.max_pool1d(input, *self._window())


class MaxPool2d(_MaxPoolNd):
    """:class:`MaxPool1d` for (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        return F.max_pool2d(input, *self._window())


class MaxPool3d(_MaxPoolNd):
    """:class:`MaxPool1d` for (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input):
        return F.max_pool3d(input, *self._window())


class _ShownWindow(Module):
    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _MaxUnpoolNd(_ShownWindow):
    _ndim: int

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        per_dim = _ntuple(self._ndim)
        self.kernel_size = per_dim(kernel_size)
        self.stride = per_dim(kernel_size if stride is None else stride)
        self.padding = per_dim(padding)


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts the values of :class:`MaxPool1d` back at their places, among zeros.

    Args:
        kernel_size, stride, padding (int or tuple): those of the pooling.

    ``forward`` takes the values, their indices and optionally the ``output_size``.
    """

    _ndim = 1

    def forward(self, input, indices, output_size=None):
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """:class:`MaxUnpool1d` for (N, C, H, W) or (C, H, W)."""

    _ndim = 2

    def forward(self, input, indices, output_size=None):
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """:class:`MaxUnpool1d` for (N, C, D, H, W) or (C, D, H, W)."""

    _ndim = 3

    def forward(self, input, indices, output_size=None):
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool1d(_ShownWindow):
    """The mean of each window: (N, C, L) or (C, L) → (N, C, L') or (C, L').

    Args:
        kernel_size (int or tuple): the window.
        stride (int or tuple): the step between windows. Default: ``kernel_size``.
        padding (int or tuple): zeros added on both sides, at most half the window. Default: 0.
        ceil_mode (bool): round the output's size up. Default: ``False``.
        count_include_pad (bool): count the padding in the mean. Default: ``True``.
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class _AvgPoolNd(_ShownWindow):
    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _window(self):
        return (
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPoolNd):
    """:class:`AvgPool1d` for (N, C, H, W) or (C, H, W); ``divisor_override`` divides in place of the count."""

    def forward(self, input):
        return F.avg_pool2d(input, *self._window())


class AvgPool3d(_AvgPoolNd):
    """:class:`AvgPool1d` for (N, C, D, H, W) or (C, D, H, W); ``divisor_override`` divides in place of the count."""

    def forward(self, input):
        return F.avg_pool3d(input, *self._window())


class _LPPoolNd(Module):
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def _arguments(self):
        return float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode

    def extra_repr(self):
        return f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPoolNd):
    """The p-norm of each window: (N, C, L) or (C, L) → (N, C, L') or (C, L').

    Args:
        norm_type (float): p.
        kernel_size (int or tuple): the window.
        stride (int or tuple): the step between windows. Default: ``kernel_size``.
        ceil_mode (bool): round the output's size up. Default: ``False``.
    """

    def forward(self, input):
        return F.lp_pool1d(input, *self._arguments())


class LPPool2d(_LPPoolNd):
    """:class:`LPPool1d` for (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        return F.lp_pool2d(input, *self._arguments())


class LPPool3d(_LPPoolNd):
    """:class:`LPPool1d` for (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input):
        return F.lp_pool3d(input, *self._arguments())


class _AdaptivePoolNd(Module):
    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def extra_repr(self):
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    pass


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest value in each of ``output_size`` windows: (N, C, L) or (C, L) → (N, C, L') or (C, L').

    Args:
        output_size (int or tuple): L'; in more dimensions None keeps a size.
        return_indices (bool): give the places of the values too. Default: ``False``.
    """

    def forward(self, input):
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """:class:`AdaptiveMaxPool1d` for (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """:class:`AdaptiveMaxPool1d` for (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input):
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each of ``output_size`` windows: (N, C, L) or (C, L) → (N, C, L') or (C, L').

    Args:
        output_size (int or tuple): L'; in more dimensions None keeps a size.
    """

    def forward(self, input):
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """:class:`AdaptiveAvgPool1d` for (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """:class:`AdaptiveAvgPool1d` for (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input):
        return F.adaptive_avg_pool3d(input, self.output_size)


class _FractionalMaxPoolNd(Module):
    _ndim: int

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        if (isinstance(kernel_size, int) and kernel_size <= 0) or (
            isinstance(kernel_size, (tuple, list)) and not all(size > 0 for size in kernel_size)
        ):
            raise ValueError(f"kernel_size must greater than zero, but got {kernel_size}")
        per_dim = _ntuple(self._ndim)
        self.kernel_size = per_dim(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else per_dim(output_size)
        self.output_ratio = None if output_ratio is None else per_dim(output_ratio)
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _pool(self, function, input):
        return function(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest element of each window, where random numbers place the windows (Graham, 2014).

    Shapes: (N, C, H, W) or (C, H, W) → (N, C, H', W') or (C, H', W').

    Args:
        kernel_size (int or tuple): the window.
        output_size (int or tuple): H' and W'.
        output_ratio (float or tuple): in place of ``output_size``, the output's share of the input's size.
        return_indices (bool): also return where each maximum stands in its plane. Default: ``False``.
    """

    _ndim = 2

    def forward(self, input):
        return self._pool(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """:class:`FractionalMaxPool2d` for (N, C, D, H, W) or (C, D, H, W)."""

    _ndim = 3

    def forward(self, input):
        return self._pool(F.fractional_max_pool3d, input)
