"""torch.sparse: sparse tensors of coordinates (COO) and matrices compressed by rows or columns (CSR, CSC)."""

from __future__ import annotations

from typing import Any

from .._core.dtype import dtype as DType
from .._core.generated import ops
from .._core.tensor_type import Tensor
from . import _operators
from ._construct import check_sparse_tensor_invariants
from ._tensor import CooTensor, SparseTensor

__all__ = ["addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "sampled_addmm", "softmax", "spdiags", "sum"]


def mm(mat1: Tensor, mat2: Tensor, reduce: str = "sum") -> Tensor:
    """The product of two matrices of which one or both are sparse: dense for one, sparse for two. Its gradients are dense for dense operands, and
    for sparse ones at their own places."""
    if reduce != "sum":
        raise NotImplementedError(f"pywasmtorch has torch.sparse.mm with reduce='sum', not {reduce!r}")
    return ops.mm(mat1, mat2)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """`beta * mat + alpha * mat1 @ mat2`, with a sparse `mat1`."""
    return ops.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sampled_addmm(self: SparseTensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> SparseTensor:
    """`beta * self + alpha * (mat1 @ mat2)` at the places of a CSR matrix alone."""
    if not isinstance(self, SparseTensor) or not self.is_sparse_csr:
        raise RuntimeError("Expected self to have sparse csr layout")
    rows, cols = ops.unbind(self._coo()._index, 0)
    return self._with(ops.add(ops.mul(self._value, beta), ops._sampled_dot(mat1, ops.t(mat2), rows, cols), alpha=alpha))


def sum(input: SparseTensor, dim: Any = None, dtype: DType | None = None) -> Tensor:
    """The sum of all elements, or along `dim` (an int or several): sparse where a sparse dimension is left."""
    if not isinstance(input, SparseTensor):
        raise RuntimeError("torch.sparse.sum expects a sparse tensor")
    return _operators.sum_(input, dim, dtype=dtype)


def softmax(input: CooTensor, dim: int, *, dtype: DType | None = None) -> CooTensor:
    """Softmax among the elements that a sparse tensor has along `dim`: those it has not got count for minus infinity. Coalesced."""
    return _operators.softmax(input, dim, dtype)


def log_softmax(input: CooTensor, dim: int, *, dtype: DType | None = None) -> CooTensor:
    """The logarithm of :func:`softmax`."""
    return _operators.softmax(input, dim, dtype, log=True)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> SparseTensor:
    """A matrix of `shape` with the rows of `diagonals` as its diagonals at `offsets`: element j of a row stands in column j. RuntimeError where there
    is not one distinct offset for each row."""
    from ._construct import sparse_coo_tensor

    rows_given = diagonals if diagonals.ndim == 2 else ops.unsqueeze(diagonals, 0)
    places = ops.reshape(offsets, (-1,)).tolist()
    if len(shape) != 2:
        raise RuntimeError(f"Output shape must be 2d: {list(shape)}")
    if len(places) != rows_given.shape[0]:
        raise RuntimeError(f"Number of diagonals ({rows_given.shape[0]}) does not match the number of offsets ({len(places)})")
    if len(set(places)) != len(places):
        raise RuntimeError("Offset tensor contains duplicate values")
    found, height, width = [], int(shape[0]), min(int(shape[1]), rows_given.shape[1])
    for k, offset in enumerate(places):
        found += [(col - offset, col, k) for col in range(max(offset, 0), min(width, height + offset))]
    from .._functions.creation import tensor

    index = ops.t(ops.reshape(tensor(found or [], dtype=offsets.dtype if offsets.dtype.itemsize == 8 else None), (-1, 3))) if found else ops._full((3, 0), 0, offsets.dtype)
    rows, cols, of = ops.unbind(index, 0)
    values = ops.index_select(ops.reshape(rows_given, (-1,)), 0, ops.add(ops.mul(of, rows_given.shape[1]), cols))
    result = sparse_coo_tensor(ops.stack([rows, cols], 0), values, tuple(shape))
    return result if layout is None else result.to_sparse(layout=layout)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"pywasmtorch has no torch.sparse.{name}; see docs/differences.md")
