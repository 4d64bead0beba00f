"""Identity, Linear, Bilinear, LazyLinear."""

import math

from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import add_parameter, reset_weight_and_bias

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input; takes and ignores any arguments."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """``y = x @ weight.T + bias``: (*, in_features) → (*, out_features).

    Weight and bias start uniform within 1/sqrt(in_features).

    Args:
        in_features, out_features (int): sizes of the last dimension.
        bias (bool): whether to add a bias. Default: ``True``.

    Attributes:
        weight (Parameter): (out_features, in_features).
        bias (Parameter or None): (out_features,).
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        add_parameter(self, "weight", (out_features, in_features), device, dtype)
        add_parameter(self, "bias", (out_features,), device, dtype, present=bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new values."""
        reset_weight_and_bias(self.weight, self.bias)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """``Linear`` under the name that attention's output projection has."""


class Bilinear(Module):
    """``y[k] = x1 @ weight[k] @ x2 + bias[k]``: (*, in1), (*, in2) → (*, out).

    Args:
        in1_features, in2_features, out_features (int): sizes of the last dimension.
        bias (bool): whether to add a bias. Default: ``True``.

    Attributes:
        weight (Parameter): (out_features, in1_features, in2_features).
        bias (Parameter or None): (out_features,).
    """

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        add_parameter(self, "weight", (out_features, in1_features, in2_features), device, dtype)
        add_parameter(self, "bias", (out_features,), device, dtype, present=bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new values."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.in1_features)
        for param in (self.weight, self.bias):
            if param is not None:
                init.uniform_(param, -bound, bound)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """:class:`Linear` whose ``in_features`` is the last size of its first input."""

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False, device, dtype)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        """Draw new values, once there are any."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        if self.in_features == 0:
            self.in_features = self.weight.shape[-1]
