"""diff, gradient, trapezoid, cumulative_trapezoid."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import is_number
from .._core.checks import tensors_checked
from .._core.dispatch import written
from .._core.generated import ops
from .._core.tensor_type import Tensor


def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Differences of neighbours along a dimension, n times."""
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for name, part in (("prepend", prepend), ("append", append)):
        if part is not None and part.ndim != input.ndim:
            raise RuntimeError(f"diff expects prepend or append to be the same dimension as input, but {name} has {part.ndim} dimensions and input has {input.ndim}")
    if n == 0:
        return written(ops.clone(input), out)
    parts = [p for p in (prepend, input, append) if p is not None]
    x = ops.cat(parts, dim) if len(parts) > 1 else input
    ops.select(ops._empty((1,) * x.ndim, x.dtype), dim, 0)  # IndexError for a wrong dim
    if n > x.shape[dim]:
        n = x.shape[dim]
    for _ in range(n):
        size = x.shape[dim]
        after, before = ops.narrow(x, dim, 1, size - 1), ops.narrow(x, dim, 0, size - 1)
        x = ops.logical_xor(after, before) if x.dtype is _dtype.bool_ else after - before
    return written(ops.clone(x) if x is input else x, out)


# ---- integrals by the trapezoidal rule ----
def sampled_dim(y: Tensor, dim: int) -> int:
    """The dimension of y that is meant; in x, which may have more, it is the one of the same number."""
    found = wrapped(dim, y.ndim)
    if y.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return found


def neighbours(t: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """All but the last and all but the first along a dimension."""
    size = t.shape[wrapped(dim, t.ndim)]
    between = max(size - 1, 0)
    return ops.narrow(t, dim, 0, between), ops.narrow(t, dim, min(size, 1), between)


def strips(y: Tensor, x: Any, dx: Any, dim: int, name: str) -> Tensor:
    """The areas between neighbours along `dim`."""
    if y.dtype is _dtype.bool_:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    before, after = neighbours(y, dim)
    pairs = after + before
    if x is None:
        return pairs * dx / 2.0
    if x.dtype is _dtype.bool_:
        raise RuntimeError(f"{name}: received a bool input for `x`, but bool is not supported")
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = ops.reshape(x, [-1 if i == dim else 1 for i in range(y.ndim)])
    elif x.ndim < y.ndim:
        x = ops.reshape(x, [*[1] * (y.ndim - x.ndim), *x.shape])
    before, after = neighbours(x, dim)
    return pairs * (after - before) / 2.0


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral of samples y along a dimension by the trapezoidal rule, at places x or `dx` apart."""
    dim = sampled_dim(y, dim)
    if y.shape[dim] == 0:
        return ops._full([n for i, n in enumerate(y.shape) if i != dim], 0, y.dtype)
    if x is None and y.dtype is not _dtype.bool_:
        ends = ops.select(y, dim, 0) + ops.select(y, dim, -1)
        return (ops.FUNCTIONS["sum"](y, dim) - ends * 0.5) * (1 if dx is None else dx)
    return ops.FUNCTIONS["sum"](strips(y, x, 1 if dx is None else dx, dim, "trapezoid"), dim)


def trapz(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """`trapezoid`."""
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integrals up to every sample but the first."""
    dim = sampled_dim(y, dim)
    return ops.cumsum(strips(y, x, 1 if dx is None else dx, dim, "cumulative_trapezoid"), dim)


# ---- derivatives ----
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Estimates of the derivative along each of `dim`: inside by second-order central differences, at the edges by one-sided differences of order
    `edge_order`. `spacing` is the distance of samples, one for each dimension, or the places themselves as vectors (Fornberg 1988, for uneven ones)."""
    if input.dtype is _dtype.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    given = dim is not None
    dims = [dim] if isinstance(dim, int) else list(dim) if given else list(range(input.ndim))
    dims = [wrapped(d, input.ndim) for d in dims]
    if len(set(dims)) != len(dims):
        raise RuntimeError("dim " + str(next(d for d in dims if dims.count(d) > 1)) + " appears multiple times in the list of dims")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if spacing is None or is_number(spacing):
        spaces = [1 if spacing is None else spacing] * len(dims)
    elif isinstance(spacing, Tensor):
        spaces = [spacing]
    else:
        spaces = list(spacing)
    if len(spaces) != len(dims):
        raise RuntimeError(f"torch.gradient expected spacing to be unspecified, a scalar, or it's spacing and dim arguments to have the same length, but got a spacing argument of "
                           f"length {len(spaces)} and a dim argument of length {len(dims)}.")
    for d in dims:
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    for space, d in zip(spaces, dims):
        if isinstance(space, Tensor) and (space.ndim != 1 or space.numel() != input.shape[d]):
            raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, and as many elements as the dimension of input has")
    return tuple(derivative(input, space, d, edge_order) for space, d in zip(spaces, dims))


def wrapped(dim: int, ndim: int) -> int:
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def derivative(f: Tensor, space: Any, d: int, edge_order: int) -> Tensor:
    n = f.shape[d]

    def at(start: int, length: int) -> Tensor:
        return ops.narrow(f, d, start, length)

    def gap(start: int, length: int) -> Any:
        """The distances from each of `length` samples to the next, in the shape of that part of f."""
        if not isinstance(space, Tensor):
            return space
        steps = ops.narrow(space, 0, start + 1, length) - ops.narrow(space, 0, start, length)
        return ops.reshape(steps, [-1 if i == d else 1 for i in range(f.ndim)])

    parts = []
    if n > 2:
        if isinstance(space, Tensor):
            left, right = gap(0, n - 2), gap(1, n - 2)
            inside = (at(0, n - 2) * (-right / (left * (left + right))) + at(1, n - 2) * ((right - left) / (left * right))
                      + at(2, n - 2) * (left / (right * (left + right))))
        else:
            inside = (at(2, n - 2) - at(0, n - 2)) / (2 * space)
        parts = [inside]
    if edge_order == 1:
        first, last = (at(1, 1) - at(0, 1)) / gap(0, 1), (at(n - 1, 1) - at(n - 2, 1)) / gap(n - 2, 1)
    else:
        a, b = gap(0, 1), gap(1, 1)
        first = at(0, 1) * (-(2 * a + b) / (a * (a + b))) + at(1, 1) * ((a + b) / (a * b)) + at(2, 1) * (-a / (b * (a + b)))
        a, b = gap(n - 3, 1), gap(n - 2, 1)
        last = at(n - 3, 1) * (b / (a * (a + b))) + at(n - 2, 1) * (-(b + a) / (a * b)) + at(n - 1, 1) * ((2 * b + a) / (b * (a + b)))
    return ops.cat([first, *parts, last], d)


FUNCTIONS = [*map(tensors_checked, (cumulative_trapezoid, diff, gradient, trapezoid, trapz))]
METHODS = {"diff": tensors_checked(diff)}
