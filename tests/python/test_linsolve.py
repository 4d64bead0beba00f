"""Factorizations and solves: cases that PyTorch's samples leave out."""

import math

import pytest

import pywasmtorch as torch

DTYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]


def random(*shape, dtype=torch.float64):
    torch.manual_seed(len(shape) + sum(shape))
    return torch.randn(*shape, dtype=dtype)


def close(a, b, tolerance=1e-9):
    return bool((a - b).abs().max() < tolerance) if a.numel() else a.shape == b.shape


def test_blocks_agree_with_their_products():
    for dtype in (torch.float64, torch.complex128):
        a, b = random(75, 75, dtype=dtype), random(75, 40, dtype=dtype)
        p, low, up = torch.linalg.lu(a)
        assert close(p @ low @ up, a) and close(a @ torch.linalg.solve(a, b), b)
        s = a @ a.mH + torch.eye(75)
        factor = torch.linalg.cholesky(s)
        assert close(factor @ factor.mH, s) and close(torch.linalg.cholesky(s, upper=True), factor.mH)
        assert close(torch.linalg.solve(a, b.mH, left=False) @ a, b.mH, 1e-8)
        wide, tall = random(40, 90, dtype=dtype), random(90, 40, dtype=dtype)
        for m in (wide, tall, a):
            for mode in ("reduced", "complete"):
                q, r = torch.linalg.qr(m, mode)
                assert close(q @ r, m) and close(q.mH @ q, torch.eye(q.shape[-1], dtype=dtype)) and close(r.triu(), r)
        x = torch.linalg.solve_triangular(factor, b, upper=False)
        assert close(factor @ x, b)
        for hermitian in (False, True):
            t = a + (a.mH if hermitian else a.mT)
            d, pivots = torch.linalg.ldl_factor(t, hermitian=hermitian)
            assert (pivots < 0).any() and close(t @ torch.linalg.ldl_solve(d, pivots, b, hermitian=hermitian), b, 1e-7)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_no_elements(dtype):
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        a = torch.zeros(*shape, dtype=dtype)
        assert torch.linalg.inv(a).shape == a.shape and torch.linalg.cholesky(a).shape == a.shape
        assert torch.linalg.det(a).tolist() == torch.ones(shape[:-2]).tolist()
        assert torch.linalg.solve(a, a[..., :0]).shape == (*shape[:-1], 0)
    q, r = torch.linalg.qr(torch.zeros(0, 3, dtype=dtype), "complete")
    assert q.shape == (0, 0) and r.shape == (0, 3)
    q, r = torch.linalg.qr(torch.zeros(3, 0, dtype=dtype), "complete")
    assert q.tolist() == torch.eye(3, dtype=dtype).tolist() and r.shape == (3, 0)
    assert torch.linalg.lstsq(torch.zeros(0, 3, dtype=dtype), torch.zeros(0, 2, dtype=dtype)).solution.shape == (3, 2)


def test_layouts_do_not_matter():
    a, b = random(6, 6), random(6, 3)
    views = [(a.T.contiguous().T, b.T.contiguous().T), (torch.stack([a, a], -1)[..., 1], torch.stack([b, b])[0]), (a.flip(0).flip(0), b)]
    for u, v in views:
        assert torch.equal(torch.linalg.solve(u, v), torch.linalg.solve(a, b)) and torch.equal(torch.linalg.qr(u)[1], torch.linalg.qr(a)[1])
    batch = a.expand(4, 6, 6)
    assert torch.linalg.inv(batch).shape == (4, 6, 6) and close(torch.linalg.inv(batch)[3], torch.linalg.inv(a))
    assert torch.linalg.solve(a, random(3, 1, 6, 2)).shape == (3, 1, 6, 2)
    assert torch.linalg.solve(random(3, 6, 6), random(6)).shape == (3, 6)


def test_singular_matrices_are_named():
    error = torch.linalg.LinAlgError
    assert issubclass(error, RuntimeError)
    batch = torch.stack([torch.eye(2), torch.zeros(2, 2)])
    cases = [(torch.linalg.inv, r"linalg.inv: \(Batch element 1\): The diagonal element 1 is zero"),
             (lambda a: torch.linalg.solve(a, torch.eye(2)), r"torch.linalg.solve: \(Batch element 1\): The solver failed"),
             (torch.linalg.cholesky, r"linalg.cholesky: \(Batch element 1\): .* leading minor of order 1 is not"),
             (torch.cholesky_inverse, r"cholesky_inverse: \(Batch element 1\)")]
    for call, text in cases:
        with pytest.raises(error, match=text):
            call(batch)
    with pytest.raises(error, match="leading minor of order 1"):
        torch.linalg.cholesky(torch.full((2, 2), math.nan))
    with pytest.raises(RuntimeError, match=r"U\[1,1\] is zero"):
        torch.linalg.lu_factor(batch)
    assert torch.linalg.inv_ex(batch).info.tolist() == [0, 1] and torch.linalg.lu_factor_ex(batch).info.tolist() == [0, 1]
    assert torch.linalg.slogdet(batch).logabsdet.tolist() == [0, -math.inf]


