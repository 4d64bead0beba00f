"""What Python makes of singular values and eigenvalues: pseudoinverses, ranks, condition numbers and low-rank approximations."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import type_name
from .._core.calls import written
from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.names import scalar_name
from .._core.tensor_type import Tensor
from .norms import matrix_norm
from .random import randn

inf = float("inf")
C_NAMES = {"float32": "float", "float64": "double", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "int64": "long int", "int32": "int"}
EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}


def _tolerance(name: str, which: str, value: Any, A: Tensor) -> Tensor | None:
    """As a tensor of A's real dtype; None stays None."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        if value.dtype.is_complex:
            raise RuntimeError(f"torch.linalg.{name}: {which} tensor of complex type is not supported. Got {scalar_name(value.dtype)}")
        return value
    if not isinstance(value, (int, float)):
        raise TypeError(f"linalg_{name}(): argument '{which}' must be float, not {type_name(value)}")
    return ops._full((), float(value), A.dtype.to_real())


def _check_out(result: _dtype.dtype, out: Tensor | None) -> None:
    if out is not None and out.dtype is not result:
        raise RuntimeError(f"Expected out tensor to have dtype {C_NAMES.get(result._name, result._name)}, but got {C_NAMES.get(out.dtype._name, out.dtype._name)} instead")


def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices, ascending; one triangle is read."""
    _check_out(input.dtype.to_real(), out)
    return ops.linalg_eigvalsh(input, UPLO, out=out)


def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values of matrices, descending."""
    _check_out(A.dtype.to_real(), out)
    return ops.linalg_svdvals(A, driver=driver, out=out)


def pinv(input: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Tensor | None = None) -> Tensor:
    """The pseudoinverse of matrices (Moore 1920, Penrose 1955): singular values up to max(atol, rtol * the largest) count as zero. `rtol` is
    eps * max(m, n) unless given, 0 beside a positive `atol`. `hermitian` reads the lower triangle. RuntimeError for other dtypes than float32,
    float64, complex64 and complex128."""
    if rcond is not None:
        rtol = rcond
        atol = 0.0
    return written(ops._pinv(input, _tolerance("pinv", "atol", atol, input), _tolerance("pinv", "rtol", rtol, input), hermitian), out)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """linalg.pinv with singular values up to rcond times the largest as zero."""
    return pinv(input, rcond)


def matrix_rank(input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Tensor | None = None) -> Tensor:
    """How many singular values (of `hermitian` matrices: magnitudes of eigenvalues) exceed max(atol, rtol * the largest), as int64."""
    if input.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if input.dtype not in (_dtype.float32, _dtype.float64, _dtype.complex64, _dtype.complex128):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if tol is not None:
        atol, rtol = tol, 0.0
    input = ops.detach(input)
    atol, rtol = _tolerance("matrix_rank", "atol", atol, input), _tolerance("matrix_rank", "rtol", rtol, input)
    values = ops.abs_function(ops.linalg_eigvalsh(input)) if hermitian else ops.linalg_svdvals(input)
    if not values.shape[-1]:
        return written(ops._full(values.shape[:-1], 0, _dtype.int64), out)
    largest = ops.amax(values, [-1], True)
    default = ops._full((), EPSILON[input.dtype.to_real()._name] * max(input.shape[-2:]), input.dtype.to_real())
    if rtol is None:
        rtol = default if atol is None else ops.where(atol > 0, ops._full((), 0.0, default.dtype), default)
    limit = ops.unsqueeze(rtol, -1) * largest
    if atol is not None:
        limit = ops.maximum(ops.unsqueeze(atol, -1), limit)
    return written(ops.sum_function(values > limit, [-1]), out)


def cond(input: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number by the norm p: None, 2, -2 (of singular values), 'fro', 'nuc', inf, -inf, 1, -1 (norm(A) * norm(inverse), square A
    only; infinite where A is singular)."""
    name = f"linalg.cond(ord={p})" if isinstance(p, str) else "linalg.cond"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions." if isinstance(p, str) else f"{name}: The input tensor must have at least 2 dimensions.")
    rows, columns = input.shape[-2:]
    if not isinstance(p, str):
        if p not in (None, 1, -1, 2, -2, inf, -inf):
            raise RuntimeError(f"linalg.cond got an invalid norm type: {float(p):g}")
        if not input.numel():
            return written(ops._full(input.shape[:-2], 0.0, input.dtype.to_real()), out)
        if p in (None, 2, -2):
            values = ops.linalg_svdvals(input)
            first, last = ops.select(values, -1, 0), ops.select(values, -1, values.shape[-1] - 1)
            return written(last / first if p == -2 else first / last, out)
        name = f"linalg.cond(ord={float(p):g})"
    if rows != columns:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if p in ("fro", "nuc") and not input.numel():
        return written(ops._full(input.shape[:-2], 0.0, input.dtype.to_real()), out)
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    inverse, info = ops.linalg_inv_ex(input)
    broken = info != 0
    inverse = ops.where(ops.unsqueeze(ops.unsqueeze(broken, -1), -1), ops._full((), inf, inverse.dtype), inverse)
    result = matrix_norm(input, p) * matrix_norm(inverse, p)
    return written(ops.where(broken, ops._full((), inf, result.dtype), result), out)


# ---- low rank ----
def _basis(A: Tensor, q: int, niter: int) -> Tensor:
    """An orthonormal basis that nearly spans A's range: Halko, Martinsson and Tropp (2011), algorithm 4.4."""
    random = randn(A.shape[-1], q, dtype=A.dtype)
    Q = ops.linalg_qr(ops.matmul(A, random))[0]
    for _ in range(niter):
        Q = ops.linalg_qr(ops.matmul(ops.mH(A), Q))[0]
        Q = ops.linalg_qr(ops.matmul(A, Q))[0]
    return Q


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of rank q that approximate A (less M) by a random projection and `niter` subspace iterations: Halko, Martinsson and Tropp
    (2011), algorithm 5.1."""
    if M is not None:
        A = A - ops.expand(M, A.shape)
    wide = A.shape[-2] < A.shape[-1]
    if wide:
        A = ops.mH(A)
    Q = _basis(A, 6 if q is None else q, 2 if niter is None else niter)
    U, S, Vh = ops.linalg_svd(ops.matmul(ops.mH(Q), A), False)
    U, V = ops.matmul(Q, U), ops.mH(Vh)
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """svd_lowrank of the rows, less their mean where `center`; q is min(6, m, n) unless given. ValueError for q or niter out of range."""
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - ops.mean(A, [-2], True) if center else A, q, niter)


FUNCTIONS = [*map(tensors_checked, (pca_lowrank, pinverse, svd_lowrank))]
METHODS = {"pinverse": pinverse}
