"""Functions of images whose result lies in memory as their input does."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from ..._tensor.conversion import suggested_format


def keeps_channels_last(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Gives the result the channels last, as torch does, where the input has them so."""

    @functools.wraps(function)
    def wrapper(input: Tensor, *arguments: Any, **names: Any) -> Tensor:
        result = function(input, *arguments, **names)
        if isinstance(input, Tensor) and input.ndim in (4, 5) and result.ndim == input.ndim and not input.is_contiguous():
            form = suggested_format(input)
            return ops.clone(result, form) if form and result.dtype is input.dtype else result
        return result

    return wrapper
