"""float32 functions over all exponents, both signs, subnormals, infinities and NaN, against double references that are made of
Python's math, closed forms and series: within 2 units in the last place of the exact value."""

import math
import struct
import sys

import pytest

import pywasmtorch as torch

F = torch.nn.functional
INF, NAN = math.inf, math.nan
SMALL = sys.platform == "emscripten"
LIMIT = 2.0
LARGEST = 3.4028234663852886e38
MANTISSAS = (1.0, 1.4142135) if SMALL else (1.0, 1.0000001192092896, 1.2345678, 1.4142135, 1.7320508, 1.9999998807907104)
PLACES = (1.1, 1.3, 1.9) if SMALL else tuple(1 + k / 24 + 1e-3 for k in range(24))


def rounded(x):
    """x as the nearest float32."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def arguments():
    sizes = [0.0, INF]
    sizes += [rounded(math.ldexp(m, e)) for e in range(-149, 128) for m in MANTISSAS]
    sizes += [rounded(math.ldexp(m, e)) for e in range(-7, 8) for m in PLACES]
    return [NAN] + [s for size in sorted(set(sizes)) for s in (size, -size)]


def ulp(x):
    """The distance of float32 numbers around x."""
    return math.ldexp(1.0, max(math.frexp(x)[1] - 24, -149))


def error(got, exact):
    if exact != exact or got != got:
        return 0.0 if exact != exact and got != got else INF
    if got == rounded(exact):
        return 0.0
    if math.isinf(got) or math.isinf(exact):  # one side of the largest number
        got, exact = (max(-2 * LARGEST, min(2 * LARGEST, v)) for v in (got, exact))
        return abs(got - exact) / ulp(LARGEST)
    return abs(got - exact) / ulp(exact)


def total(function, at=()):
    """A function of doubles with infinities and NaN in place of Python's errors, and the values `at` (argument: value)."""
    known = dict(at)

    def value(*x):
        if any(v != v for v in x):
            return NAN
        if x[0] in known and len(x) == 1:
            return known[x[0]]
        try:
            return function(*x)
        except OverflowError:
            return INF
        except (ValueError, ZeroDivisionError):
            return NAN

    return value


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else math.exp(max(x, -745))


def softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def normal(x):
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


def times(x, y):
    """x y, with 0 where y vanishes, whatever x is."""
    return x * y if y else math.copysign(0.0, x)


def gelu_tanh(x):
    return times(x, sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def digamma(x):
    if x == 0:
        return -math.copysign(INF, x)
    if x < 0:
        if x == math.floor(x):
            return NAN
        turn = x - round(x)
        return digamma(1 - x) - math.pi / math.tan(math.pi * turn)
    parts = []
    while x < 12:
        parts.append(-1 / x)
        x += 1
    z = 1 / (x * x)
    series = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132)))))
    return math.fsum([*parts, math.log(x), -0.5 / x, -series])


def erfinv(y):
    if abs(y) == 1:
        return math.copysign(INF, y)
    if abs(y) > 1:
        return NAN
    if abs(y) < 1e-4:
        return y * math.sqrt(math.pi) / 2 * (1 + math.pi / 12 * y * y)
    low, high = 0.0, 6.0
    tail = 1 - abs(y)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(middle) > tail else (low, middle)
    return math.copysign(low, y)


def bessel_i(order, scaled):
    """DLMF 10.25.2 up to 40, 10.40.1 above."""

    def value(x):
        a = abs(x)
        if a <= 40:
            term = total_ = (a / 2) ** order
            for k in range(1, 120):
                term *= a * a / 4 / (k * (k + order))
                total_ += term
            result = total_ * math.exp(-a)
        else:
            term = result = 1.0
            for k in range(1, 12):
                term *= -(4 * order * order - (2 * k - 1) ** 2) / (8 * a * k)
                result += term
            result /= math.sqrt(2 * math.pi * a)
        if not scaled:
            result *= math.exp(min(a, 700) / 2) * math.exp(min(a, 700) / 2)
        return math.copysign(result, x) if order else result

    return value


def erfcx(x):
    if x < 20:
        high = rounded(x) if abs(x) < 30 else x
        return math.erfc(x) * math.exp(high * high)
    r = 0.5 / (x * x)
    return (1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r)))) / (x * math.sqrt(math.pi))


def log_ndtr(x):
    if x > -5:
        return math.log1p(-normal(-x))
    return math.log(0.5 * erfcx(-x * math.sqrt(0.5))) - 0.5 * x * x


def sinc(x):
    product = rounded(rounded(math.pi) * x)  # torch rounds it, too
    return math.sin(product) / product


