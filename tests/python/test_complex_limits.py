"""Complex functions at zeros of both signs, infinities, NaN and what is huge or tiny: what PyTorch 2.13 gives, which is C's Annex G."""

import cmath
import itertools
import math
from fractions import Fraction

import pytest

import pywasmtorch as torch

inf, nan = math.inf, math.nan
PARTS = (0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 1e20, -1e20, 1e-30)
POINTS = list(itertools.product(PARTS, PARTS))
DTYPES = {"complex64": torch.float32, "complex128": torch.float64}

# Of each point the kinds of the result's two parts: n NaN, I and i infinities, 0 and o zeros, capital or round where positive; f another number.
# Where ? stands the kind depends on the precision, or PyTorch differs from Annex G: acos at zeros, expm1 of infinite numbers.
RECORDED = {
    "sqrt": "000offffIIIinnffffff 000offffIIIinnffffff f0foffffIIIinnffffff 0f0fffffIIIinnffffff I0IoI0IoIIIiInI0IoI0 "
            "0I0i0I0iIIIinI0I0i0I nnnnnnnnIIIinnnnnnnn f0foffffIIIinnffffff 0f0fffffIIIinnffffff f0foffffIIIinnffffff",
    "rsqrt": "InInffffnnnnnnffffff InInffffnnnnnnffffff f0f0ffffnnnnnnffffff 0fofffffnnnnnnffffff 00000000nnnnnn000000 "
             "0oo00oo0nnnnnn0oo00o nnnnnnnnnnnnnnnnnnnn f0f0ffffnnnnnnfffff? 0fofffffnnnnnnffff?f f0f0ffffnnnnnnffffff",
    "exp": "f0foffffnnnnnnffffff f0foffffnnnnnnffffff f0foffffnnnnnnffffff f0foffffnnnnnnffffff I0IoIIIiInInInI?I?II "
           "000o000o000o000?0?00 n0nonnnnnnnnnnnnnnnn I0IoIIIinnnnnnI?I?II 000o000onnnnnn0?0?00 f0foffffnnnnnnffffff",
    "exp2": "f0foffffnnnnnnffffff f0foffffnnnnnnffffff f0foffffnnnnnnffffff f0foffffnnnnnnffffff I0IoIIIiInInIn?i?III "
            "000o000o000o00?o?000 n0nonnnnnnnnnnnnnnnn I0IoIIIinnnnnn?i?III 000o000onnnnnn?o?000 f0foffffnnnnnnffffff",
    "expm1": "000offffnnnnnnffff?f o0ooffffnnnnnnffff?f f0foffffnnnnnnffffff f0foffffnnnnnnffffff I?I?IIIinnnnnnI?I?II "
             "f0fof0fonnnnnnf?f?f0 n?n?nnnnnnnnnnnnnnnn I?I?IIIinnnnnnI?I?II f0fof0fonnnnnnf?f?f0 f0foffffnnnnnnffffff",
    "log": "i0io0f0fIfIfnnffffff ifif0f0fIfIfnnffffff 000offffIfIfnnffff?f 0f0fffffIfIfnnffff?f I0IoI0IoIfIfInI0IoI0 "
           "IfIfIfIfIfIfInIfIfIf nnnnnnnnInInnnnnnnnn f0foffffIfIfnnfffff? ffffffffIfIfnnffffff f0fo?f?fIfIfnnffffff",
    "log2": "i0io0f0fIfIfnnffffff ifif0f0fIfIfnnffffff 000offffIfIfnnffff?f 0f0fffffIfIfnnffff?f I0IoI0IoIfIfInI0IoI0 "
            "IfIfIfIfIfIfInIfIfIf nnnnnnnnInInnnnnnnnn f0foffffIfIfnnfffff? ffffffffIfIfnnffffff f0fo?f?fIfIfnnffffff",
    "log10": "i0io0f0fIfIfnnffffff ifif0f0fIfIfnnffffff 000offffIfIfnnffff?f 0f0fffffIfIfnnffff?f I0IoI0IoIfIfInI0IoI0 "
             "IfIfIfIfIfIfInIfIfIf nnnnnnnnInInnnnnnnnn f0foffffIfIfnnfffff? ffffffffIfIfnnffffff f0fo?f?fIfIfnnffffff",
    "log1p": "000offffIfIfnnffff?f o0ooffffIfIfnnffff?f f0foffffIfIfnnffffff i0io0f0fIfIfnnffffff I0IoI0IoIfIfnnI0IoI0 "
             "IfIfIfIfIfIfnnIfIfIf nnnnnnnnnnnnnnnnnnnn f0foffffIfIfnnfffff? ffffffffIfIfnnffffff f0foffff????nnffffff",
    "sin": "000o0f0f0I0i0n0I0i0f o0ooofofoIoionoIoiof f0foffffIIIinnIIIiff f0foffffiIiinniIiiff n0nonnnnnInInnnnnnnn "
           "n0nonnnnnInInnnnnnnn n0nonnnnnInInnnnnnnn f0foffff?I?inn?I?iff f0foffff?I?inn?I?iff f0foffffIIIinnIIIiff",
    "cos": "fof0fof0IoI0n0IoI0fo f0fof0foI0IonoI0Iof0 fof0ffffIiIInnIiIIff f0foffffIIIinnIIIiff n0n0nnnnInInnnnnnnnn "
           "n0n0nnnnInInnnnnnnnn n0n0nnnnInInnnnnnnnn f?f?ffffI?I?nnI?I?ff f?f?ffffI?I?nnI?I?ff fof0ffffIiIInnIiIIf?",
    "tan": "000o0f0f0f0f0n0f0f0f o0ooofofofofonofofof f0foffff0f0fnn0f0fff f0foffffofofnnofofff n0nonnnn0f0fnnnnnnnn "
           "n0nonnnnofofnnnnnnnn n0nonnnn0f0fnnnnnnnn f0foffff?f?fnn?f?fff f0foffff?f?fnn?f?fff f0foffff0f0fnn0f0fff",
    "asin": "000o0f0f0I0i0n0f0f0f o0ooofofoIoionofofof f0foffff0I0innffffff f0foffffoIoinnffffff fIfifIfifIfinIfIfifI "
            "fIfifIfifIfinIfIfifI nnnnnnnnnIninnnnnnnn ffffffff0I0innffffff ffffffffoIoinnffffff f0foffff0I0inn?f?fff",
    "acos": "f?f0fffffifIfnffffff f?f0fffffifIfnffffff 0?00fffffifInnffffff f?f0fffffifInnffffff 0i0I0i0IfifIni0i0I0i "
            "fifIfifIfifInififIfi nnnnnnnnninInnnnnnnn 0f0f?f?ffifInnffff?f fffffffffifInnffffff f?f0fffffifInnffffff",
    "atan": "000o0I0if0fonnffff0f o0oooIoif0fonnffffof f0fofffff0fonnffffff f0fofffff0fonnffffff f0fof0fof0fof0f0fof0 "
            "f0fof0fof0fof0f0fof0 n0nonnnnn0nonnnnnnnn f0fofffff0fonnfffff? f0fofffff0fonnfffff? f0fofffff0fonnffffff",
    "sinh": "000o0f0f0n0n0n0f0f0f o0ooofofonononofofof f0foffffnnnnnnffffff f0foffffnnnnnnffffff I0IoIIIiInInInI?I?II "
            "i0ioiIiiInInIni?i?iI n0nonnnnnnnnnnnnnnnn I0IoIIIinnnnnnI?I?II i0ioiIiinnnnnni?i?iI f0foffffnnnnnnffffff",
    "cosh": "f0fof0fon0n0n0f?f?f0 fof0fof0n0n0n0f?f?fo f0foffffnnnnnnffffff fof0ffffnnnnnnffffff I0IoIIIiInInInI?I?II "
            "IoI0IiIIInInInI?I?Ii n0nonnnnnnnnnnnnnnnn I0IoIIIinnnnnnI?I?II IoI0IiIInnnnnnI?I?Ii f0foffffnnnnnnfffff?",
    "tanh": "000o0f0f0n0n0n0f0f0f o0ooofofonononofofof f0foffffnnnnnnffffff f0foffffnnnnnnffffff f0fof0fof0fof0f?f?f0 "
            "f0fof0fof0fof0f?f?f0 n0nonnnnnnnnnnnnnnnn f0fof0fonnnnnnf?f?f0 f0fof0fonnnnnnf?f?f0 f0foffffnnnnnnffffff",
    "asinh": "000o0f0fIfIfnnffff0f o0ooofofififnnffffof f0foffffIfIfnnffffff f0foffffififnnffffff I0IoI0IoIfIfInI0IoI0 "
             "i0ioi0ioififini0ioi0 n0nonnnnInInnnnnnnnn f0foffffIfIfnnfffff? f0foffffififnnfffff? f0foffffIfIfnnffffff",
    "acosh": "0f0fffffIfIfnfffffff 0f0fffffIfIfnfffffff 000offffIfIfnnffffff 0f0fffffIfIfnnffffff I0IoI0IoIfIfInI0IoI0 "
             "IfIfIfIfIfIfInIfIfIf nnnnnnnnInInnnnnnnnn f0foffffIfIfnnfffff? ffffffffIfIfnnffffff 0f0fffffIfIfnnffffff",
    "atanh": "000o0f0f0f0f0n0f0f0f o0ooofofofofonofofof I0Ioffff0f0fnnffffff i0ioffffofofnnffffff 0f0f0f0f0f0f0n0f0f0f "
             "ofofofofofofonofofof nnnnnnnn0f0fnnnnnnnn ffffffff0f0fnnffffff ffffffffofofnnffffff f0foffff0f0fnn?f?fff",
    "sigmoid": "f0f0ffffnnnnnnffffff f0f0ffffnnnnnnffffff f0f0ffffnnnnnnffffff f0f0ffffnnnnnnffffff f0f0f0f0f0f0f0f0f0f0 "
               "0000nnnnnnnnnnnnnnnn nnnnnnnnnnnnnnnnnnnn f0f0f0f0nnnnnnf0f0f0 0000nnnnnnnnnnnnnnnn f0f0ffffnnnnnnffffff",
    "reciprocal": "InIn0fof0oo0nn0fof0f InIn0fof0oo0nn0fof0f f0f0ffff0oo0nnffffff fofoffff0oo0nnffffff 00000000nnnnnn000000 "
                  "oooooooonnnnnnoooooo nnnnnnnnnnnnnnnnnnnn f0f0ffff0oo0nnfffff? fofoffff0oo0nnfffff? f0f0ffff0oo0nn?f?fff",
}


