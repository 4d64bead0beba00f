"""Array API: concat, reshape, permute_dims, roll, stack, take and other manipulation functions."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from ._promotion import Tensor, array, common, result_type

__all__ = [
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack",
    "take", "take_along_axis", "tile", "unstack",
]

broadcast_shapes = torch.broadcast_shapes


def wrapped(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} is out of bounds for an array of {ndim} dimensions")
    return axis % ndim


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    return tuple(torch.broadcast_tensors(*arrays)) if arrays else ()


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    return torch.broadcast_to(array(x), shape)


def of_one_dtype(arrays: Any) -> list[Tensor]:
    kind = result_type(*arrays)
    return [a.to(kind) for a in arrays]


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """Arrays joined along an axis, or flattened where it is None."""
    parts = of_one_dtype(arrays)
    return torch.cat([p.reshape(-1) for p in parts], 0) if axis is None else torch.cat(parts, axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    return torch.stack(of_one_dtype(arrays), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    return torch.unbind(array(x), axis)


def expand_dims(x: Tensor, /, axis: Any = 0) -> Tensor:
    """New axes of size 1 at these places of the result. IndexError for places outside, ValueError for one named twice."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    ndim = array(x).ndim + len(axes)
    places = sorted(wrapped(a, ndim) for a in axes)
    if len(set(places)) != len(places):
        raise ValueError("an axis is named twice")
    for place in places:
        x = torch.unsqueeze(x, place)
    return x


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    """Without these axes. ValueError where one's size is not 1."""
    axes = [wrapped(a, array(x).ndim) for a in ((axis,) if isinstance(axis, int) else axis)]
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(f"axis {a} has size {x.shape[a]}, only axes of size 1 can be squeezed")
    return torch.squeeze(x, axes) if axes else torch.clone(x)


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    return torch.flip(array(x), tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis))


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    return torch.movedim(array(x), source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    return torch.permute(array(x), tuple(axes))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    return torch.repeat_interleave(array(x), repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape. ValueError where `copy` is False and strides do not allow a view."""
    if copy is False:
        try:
            return array(x).view(tuple(shape))
        except RuntimeError as error:
            raise ValueError(str(error)) from None
    result = torch.reshape(array(x), tuple(shape))
    return torch.clone(result) if copy else result


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Elements shifted around the end; one shift stands for all axes."""
    if axis is None:
        return torch.roll(array(x), shift)
    return torch.roll(array(x), [shift] * len(axis) if isinstance(shift, int) and not isinstance(axis, int) else shift, axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    return torch.tile(array(x), tuple(repetitions))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices that a vector of indices, or a number, names along an axis; the axis may be left out for vectors."""
    if axis is None:
        if array(x).ndim != 1:
            raise ValueError("axis must be given for arrays that are no vectors")
        axis = 0
    axis = wrapped(axis, x.ndim)
    indices = array(indices).to(torch.int64)
    places = torch.where(indices < 0, indices + x.shape[axis], indices)
    found = torch.index_select(x, axis, places.reshape(-1))
    return found.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    return torch.take_along_dim(array(x), indices.to(torch.int64), axis)


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """x1 where the condition holds, else x2; either may be a number where the other is an array."""
    return torch.where(array(condition), *common(x1, x2))


__all__.append("where")