ZERO_LOG = {0.0: -INF}
UNARY = {
    "exp": (torch.exp, math.exp),
    "exp2": (torch.exp2, lambda x: math.pow(2.0, x)),
    "expm1": (torch.expm1, math.expm1),
    "log": (torch.log, math.log, ZERO_LOG),
    "log2": (torch.log2, math.log2, ZERO_LOG),
    "log10": (torch.log10, math.log10, ZERO_LOG),
    "log1p": (torch.log1p, math.log1p, {-1.0: -INF}),
    "sin": (torch.sin, math.sin),
    "cos": (torch.cos, math.cos),
    "tan": (torch.tan, math.tan),
    "asin": (torch.asin, math.asin),
    "acos": (torch.acos, math.acos),
    "atan": (torch.atan, math.atan),
    "sinh": (torch.sinh, lambda x: math.sinh(x) if abs(x) < 100 else math.copysign(INF, x)),
    "cosh": (torch.cosh, math.cosh),
    "tanh": (torch.tanh, math.tanh),
    "asinh": (torch.asinh, math.asinh),
    "acosh": (torch.acosh, lambda x: math.acosh(x) if x >= 1 else math.nan),  # where C's gives something below -1, it is wrong
    "atanh": (torch.atanh, math.atanh, {1.0: INF, -1.0: -INF}),
    "sqrt": (torch.sqrt, math.sqrt),
    "rsqrt": (torch.rsqrt, lambda x: 1 / math.sqrt(x) if x else math.copysign(INF, x)),
    "reciprocal": (torch.reciprocal, lambda x: 1 / x if x else math.copysign(INF, x)),
    "square": (torch.square, lambda x: x * x),
    "erf": (torch.erf, math.erf),
    "erfc": (torch.erfc, math.erfc),
    "erfinv": (torch.erfinv, erfinv),
    "sigmoid": (torch.sigmoid, sigmoid),
    "logit": (torch.logit, lambda x: math.log1p((2 * x - 1) / (1 - x)) if 0.2 < x < 0.8 else math.log(x / (1 - x)), {0.0: -INF, 1.0: INF}),
    "lgamma": (torch.lgamma, lambda x: INF if x <= 0 and (x == math.floor(x) or x == -INF) else math.lgamma(x)),
    "digamma": (torch.digamma, lambda x: x if x == INF else digamma(x), {-INF: NAN}),
    "sinc": (torch.sinc, sinc, {0.0: 1.0}),
    "gelu": (F.gelu, lambda x: times(x, normal(x)), {-INF: NAN}),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), gelu_tanh, {-INF: NAN}),
    "silu": (F.silu, lambda x: times(x, sigmoid(x)), {-INF: NAN}),
    "softplus": (lambda x: F.softplus(x, 1, 100), softplus),
    "logsigmoid": (F.logsigmoid, lambda x: -softplus(-x)),
    "mish": (F.mish, lambda x: times(x, math.tanh(softplus(x))), {-INF: NAN}),
    "elu": (F.elu, lambda x: x if x > 0 else math.expm1(x)),
    "softsign": (F.softsign, lambda x: x / (1 + abs(x))),
    "entr": (torch.special.entr, lambda x: -x * math.log(x) if x > 0 else 0.0 if x == 0 else -INF),
    "ndtr": (torch.special.ndtr, normal),
    "log_ndtr": (torch.special.log_ndtr, log_ndtr, {-INF: -INF}),
    "erfcx": (torch.special.erfcx, erfcx, {-INF: INF}),
    "i0": (torch.special.i0, bessel_i(0, False), {INF: NAN, -INF: NAN}),
    "i0e": (torch.special.i0e, bessel_i(0, True)),
    "i1": (torch.special.i1, bessel_i(1, False), {INF: NAN, -INF: NAN}),
    "i1e": (torch.special.i1e, bessel_i(1, True)),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    function, *reference = UNARY[name]
    exact, given = total(*reference), arguments()
    found = function(torch.tensor(given)).tolist()
    wrong = [(error(y, exact(x)), x, y) for x, y in zip(given, found)]
    wrong = sorted((w for w in wrong if w[0] > LIMIT), reverse=True)
    assert not wrong, f"{len(wrong)} of {len(given)}, as {[(e, x, y, exact(x)) for e, x, y in wrong[:4]]}"


def power(x, y):
    odd = not math.isinf(y) and y % 2 == 1
    if x == 0 and y < 0:
        return math.copysign(INF, x) if odd else INF
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if x < 0 and odd else INF


def remainder(x, y):
    rest = math.fmod(x, y)
    if rest and (rest < 0) != (y < 0):
        rest = y if math.isinf(y) else rest + y
    return rest


def log_sum(x, y):
    return x if x == y and math.isinf(x) else max(x, y) + math.log1p(math.exp(-abs(x - y)))


def log2_sum(x, y):
    return x if x == y and math.isinf(x) else max(x, y) + math.log1p(math.pow(2.0, -abs(x - y))) / math.log(2)


BINARY = {
    "pow": (torch.pow, power),
    "atan2": (torch.atan2, math.atan2),
    "hypot": (torch.hypot, math.hypot),
    "logaddexp": (torch.logaddexp, log_sum),
    "logaddexp2": (torch.logaddexp2, log2_sum),
    "fmod": (torch.fmod, math.fmod),
    "remainder": (torch.remainder, remainder),
}


def pairs():
    step = 31 if SMALL else 5
    sizes = [rounded(math.ldexp(m, e)) for e, m in zip(range(-149, 128, step), (1.0, 1.2345678, 1.75, 1.9999999) * 20)]
    sizes += [0.3, 0.9999999, 1.0, 1.0000001, 1.5, 2.0, 3.0, 7.0, 10.1, 33.3, 0.0, INF]
    values = [rounded(s) for size in sizes for s in (size, -size)] + [NAN]
    return [(x, y) for x in values for y in values]


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    function, reference = BINARY[name]
    given = pairs()
    # what the standard says of NaN: 1**nan and nan**0 are 1, hypot(inf, nan) is inf
    known = reference if name in ("pow",) else total(reference)
    found = function(torch.tensor([x for x, _ in given]), torch.tensor([y for _, y in given])).tolist()
    wrong = []
    for (x, y), got in zip(given, found):
        try:
            exact = known(x, y)
        except ValueError:
            exact = NAN
        if name == "hypot" and got == INF and INF in (abs(x), abs(y)):
            continue
        off = error(got, exact)
        if name.startswith("logaddexp") and abs(exact) < max(abs(x), abs(y)) / 16 and off < INF:  # what is left of a difference
            off = abs(got - exact) / ulp(max(abs(x), abs(y)) / 16)
        if off > LIMIT:
            wrong.append((off, x, y, got, exact))
    wrong.sort(reverse=True)
    assert not wrong, f"{len(wrong)} of {len(given)}, as {wrong[:4]}"
