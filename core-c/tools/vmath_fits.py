"""The fits behind the coefficients in core-c/src/base/vmath_*.h: `python core-c/tools/vmath_fits.py [NAME ...]`.

Needs mpmath and NumPy. Prints for each fit its largest weighted error and its coefficients, lowest power first.
"""

import sys

import mpmath as mp
from minimax import fit, shortest

SQRT2 = mp.sqrt(2)
TINY = mp.mpf(10) ** -25


def of_square(g):
    """g(sqrt(z)) as a function of z, for even functions with a removable singularity at 0."""
    return lambda z: g(mp.sqrt(max(z, TINY)))


def exp_rest(r):
    return mp.mpf(1) / 2 + r / 6 if abs(r) < TINY else (mp.expm1(r) - r) / r**2


def erfcx(a):
    return mp.exp(a * a) * mp.erfc(a)


def erfcx_of(scale, k):
    """erfc(a) e^(a^2) scale(a) as a function of q = (a - k)/(a + k)."""

    def f(q):
        a = k * (1 + q) / (1 - q)
        return erfcx(a) * scale(a)

    return f


def position(a, k):
    return (mp.mpf(a) - k) / (mp.mpf(a) + k)


def inverse_erfc(s):
    """The y with erfc(y) = e^(-s^2), by Newton's method on the logarithm."""
    y = s - mp.mpf("0.2")
    for _ in range(9):
        c = erfcx(y)
        y -= mp.log(mp.exp(y * y - s * s) / c) * c * mp.sqrt(mp.pi) / 2
    return y


def inverse_of(k):
    cache = {}

    def f(u):
        if u not in cache:
            s = k * (1 + u) / (1 - u)
            cache[u] = inverse_erfc(s) / s
        return cache[u]

    return f


def lgamma_rest(z):
    z = -1 + TINY if abs(z + 1) < TINY else TINY if abs(z) < TINY else z
    return mp.loggamma(2 + z) / (z * (z + 1))


def bessel_rest(w):
    return mp.besseli(0, 1 / w) * mp.exp(-1 / w) / mp.sqrt(w)


def pow_log_rest(z):
    if z < mp.mpf(10) ** -20:
        return mp.mpf(2) / 5
    s = mp.sqrt(z)
    return ((2 * mp.atanh(s) - 2 * s) / s**3 - mp.mpf(2) / 3) / z


sin_rest = of_square(lambda r: (mp.sin(r) - r) / r**3)
cos_rest = of_square(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4)
tan_rest = of_square(lambda r: (mp.tan(r) - r) / r**3)
asin_rest = of_square(lambda r: (mp.asin(r) - r) / r**3)
atan_rest = of_square(lambda r: (mp.atan(r) - r) / r**3)
tanh_rest = of_square(lambda r: (mp.tanh(r) - r) / r**3)
sinh_rest = of_square(lambda r: (mp.sinh(r) - r) / r**3)
log_rest = of_square(lambda s: (2 * mp.atanh(s) - 2 * s) / s**3)
log2_series = of_square(lambda s: 2 * mp.atanh(s) / s / mp.log(2))
exp2_rest = lambda f: mp.log(2) if abs(f) < TINY else mp.expm1(f * mp.log(2)) / f  # noqa: E731
erf_rest = of_square(lambda a: mp.erf(a) / a - 1)
erfinv_series = of_square(lambda a: mp.erfinv(a) / a)
i0_series = of_square(lambda h: mp.besseli(0, 2 * h))


def one(x):
    return mp.mpf(1)


def relative(f):
    return lambda x: 1 / f(x)


def log_erfc(shift):
    return lambda w: mp.log(mp.erfc(w + shift))


HALF_LN2 = mp.log(2) / 2
QUARTER_PI2 = (mp.pi / 4) ** 2
TAN_PI_8 = (SQRT2 - 1) ** 2
LOG_Z = ((SQRT2 - 1) / (SQRT2 + 1)) ** 2
NEAR0 = mp.mpf(10) ** -9
ERFCX_F32 = erfcx_of(lambda a: a + 3, 3)
ERFCX_F64 = erfcx_of(lambda a: 1 + 2 * a, mp.mpf("4.25"))
INVERSE = inverse_of(2)

