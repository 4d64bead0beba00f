"""max_pool*, adaptive_max_pool*, adaptive_avg_pool*, lp_pool*."""

from __future__ import annotations

from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = [
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d", "max_pool2d", "max_pool3d",
]


def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """The largest element in each window of (N, C, L) or (C, L); with return_indices a pair (values, where they are)."""
    if return_indices:
        return tuple(ops.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode))
    return ops.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """max_pool1d for (N, C, H, W) or (C, H, W); indices number the elements of a plane."""
    if return_indices:
        return tuple(ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode))
    return ops.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    """max_pool1d for (N, C, D, H, W) or (C, D, H, W)."""
    if return_indices:
        return tuple(ops.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode))
    return ops.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


def _output_size(input: Tensor, size: Any, dims: int) -> tuple[int, ...]:
    """A number stands for every dimension, None for the input's size."""
    if isinstance(size, int):
        return (size,) * dims
    if input.ndim <= len(size):
        raise ValueError(f"Input dimension should be at least {len(size) + 1}")
    if len(size) != dims:
        return tuple(size)
    return tuple(own if s is None else s for s, own in zip(size, input.shape[-dims:]))


def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    return tuple(ops.adaptive_max_pool1d(input, output_size))


def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    return tuple(ops.adaptive_max_pool2d(input, _output_size(input, output_size, 2)))


def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    return tuple(ops.adaptive_max_pool3d(input, _output_size(input, output_size, 3)))


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of `output_size` windows that share (N, C, L) or (C, L) out."""
    found = adaptive_max_pool1d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """adaptive_max_pool1d for (N, C, H, W) or (C, H, W); None in output_size keeps the input's size."""
    found = adaptive_max_pool2d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """adaptive_max_pool1d for (N, C, D, H, W) or (C, D, H, W)."""
    found = adaptive_max_pool3d_with_indices(input, output_size)
    return found if return_indices else found[0]


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of windows that share (N, C, H, W) or (C, H, W) out to `output_size`; None keeps the input's size."""
    return ops.adaptive_avg_pool2d(input, _output_size(input, output_size, 2))


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """adaptive_avg_pool2d for (N, C, D, H, W) or (C, D, H, W)."""
    return ops.adaptive_avg_pool3d(input, _output_size(input, output_size, 3))


# ---- power averages ----
def _lp_pool(pool: Any, dims: int, input: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> Tensor:
    if norm_type in (float("inf"), float("-inf")):  # the largest, or the least, magnitude
        largest = (ops.max_pool1d, ops.max_pool2d, ops.max_pool3d)[dims - 1]
        sign = 1 if norm_type > 0 else -1
        return sign * largest(sign * ops.abs_function(input), kernel_size, stride, 0, 1, ceil_mode)
    sizes = (kernel_size,) * dims if isinstance(kernel_size, int) else tuple(kernel_size)
    if dims > 1 and len(sizes) != dims:
        few = f"not enough values to unpack (expected {dims}, got {len(sizes)})"
        raise ValueError(few if len(sizes) < dims else f"too many values to unpack (expected {dims})")
    taps = 1
    for size in sizes:
        taps *= size
    mean = pool(ops.FUNCTIONS["pow"](input, norm_type), kernel_size, stride, 0, ceil_mode)
    total = ops.sign(mean) * ops.relu(ops.FUNCTIONS["abs"](mean)) * taps
    return ops.FUNCTIONS["pow"](total, 1.0 / norm_type)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of order norm_type of each window of (N, C, L) or (C, L), without magnitudes: sum(x^p)^(1/p)."""
    return _lp_pool(ops.avg_pool1d, 1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """lp_pool1d for (N, C, H, W) or (C, H, W)."""
    return _lp_pool(ops.avg_pool2d, 2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """lp_pool1d for (N, C, D, H, W) or (C, D, H, W)."""
    return _lp_pool(ops.avg_pool3d, 3, input, norm_type, kernel_size, stride, ceil_mode)
