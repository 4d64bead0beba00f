"""unfold and fold."""

from __future__ import annotations

from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = ["fold", "unfold"]


def _pair(value: Any) -> Any:
    return (value, value) if isinstance(value, int) else value


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """(N, C, H, W) or (C, H, W) as (N, C * window, positions): a column for each place of the window. RuntimeError where it fits nowhere."""
    return ops.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The columns that unfold makes of an image of `output_size`, added where they came from."""
    return ops.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
