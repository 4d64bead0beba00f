"""ReLU, GELU, Sigmoid, Tanh, Softmax and other activations. Each maps (*) to (*), except where it says otherwise."""

import warnings

import pywasmtorch as torch

from .. import functional as F
from .. import init
from .attention import MultiheadAttention
from .module import Module
from .utils import add_parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _MaybeInplace(Module):
    """An activation that can overwrite its input.

    ``_shown`` names the attributes that are printed before ``inplace``.
    """

    _shown: tuple[str, ...] = ()

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        parts = [f"{name}={getattr(self, name)}" for name in self._shown]
        if self.inplace:
            parts.append("inplace=True")
        return ", ".join(parts)


class Threshold(_MaybeInplace):
    """x where x > threshold, else ``value``.

    Args:
        threshold, value (float): as above.
        inplace (bool): overwrite the input. Default: ``False``.
    """

    _shown = ("threshold", "value")

    def __init__(self, threshold, value, inplace=False):
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class ReLU(_MaybeInplace):
    """max(x, 0); ``inplace`` overwrites the input."""

    def forward(self, input):
        return F.relu(input, self.inplace)


class RReLU(_MaybeInplace):
    """x where x >= 0, else a * x, with a drawn from [lower, upper] in training and their mean in evaluation.

    Args:
        lower, upper (float): bounds of the slope. Default: 1/8 and 1/3.
        inplace (bool): overwrite the input. Default: ``False``.
    """

    _shown = ("lower", "upper")

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(_MaybeInplace):
    """x clamped to [min_val, max_val].

    Args:
        min_val, max_val (float): the bounds. Default: -1 and 1.
        inplace (bool): overwrite the input. Default: ``False``.
    """

    _shown: tuple[str, ...] = ("min_val", "max_val")

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__(inplace)
        self.min_val = self._renamed("min_value", min_value, "min_val", min_val)
        self.max_val = self._renamed("max_value", max_value, "max_val", max_val)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    @staticmethod
    def _renamed(old_name, old, new_name, new):
        if old is None:
            return new
        warnings.warn(f"keyword argument `{old_name}` is deprecated and renamed to `{new_name}`", FutureWarning, stacklevel=3)
        return old

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """x clamped to [0, 6]; ``inplace`` overwrites the input."""

    _shown: tuple[str, ...] = ()

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        return torch.sigmoid(input)


class Hardsigmoid(_MaybeInplace):
    """x / 6 + 1/2 clamped to [0, 1]; ``inplace`` overwrites the input."""

    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return torch.tanh(input)


class SiLU(_MaybeInplace):
    """x * sigmoid(x); ``inplace`` overwrites the input."""

    def forward(self, input):
        return F.silu(input, self.inplace)


class Mish(_MaybeInplace):
    """x * tanh(softplus(x)); ``inplace`` overwrites the input."""

    def forward(self, input):
        return F.mish(input, self.inplace)


class Hardswish(_MaybeInplace):
    """x * hardsigmoid(x); ``inplace`` overwrites the input."""

    def forward(self, input):
        return F.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class ELU(_MaybeInplace):
    """x where x > 0, else alpha * (exp(x) - 1).

    Args:
        alpha (float): as above. Default: 1.
        inplace (bool): overwrite the input. Default: ``False``.
    """

    _shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class CELU(_MaybeInplace):
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).

    Args:
        alpha (float): as above. Default: 1.
        inplace (bool): overwrite the input. Default: ``False``.
    """

    _shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class SELU(_MaybeInplace):
    """The scaled ELU of self-normalising networks (Klambauer et al., 2017); ``inplace`` overwrites the input."""

    def forward(self, input):
        return F.selu(input, self.inplace)


class GLU(Module):
    """a * sigmoid(b), where a and b are the halves of the input along ``dim``: (*, 2n, *) → (*, n, *)."""

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """x times the normal distribution's cumulative function at x.

    Args:
        approximate (str): ``"none"``, or ``"tanh"`` for the approximation by a hyperbolic tangent. Default: ``"none"``.
    """

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """x where abs(x) > lambd, else 0."""

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.hardshrink(input, self.lambd)

    def extra_repr(self):
        return f"{self.lambd}"


class LeakyReLU(_MaybeInplace):
    """x where x >= 0, else negative_slope * x.

    Args:
        negative_slope (float): as above. Default: 0.01.
        inplace (bool): overwrite the input. Default: ``False``.
    """

    _shown = ("negative_slope",)

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class LogSigmoid(Module):
    """log(sigmoid(x))."""

    def forward(self, input):
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """x moved towards 0 by lambd, and 0 within it."""

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return f"{self.lambd}"


class PReLU(Module):
    """x where x >= 0, else weight * x, with a learnt weight.

    Args:
        num_parameters (int): 1, or the size of the input's dimension 1. Default: 1.
        init (float): the weight's starting value. Default: 0.25.

    Attributes:
        weight (Parameter): (num_parameters,).
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        add_parameter(self, "weight", (num_parameters,), device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        """Set the weight to its starting value."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + abs(x))."""

    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input):
        return F.tanhshrink(input)


class _OverDim(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmin(_OverDim):
    """softmax(-x) along ``dim``."""

    def forward(self, input):
        return F.softmin(input, self.dim)


class Softmax(_OverDim):
    """exp(x) divided by its sum along ``dim``."""

    def forward(self, input):
        return F.softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels: (N, C, H, W) or (C, H, W), the same shape back."""

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class LogSoftmax(_OverDim):
    """log(softmax(x)) along ``dim``."""

    def forward(self, input):
        return F.log_softmax(input, self.dim)


# Files name it so.
MultiheadAttention.__module__ = __name__
