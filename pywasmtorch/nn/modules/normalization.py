"""LocalResponseNorm, LayerNorm, GroupNorm, RMSNorm, CrossMapLRN2d."""

import pywasmtorch as torch

from .. import functional as F
from .module import Module
from .utils import _single, add_parameter, reset_affine

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LocalResponseNorm(Module):
    """Divides by a power of the squares summed over ``size`` neighbouring channels: (N, C, *), the same shape back.

    Args:
        size (int): how many channels are summed.
        alpha, beta, k (float): factor, exponent and addend. Default: 1e-4, 0.75 and 1.
    """

    def __init__(self, size, alpha=0.0001, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Module):
    """Normalises the last dimensions by their mean and biased variance: (*, *normalized_shape), the same back.

    Args:
        normalized_shape (int or tuple): the sizes of the last dimensions.
        eps (float): added to the variance. Default: 1e-5.
        elementwise_affine (bool): whether to scale by a learnt weight and add a learnt bias. Default: ``True``.
        bias (bool): whether the affine map has a bias. Default: ``True``.
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = shape = _single(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        add_parameter(self, "weight", shape, device, dtype, present=elementwise_affine)
        add_parameter(self, "bias", shape, device, dtype, present=elementwise_affine and bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Set weight to 1 and bias to 0."""
        if self.elementwise_affine:
            reset_affine(self.weight, self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class GroupNorm(Module):
    """Normalises groups of channels by their mean and biased variance: (N, C, *), the same shape back.

    Args:
        num_groups, num_channels (int): C is ``num_channels``, a multiple of ``num_groups``.
        eps (float): added to the variance. Default: 1e-5.
        affine (bool): whether to scale each channel by a learnt weight and add a learnt bias. Default: ``True``.
        bias (bool): whether the affine map has a bias. Default: ``True``.
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        add_parameter(self, "weight", (num_channels,), device, dtype, present=affine)
        add_parameter(self, "bias", (num_channels,), device, dtype, present=affine and bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Set weight to 1 and bias to 0."""
        if self.affine:
            reset_affine(self.weight, self.bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Divides by the root of the mean square of the last dimensions: (*, *normalized_shape), the same shape back.

    Args:
        normalized_shape (int or tuple): the sizes of the last dimensions.
        eps (float, optional): added to the mean square. Default: the dtype's machine epsilon.
        elementwise_affine (bool): whether to scale by a learnt weight. Default: ``True``.
    """

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = shape = _single(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        add_parameter(self, "weight", shape, device, dtype, present=elementwise_affine)
        self.reset_parameters()

    def reset_parameters(self):
        """Set weight to 1."""
        if self.elementwise_affine:
            reset_affine(self.weight, None)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class CrossMapLRN2d(Module):
    """The older form of :class:`LocalResponseNorm`, for (N, C, H, W)."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        channels, half = input.size(1), (self.size - 1) // 2
        squares = input * input
        padded = F.pad(squares.unsqueeze(1), (0, 0, 0, 0, half, half))[:, 0]
        scale = sum(padded[:, j : j + channels] for j in range(2 * half + 1))
        # PyTorch slides the window and never takes channel 0 out of it again.
        late = torch.arange(channels) > half
        scale = scale + squares[:, :1] * late.reshape(-1, 1, 1)
        return input * (self.k + self.alpha / self.size * scale) ** -self.beta

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
