"""relu, gelu, softmax, gumbel_softmax and other activations with `inplace`."""

from __future__ import annotations

from ..._core import dtype as _dtype
from ..._core.dispatch import write_out
from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = [
    "celu", "celu_", "elu", "elu_", "gumbel_softmax", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "log_softmax", "logsigmoid", "mish",
    "relu", "relu6", "relu_", "rrelu", "rrelu_", "selu", "selu_", "silu", "softmax", "softmin", "softsign", "tanhshrink", "threshold", "threshold_",
]

relu_, elu_, selu_, celu_, leaky_relu_, hardtanh_, threshold_ = ops.relu_, ops.elu_, ops.selu_, ops.celu_, ops.leaky_relu_, ops.hardtanh_, ops.threshold_


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.relu_(input) if inplace else ops.relu(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    return ops.threshold_(input, threshold, value) if inplace else ops.threshold(input, threshold, value)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val, got {min_val} and {max_val}")
    return ops.hardtanh_(input, min_val, max_val) if inplace else ops.hardtanh(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return hardtanh(input, 0.0, 6.0, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return ops.elu_(input, alpha) if inplace else ops.elu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.selu_(input) if inplace else ops.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return ops.celu_(input, alpha) if inplace else ops.celu(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return ops.leaky_relu_(input, negative_slope) if inplace else ops.leaky_relu(input, negative_slope)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False) -> Tensor:
    """Leaky ReLU with a random slope in [lower, upper) while training, else their mean."""
    if not lower <= upper:
        raise RuntimeError(f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}")
    if not training or input.is_meta:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    negative = input.detach() <= 0
    slopes = ops.ones_like(input.detach())
    count = int(ops.FUNCTIONS["sum"](negative).item())
    if count:
        drawn = input.new_empty(count, dtype=_dtype.float64).uniform_(lower, upper)
        slopes = ops.masked_scatter(slopes, negative, drawn.to(input.dtype))
    result = input * slopes
    return input.copy_(result) if inplace else result


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    return rrelu(input, lower, upper, training, True)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.silu_(input) if inplace else ops.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.mish_(input) if inplace else ops.mish(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.hardswish_(input) if inplace else ops.hardswish(input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return ops.hardsigmoid_(input) if inplace else ops.hardsigmoid(input)


def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    if out is not None and out.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype} but found {out.dtype}")
    result = ops.log_sigmoid(ops.contiguous(input))
    return result if out is None else write_out(out, result)


def softsign(input: Tensor) -> Tensor:
    return input / (ops.abs_function(input) + 1)


def tanhshrink(input: Tensor) -> Tensor:
    return input - ops.tanh(input)


def implicit_dim(name: str, input: Tensor) -> int:
    import warnings

    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    ndim = input.ndim

    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.", stacklevel=3)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _dtype.dtype | None = None) -> Tensor:
    return ops.softmax(input, implicit_dim("softmax", input) if dim is None else dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _dtype.dtype | None = None) -> Tensor:
    return ops.softmax(-input, implicit_dim("softmin", input) if dim is None else dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _dtype.dtype | None = None) -> Tensor:
    return ops.log_softmax(input, implicit_dim("log_softmax", input) if dim is None else dim, dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample from the Gumbel-softmax distribution (Jang et al., 2017); one-hot with a soft gradient where `hard`."""
    noise = -ops.log(ops._like(logits.detach()).exponential_())
    soft = ops.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = ops.FUNCTIONS["max"](soft, dim, keepdim=True)[1]
    sharp = ops.FUNCTIONS["scatter"](ops.zeros_like(logits), dim, index, 1.0)
    return sharp - soft.detach() + soft