def test_extreme_sizes_of_numbers():
    for scale in (1e-200, 1e200):
        q, r = torch.linalg.qr(random(4, 3) * scale)
        assert close(q.T @ q, torch.eye(3, dtype=torch.float64)) and bool(r.isfinite().all())
    assert torch.linalg.slogdet(torch.eye(400, dtype=torch.float64) * 1e-3)[1].item() == pytest.approx(400 * math.log(1e-3))


def test_out_takes_results():
    a, b = random(3, 3), random(3, 2)
    out = torch.empty(0, dtype=torch.float64)
    assert torch.linalg.solve(a, b, out=out) is out and close(a @ out, b)
    q, r = torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float64)
    torch.linalg.qr(a, out=(q, r))
    assert close(q @ r, a)
    s = a @ a.T
    kept = s.clone()
    assert torch.linalg.cholesky(s, out=s) is s and close(s @ s.T, kept)
    with pytest.raises(RuntimeError):
        torch.linalg.inv(a, out=torch.empty(3, 3, dtype=torch.int64))


def test_second_derivatives():
    for dtype in (torch.float64, torch.complex128):
        a, b = (random(3, 3, dtype=dtype) + 3 * torch.eye(3)).requires_grad_(), random(3, 2, dtype=dtype).requires_grad_()
        functions = [
            lambda x, y: torch.linalg.solve(x, y), lambda x, y: torch.linalg.cholesky(x @ x.mH), lambda x, y: torch.linalg.qr(x)[1].abs(),
            lambda x, y: torch.linalg.lu(x)[2], lambda x, y: torch.linalg.det(x).abs(), lambda x, y: torch.linalg.solve_triangular(x, y, upper=True),
            lambda x, y: torch.linalg.lstsq(x[:, :2], y, driver="gels").solution, lambda x, y: torch.linalg.slogdet(x)[1],
            lambda x, y: torch.cholesky_solve(y, x.tril()), lambda x, y: torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y),
            lambda x, y: torch.ormqr(x, y[:, 0] * 0.3, y), lambda x, y: torch.linalg.inv(x),
        ]
        for f in functions:
            inputs = (a, b)
            first = torch.autograd.grad(f(*inputs).abs().sum(), inputs, create_graph=True, allow_unused=True)
            total = sum((g * g.conj()).real.sum() if dtype.is_complex else (g * g).sum() for g in first if g is not None)
            exact = torch.autograd.grad(total, inputs, allow_unused=True)[0]
            direction, step = random(3, 3, dtype=dtype), 1e-6

            def at(shift):
                moved = [(a.detach() + shift * direction).requires_grad_(), b.detach().requires_grad_()]
                got = torch.autograd.grad(f(*moved).abs().sum(), moved, allow_unused=True)
                return sum((g.abs() ** 2).sum().item() for g in got if g is not None)

            numeric = (at(step) - at(-step)) / (2 * step)
            along = (exact.conj() * direction).real.sum().item() if dtype.is_complex else (exact * direction).sum().item()
            assert along == pytest.approx(numeric, rel=2e-4, abs=1e-5)


def test_determinant_of_singular_matrices_has_both_derivatives():
    a = torch.tensor([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 3.0]], dtype=torch.float64, requires_grad=True)
    cofactors = torch.tensor([[12.0, -6.0, 0.0], [-6.0, 3.0, 0.0], [0.0, 0.0, 0.0]], dtype=torch.float64)
    plain = torch.autograd.grad(torch.linalg.det(a), a)[0]
    recorded = torch.autograd.grad(torch.linalg.det(a), a, create_graph=True)[0]
    assert close(plain, cofactors) and close(recorded, cofactors)
    assert close(torch.autograd.grad(recorded[0, 0], a)[0], torch.tensor([[0.0, 0, 0], [0, 3, 0], [0, 0, 4]], dtype=torch.float64))


def test_rank_deficient_least_squares_has_the_least_norm():
    a = random(6, 4)
    a[:, 3] = a[:, 0] + a[:, 1]
    b = random(6, 2)
    for driver in ("gelsy", "gelsd", "gelss"):
        x, _, rank, values = torch.linalg.lstsq(a, b, driver=driver)
        assert rank.item() == 3 and close(a.T @ (a @ x - b), torch.zeros(4, 2, dtype=torch.float64))
        null = torch.tensor([1.0, 1, 0, -1], dtype=torch.float64)
        assert close(null @ x, torch.zeros(2, dtype=torch.float64))
        if driver != "gelsy":
            assert values[3].item() < 1e-14 and (values**2).sum().item() == pytest.approx((a**2).sum().item())


def test_nothing_is_left_behind():
    a, b = random(40, 40).requires_grad_(), random(40, 3)

    def work():
        for call in (lambda: torch.linalg.solve(a, b).sum().backward(), lambda: torch.linalg.qr(a).R.sum().backward(),
                     lambda: torch.linalg.lstsq(a.detach(), b, driver="gelsd"), lambda: torch.linalg.ldl_factor(a.detach())):
            call()
        with pytest.raises(RuntimeError):
            torch.linalg.inv(torch.zeros(40, 40))
        a.grad = None

    from pywasmtorch._core.generated import ops

    work()
    before = ops._memory(0)
    work()
    assert ops._memory(0) == before
