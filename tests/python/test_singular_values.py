"""Eigenvalues, singular values and what is made of them: what PyTorch's operator database does not show."""

import math

import pytest

import pywasmtorch as torch
from pywasmtorch import linalg

TYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]
TIGHT = {torch.float32: 2e-5, torch.complex64: 2e-5, torch.float64: 1e-12, torch.complex128: 1e-12}


def random_matrix(*sizes, dtype=torch.float64):
    return torch.randn(*sizes, dtype=dtype, generator=torch.Generator().manual_seed(3))


def close(a, b, tolerance):
    return a.shape == b.shape and (a.numel() == 0 or (a - b).abs().max().item() <= tolerance)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (7, 7), (2, 0, 3, 3), (2, 3, 4, 4)])
def test_eigh_of_batches(dtype, shape):
    A = random_matrix(*shape, dtype=dtype)
    H = A + A.mH
    values, vectors = linalg.eigh(H)
    assert values.dtype is dtype.to_real() and vectors.dtype is dtype
    scaled = vectors * values.to(dtype).unsqueeze(-2)
    assert close(scaled @ vectors.mH, H, 20 * TIGHT[dtype])
    assert close(vectors.mH @ vectors, torch.eye(shape[-1], dtype=dtype).expand(shape), TIGHT[dtype])
    lower = linalg.eigvalsh(H.tril())
    assert close(lower, values, 20 * TIGHT[dtype]) and close(linalg.eigvalsh(H.triu(), UPLO="U"), values, 20 * TIGHT[dtype])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 5), (6, 4), (4, 6), (2, 3, 5, 2), (0, 2, 2)])
@pytest.mark.parametrize("full", [False, True])
def test_svd_of_batches(dtype, shape, full):
    A = random_matrix(*shape, dtype=dtype)
    U, S, Vh = linalg.svd(A.mT.contiguous().mT, full_matrices=full)
    k = min(shape[-2:])
    assert S.dtype is dtype.to_real() and S.shape[-1] == k
    assert close((U[..., :k] * S.to(dtype).unsqueeze(-2)) @ Vh[..., :k, :], A, 10 * TIGHT[dtype])
    assert close(U.mH @ U, torch.eye(U.shape[-1], dtype=dtype).expand(*shape[:-2], -1, -1), TIGHT[dtype])
    assert close(Vh @ Vh.mH, torch.eye(Vh.shape[-2], dtype=dtype).expand(*shape[:-2], -1, -1), TIGHT[dtype])
    assert close(linalg.svdvals(A), S, 10 * TIGHT[dtype])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 9, 30])
def test_eig_satisfies_its_equation(dtype, n):
    A = random_matrix(n, n, dtype=dtype)
    values, vectors = linalg.eig(A)
    assert close(A.to(vectors.dtype) @ vectors, vectors * values, 30 * TIGHT[dtype])
    assert close(vectors.abs().square().sum(0), torch.ones(n, dtype=dtype.to_real()), 10 * TIGHT[dtype])
    if n and not dtype.is_complex:  # pairs are exactly conjugate, and real eigenvalues exactly real
        seen = values.tolist()
        assert all(v.conjugate() in seen for v in seen)


def known(A, expected):
    found = linalg.eigvals(torch.tensor(A, dtype=torch.float64)).tolist()
    return sorted(found, key=lambda z: (round(z.real, 6), z.imag)) == pytest.approx(expected, abs=1e-7)


def test_eigenvalues_in_closed_form():
    assert known([[0, 0, 1], [1, 0, 0], [0, 1, 0]], [complex(-0.5, -math.sqrt(0.75)), complex(-0.5, math.sqrt(0.75)), 1])
    assert known([[1, 0, 0], [5, 1, 0], [7, 8, 2]], [1, 1, 2])
    assert linalg.eigvals(torch.tensor([[1.0, 0, 0], [5, 1, 0], [7, 8, 2]])).tolist().count(1) == 2  # permuted to triangular: exact
    assert known([[0, 1], [-1, 0]], [-1j, 1j])
    assert known([[0] * 4] * 4, [0] * 4)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_scales(scale):
    A = random_matrix(6, 6)
    for of in (linalg.svdvals, lambda x: linalg.eigvalsh(x + x.mT), lambda x: linalg.eigvals(x).abs().sort().values):
        assert close(of(A * scale) / scale, of(A), 1e-12)


def test_rank_deficient_and_graded():
    u = random_matrix(8, 2)
    A = u @ u.mT
    assert linalg.matrix_rank(A).item() == 2 and linalg.matrix_rank(A, hermitian=True).item() == 2
    assert linalg.svdvals(torch.zeros(3, 3)).tolist() == [0, 0, 0]
    P = linalg.pinv(A)
    assert close(A @ P @ A, A, 1e-12) and close(P @ A @ P, P, 1e-10)
    graded = torch.tensor([10.0 ** -(4 * i) for i in range(12)], dtype=torch.float64)
    assert close(linalg.svdvals(torch.diag(graded.flip(0))), graded, 1e-15)
    assert close(linalg.eigvalsh(torch.diag(graded)), graded.flip(0), 1e-15)


