"""where, nonzero, nonzero_static, argwhere, unravel_index."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.checks import tensors_checked
from .._core.dispatch import write_out, written
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._core.warning import warn


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """The indices of non-zero elements: a row each, or a vector for each dimension where `as_tuple`."""
    if as_tuple and input.ndim == 0:
        input = ops.reshape(input, (1,))
    places = ops.nonzero(input)
    if out is not None:
        if out.dtype is not places.dtype:
            raise RuntimeError(f"nonzero: Expected out tensor to have dtype {places.dtype}, but got {out.dtype} instead")
        return write_out(out, places)
    return ops.unbind(places, 1) if as_tuple else places


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """The first `size` rows of `nonzero`, and rows of `fill_value` where there are fewer. RuntimeError for a negative size."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    if input.is_meta:
        return written(ops._full((size, input.ndim), fill_value, _dtype.int64), out)
    places = ops.nonzero(input)
    count, columns = places.shape
    if count >= size:
        places = ops.narrow(places, 0, 0, size)
    else:
        places = ops.cat([places, ops._full((size - count, columns), fill_value, _dtype.int64)], 0)
    return written(ops.clone(places), out)


def argwhere(input: Tensor) -> Tensor:
    return ops.nonzero(input)


def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None) -> Any:
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    warn_of_bytes(condition)
    return written(ops.where(condition, input, other), out)


def method_where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    warn_of_bytes(condition)
    return ops.where(condition, self, other)


def warn_of_bytes(condition: Any) -> None:
    if isinstance(condition, Tensor) and condition.dtype is _dtype.uint8:
        warn("where received a uint8 condition tensor, which is deprecated; a condition is of dtype torch.bool")


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates of positions in a flattened tensor of this shape, a tensor for each dimension. TypeError where indices are no integers."""
    if indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype is _dtype.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, list, tuple)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    coordinates, rest = [], ops._to_dtype(indices, _dtype.int64)
    for size in reversed(sizes):
        coordinates.append(ops.remainder(rest, size))
        rest = ops.floor_divide(rest, size)
    return tuple(coordinates[::-1])


FUNCTIONS = [*map(tensors_checked, (argwhere, nonzero, nonzero_static, unravel_index, where))]
METHODS = {f.__name__: tensors_checked(f) for f in (argwhere, nonzero, nonzero_static)}
METHODS["where"] = tensors_checked(method_where)
