"""unique, unique_consecutive, quantile, nanquantile, histogram, histogramdd."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import is_int, is_number, is_sequence, type_name
from .._core.checks import tensors_checked
from .._core.dispatch import into_many, written
from .._core.generated import ops
from .._core.meta import refuse
from .._core.named_tuple import return_type
from .._core.tensor_type import Tensor

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


# ---- unique ----
def asked(results: tuple[Tensor, Tensor, Tensor], return_inverse: bool, return_counts: bool) -> Any:
    output, inverse, counts = results
    chosen = (output, *([inverse] if return_inverse else []), *([counts] if return_counts else []))
    return chosen if len(chosen) > 1 else output


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """The different elements (of `dim`: slices) in ascending order, always sorted; beside them, where asked for, the index of each element's
    like among them and how many there are of each. Every NaN differs from every other."""
    if dim is None:
        return asked(ops._unique2(input, sorted, return_inverse, return_counts), return_inverse, return_counts)
    return asked(ops._unique_dim(input, dim, False, return_inverse, return_counts), return_inverse, return_counts)


def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """Like `unique`, but only what stands side by side counts as one, and the order stays."""
    if dim is None:
        return asked(ops._unique_consecutive(input, return_inverse, return_counts), return_inverse, return_counts)
    return asked(ops._unique_dim(input, dim, True, return_inverse, return_counts), return_inverse, return_counts)


# ---- quantiles ----
def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear", out: Tensor | None = None) -> Tensor:
    """What a share q of the elements lies below, over all or along `dim`; a vector of shares adds a first dimension. NaN where an element is.
    RuntimeError for q outside [0, 1], for dtypes other than float32 and float64, and for empty tensors."""
    return quantile_of("quantile", input, q, dim, keepdim, interpolation, out)


def nanquantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear", out: Tensor | None = None) -> Tensor:
    """`quantile` of what is not NaN."""
    return quantile_of("nanquantile", input, q, dim, keepdim, interpolation, out)


def check_quantile(name: str, input: Tensor, q: Any, dim: int | None, interpolation: str) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    if not isinstance(q, Tensor):
        if not is_number(q) or isinstance(q, complex):
            raise TypeError(f"{name}(): argument 'q' (position 2) must be float or Tensor, not {type_name(q)}")
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = ops._full((), float(q), input.dtype if input.dtype.is_floating_point else _dtype.float32)
    elif input.dtype is not q.dtype and input.dtype in (_dtype.float32, _dtype.float64):
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if not input.numel():
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input.dtype not in (_dtype.float32, _dtype.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}")
    if not q.is_meta and not all(0 <= share <= 1 for share in ops.reshape(q, (-1,)).tolist()):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    return q


def quantile_of(name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, out: Tensor | None) -> Tensor:
    q = check_quantile(name, input, q, dim, interpolation)
    rows = ops.reshape(input, (-1,)) if dim is None or not input.ndim else ops.movedim(input, dim, -1)
    if dim is not None and not input.ndim:
        ops.select(ops.unsqueeze(input, 0), dim, 0)  # IndexError for a wrong dim
    found = interpolated(ops.sort(rows, -1)[0], ops.reshape(q, (-1,)), interpolation, name == "nanquantile")
    sizes = list(rows.shape[:-1])
    if keepdim:
        sizes = [1] * input.ndim if dim is None else sizes if not input.ndim else [*sizes[: dim % input.ndim], 1, *sizes[dim % input.ndim :]]
    result = ops.reshape(ops.movedim(found, -1, 0) if q.ndim else ops.squeeze(found, -1), [q.numel(), *sizes] if q.ndim else sizes)
    return written(result, out)


def interpolated(rows: Tensor, q: Tensor, interpolation: str, skips_nan: bool) -> Tensor:
    """[..., len(q)] of the sorted rows [..., n]. A row with NaN gets the rank of its last element, which is one."""
    is_nan = ops.isnan(rows)
    if skips_nan:
        ranks = q * (ops.sum_function(ops.logical_not(is_nan), -1, True) - 1)
        ranks = ops.masked_fill(ranks, ops.lt(ranks, 0), 0)
    else:
        last = rows.shape[-1] - 1
        broken = ops.FUNCTIONS["any"](is_nan, -1, True)
        ranks = ops.where(broken, ops._full((), last, rows.dtype), q * last)
    if interpolation != "linear" and interpolation != "midpoint":
        ranks = {"lower": ops.floor, "higher": ops.ceil, "nearest": ops.FUNCTIONS["round"]}[interpolation](ranks)
    below = ops._to_dtype(ranks, _dtype.int64)
    values = ops.gather(rows, -1, below)
    if interpolation not in ("linear", "midpoint"):
        return values
    weights = ops._full((), 0.5, rows.dtype) if interpolation == "midpoint" else ranks - below
    above = ops.gather(rows, -1, ops._to_dtype(ops.ceil(ranks), _dtype.int64))
    return ops.FUNCTIONS["lerp"](values, above, weights)


# ---- histograms ----
Histogram = return_type("histogram", ("hist", "bin_edges"))


def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False, out: Any = None) -> Any:
    """How many elements (or how much of `weight`) fall into each bin, and the edges of the bins: `bins` equal ones over `range`, or between the
    edges that a tensor gives. `density` divides by the total and by the widths."""
    refuse("histogram", input, bins)
    if isinstance(bins, Tensor) and not (bins.ndim == 0 and is_int(bins)):
        if range is not None:
            raise TypeError(f"histogram() received an invalid combination of arguments - got (Tensor, bins=Tensor, range={type_name(range)})")
        edges = checked_edges(input, bins)
    else:
        if not is_int(bins):
            raise TypeError(f"histogram(): argument 'bins' (position 2) must be int, not {type_name(bins)}")
        edges = even_edges(input, int(bins), range)
    if weight is not None:
        check_weight(input.shape, (input.numel(), 1), input.dtype, weight)
    hist = ops._histogram(input, edges, weight, not isinstance(bins, Tensor))
    if density:
        hist = hist / ops.sum_function(hist) / (edges[1:] - edges[:-1])
    if out is None:
        return Histogram((hist, edges))
    return into_many(Histogram((hist, edges)), out)


def check_histogram(input: Tensor, bins: int, d: int = 0) -> None:
    if input.dtype not in (_dtype.float32, _dtype.float64):
        raise NotImplementedError(f'"histogramdd" not implemented for {input.dtype}')
    if bins < 1:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {d}")


def checked_edges(input: Tensor, edges: Tensor, d: int = 0) -> Tensor:
    if edges.ndim != 1:
        raise RuntimeError(f"torch.histogramdd: bins tensor should have one dimension, but got {edges.ndim} dimensions in the bins tensor for dimension {d}")
    if edges.dtype is not input.dtype:
        raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                           f"{input.dtype} and bins for dimension {d} with dtype {edges.dtype}")
    check_histogram(input, edges.numel() - 1, d)
    return ops.clone(edges)


def even_edges(input: Tensor, bins: int, range: Any, d: int = 0) -> Tensor:
    check_histogram(input, bins, d)
    if range is None:
        least, greatest = (v.item() for v in ops.aminmax(input.detach())) if input.numel() else (0.0, 1.0)
    else:
        if not is_sequence(range) or len(range) != 2:
            raise RuntimeError(f"torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got {len(range)}")
        least, greatest = map(float, range)
    if not (least - least == 0 and greatest - greatest == 0):
        raise RuntimeError(f"torch.histogramdd: dimension {d}'s range [{least:g}, {greatest:g}] is not finite")
    if least > greatest:
        raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {least:g} max {greatest:g} for dimension {d}")
    if least == greatest:
        least, greatest = least - 0.5, greatest + 0.5
    return ops._linspace(least, greatest, bins + 1, input.dtype)


Histogramdd = return_type("histogramdd", ("hist", "bin_edges"))


def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False) -> Any:
    """How many of the vectors in the last dimension (or how much of `weight`) fall into each bin of a grid, and the edges along each of its
    dimensions: `bins` is a number of bins, one for each dimension, or their edges as vectors; `range` holds a least and a greatest for each."""
    refuse("histogramdd", input, bins)
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    points, size = ops.reshape(input, (-1, input.shape[-1])), input.shape[-1]
    kinds = [int(bins)] * size if is_int(bins) else list(bins)
    if len(kinds) != size:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if range is not None and len(range) != 2 * size:
        raise RuntimeError(f"torch.histogramdd: for a {size}-dimensional histogram range should have {2 * size} elements, but got {len(range)}")
    edges, flat, inside = [], None, None
    for d, kind in enumerate(kinds):
        column = ops.select(points, 1, d)
        if isinstance(kind, Tensor):
            edges.append(checked_edges(input, kind, d))
        else:
            edges.append(even_edges(column, int(kind), None if range is None else range[2 * d : 2 * d + 2], d))
        count = edges[d].numel() - 1
        place = ops.FUNCTIONS["searchsorted"](edges[d], ops.contiguous(column), right=True) - 1
        place = ops.masked_fill(place, ops.eq(column, edges[d][-1]), count - 1)
        within = ops.logical_and(ops.ge(column, edges[d][0]), ops.le(column, edges[d][-1]))
        flat = place if flat is None else flat * count + place
        inside = within if inside is None else ops.logical_and(inside, within)
    shape = [e.numel() - 1 for e in edges]
    if weight is None:
        amounts = ops._full((points.shape[0],), 1, input.dtype)
    else:
        check_weight(input.shape[:-1], input.shape, input.dtype, weight)
        amounts = ops.reshape(weight, (-1,))
    total = 1
    for n in shape:
        total *= n
    zeros = ops._full((total,), 0, input.dtype)
    hist = zeros if flat is None else ops.index_add(zeros, 0, ops.masked_select(flat, inside), ops.masked_select(amounts, inside))
    hist = ops.reshape(hist, shape)
    if density:
        hist = hist / ops.sum_function(hist)
        for d, e in enumerate(edges):
            hist = hist / ops.reshape(e[1:] - e[:-1], [-1 if i == d else 1 for i, _ in enumerate(edges)])
    return Histogramdd((hist, tuple(edges)))


def check_weight(shape: Any, full: Any, kind: Any, weight: Tensor) -> None:
    if tuple(weight.shape) != tuple(shape):
        raise RuntimeError("torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost "
                           f"dimension, but got input with shape {list(full)} and weight with shape {list(weight.shape)}")
    if weight.dtype is not kind:
        raise RuntimeError(f"torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got {kind} and {weight.dtype}")


FUNCTIONS = [unique, unique_consecutive, *map(tensors_checked, (histogram, histogramdd, nanquantile, quantile))]
METHODS = {f.__name__: tensors_checked(f) for f in (unique, unique_consecutive, quantile, nanquantile, histogram)}
