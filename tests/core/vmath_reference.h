/* References in a wider type, each far below an ulp of the narrower one. */
#define SQRT_HALF 0.7071067811865475244008444L
#define TWO_OVER_SQRT_PI 1.128379167095512573896159L
#define SQRT_TWO 1.414213562373095048801689L
#define PI 3.141592653589793238462643L
#define LN_TWO 0.6931471805599453094172321L

#define LIBRARY1(name, function)                                                                                       \
    static double reference_##name(double x) { return function(x); }                                                   \
    static long double reference_##name##_long(long double x) { return function##l(x); }
#define LIBRARY2(name, function)                                                                                       \
    static double reference_##name(double x, double y) { return function(x, y); }                                      \
    static long double reference_##name##_long(long double x, long double y) { return function##l(x, y); }

LIBRARY1(exp, exp)
LIBRARY1(exp2, exp2)
LIBRARY1(expm1, expm1)
LIBRARY1(log, log)
LIBRARY1(log2, log2)
LIBRARY1(log10, log10)
LIBRARY1(log1p, log1p)
LIBRARY1(sin, sin)
LIBRARY1(cos, cos)
LIBRARY1(tan, tan)
LIBRARY1(asin, asin)
LIBRARY1(acos, acos)
LIBRARY1(atan, atan)
LIBRARY1(sinh, sinh)
LIBRARY1(cosh, cosh)
LIBRARY1(tanh, tanh)
LIBRARY1(asinh, asinh)
LIBRARY1(acosh, acosh)
LIBRARY1(atanh, atanh)
LIBRARY1(erf, erf)
LIBRARY1(erfc, erfc)
LIBRARY1(lgamma, lgamma)
LIBRARY1(sqrt, sqrt)
LIBRARY1(cbrt, cbrt)
LIBRARY1(round_half_even, nearbyint)
LIBRARY2(atan2, atan2)
LIBRARY2(pow, pow)
LIBRARY2(hypot, hypot)
LIBRARY2(fmod, fmod)
LIBRARY2(copysign, copysign)

#define FORMULA1(name, formula)                                                                                        \
    static long double reference_##name##_long(long double x) { return formula; }                                      \
    static double reference_##name(double x) { return (double)reference_##name##_long(x); }
#define FORMULA2(name, formula)                                                                                        \
    static long double reference_##name##_long(long double x, long double y) { return formula; }                       \
    static double reference_##name(double x, double y) { return (double)reference_##name##_long(x, y); }

static long double logistic(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static long double normal(long double x)
{
    return erfcl(-x * SQRT_HALF) / 2;
}

/* The y with erf(y) = x, given as upper = 1 - x: Newton's method on ln(erfc(y)), or on erf(y) near 0. */
static long double inverse_erf(long double x, long double upper)
{
    if (!(x >= -1 && x <= 1))
        return NAN;
    if (x < 0)
        return -inverse_erf(-x, 2 - upper);
    if (upper == 0)
        return INFINITY;
    long double y = x * 0.886L;
    if (x < 0.5L) {
        for (int i = 0; i < 8; i++)
            y -= (erfl(y) - x) * expl(y * y) / TWO_OVER_SQRT_PI;
        return y;
    }
    y = sqrtl(-logl(upper)) * 0.9L;
    for (int i = 0; i < 12; i++)
        y += logl(erfcl(y) / upper) * erfcl(y) * expl(y * y) / TWO_OVER_SQRT_PI;
    return y;
}

static long double inverse_normal(long double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    return p < 0.5L ? -SQRT_TWO * inverse_erf(1 - 2 * p, 2 * p) : SQRT_TWO * inverse_erf(2 * p - 1, 2 - 2 * p);
}

static long double psi(long double x)
{
    if (x == 0)
        return -copysignl(INFINITY, x);
    if (x < 0 && (x == floorl(x)))
        return NAN;
    if (x < 0) {
        long double rest = x - nearbyintl(x);
        return psi(1 - x) - PI / tanl(PI * rest);
    }
    long double sum = 0;
    for (; x < 40; x++)
        sum -= 1 / x;
    long double z = 1 / (x * x);
    long double series = z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z * (1 / 132.0L)))));
    return sum + logl(x) - 0.5L / x - series;
}

