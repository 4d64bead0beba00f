"""lobpcg: the largest or smallest eigenpairs of symmetric matrices."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .norms import matrix_norm, vector_norm
from .random import randn

EPSILON = {"float32": 1.2e-07, "float64": 2.23e-16}


def _all_pairs(A: Tensor, B: Tensor | None) -> tuple[Tensor, Tensor]:
    """Every eigenpair of A x = e B x, ascending."""
    if B is None:
        return ops.linalg_eigh(A)
    L = ops.linalg_cholesky(B)
    left = ops.linalg_solve_triangular(L, A, upper=False)
    E, Y = ops.linalg_eigh(ops.linalg_solve_triangular(L, ops.mT(left), upper=False))
    return E, ops.linalg_solve_triangular(ops.mT(L), Y, upper=True)


def _extreme(E: Tensor, X: Tensor, n: int, largest: bool) -> tuple[Tensor, Tensor]:
    if not largest:
        return ops.narrow(E, -1, 0, n), ops.narrow(X, -1, 0, n)
    m = E.shape[-1]
    return ops.flip(ops.narrow(E, -1, m - n, n), [-1]), ops.flip(ops.narrow(X, -1, m - n, n), [-1])


def _iterated(A: Tensor, B: Tensor | None, X: Tensor, iK: Tensor | None, niter: int, tol: float, largest: bool, tracker: Any) -> tuple[Tensor, Tensor]:
    n = X.shape[-1]
    P: Tensor | None = None
    scale = float(matrix_norm(A)) + (0.0 if B is None else float(matrix_norm(B)))
    S = ops.linalg_qr(X)[0]
    step = 0
    while True:
        AS = A @ S
        E, Y = _all_pairs(ops.mT(S) @ AS, None if B is None else ops.mT(S) @ (B @ S))
        E, Y = _extreme(E, Y, n, largest)
        X = S @ Y
        R = AS @ Y - (X if B is None else B @ X) * ops.unsqueeze(E, -2)
        error = float(ops.amax(vector_norm(R, 2, -2) / vector_norm(X, 2, -2), [-1])) / max(scale, 1e-300)
        if error <= tol or step == niter:
            return E, X
        step += 1
        W = R if iK is None else iK @ R
        if S.shape[-1] > n:  # what the last step added to the pairs
            first = ops.narrow(S, -1, 0, n)
            P = X - first @ (ops.mT(first) @ X)
        parts = [X, W] if P is None else [X, W, P]
        S = ops.linalg_qr(ops.cat(parts, -1))[0]


def lobpcg(A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: int | None = None, iK: Tensor | None = None, niter: int | None = None,
           tol: float | None = None, largest: bool | None = None, method: str | None = None, tracker: Any = None, ortho_iparams: Any = None, ortho_fparams: Any = None,
           ortho_bparams: Any = None) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) eigenvalues of A x = e B x for symmetric A and positive definite B, (…, k), and their eigenvectors (…, m, k):
    locally optimal block preconditioned conjugate gradients (Knyazev, 2001). Where a gradient is wanted, all pairs are computed instead.
    ValueError for other dtypes than float32 and float64, and for m < 3 k."""
    if tracker is not None or method not in (None, "ortho", "basic"):
        raise NotImplementedError(f"pywasmtorch has no lobpcg with {'tracker' if tracker is not None else f'method={method!r}'}")
    name = str(A.dtype).split(".")[-1]
    if name not in EPSILON:
        raise ValueError(f"Expected A dtype to be one of float32 and float64, got {A.dtype}")
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"lobpcg: A must be batches of square matrices, but its shape is {list(A.shape)}")
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if X is None else X.shape[-1]) if n is None else n
    if m < 3 * n:
        raise ValueError(f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of requested eigenpairs (={n})")
    largest = True if largest is None else largest
    if A.requires_grad or (B is not None and B.requires_grad):
        return _extreme(*_all_pairs(A, B), k, largest)
    tol, niter = EPSILON[name] ** 0.5 if tol is None else tol, 1000 if niter is None else niter
    start = randn(*A.shape[:-1], n, dtype=A.dtype) if X is None else X.detach()
    iK = None if iK is None else iK.detach()
    if A.ndim == 2:
        E, V = _iterated(A, B, start, iK, niter, tol, largest, tracker)
        return ops.narrow(E, -1, 0, k), ops.narrow(V, -1, 0, k)
    batch = A.shape[:-2]
    As, Xs = ops.reshape(A, [-1, m, m]), ops.reshape(start, [-1, m, n])
    Bs = None if B is None else ops.reshape(ops.expand(B, A.shape), [-1, m, m])
    found = [_iterated(As[i], None if Bs is None else Bs[i], Xs[i], iK, niter, tol, largest, tracker) for i in range(As.shape[0])]
    if not found:
        return ops._empty([*batch, k], A.dtype), ops._empty([*batch, m, k], A.dtype)
    E, V = (ops.stack([pair[i] for pair in found]) for i in (0, 1))
    return ops.reshape(ops.narrow(E, -1, 0, k), [*batch, k]), ops.reshape(ops.narrow(V, -1, 0, k), [*batch, m, k])


FUNCTIONS = [tensors_checked(lobpcg)]