# name: function, from, to, terms, denominator's degree, weight, type
FITS = {
    "exp_f32": (exp_rest, -HALF_LN2, HALF_LN2, 5, 0, lambda r: r * r, "f32"),
    "exp_f64": (exp_rest, -HALF_LN2, HALF_LN2, 10, 0, lambda r: r * r, "f64"),
    "pow_exp2_f32": (exp2_rest, -0.5, 0.5, 6, 0, lambda f: f, "f32"),
    "pow_log2_f32": (log2_series, NEAR0, LOG_Z, 5, 0, lambda z: z + 1, "f64"),
    "pow_log_f64": (pow_log_rest, NEAR0, LOG_Z, 8, 0, lambda z: z * z / 2, "f64"),
    "log_f32": (log_rest, NEAR0, LOG_Z, 3, 0, lambda z: z, "f32"),
    "log_f64": (log_rest, NEAR0, LOG_Z, 7, 0, lambda z: z, "f64"),
    "log1p_unit_f32": (log_rest, NEAR0, mp.mpf(1) / 9, 5, 0, lambda z: z, "f32"),
    "log1p_unit_f64": (log_rest, NEAR0, mp.mpf(1) / 9, 10, 0, lambda z: z, "f64"),
    "sinh_f32": (sinh_rest, NEAR0, 1, 3, 0, lambda z: z, "f32"),
    "sinh_f64": (sinh_rest, NEAR0, 1, 7, 0, lambda z: z, "f64"),
    "tanh_f32": (tanh_rest, NEAR0, mp.mpf("0.62") ** 2, 2, 1, lambda z: z, "f32"),
    "tanh_f64": (tanh_rest, NEAR0, mp.mpf("0.62") ** 2, 4, 2, lambda z: z, "f64"),
    "sin_f32": (sin_rest, NEAR0, QUARTER_PI2, 3, 0, lambda z: z, "f32"),
    "sin_f64": (sin_rest, NEAR0, QUARTER_PI2, 6, 0, lambda z: z, "f64"),
    "cos_f32": (cos_rest, NEAR0, QUARTER_PI2, 3, 0, lambda z: z * z, "f32"),
    "cos_f64": (cos_rest, NEAR0, QUARTER_PI2, 6, 0, lambda z: z * z, "f64"),
    "tan_f32": (tan_rest, NEAR0, QUARTER_PI2 * mp.mpf("1.0001"), 2, 2, lambda z: z, "f32"),
    "tan_f64": (tan_rest, NEAR0, QUARTER_PI2 * mp.mpf("1.0001"), 4, 3, lambda z: z, "f64"),
    "atan_f32": (atan_rest, NEAR0, TAN_PI_8, 5, 0, lambda z: z, "f32"),
    "atan_f64": (atan_rest, NEAR0, TAN_PI_8, 11, 0, lambda z: z, "f64"),
    "asin_f32": (asin_rest, NEAR0, 0.25, 6, 0, lambda z: z, "f32"),
    "asin_f64": (asin_rest, NEAR0, 0.25, 12, 0, lambda z: z, "f64"),
    "erf_f32": (erf_rest, NEAR0, mp.mpf("0.8") ** 2, 6, 0, one, "f32"),
    "erf_f64": (erf_rest, NEAR0, 1, 13, 0, one, "f64"),
    "erf_large_f32": (log_erfc(0.8125), 0.72 - 0.8125, 4 - 0.8125, 7, 0,
                      lambda w: mp.erfc(w + 0.8125) / mp.erf(w + 0.8125), "f32"),
    "erfcx_f32": (ERFCX_F32, -1, position(10.1, 3), 10, 0, relative(ERFCX_F32), "f32"),
    "erfcx_f64": (ERFCX_F64, -1, position(28, mp.mpf("4.25")), 23, 0, relative(ERFCX_F64), "f64"),
    "erfinv": (erfinv_series, NEAR0, mp.mpf("0.49"), 20, 0, relative(erfinv_series), "f64"),
    "erfinv_tail": (INVERSE, position(mp.sqrt(mp.log(2)), 2), position(27.4, 2), 20, 0, relative(INVERSE), "f64"),
    "lgamma": (lgamma_rest, -1, 1, 28, 0, relative(lgamma_rest), "f64"),
    "i0_small": (i0_series, NEAR0, mp.mpf(225) / 4, 21, 0, relative(i0_series), "f64"),
    "i0_large": (bessel_rest, mp.mpf(10) ** -5, mp.mpf(1) / 15, 13, 0, one, "f64"),
}


def main(names):
    for name in names or FITS:
        f, low, high, terms, degree, weight, kind = FITS[name]
        top, bottom, error = fit(f, low, high, range(terms), degree, weight, kind)
        print(f"{name}: error 2^{float(mp.log(error, 2)):.1f}")
        print("   ", ", ".join(shortest(c, kind) for c in top))
        if degree:
            print("  /", ", ".join(shortest(c, kind) for c in bottom))


if __name__ == "__main__":
    main(sys.argv[1:])