static long double bessel_i0(long double x)
{
    if (fabsl(x) > 800)
        return isnan(x) ? x : INFINITY;
    long double term = 1, sum = 1;
    for (int k = 1; k < 2000; k++) {
        term *= x * x / 4 / ((long double)k * k);
        sum += term;
    }
    return sum;
}

static long double log_sum(long double x, long double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    return x == y ? x + LN_TWO : fmaxl(x, y) + log1pl(expl(-fabsl(x - y)));
}

static long double log_sum2(long double x, long double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    return x == y ? x + 1 : fmaxl(x, y) + log1pl(exp2l(-fabsl(x - y))) / LN_TWO;
}

static long double gelu_tanh_argument(long double x)
{
    return sqrtl(2 / PI) * (x + 0.044715L * x * x * x);
}

static long double gelu_tanh_slope(long double x)
{
    if (fabsl(x) > 100)
        return isnan(x) ? x : x > 0 ? 1 : 0;
    long double s = logistic(2 * gelu_tanh_argument(x));
    return s + x * s * (1 - s) * 2 * sqrtl(2 / PI) * (1 + 3 * 0.044715L * x * x);
}

static long double floored_rest(long double x, long double y)
{
    long double rest = fmodl(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

FORMULA1(sigmoid, logistic(x))
FORMULA1(log_sigmoid, x < 0 ? x - log1pl(expl(x)) : 0 - log1pl(expl(-x)))
FORMULA1(log1pexp, x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)))
FORMULA1(silu, x * logistic(x))
FORMULA1(silu_derivative, fabsl(x) > 1000 ? x > 0 : logistic(x) * (1 + x * logistic(-x)))
FORMULA1(gelu_tanh, x * logistic(2 * gelu_tanh_argument(x)))
FORMULA1(gelu_tanh_derivative, gelu_tanh_slope(x))
FORMULA1(ndtr, normal(x))
FORMULA1(gelu_erf, x * normal(x))
FORMULA1(gelu_erf_derivative, fabsl(x) > 1000 ? x > 0 : normal(x) + x * expl(-x * x / 2) / sqrtl(2 * PI))
FORMULA1(rsqrt, 1 / sqrtl(x))
FORMULA1(erfinv, inverse_erf(x, 1 - x))
FORMULA1(ndtri, inverse_normal(x))
FORMULA1(digamma, psi(x))
FORMULA1(i0, bessel_i0(x))
FORMULA1(sign, (x > 0) - (x < 0))
FORMULA2(logaddexp, log_sum(x, y))
FORMULA2(logaddexp2, log_sum2(x, y))
FORMULA2(xlogy, x == 0 && !isnan(y) ? 0 : x * logl(y))
FORMULA2(xlog1py, x == 0 && !isnan(y) ? 0 : x * log1pl(y))
FORMULA2(remainder, floored_rest(x, y))

/* Where the definition rounds in the narrow type itself. */
static double reference_sinc(double x)
{
    double product = (float)((float)PI * (float)x);
    return x == 0 ? 1 : sin(product) / product;
}

static long double reference_sinc_long(long double x)
{
    long double product = (double)((double)PI * (double)x);
    return x == 0 ? 1 : sinl(product) / product;
}

#define FLOOR_DIVIDE(name, wide, narrow, fmod, floor, copysign)                                                        \
    static wide name(wide x, wide y)                                                                                   \
    {                                                                                                                  \
        narrow ratio = (narrow)x / (narrow)y, rest = (narrow)fmod(x, y);                                               \
        if (y == 0)                                                                                                    \
            return ratio;                                                                                              \
        narrow quotient = ((narrow)x - rest) / (narrow)y;                                                              \
        if (rest != 0 && (rest < 0) != (y < 0))                                                                        \
            quotient -= 1;                                                                                             \
        if (quotient == 0)                                                                                             \
            return copysign(0, ratio);                                                                                 \
        narrow whole = floor(quotient);                                                                                \
        return quotient - whole > 0.5f ? whole + 1 : whole;                                                            \
    }
FLOOR_DIVIDE(reference_floor_divide, double, float, fmod, floor, copysign)
FLOOR_DIVIDE(reference_floor_divide_long, long double, double, fmodl, floorl, copysignl)
