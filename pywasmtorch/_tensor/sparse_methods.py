"""to_sparse and others: methods of dense tensors that make sparse ones, and those that only sparse ones have."""

from __future__ import annotations

from typing import Any, NoReturn

from .._core import layout as layouts
from .._core.lazy_import import lazy_import
from .._core.tensor_type import Tensor

from_dense = lazy_import("sparse._tensor", "from_dense")
sparse_mask = lazy_import("sparse._tensor", "masked")


def to_sparse(self: Tensor, *sparse_dim: Any, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None) -> Tensor:
    """The elements that are not 0 as a sparse tensor; the first `sparse_dim` dimensions (default: all) are sparse. Layouts sparse_coo, and
    sparse_csr and sparse_csc for matrices; NotImplementedError for those of blocks."""
    return from_dense(self, *sparse_dim, layout=layout, blocksize=blocksize, dense_dim=dense_dim)


def to_sparse_coo(self: Tensor) -> Tensor:
    return from_dense(self)


def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """A matrix compressed by rows."""
    return from_dense(self, layout=layouts.sparse_csr, dense_dim=dense_dim)


def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """A matrix compressed by columns."""
    return from_dense(self, layout=layouts.sparse_csc, dense_dim=dense_dim)


def in_blocks(name: str) -> Any:
    def refuse(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> NoReturn:
        raise NotImplementedError(f"pywasmtorch has no torch.Tensor.{name}: there are no sparse tensors with blocks")

    return refuse


def of_sparse(name: str, kind: str) -> Any:
    def refuse(self: Tensor) -> NoReturn:
        raise RuntimeError(f"{name} expected sparse {kind} tensor layout but got Strided")

    return refuse


KINDS = {
    "coordinate": "indices _indices _values coalesce is_coalesced", "row compressed": "crow_indices col_indices", "column compressed": "ccol_indices row_indices",
    "coordinate or compressed": "values _nnz",
}

METHODS = {
    "to_sparse": to_sparse, "to_sparse_coo": to_sparse_coo, "to_sparse_csr": to_sparse_csr, "to_sparse_csc": to_sparse_csc, "sparse_mask": sparse_mask,
    "sparse_dim": lambda self: 0, "dense_dim": lambda self: self.ndim, "to_sparse_bsr": in_blocks("to_sparse_bsr"), "to_sparse_bsc": in_blocks("to_sparse_bsc"),
    **{name: of_sparse(name, kind) for kind, names in KINDS.items() for name in names.split()},
}
PROPERTIES = {"is_sparse_csr": (lambda self: False,)}
