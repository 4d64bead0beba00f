"""Unfold and Fold."""

from .. import functional as F
from .module import Module

__all__ = ["Fold", "Unfold"]


class _Patches(Module):
    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Unfold(_Patches):
    """Cuts images in patches: (N, C, H, W) → (N, C * product of kernel_size, number of patches).

    Args:
        kernel_size, dilation, padding, stride (int or tuple): as of a convolution.
    """

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(_Patches):
    """Sums patches into images: (N, C * product of kernel_size, number of patches) → (N, C, *output_size).

    Args:
        output_size (int or tuple): height and width.
        kernel_size, dilation, padding, stride (int or tuple): as of a convolution.
    """

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"output_size={self.output_size}, {super().extra_repr()}"
