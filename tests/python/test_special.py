"""Special functions against closed forms, and pointwise functions at the edges of their dtypes."""

import math

import pytest

import pywasmtorch as torch

S = torch.special
D = torch.float64


def near(found, expected, tolerance=1e-12):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert a == b or abs(a - b) <= tolerance * max(1.0, abs(b)), (a, b)


def test_incomplete_gamma_functions():
    x = torch.tensor([1e-8, 0.3, 1.0, 1.7, 8.0, 30.0, 200.0], dtype=D)
    values = x.tolist()
    near(torch.igamma(torch.ones(1, dtype=D), x).tolist(), [-math.expm1(-v) for v in values])
    near(torch.igammac(torch.full((1,), 0.5, dtype=D), x).tolist(), [math.erfc(math.sqrt(v)) for v in values])
    a = torch.tensor([1e-4, 0.7, 3.0, 24.0, 26.0, 150.0, 1e6, 1e12], dtype=D)
    for ratio in (0.2, 0.61, 0.99, 1.0, 1.01, 1.39, 3.0):
        near((torch.igamma(a, a * ratio) + torch.igammac(a, a * ratio)).tolist(), [1.0] * 8, 1e-11)
    # Q(n + 1, x) is a Poisson sum
    for n, v in ((30, 25.0), (30, 45.0), (60, 60.0)):
        exact = math.fsum(math.exp(k * math.log(v) - v - math.lgamma(k + 1)) for k in range(n + 1))
        near(torch.igammac(torch.tensor([n + 1.0], dtype=D), torch.tensor([v], dtype=D)).tolist(), [exact], 1e-11)


def test_zeta_and_polygamma():
    near([S.zeta(torch.tensor(2.0, dtype=D), 1.0).item(), S.zeta(torch.tensor(4.0, dtype=D), 1.0).item()], [math.pi**2 / 6, math.pi**4 / 90])
    near(S.zeta(torch.tensor([3.0, 2.0], dtype=D), -0.5).tolist(), [7 * 1.2020569031595942 - 8 + 0, math.pi**2 / 2 + 4], 1e-11)
    q = torch.tensor([-1e9 - 0.5, -7.25, 0.25, 1e9], dtype=D)
    near(S.zeta(torch.tensor(3.0, dtype=D), q).tolist()[1:], (S.zeta(torch.tensor(3.0, dtype=D), q + 1) + q**-3.0).tolist()[1:])
    near([torch.polygamma(2, torch.tensor(1.0, dtype=D)).item()], [-2 * 1.2020569031595942])
    assert torch.polygamma(3, torch.tensor([0.0, -2.0])).tolist() == [math.inf, math.inf]
    with pytest.raises(RuntimeError, match="negative n"):
        torch.polygamma(-1, torch.ones(2))


def test_wronskians_of_bessel_functions():
    x = torch.tensor([1e-3, 0.5, 2.0, 7.9, 8.1, 40.0, 700.0], dtype=D)
    wronskian = S.bessel_j1(x) * S.bessel_y0(x) - S.bessel_j0(x) * S.bessel_y1(x)
    near((wronskian * x).tolist(), [2 / math.pi] * 7)
    wronskian = S.modified_bessel_i0(x) * S.modified_bessel_k1(x) + S.modified_bessel_i1(x) * S.modified_bessel_k0(x)
    near((wronskian * x).tolist(), [1.0] * 7)
    assert not S.bessel_j0(torch.ones(2, requires_grad=True)).requires_grad


def test_degrees_that_would_take_long():
    n = torch.tensor([10**15], dtype=torch.int64)
    near(S.chebyshev_polynomial_t(torch.tensor([math.cos(0.5)], dtype=D), torch.tensor([100])).tolist(), [math.cos(50.0)])
    assert abs(S.legendre_polynomial_p(torch.tensor([0.5], dtype=D), n).item()) < 1e-6
    assert S.laguerre_polynomial_l(torch.tensor([2.0, 3.0], dtype=D), torch.tensor([-1, 2])).tolist() == [0.0, -0.5]


def test_gradients():
    x = torch.tensor([0.3, 0.8, 1.7], dtype=D, requires_grad=True)
    for f in (S.i0, S.i1, S.i0e, S.i1e, S.entr, S.erfcx, S.ndtr, S.log_ndtr, lambda x: S.ndtri(x / 2), lambda x: torch.polygamma(2, x),
              lambda x: torch.mvlgamma(x + 1, 3), torch.digamma, lambda x: torch.logit(x / 2, 0.2)):
        assert torch.autograd.gradcheck(f, (x,))
        assert torch.autograd.gradgradcheck(f, (x,))
    with pytest.raises(NotImplementedError, match="igamma: input"):
        torch.igamma(x, x).sum().backward()


def test_what_no_narrow_integer_can_hold_becomes_0():
    x = torch.tensor([math.inf, -math.inf, math.nan, 3e9, 300.7, -1.5])
    assert x.to(torch.uint8).tolist() == [0, 0, 0, 0, 44, 255]
    assert x.to(torch.int8).tolist() == [0, 0, 0, 0, 44, -1]
    assert x[::2].to(torch.int16).tolist() == [0, 0, 300]


def test_a_0d_operand_of_sixteen_bit_floats_is_not_rounded_first():
    assert (torch.zeros(1, dtype=torch.float16) * torch.tensor(100000, dtype=torch.int32)).tolist() == [0.0]


def test_numbers_beyond_int64():
    assert (torch.ones(1) + 2**63).tolist() == [2.0**63]
    assert (torch.tensor([1]) + 2**63).tolist() == [1 - 2**63]
    with pytest.raises(OverflowError):
        torch.ones(1) + 2**64
    with pytest.raises(RuntimeError):
        torch.tensor([1]).clamp(max=2**63)


def test_a_divisor_that_wraps_to_0():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.tensor([1, 2], dtype=torch.uint8) % 256


def test_edges():
    assert torch.ldexp(torch.tensor(1e-30), torch.tensor(130)).item() == pytest.approx(1e-30 * 2.0**130)
    assert torch.ldexp(torch.tensor([3.0]), torch.tensor([2**62])).tolist() == [3.0]
    assert torch.logit(torch.tensor([0.2, 1.0]), 1.0).tolist() == [math.inf, -math.inf]
    assert torch.isnan(torch.float_power(torch.tensor([0.0]), 1j)).all()
    with pytest.raises(RuntimeError, match="Lower bound"):
        torch.nn.functional.rrelu(torch.ones(1), 0.5, 0.1)


def test_zeta_and_trigamma_of_huge_arguments():
    inf, nan = float("inf"), float("nan")
    got = torch.special.zeta(torch.tensor([inf, inf, inf, inf, 1.0, 2.0]).double(), torch.tensor([2.0, 1.0, 0.5, -1.5, 3.0, -1.0]).double()).tolist()
    assert str(got) == str([nan, 1.0, inf, inf, inf, inf])
    got = torch.polygamma(1, torch.tensor([inf, 1e300, 1e38, -inf]).double()).tolist()
    assert str(got[0]) == "0.0" and got[1] == pytest.approx(1e-300) and got[2] == pytest.approx(1e-38) and got[3] != got[3]
    x = torch.tensor([1e200], dtype=torch.float64, requires_grad=True)
    torch.digamma(x).sum().backward()
    assert x.grad.item() == pytest.approx(1e-200)
