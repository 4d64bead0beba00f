"""conv1d, conv2d, conv3d with padding='same' or 'valid'."""

from __future__ import annotations

from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor

__all__ = ["conv1d", "conv2d", "conv3d"]


def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """(N, C, L) or (C, L) with `weight` (out, C / groups, kernel); padding is a width, 'same' or 'valid'."""
    if isinstance(padding, str):
        return ops._conv1d_named(input, weight, bias, stride, padding, dilation, groups)
    return ops.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """conv1d for (N, C, H, W) or (C, H, W)."""
    if isinstance(padding, str):
        return ops._conv2d_named(input, weight, bias, stride, padding, dilation, groups)
    return ops.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """conv1d for (N, C, D, H, W) or (C, D, H, W)."""
    if isinstance(padding, str):
        return ops._conv3d_named(input, weight, bias, stride, padding, dilation, groups)
    return ops.conv3d(input, weight, bias, stride, padding, dilation, groups)


FUNCTIONS = [conv1d, conv2d, conv3d]
