"""Array API: the linear algebra extension."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pywasmtorch as torch

from ._promotion import Tensor, array, common, dtype

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr",
    "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]

QRResult = namedtuple("QRResult", ("Q", "R"))
SlogdetResult = namedtuple("SlogdetResult", ("sign", "logabsdet"))
EighResult = namedtuple("EighResult", ("eigenvalues", "eigenvectors"))
SVDResult = namedtuple("SVDResult", ("U", "S", "Vh"))


# ---- products, which the main namespace has, too ----
def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    return torch.matmul(*common(array(x1), array(x2)))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two dimensions exchanged. ValueError for vectors."""
    if array(x).ndim < 2:
        raise ValueError("matrix_transpose() needs an array of at least two dimensions")
    return torch.transpose(x, -2, -1)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    return torch.tensordot(*common(array(x1), array(x2)), dims=axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The sums of products along an axis, the first factor conjugated. ValueError where its sizes differ."""
    x1, x2 = common(array(x1), array(x2))
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"the sizes of axis {axis} differ: {x1.shape[axis]} and {x2.shape[axis]}")
    x1, x2 = torch.broadcast_tensors(x1, x2)
    products = torch.mul(torch.conj(x1) if x1.dtype.is_complex else x1, x2)
    return torch.sum(products, axis, dtype=products.dtype)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    return torch.outer(*common(array(x1), array(x2)))


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    a, b = common(array(x1), array(x2))
    if not -min(a.ndim, b.ndim) <= axis < min(a.ndim, b.ndim):
        raise IndexError(f"cross(): axis {axis} is out of range for arrays of {a.ndim} and {b.ndim} dimensions")
    if a.ndim != b.ndim:
        a, b = torch.broadcast_tensors(a, b)
    return torch.linalg.cross(a, b, dim=axis)


# ---- parts and norms ----
def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return torch.diagonal(array(x), offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: dtype | None = None) -> Tensor:
    return torch.sum(diagonal(x, offset=offset), -1, dtype=dtype)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    return torch.linalg.matrix_norm(array(x), ord, (-2, -1), keepdims)


def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    from ._statistics import reduced

    return reduced(x, axis, keepdims, lambda rows: torch.linalg.vector_norm(rows, ord, -1))


# ---- decompositions ----
def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    return torch.linalg.cholesky(array(x), upper=upper)


def det(x: Tensor, /) -> Tensor:
    return torch.linalg.det(array(x))


def eigh(x: Tensor, /) -> EighResult:
    return EighResult(*torch.linalg.eigh(array(x)))


def eigvalsh(x: Tensor, /) -> Tensor:
    return torch.linalg.eigvalsh(array(x))


def inv(x: Tensor, /) -> Tensor:
    return torch.linalg.inv(array(x))


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    return torch.linalg.matrix_power(array(x), n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    return torch.linalg.matrix_rank(array(x), rtol=rtol)


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    return torch.linalg.pinv(array(x), rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    return QRResult(*torch.linalg.qr(array(x), mode))


def slogdet(x: Tensor, /) -> SlogdetResult:
    return SlogdetResult(*torch.linalg.slogdet(array(x)))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solution of `x1 @ x = x2`: x2 is a vector where it has one dimension, else a batch of matrices."""
    a, b = common(array(x1), array(x2))
    if b.ndim == 1:
        return torch.linalg.solve(a, torch.unsqueeze(b, -1)).squeeze(-1)
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return torch.linalg.solve(torch.broadcast_to(a, (*batch, *a.shape[-2:])), torch.broadcast_to(b, (*batch, *b.shape[-2:])))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    return SVDResult(*torch.linalg.svd(array(x), full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    return torch.linalg.svdvals(array(x))
