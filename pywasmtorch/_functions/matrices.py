"""block_diag, fill_diagonal_, tril_indices, triu_indices, vander."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import is_int, type_name
from .._core.checks import check_elements, tensors_checked
from .._core.dtype import dtype, get_default_dtype
from .._core.generated import ops
from .._core.meta import on_meta
from .._core.tensor_type import Tensor
from .creation import arange, check_options
from .shape import atleast_2d


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Puts a number on the main diagonal, in place; in a tall matrix again below it where `wrap`."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    length, step = min(self.shape), sum(self.stride())
    ops.fill_(ops.as_strided(self, (length,), (step,), self.storage_offset()), fill_value)
    if wrap and self.ndim == 2 and self.shape[0] > self.shape[1] + 1:
        rows = self[self.shape[1] + 1 :]
        fill_diagonal_(rows, fill_value, True)
    return self


def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given ones along its diagonal."""
    check_elements((tensors,))
    for i, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {tensor.ndim} dimensions")
    if not tensors:
        return ops._full((1, 0), 0, get_default_dtype())
    blocks = [atleast_2d(t) for t in tensors]
    total = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for b in blocks:
        rows.append(ops.constant_pad_nd(b, (start, total - start - b.shape[1]), 0))
        start += b.shape[1]
    return ops.cat(rows, 0)


def triangle(upper: bool) -> Any:
    def indices(row: int, col: int, offset: int = 0, *, dtype: dtype | None = _dtype.int64, device: Any = None, layout: Any = None) -> Tensor:
        meta = check_options(device, layout, False)
        dtype = _dtype.int64 if dtype is None else dtype
        if dtype not in (_dtype.int64, _dtype.int32):
            raise NotImplementedError(f"\"{indices.__name__}\" not implemented for '{dtype._scalar_name}'")
        result = on_meta(ops._tri_indices, row, col, offset, upper) if meta else ops._tri_indices(row, col, offset, upper)
        return result if dtype is _dtype.int64 else ops._to_dtype(result, dtype)

    indices.__name__ = indices.__qualname__ = "triu_indices" if upper else "tril_indices"
    return indices


tril_indices, triu_indices = triangle(False), triangle(True)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of a vector's elements, as columns."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    if N is not None and not is_int(N):
        raise TypeError(f"vander(): argument 'N' must be int, not {type_name(N)}")
    if N is not None and N < 0:
        raise RuntimeError("N must be non-negative.")
    powers = arange(len(x) if N is None else int(N), device=x.device)
    columns = ops.pow_function(ops.unsqueeze(x, -1), powers)
    return columns if increasing else ops.flip(columns, (1,))


FUNCTIONS = [*map(tensors_checked, (block_diag, tril_indices, triu_indices, vander))]
METHODS = {"fill_diagonal_": tensors_checked(fill_diagonal_)}
