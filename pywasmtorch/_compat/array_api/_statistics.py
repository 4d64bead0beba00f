"""Array API: reductions, cumulative sums and products, argmax, sort, searchsorted, nonzero, unique_*."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pywasmtorch as torch

from ._promotion import Tensor, array, common, dtype

__all__ = [
    "all", "any", "argmax", "argmin", "argsort", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "isin", "max", "mean", "min", "nonzero", "prod",
    "searchsorted", "sort", "std", "sum", "unique_all", "unique_counts", "unique_inverse", "unique_values", "var",
]


def reduced(x: Tensor, axis: Any, keepdims: bool, reduce: Any) -> Tensor:
    """`reduce(rows)` takes the last axis away, into which those of `axis` are put together: all, one, several or none of them."""
    from ._manipulation import wrapped

    ndim = array(x).ndim
    axes = list(range(ndim)) if axis is None else [wrapped(a, ndim) for a in ((axis,) if isinstance(axis, int) else axis)]
    if len(set(axes)) != len(axes):
        raise ValueError("an axis is named twice")
    kept = [a for a in range(ndim) if a not in axes]
    rows = x if not axes else torch.permute(x, kept + axes)
    size = 1
    for a in axes:
        size *= x.shape[a]
    result = reduce(torch.reshape(rows, (*[x.shape[a] for a in kept], size)))
    return torch.reshape(result, [1 if a in axes else x.shape[a] for a in range(ndim)]) if keepdims else result


def sum(x: Tensor, /, *, axis: Any = None, dtype: dtype | None = None, keepdims: bool = False) -> Tensor:
    """Sums; of integers in int64."""
    return reduced(x, axis, keepdims, lambda rows: torch.sum(rows, -1, dtype=dtype))


def prod(x: Tensor, /, *, axis: Any = None, dtype: dtype | None = None, keepdims: bool = False) -> Tensor:
    """Products; of integers in int64."""
    return reduced(x, axis, keepdims, lambda rows: torch.prod(rows, -1, dtype=dtype))


def max(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.amax(rows, -1))


def min(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.amin(rows, -1))


def mean(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.mean(rows, -1))


def var(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variance, with `correction` taken from the number of elements."""
    return reduced(x, axis, keepdims, lambda rows: torch.var(rows, -1, correction=correction))


def std(x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.std(rows, -1, correction=correction))


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.all(rows.to(torch.bool), -1))


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.any(rows.to(torch.bool), -1))


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.sum(torch.ne(rows, 0), -1, dtype=torch.int64))


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.argmax(rows, -1))


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return reduced(x, axis, keepdims, lambda rows: torch.argmin(rows, -1))


def running(x: Tensor, axis: int | None, dtype: dtype | None, include_initial: bool, of: Any, start: int) -> Tensor:
    if axis is None:
        if array(x).ndim != 1:
            raise ValueError("axis must be given for arrays that are no vectors")
        axis = 0
    result = of(x, axis, dtype=dtype)
    if not include_initial:
        return result
    shape = [1 if a == axis % x.ndim else n for a, n in enumerate(x.shape)]
    return torch.cat([torch.full(shape, start, dtype=result.dtype), result], axis)


def cumulative_sum(x: Tensor, /, *, axis: int | None = None, dtype: dtype | None = None, include_initial: bool = False) -> Tensor:
    """Sums of the elements up to each, after 0 where `include_initial`."""
    return running(x, axis, dtype, include_initial, torch.cumsum, 0)


def cumulative_prod(x: Tensor, /, *, axis: int | None = None, dtype: dtype | None = None, include_initial: bool = False) -> Tensor:
    """Products of the elements up to each, after 1 where `include_initial`."""
    return running(x, axis, dtype, include_initial, torch.cumprod, 1)


def diff(x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    return torch.diff(array(x), n, axis, prepend, append)


# ---- order ----
def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return torch.sort(array(x), dim=axis, descending=descending, stable=stable)[0]


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return torch.sort(array(x), dim=axis, descending=descending, stable=stable)[1]


def searchsorted(x1: Tensor, x2: Any, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', not {side!r}")
    where, values = common(x1, x2)
    return torch.searchsorted(where, values, side=side, sorter=None if sorter is None else sorter.to(torch.int64))


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of elements that are not zero, a vector for each axis. ValueError for a 0-d array."""
    if array(x).ndim == 0:
        raise ValueError("nonzero() needs an array of at least one dimension")
    return torch.nonzero(x, as_tuple=True)


# ---- sets ----
UniqueAllResult = namedtuple("UniqueAllResult", ("values", "indices", "inverse_indices", "counts"))
UniqueCountsResult = namedtuple("UniqueCountsResult", ("values", "counts"))
UniqueInverseResult = namedtuple("UniqueInverseResult", ("values", "inverse_indices"))


def unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The different values, which of them each element is, and how often each occurs; complex ones by their real parts, then by their imaginary ones."""
    if not array(x).dtype.is_complex:
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    else:
        flat = torch.reshape(x, (-1,))
        rows, inverse, counts = torch.unique(torch.stack([torch.real(flat), torch.imag(flat)], 1), return_inverse=True, return_counts=True, dim=0)
        values = torch.complex(rows[:, 0], rows[:, 1])
    return values, torch.reshape(inverse, tuple(x.shape)), counts


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """The different values, where each occurs first, which of them each element is, and how often each occurs."""
    values, inverse, counts = unique(x)
    size = x.numel()
    first = torch.scatter_reduce(torch.full((values.numel(),), size), 0, torch.reshape(inverse, (-1,)), torch.arange(size), "amin")
    return UniqueAllResult(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    values, _, counts = unique(x)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    values, inverse, _ = unique(x)
    return UniqueInverseResult(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    return unique(x)[0]


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    return torch.isin(*common(x1, x2), invert=invert)