def test_what_is_not_finite():
    for bad in (math.nan, math.inf):
        A = torch.eye(3)
        A[0, 1] = A[1, 0] = bad
        assert linalg.eigvalsh(A).isnan().any()
        with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
            linalg.eig(A)
        assert linalg.matrix_exp(A).isnan().all()
    with pytest.raises(linalg.LinAlgError, match="Batch element 1.*non-finite"):
        linalg.svd(torch.stack([torch.eye(2), torch.full((2, 2), math.nan)]))
    assert issubclass(linalg.LinAlgError, RuntimeError)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_gradients_of_first_and_second_order(dtype):
    A = random_matrix(3, 3, dtype=dtype).requires_grad_()
    tall, wide = (random_matrix(*s, dtype=dtype).requires_grad_() for s in ((4, 2), (2, 4)))
    cases = [
        (lambda x: linalg.eigh(x + x.mH)[1].abs(), A), (lambda x: linalg.eigvalsh(x + x.mH), A), (lambda x: linalg.eigvals(x).abs(), A),
        (lambda x: linalg.eig(x)[1].abs(), A), (lambda x: linalg.pinv(x).abs(), tall), (lambda x: linalg.pinv(x).abs(), wide),
        (lambda x: linalg.matrix_exp(x).abs(), A),
        *((lambda x, i=i: linalg.svd(x, False)[i].abs(), m) for i in range(3) for m in (tall, wide)),
        (lambda x: linalg.matrix_norm(x, "nuc"), tall), (lambda x: linalg.matrix_norm(x, 2), wide),
    ]
    for function, x in cases:
        assert torch.autograd.gradcheck(function, (x,))
    for function, x in cases[:2] + cases[4:8]:
        assert torch.autograd.gradgradcheck(function, (x,))


def test_losses_that_depend_on_phases_are_refused():
    A = random_matrix(3, 3, dtype=torch.complex128).requires_grad_()
    for function in (lambda x: linalg.eigh(x + x.mH)[1], lambda x: linalg.eig(x)[1], lambda x: linalg.svd(x)[0]):
        weights = random_matrix(3, 3, dtype=torch.complex128)
        with pytest.raises(RuntimeError, match="ill-defined"):
            (function(A) * weights).sum().abs().backward()


def test_out_forms():
    A = random_matrix(3, 3)
    U, S, Vh = torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float64)
    found = linalg.svd(A, out=(U, S, Vh))
    assert close((found.U * found.S) @ found.Vh, A, 1e-12) and U.shape == (3, 3)
    values = torch.empty(3, dtype=torch.float64)
    assert linalg.eigvalsh(A + A.mT, out=values) is values
    ranks = torch.empty(0, dtype=torch.int64)
    assert linalg.matrix_rank(A, out=ranks) is ranks and ranks.item() == 3
    inverse = torch.empty(0, dtype=torch.float64)
    assert close(linalg.pinv(A, out=inverse) @ A, torch.eye(3, dtype=torch.float64), 1e-12)


def test_the_same_bits_with_any_number_of_threads():
    A, batch = random_matrix(70, 70), random_matrix(9, 12, 12)
    threads = torch.get_num_threads()
    try:
        found = []
        for n in (1, 3):
            torch.set_num_threads(n)
            found.append([*linalg.svd(A), *linalg.eigh(A + A.mT), *linalg.eig(A), *linalg.svd(batch), linalg.matrix_exp(batch)])
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(a, b) for a, b in zip(*found))


def test_exponentials_in_closed_form():
    angle = 30.0
    turn = linalg.matrix_exp(torch.tensor([[0, -angle], [angle, 0]], dtype=torch.float64))
    assert close(turn, torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], dtype=torch.float64), 1e-13)
    nilpotent = torch.tensor([[0.0, 1e6], [0, 0]], dtype=torch.float64)
    assert close(torch.matrix_exp(nilpotent), torch.eye(2, dtype=torch.float64) + nilpotent, 1e-9)
    assert torch.matrix_exp(torch.zeros(2, 0, 0)).shape == (2, 0, 0)
    assert linalg.matrix_exp(torch.eye(2, dtype=torch.float16)).dtype is torch.float16


def test_refusals():
    for function in (linalg.eigh, linalg.eigvalsh, linalg.eig, linalg.eigvals, linalg.matrix_exp):
        with pytest.raises(RuntimeError, match="must have at least 2 dimensions"):
            function(torch.ones(3))
        with pytest.raises(RuntimeError, match="2 by 3 matrices"):
            function(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="UPLO"):
        linalg.eigh(torch.eye(2), UPLO="X")
    with pytest.raises(RuntimeError, match="Got Long"):
        linalg.svd(torch.eye(2, dtype=torch.int64))
    with pytest.raises(NotImplementedError, match="Half"):
        linalg.svdvals(torch.eye(2, dtype=torch.float16))
    with pytest.raises(RuntimeError, match="driver"):
        linalg.svd(torch.eye(2), driver="gesvd")
    with pytest.raises(ValueError, match="q"):
        torch.pca_lowrank(torch.ones(3, 3), q=5)


@pytest.mark.parametrize("largest", [True, False])
def test_lobpcg_finds_extreme_pairs(largest):
    A, M = random_matrix(30, 30), random_matrix(30, 30) / 10
    A, B = A @ A.mT, M @ M.mT + torch.eye(30, dtype=torch.float64)
    values, vectors = torch.lobpcg(A, k=3, largest=largest, tol=1e-11)
    all_values = linalg.eigvalsh(A)
    expected = all_values[-3:].flip(0) if largest else all_values[:3]
    assert close(values, expected, 1e-8) and close(A @ vectors, vectors * values, 1e-6)
    values, vectors = torch.lobpcg(A, k=2, B=B, largest=largest, tol=1e-11)
    assert close(A @ vectors, B @ vectors * values, 1e-6) and close(vectors.mT @ B @ vectors, torch.eye(2, dtype=torch.float64), 1e-9)
    with pytest.raises(ValueError, match="3 x"):
        torch.lobpcg(A, k=11)
