"""Writes to tensors whose elements share memory, which the core refuses at first: expanded ones, and overlapping windows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._core.checks import tensors_checked
from .._core.dtype import bool_, int64
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .metadata import get_shape, stride

ADVICE = ("Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
          "This also applies to advanced indexing e.g. {}")


def shares_elements(self: Tensor) -> bool:
    """Whether strides lead to one element twice, or may."""
    last = 0
    for step, count in sorted(zip(stride(self), get_shape(self))):
        if count > 1:
            if step <= last or step == 0:
                return True
            last += (count - 1) * step
    return False


def write_shared(self: Tensor, chosen: Callable[[Tensor], Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """Writes `values` to the elements that `chosen` takes out of a tensor like `self`, one after the other."""
    sizes, steps = get_shape(self), stride(self)
    reach = 1 + sum((n - 1) * s for n, s in zip(sizes, steps))
    places = ops.as_strided(ops._arange(0, reach, 1, int64), sizes, steps, 0)
    return ops._put_shared_(self, chosen(places), values, accumulate)


def warn(self: Tensor, name: str, example: str) -> None:
    if any(s == 0 and n > 1 for s, n in zip(stride(self), get_shape(self))):
        warnings.warn(ADVICE.format(name, example), stacklevel=4)


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    try:
        return ops.index_put_(self, indices, values, accumulate)
    except RuntimeError:
        if not shares_elements(self):
            raise
    warn(self, "index_put_", "tensor[indices] = tensor")
    plain = self.detach()
    result = ops.index_put(plain, indices, values, accumulate)
    if accumulate:
        return write_shared(self, lambda t: ops.index(t, indices), ops.expand(values, ops.index(plain, indices).shape), True)
    return write_shared(self, lambda t: ops.index(t, indices), ops.index(result, indices))


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`self` with `value` where `mask` holds."""
    try:
        return ops.masked_fill_(self, mask, value)
    except RuntimeError:
        if not shares_elements(self):
            raise
    warn(self, "masked_fill_", "tensor[mask] = scalar")
    filled = ops.masked_fill(self.detach(), mask, value)
    return write_shared(self, lambda t: ops.masked_select(t, mask), ops.masked_select(filled, mask))


def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """`self` with `value` in the slices that `index` names."""
    try:
        return ops.index_fill_(self, dim, index, value)
    except RuntimeError:
        if not shares_elements(self):
            raise
    warn(self, "index_fill_", "tensor[mask] = scalar")
    filled = ops.index_fill(self.detach(), dim, index, value)
    index = ops.FUNCTIONS["remainder"](index, max(get_shape(self)[dim], 1))
    return write_shared(self, lambda t: ops.index_select(t, dim, index), ops.index_select(filled, dim, index))


def triangle_(name: str) -> Any:
    plain, into = ops.FUNCTIONS[name], ops.METHODS[f"{name}_"]

    def keep(self: Tensor, diagonal: int = 0) -> Tensor:
        try:
            return into(self, diagonal)
        except RuntimeError:
            if not shares_elements(self):
                raise
        outside = ops.logical_not(plain(ops._full(get_shape(self), True, bool_), diagonal))
        return write_shared(self, lambda t: ops.masked_select(t, outside), ops._full((), 0, self.dtype))

    keep.__name__ = keep.__qualname__ = f"{name}_"
    keep.__doc__ = into.__doc__
    return keep


METHODS = {"masked_fill_": tensors_checked(masked_fill_), "index_fill_": tensors_checked(index_fill_), "tril_": triangle_("tril"), "triu_": triangle_("triu")}
