"""Pooling that may return indices, and output sizes that keep the input's."""

from __future__ import annotations

from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = [
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices", "max_pool1d", "max_pool2d", "max_pool3d",
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
