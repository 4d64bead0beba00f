"""batch_norm, layer_norm, group_norm, instance_norm, local_response_norm, normalize."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..._core import dtype as _dtype
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from .layouts import keeps_channels_last

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize"]


def sixteen_bits(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """As in torch, an input of 16 bits goes with float32 parameters and statistics: computed in float32, the result in the input's dtype."""

    @functools.wraps(function)
    def wrapper(input: Tensor, *arguments: Any, **names: Any) -> Tensor:
        kind = getattr(input, "dtype", None)
        if kind is _dtype.bfloat16 or kind is _dtype.float16:
            if any(isinstance(a, Tensor) and a.dtype is _dtype.float32 for a in (*arguments, *names.values())):
                return ops._to_dtype(function(ops._to_dtype(input, _dtype.float32), *arguments, **names), kind)
        return function(input, *arguments, **names)

    return wrapper


@sixteen_bits
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    return ops.layer_norm(input, normalized_shape, weight, bias, eps)


@keeps_channels_last
@sixteen_bits
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    check_several([input.shape[0] * input.shape[1] // max(num_groups, 1), num_groups, *input.shape[2:]])
    return ops.group_norm(input, num_groups, weight, bias, eps)


def check_several(size: Any) -> None:
    count = size[0]
    for s in size[2:]:
        count *= s
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


@sixteen_bits
def over_batch(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float) -> Tensor:
    return ops.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel of (N, C, …) by its mean and variance: the batch's while training, else the running ones."""
    if training:
        check_several(input.shape)
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    return over_batch(input, weight, bias, running_mean, running_var, training, momentum, eps)


@sixteen_bits
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None,
                  use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel of each sample by its own mean and variance."""
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    n, c, *rest = input.shape
    count = 1
    for s in rest:
        count *= s
    if use_input_stats and count == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")

    def repeated(t: Tensor | None) -> Tensor | None:
        return None if t is None else ops.FUNCTIONS["tile"](t, (n,))

    mean, var = repeated(running_mean), repeated(running_var)
    rows = ops.reshape(input, (1, n * c, *rest))
    result = ops.native_batch_norm(rows, repeated(weight), repeated(bias), mean, var, use_input_stats, momentum, eps)[0]
    if use_input_stats:
        for running, latest in ((running_mean, mean), (running_var, var)):
            if running is not None:
                running.copy_(ops.FUNCTIONS["mean"](ops.reshape(latest, (n, c)), 0))
    return ops.reshape(result, input.shape)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Krizhevsky et al., 2012: each element over a power of the mean square of neighbouring channels."""
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if not input.numel():
        return input
    planes = ops.reshape(input * input, (input.shape[0], 1, input.shape[1], -1))
    padded = ops.constant_pad_nd(planes, [0, 0, size // 2, (size - 1) // 2], 0)
    mean = ops.reshape(ops.avg_pool2d(padded, (size, 1), 1), input.shape)
    return input / (mean * alpha + k) ** beta


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """The input over its p-norm along `dim`."""
    return ops.FUNCTIONS["div"](input, ops.clamp_min(ops._norm(input, float(p), dim, True, None), eps), out=out)
