"""make_tensor: random tensors of any dtype."""

from __future__ import annotations

import math
from typing import Any

from .. import empty, randint, repeat_interleave, view_as_real
from .._core import dtype as _dtype
from .._core.dtype import finfo, iinfo
from .._tensor import Tensor


def make_tensor(
    *shape: Any, dtype: Any, device: Any, low: float | None = None, high: float | None = None, requires_grad: bool = False, noncontiguous: bool = False,
    exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:
    """Uniform values from [low, high), by default 0 or 1, [0, 10) for uint8, [-9, 10) for other integers, [-9, 9) for floats and parts of complex numbers.

    `exclude_zero` puts 1, or the smallest normal number, for zeros; `noncontiguous` makes every second element of a larger tensor.
    ValueError for an empty range, NaN bounds, and gradients of integers."""
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    numbers = dtype.is_floating_point or dtype.is_complex
    if noncontiguous and memory_format is not None:
        raise ValueError(f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous={noncontiguous} and memory_format={memory_format}")
    if requires_grad and not numbers:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}")
    low, high = _range(dtype, low, high)
    if numbers:
        result = empty(size, dtype=dtype, device=device)
        target = view_as_real(result) if dtype.is_complex else result
        if high - low >= finfo(dtype).max:
            target.uniform_(low / 2, high / 2).mul_(2)
        else:
            target.uniform_(low, high)
    else:
        result = randint(int(low), int(high), size, dtype=dtype, device=device)
    if noncontiguous and result.numel() > 1:
        result = repeat_interleave(result, 2, dim=-1)[..., ::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        tiny = finfo(dtype).tiny if numbers else 1
        result[result == 0] = complex(tiny, tiny) if dtype.is_complex else tiny
    if requires_grad:
        result.requires_grad_()
    return result


def _range(dtype: Any, low: Any, high: Any) -> tuple[Any, Any]:
    if any(v is not None and math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if dtype == _dtype.bool_:
        bounds, least, most = (0, 2), 0, 2
    elif dtype.is_floating_point or dtype.is_complex:
        bounds, least, most = (-9, 9), finfo(dtype).min, finfo(dtype).max
    else:
        bounds, least, most = ((0, 10) if dtype == _dtype.uint8 else (-9, 10)), iinfo(dtype).min, iinfo(dtype).max + 1
    given = bounds[0] if low is None else low, bounds[1] if high is None else high
    if given[0] >= given[1]:
        raise ValueError(f"`low` must be less than `high`, but got {given[0]} >= {given[1]}")
    clamped = tuple(min(max(v, least), most) for v in given)
    if clamped[0] >= clamped[1]:
        raise ValueError(f"`low` and `high` leave nothing between {least} and {most}, the range of {dtype}")
    return clamped if dtype.is_floating_point or dtype.is_complex else (math.ceil(clamped[0]), math.ceil(clamped[1]))
