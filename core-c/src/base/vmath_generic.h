/* Functions with the same text in float32 and float64. Included once for each, with
 * REAL the type, FN(name) its function's name, WORD the unsigned integer of the same size, and
 * NORMAL_LIMIT a number above which e^(-x^2/2) is 0. */

PWT_INLINE REAL FN(sign)(REAL x)
{
    return (REAL)((x > 0) - (x < 0));
}

/* The neighbour of x in the direction of y. */
PWT_INLINE REAL FN(nextafter)(REAL x, REAL y)
{
    WORD bits = FN(bits)(x);
    WORD toward = (x > 0) == (y > x) ? bits + 1 : bits - 1;
    REAL neighbour = FN(from_bits)(toward);
    neighbour = x == 0 ? FN(copysign)(FN(from_bits)(1), y) : neighbour;
    neighbour = x == y ? y : neighbour;
    return x != x || y != y ? x + y : neighbour;
}

/* ---- division rounded down, by CPython's float_divmod, from C's fmod ---- */

PWT_INLINE REAL FN(remainder_of_rest)(REAL y, REAL rest)
{
    return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

PWT_INLINE REAL FN(floor_divide_of_rest)(REAL x, REAL y, REAL rest)
{
    REAL ratio = x / y;
    REAL quotient = (x - rest) / y - (rest != 0 && (y < 0) != (rest < 0) ? 1 : 0);
    REAL whole = FN(floor)(quotient);
    whole += quotient - whole > (REAL)0.5 ? 1 : 0;
    whole = quotient == 0 ? FN(copysign)(0, ratio) : whole;
    return y == 0 ? ratio : whole;
}

/* Python's %: the remainder has the divisor's sign. */
static inline REAL FN(remainder)(REAL x, REAL y)
{
    return FN(remainder_of_rest)(y, FN(fmod)(x, y));
}

/* Python's //; division by zero is as in C. */
static inline REAL FN(floor_divide)(REAL x, REAL y)
{
    return FN(floor_divide_of_rest)(x, y, FN(fmod)(x, y));
}

/* ---- inverse hyperbolic functions, by log1p of what keeps small arguments exact ---- */

PWT_INLINE REAL FN(asinh)(REAL x)
{
    REAL a = FN(abs)(x);
    bool huge = a > (REAL)0x1p30;
    REAL b = huge ? (REAL)1 : a;
    REAL excess = b + b * b / (1 + FN(sqrt)(1 + b * b));
    REAL result = FN(log1p)(huge ? a - 1 : excess) + (huge ? (REAL)0x1.62e42fefa39efp-1 : 0);
    return FN(copysign)(result, x);
}

PWT_INLINE REAL FN(acosh)(REAL x)
{
    bool huge = x > (REAL)0x1p30;
    REAL t = huge ? (REAL)1 : x - 1;
    REAL root = FN(sqrt)(t + t + t * t), excess = root + t, lost = t - (excess - root);
    REAL rest = huge ? (REAL)0x1.62e42fefa39efp-1 : lost / (1 + excess);
    REAL result = FN(log1p)(huge ? x - 1 : excess) + rest;
    return x >= 1 ? result : (REAL)PWT_NAN_F64;
}

PWT_INLINE REAL FN(atanh)(REAL x)
{
    REAL a = FN(abs)(x), twice = a + a;
    REAL result = (REAL)0.5 * FN(log1p)(twice + twice * a / (1 - a));
    return a <= 1 ? FN(copysign)(result, x) : (REAL)PWT_NAN_F64;
}

/* ---- logarithms of sums of exponentials ---- */

/* ln(1 + e^x), softplus with beta 1. */
PWT_INLINE REAL FN(log1pexp)(REAL x)
{
    REAL positive = x > 0 ? x : 0;
    return positive + FN(log1p_unit)(FN(exp)(-FN(abs)(x)));
}

/* ln(1 / (1 + e^-x)) */
PWT_INLINE REAL FN(log_sigmoid)(REAL x)
{
    REAL negative = x < 0 ? x : 0;
    return negative - FN(log1p_unit)(FN(exp)(-FN(abs)(x)));
}

/* ln(x / (1 - x)) as ln(1 + m), m = |2x - 1| / min(x, 1 - x): near 1/2 the quotient alone loses what the logarithm is made of. */
PWT_INLINE REAL FN(log_odds)(REAL x)
{
    REAL smaller = x < (REAL)0.5 ? x + 0 : 1 - x, difference = FN(abs)(x + x - 1);
    bool tiny = FN(abs)(smaller) < (REAL)0x1p-60;
    REAL far = -FN(log)(smaller), near = FN(log1p)(difference / (tiny ? 1 : smaller));
    REAL value = tiny ? far : near;
    return x < (REAL)0.5 ? -value : value;
}

/* x ln y, and 0 where x is 0 and y is no NaN. */
PWT_INLINE REAL FN(xlogy)(REAL x, REAL y)
{
    return x == 0 && y == y ? 0 : x * FN(log)(y);
}

/* x ln(1 + y), likewise. */
PWT_INLINE REAL FN(xlog1py)(REAL x, REAL y)
{
    return x == 0 && y == y ? 0 : x * FN(log1p)(y);
}

/* sin(pi x) / (pi x) with pi x rounded first, as torch does. */
PWT_INLINE REAL FN(sinc)(REAL x)
{
    REAL product = (REAL)0x1.921fb54442d18p+1 * x;
    REAL quotient = FN(sin)(product) / product;
    return x == 0 ? 1 : quotient;
}

/* ---- activations ---- */

PWT_INLINE REAL FN(sigmoid)(REAL x)
{
    return FN(sigmoid_times)(x, 1);
}

/* The logistic function of x and of -x, each to full precision. */
typedef struct {
    REAL of_x, of_minus_x;
} FN(sigmoid_pair);

PWT_INLINE FN(sigmoid_pair) FN(sigmoids)(REAL x)
{
    REAL small = FN(sigmoid)(-FN(abs)(x)), large = 1 - small;
    return (FN(sigmoid_pair)){x > 0 ? large : small, x > 0 ? small : large};
}

PWT_INLINE REAL FN(silu)(REAL x)
{
    return FN(sigmoid_times)(x, x);
}

PWT_INLINE REAL FN(silu_derivative)(REAL x)
{
    x = FN(clamp)(x, -800, 800);
    FN(sigmoid_pair) s = FN(sigmoids)(x);
    return s.of_x * (1 + x * s.of_minus_x);
}

PWT_INLINE REAL FN(gelu_tanh_derivative)(REAL x)
{
    x = FN(clamp)(x, -NORMAL_LIMIT, NORMAL_LIMIT);
    REAL square = x * x;
    FN(sigmoid_pair) s = FN(sigmoids)((REAL)1.5957691216057308 * (x + (REAL)0.044715 * x * square));
    REAL slope = (REAL)1.5957691216057308 + (REAL)(3 * 0.044715 * 1.5957691216057308) * square;
    return s.of_x + x * slope * (s.of_x * s.of_minus_x);
}

/* What the functions below share: a = min(|x|, limit), e^(-a^2/2) and erf(a / sqrt 2) / 2 for small a. */
typedef struct {
    REAL a, h, half_erf;
    FN(exp_parts) bell;
    bool small;
} FN(normal_parts);

PWT_INLINE FN(normal_parts) FN(normal)(REAL x)
{
    REAL a = FN(abs)(x);
    a = a > NORMAL_LIMIT ? NORMAL_LIMIT : a;
    REAL h = a * (REAL)0.70710678118654752;
    REAL half_erf = (REAL)0.5 * (h + h * FN(erf_series)(h * h));
    return (FN(normal_parts)){a, h, half_erf, FN(exp_minus_square)(a, (REAL)0.5), h < (REAL)0.6};
}