def kind(x):
    positive = math.copysign(1, x) > 0
    return "n" if x != x else "Ii"[not positive] if math.isinf(x) else "0o"[not positive] if x == 0 else "f"


def tensor_of(points, dtype):
    return torch.view_as_complex(torch.tensor(points, dtype=DTYPES[dtype]))


def parts_of(x):
    return torch.view_as_real(x).tolist()


def same(a, b, tolerance):
    return a == b or (a != a and b != b) or abs(a - b) <= tolerance * abs(b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", RECORDED)
def test_kinds_on_the_grid(name, dtype):
    wanted = RECORDED[name].replace(" ", "")
    got = "".join(kind(x) for pair in parts_of(getattr(torch, name)(tensor_of(POINTS, dtype))) for x in pair)
    wrong = [(POINTS[i // 2], "real" if i % 2 == 0 else "imaginary", g, w) for i, (g, w) in enumerate(zip(got, wanted)) if w not in ("?", g)]
    assert not wrong


@pytest.mark.parametrize("name", [name for name in RECORDED if hasattr(cmath, name)])
def test_numbers_on_the_grid(name):
    """Where Python has a value its finite parts are these."""
    for point, got in zip(POINTS, parts_of(getattr(torch, name)(tensor_of(POINTS, "complex128")))):
        try:
            value = getattr(cmath, name)(complex(*point))
        except (ValueError, OverflowError):
            continue
        if name == "acos" and point[0] >= 1 and abs(point[1]) <= 1:
            continue  # of whose angle PyTorch has a few digits or none
        assert all(same(g, w, 1e-13) or not math.isfinite(w) or not math.isfinite(g) for g, w in zip(got, (value.real, value.imag))), (point, got, value)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_by_zero(dtype):
    top = [(1, 0), (0, 1), (1, -1), (0, 0), (inf, 1), (nan, 0)]
    for zero in ((0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0)):
        zeros = tensor_of([zero] * len(top), dtype)
        kinds = [kind(a) + kind(b) for a, b in parts_of(tensor_of(top, dtype) / zeros)]
        assert kinds == ["In", "nI", "Ii", "nn", "II", "nn"]
        added = parts_of(torch.addcdiv(tensor_of([(1, 1)], dtype), tensor_of(top, dtype), zeros, value=2))
        assert [kind(a) + kind(b) for a, b in added][:4] == ["In", "nI", "Ii", "nn"]
        assert [kind(x) for x in parts_of(zeros[:1].reciprocal())[0]] == ["I", "n"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_of_zero_and_of_infinity(dtype):
    base = tensor_of([(0, 0), (0, 0), (0, 0), (inf, nan), (nan, inf)], dtype)
    exponent = tensor_of([(-1, 0), (1.5, 0), (1, 1), (1.5, 0), (1.5, 0)], dtype)
    kinds = ["".join(map(kind, pair)).replace("o", "0") for pair in parts_of(base**exponent)]
    assert kinds == ["In", "00", "00", "In", "In"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_infinite_exponentials(dtype):
    pairs = [((0, 0), (inf, inf)), ((0, inf), (-inf, 0)), ((0, 0), (-inf, inf)), ((inf, 0), (inf, inf)), ((1, 0), (nan, 0))]
    wanted = [(inf, inf), (0, inf), (0, 0), (inf, nan), (nan, nan)]
    for pair, value in zip(pairs, wanted):
        x = tensor_of(pair, dtype)
        for got in (torch.logcumsumexp(x, 0)[1:], torch.logaddexp(x[:1], x[1:])):
            assert all(same(g, w, 0) for g, w in zip(parts_of(got)[0], value)), (pair, got)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_overflows_on_the_way(dtype):
    """exp(a + bi) where exp(a) alone is infinite, but its product with a small cosine is not."""
    a, steepness = 89.0 if dtype == "complex64" else 710.0, 1e-3
    near = tensor_of([(a, math.pi / 2 - steepness)], dtype)
    wanted = math.exp(a - 50) * steepness * math.exp(50)
    for value in (torch.exp(near), 2 * torch.cosh(near), 2 * torch.sinh(near)):
        assert parts_of(value)[0][0] == pytest.approx(wanted, rel=1e-3)
    huge = 3e38 if dtype == "complex64" else 1.7e308
    root = parts_of(torch.sqrt(tensor_of([(huge, huge)], dtype)))[0]
    assert root[0] == pytest.approx(math.sqrt(huge) * 1.09868411346781, rel=1e-6) and root[1] == pytest.approx(math.sqrt(huge) * 0.455089860562227, rel=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithm_near_the_unit_circle(dtype):
    """The real part is half of x² + y² - 1, of which the logarithm of a rounded magnitude would know nothing."""
    z = torch.view_as_complex(torch.tensor([[0.6, 0.8], [1.0, 1e-7], [-0.28, 0.96], [1.0, 2.0**-12]], dtype=DTYPES[dtype]))
    for (x, y), (got, _) in zip(parts_of(z), parts_of(torch.log(z))):
        excess = Fraction(x) ** 2 + Fraction(y) ** 2 - 1
        assert math.isclose(got, float(excess / 2 - excess * excess / 4), rel_tol=1e-6 if dtype == "complex64" else 1e-11)
