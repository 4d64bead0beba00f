/* Elementary functions in float64. */
#ifndef PWT_VMATH_F64_H
#define PWT_VMATH_F64_H

#include "vmath_bits.h"

/* ln 2 in two parts (fdlibm's); a multiple of the first by an integer below 2^20 is exact. */
#define PWT_LN2_HIGH_F64 6.93147180369123816490e-01
#define PWT_LN2_LOW_F64 1.90821492927058770002e-10

#define PWT_PI_F64 0x1.921fb54442d18p+1
#define PWT_PI_LOW_F64 0x1.1a62633145c07p-53

/* ---- exponentials ---- */

/* e^x = 2^power * (1 + tail). */
typedef struct {
    double tail;
    int64_t power;
} pwt_exp_parts_f64;

PWT_INLINE double pwt_clamp_f64(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* e^(high + low) - 1 for |high + low| <= ln(2)/2 and a low that is far smaller. */
PWT_INLINE double pwt_exp_tail_f64(double high, double low)
{
    double r = high + low;
    double p = PWT_POLYNOMIAL_F64(r, 0.5000000000000012, 0.166666666666667, 0.04166666666651974, 0.008333333333311349,
                                     0.0013888888945853396, 0.0001984126990094024, 2.4801491197642445e-05,
                                     2.755723681242815e-06, 2.7630811531608205e-07, 2.510970307532362e-08);
    return high + (r * r * p + low);
}

PWT_INLINE pwt_exp_parts_f64 pwt_exp_reduce_f64(double x)
{
    double shifted = x * 0x1.71547652b82fep+0 + PWT_ROUNDER_F64;
    double n = shifted - PWT_ROUNDER_F64;
    double tail = pwt_exp_tail_f64(x - n * PWT_LN2_HIGH_F64, -n * PWT_LN2_LOW_F64);
    int64_t power = (int64_t)(pwt_bits_f64(shifted) - pwt_bits_f64(PWT_ROUNDER_F64));
    return (pwt_exp_parts_f64){tail, power};
}

/* For x + low with |low| far below 1. */
PWT_INLINE pwt_exp_parts_f64 pwt_exp_reduce_sum_f64(double x, double low)
{
    double shifted = (x + low) * 0x1.71547652b82fep+0 + PWT_ROUNDER_F64;
    double n = shifted - PWT_ROUNDER_F64;
    double tail = pwt_exp_tail_f64(x - n * PWT_LN2_HIGH_F64, low - n * PWT_LN2_LOW_F64);
    int64_t power = (int64_t)(pwt_bits_f64(shifted) - pwt_bits_f64(PWT_ROUNDER_F64));
    return (pwt_exp_parts_f64){tail, power};
}

PWT_INLINE double pwt_exp_f64(double x)
{
    pwt_exp_parts_f64 e = pwt_exp_reduce_f64(pwt_clamp_f64(x, -746.0, 710.0));
    return pwt_scale_f64(1.0 + e.tail, e.power);
}

PWT_INLINE double pwt_exp2_f64(double x)
{
    double y = pwt_clamp_f64(x, -1076.0, 1025.0);
    double shifted = y + PWT_ROUNDER_F64;
    double f = y - (shifted - PWT_ROUNDER_F64);
    int64_t power = (int64_t)(pwt_bits_f64(shifted) - pwt_bits_f64(PWT_ROUNDER_F64));
    return pwt_scale_f64(1.0 + pwt_exp_tail_f64(f * 0x1.62e42fefa39efp-1, f * 2.319046813846299e-17), power);
}

PWT_INLINE double pwt_expm1_f64(double x)
{
    pwt_exp_parts_f64 e = pwt_exp_reduce_f64(pwt_clamp_f64(x, -60.0, 710.0));
    double half_scale = pwt_power_of_two_f64(e.power - 1);
    double result = 2.0 * (e.tail * half_scale + (half_scale - 0.5));
    return pwt_abs_f64(x) < 0x1p-54 ? x : result;
}

/* e^x / 2, which stays finite wherever sinh and cosh do. */
PWT_INLINE double pwt_half_exp_f64(double x)
{
    pwt_exp_parts_f64 e = pwt_exp_reduce_f64(pwt_clamp_f64(x, -746.0, 711.0));
    return pwt_scale_f64(1.0 + e.tail, e.power - 1);
}

PWT_INLINE double pwt_cosh_f64(double x)
{
    double h = pwt_half_exp_f64(pwt_abs_f64(x));
    return h + 0.25 / h;
}

PWT_INLINE double pwt_sinh_f64(double x)
{
    double a = pwt_abs_f64(x);
    double h = pwt_half_exp_f64(a);
    double z = x * x;
    double p = PWT_POLYNOMIAL_F64(z, 0.16666666666666669, 0.008333333333333139, 0.0001984126984143769,
                                     2.755731915533399e-06, 2.5052123399027988e-08, 1.605724030334148e-10,
                                     7.759313378245839e-13);
    return a < 1.0 ? x + x * z * p : pwt_copysign_f64(h - 0.25 / h, x);
}

/* Small |x|: x + x z P(z)/Q(z), z = x^2. Large: 3/4 + (e^2x / 4 - 7/4) / (e^2x + 1), whose numerator and quotient are
 * small where an ulp of the result is. Both wait for one division. */
PWT_INLINE double pwt_tanh_f64(double x)
{
    double a = pwt_abs_f64(x);
    a = a > 20.0 ? 20.0 : a;
    pwt_exp_parts_f64 e = pwt_exp_reduce_f64(2.0 * a);
    double scale = pwt_power_of_two_f64(e.power), quarter = 0.25 * scale;
    double z = a * a;
    bool small = a < 0.6;
    double base = small ? a : 0.75;
    double p = PWT_POLYNOMIAL_F64(z, -0.33333333333333287, -0.016560187497017254, -8.497461008645695e-06, 7.446177491095881e-08);
    double numerator = small ? a * z * p : (quarter - 1.75) + e.tail * quarter;
    double denominator = small ? 1.0 + z * (0.44968056249098065 + z * 0.017992955475906944) : (scale + 1.0) + e.tail * scale;
    return pwt_copysign_f64(base + numerator / denominator, x);
}

/* factor / (1 + e^-x) as factor / (1 + e) or factor e / (1 + e) with e = e^-|x| in two parts, and the sum's rounding
 * error made good. */
PWT_INLINE double pwt_sigmoid_times_f64(double x, double factor)
{
    double a = pwt_abs_f64(x);
    pwt_exp_parts_f64 parts = pwt_exp_reduce_f64(a > 800.0 ? -800.0 : -a);
    double e = pwt_scale_f64(1.0 + parts.tail, parts.power);
    double sum = 1.0 + e, lost = (e - (sum - 1.0)) * (1.457 - 0.5 * sum);
    double inverse = 1.0 / sum;
    bool negative = x < 0.0;
    double result = factor * (inverse + inverse * ((negative ? parts.tail : 0.0) - lost));
    result = pwt_scale_f64(result, negative ? parts.power : 0);
    return x < -800.0 ? factor * 0.0 : result;
}

/* ---- logarithms ---- */

/* ln x = k ln 2 + f - (f^2/2 - s) for positive normal or subnormal x. */
typedef struct {
    double k, f, half_square, s;
} pwt_log_parts_f64;

/* ln(1+f) = f - (f^2/2 - s) with s = t (f^2/2 + R(t^2)), t = f/(2+f): the scheme of fdlibm's log. */
PWT_INLINE double pwt_log_series_f64(double f, double half_square)
{
    double t = f / (2.0 + f);
    double z = t * t;
    double p = PWT_POLYNOMIAL_F64(z, 0.6666666666666734, 0.3999999999941662, 0.28571428742038013, 0.22222198603635024,
                                     0.18183562942559384, 0.1531408213121697, 0.14795663664518716);
    return t * (half_square + z * p);
}

PWT_INLINE pwt_log_parts_f64 pwt_log_reduce_f64(double x)
{
    bool subnormal = x < 0x1p-1022;
    uint64_t bits = pwt_bits_f64(subnormal ? x * 0x1p54 : x);
    uint64_t offset = bits - pwt_bits_f64(0x1.6a09e667f3bcdp-1) + ((uint64_t)1023 << 52);
    uint64_t exponent = offset >> 52;
    double f = pwt_from_bits_f64(bits - (exponent << 52) + ((uint64_t)1023 << 52)) - 1.0;
    double k = pwt_from_bits_f64(pwt_bits_f64(PWT_ROUNDER_F64) | exponent) - (PWT_ROUNDER_F64 + 1023.0);
    double half_square = 0.5 * f * f;
    return (pwt_log_parts_f64){subnormal ? k - 54.0 : k, f, half_square, pwt_log_series_f64(f, half_square)};
}

/* The logarithm's value at 0, infinity, negative numbers and NaN; result elsewhere. */
PWT_INLINE double pwt_log_special_f64(double x, double result)
{
    double other = x == 0.0 ? -PWT_INF_F64 : PWT_NAN_F64;
    return x > 0.0 ? (x == PWT_INF_F64 ? x : result) : other;
}

PWT_INLINE double pwt_log_f64(double x)
{
    pwt_log_parts_f64 l = pwt_log_reduce_f64(x);
    double low = l.half_square - (l.s + l.k * PWT_LN2_LOW_F64);
    return pwt_log_special_f64(x, l.k * PWT_LN2_HIGH_F64 + (l.f - low));
}

PWT_INLINE double pwt_log1p_f64(double x)
{
    double u = 1.0 + x;
    pwt_log_parts_f64 l = pwt_log_reduce_f64(u);
    bool direct = l.k == 0.0;
    double lost = u >= 2.0 ? 1.0 - (u - x) : x - (u - 1.0);
    double correction = direct ? 0.0 : lost / u;
    double f = direct ? x : l.f;
    double half_square = 0.5 * f * f;
    double s = pwt_log_series_f64(f, half_square);
    double low = half_square - (s + (l.k * PWT_LN2_LOW_F64 + correction));
    double result = pwt_log_special_f64(u, l.k * PWT_LN2_HIGH_F64 + (f - low));
    return pwt_abs_f64(x) < 0x1p-54 ? x : result;
}

/* ln(1 + x) for 0 <= x <= 1. */
PWT_INLINE double pwt_log1p_unit_f64(double x)
{
    double t = x / (2.0 + x), z = t * t, half_square = 0.5 * x * x;
    double series = z * PWT_POLYNOMIAL_F64(z, 0.6666666666666631, 0.4000000000015622, 0.2857142854795652, 0.22222223964375912,
                                           0.18181744088583032, 0.15386556831383064, 0.133010101674631,
                                           0.12105822220781394, 0.08341164517603973, 0.17016745402863417);
    return x - (half_square - t * (half_square + series));
}

/* The logarithm's mantissa part in two numbers, the first with 21 bits, times 1/ln(base) in two numbers. */
typedef struct {
    double high, low;
} pwt_pair_f64;

PWT_INLINE pwt_pair_f64 pwt_log_other_base_f64(pwt_log_parts_f64 l, double inverse_high, double inverse)
{
    double high = pwt_from_bits_f64(pwt_bits_f64(l.f - l.half_square) & 0xffffffff00000000u);
    double low = (l.f - high) - l.half_square + l.s;
    double inverse_low = inverse - inverse_high;
    return (pwt_pair_f64){high * inverse_high, (low + high) * inverse_low + low * inverse_high};
}

PWT_INLINE double pwt_log2_f64(double x)
{
    pwt_log_parts_f64 l = pwt_log_reduce_f64(x);
    pwt_pair_f64 m = pwt_log_other_base_f64(l, 1.44269504072144627571e+00, 0x1.71547652b82fep+0);
    double sum = l.k + m.high;
    return pwt_log_special_f64(x, sum + (m.low + ((l.k - sum) + m.high)));
}

PWT_INLINE double pwt_log10_f64(double x)
{
    pwt_log_parts_f64 l = pwt_log_reduce_f64(x);
    pwt_pair_f64 m = pwt_log_other_base_f64(l, 4.34294481878168880939e-01, 0x1.bcb7b1526e50ep-2);
    double whole = l.k * 3.01029995663611771306e-01;
    double sum = whole + m.high;
    double low = l.k * 3.69423907715893078616e-13 + m.low;
    return pwt_log_special_f64(x, sum + (low + ((whole - sum) + m.high)));
}

/* ---- trigonometry ---- */

/* x = quadrant * pi/2 + high + low. */
typedef struct {
    double high, low;
    int64_t quadrant;
} pwt_angle_f64;

#define PWT_ANGLE_LIMIT_F64 1647099.0

/* pi/2 in parts of 33 bits (W. J. Cody and W. Waite, 1980), for |x| <= PWT_ANGLE_LIMIT_F64. */
PWT_INLINE pwt_angle_f64 pwt_reduce_small_angle_f64(double x)
{
    double shifted = x * 0x1.45f306dc9c883p-1 + PWT_ROUNDER_F64;
    double n = shifted - PWT_ROUNDER_F64;
    double first = x - n * 0x1.921fb544p+0;
    double second = n * 0x1.0b4611a6p-34;
    double exact = first - second;
    double lost = (first - exact) - second;
    double third = n * 0x1.3198a2ep-69;
    double high = exact - (third - lost);
    double low = ((exact - high) - (third - lost)) - n * 0x1.b839a252049c1p-104;
    return (pwt_angle_f64){high, low, (int64_t)(pwt_bits_f64(shifted) & 3u)};
}

/* x * 2/pi modulo 4 in 192-bit fixed point (M. H. Payne and R. N. Hanek, 1983), for 2^20 <= |x| < infinity. */
static __attribute__((noinline, unused)) pwt_angle_f64 pwt_reduce_large_angle_f64(double x)
{
    /* The bits of 2/pi after 64 zero bits. */
    static const uint32_t two_over_pi[39] = {
        0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
        0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
        0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
        0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
        0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};
    uint64_t bits = pwt_bits_f64(x);
    uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    uint32_t factors[2] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};

    /* The window of 2/pi whose first two bits, times x, are worth 2 and 1. */
    int start = (int)(bits >> 52 & 2047) - 1075 + 62;
    uint32_t window[6];
    for (int i = 0; i < 6; i++) {
        const uint32_t *word = two_over_pi + start / 32 + i;
        window[i] = (uint32_t)((((uint64_t)word[0] << 32 | word[1]) << start % 32) >> 32);
    }
    uint32_t product[6] = {0};
    for (int f = 0; f < 2; f++) {
        uint64_t carry = 0;
        for (int i = 5; i >= f; i--) {
            uint64_t sum = (uint64_t)factors[f] * window[i] + product[i - f] + carry;
            product[i - f] = (uint32_t)sum;
            carry = sum >> 32;
        }
    }
    uint64_t top = (uint64_t)product[0] << 32 | product[1];
    uint64_t next = (uint64_t)product[2] << 32 | product[3];
    int64_t quadrant = (int64_t)((top + 0x2000000000000000u) >> 62);
    bool below = top >> 61 & 1;
    top = top << 2 | next >> 62;
    next <<= 2;
    if (below) {
        top = ~top;
        next = ~next;
    }
    int zeros = top ? __builtin_clzll(top) : 64;
    if (zeros == 64)
        top = next, next = 0;
    else if (zeros > 0)
        top = top << zeros | next >> (64 - zeros), next <<= zeros;

    double scale = pwt_power_of_two_f64(-64 - zeros);
    double turn_high = (double)(top & ~(uint64_t)2047) * scale;
    double turn_low = ((double)(top & 2047) + (double)next * 0x1p-64) * scale;
    double left = pwt_from_bits_f64(pwt_bits_f64(turn_high) & 0xfffffffff8000000u), right = turn_high - left;
    double angle = turn_high * (0.5 * PWT_PI_F64);
    double error = ((left * 0x1.921fb5p+0 - angle) + left * 0x1.110b46p-26 + right * 0x1.921fb5p+0) +
                   right * 0x1.110b46p-26 + (turn_high * (0.5 * PWT_PI_LOW_F64) + turn_low * (0.5 * PWT_PI_F64));
    double high = angle + error, low = error - (high - angle);
    bool negative = bits >> 63;
    bool flip = negative != below;
    return (pwt_angle_f64){flip ? -high : high, flip ? -low : low, (negative ? -quadrant : quadrant) & 3};
}

PWT_INLINE pwt_angle_f64 pwt_reduce_angle_f64(double x)
{
    if (pwt_abs_f64(x) <= PWT_ANGLE_LIMIT_F64 || !(pwt_abs_f64(x) < PWT_INF_F64))
        return pwt_reduce_small_angle_f64(x);
    return pwt_reduce_large_angle_f64(x);
}

PWT_INLINE double pwt_sin_kernel_f64(pwt_angle_f64 angle)
{
    double r = angle.high, z = r * r;
    double p = PWT_POLYNOMIAL_F64(z, -0.16666666666666632, 0.00833333333332249, -0.00019841269829857746,
                                     2.7557313706964053e-06, -2.505076023229882e-08, 1.5896908504668248e-10);
    return r + (r * z * p + angle.low);
}

PWT_INLINE double pwt_cos_kernel_f64(pwt_angle_f64 angle)
{
    double r = angle.high, z = r * r;
    double p = PWT_POLYNOMIAL_F64(z, 0.0416666666666666, -0.0013888888888874474, 2.4801587289671547e-05,
                                     -2.755731440103968e-07, 2.0875729283307327e-09, -1.1359934383019678e-11);
    double half = 0.5 * z;
    double top = 1.0 - half;
    return top + (((1.0 - top) - half) + (z * z * p - r * angle.low));
}

/* sin(x + turn * pi/2), turn 0 or 1, for the x whose angle is given. */
PWT_INLINE double pwt_sine_f64(double x, pwt_angle_f64 angle, int turn)
{
    int64_t quadrant = (angle.quadrant + turn) & 3;
    double value = (quadrant & 1) ? pwt_cos_kernel_f64(angle) : pwt_sin_kernel_f64(angle);
    value = pwt_from_bits_f64(pwt_bits_f64(value) ^ ((uint64_t)quadrant >> 1 << 63));
    return turn == 0 && pwt_abs_f64(x) < 0x1p-27 ? x : value;
}

/* tan(r) = r + r z P(z)/Q(z), z = r^2, and -1/tan(r) in the odd quadrants. */
PWT_INLINE double pwt_tangent_f64(double x, pwt_angle_f64 angle)
{
    double r = angle.high, z = r * r;
    double p = PWT_POLYNOMIAL_F64(z, 0.3333333333333333, -0.02144290530716982, 0.0002448959770831072,
                                     -1.789853032875366e-08);
    double q = PWT_POLYNOMIAL_F64(z, 1.0, -0.46432871592150915, 0.024561412395086957, -0.0002560540652503071);
    double t = r + (r * z * p / q + (angle.low + angle.low * z));
    t = (angle.quadrant & 1) ? -1.0 / t : t;
    return pwt_abs_f64(x) < 0x1p-27 ? x : t;
}

PWT_INLINE double pwt_sin_f64(double x)
{
    return pwt_sine_f64(x, pwt_reduce_angle_f64(x), 0);
}

PWT_INLINE double pwt_cos_f64(double x)
{
    return pwt_sine_f64(x, pwt_reduce_angle_f64(x), 1);
}

PWT_INLINE double pwt_tan_f64(double x)
{
    return pwt_tangent_f64(x, pwt_reduce_angle_f64(x));
}

/* atan(y/x) for y, x >= 0: y/x, (y-x)/(y+x) or -x/y, whichever is at most tan(pi/8), by a polynomial. */
PWT_INLINE double pwt_atan_ratio_f64(double y, double x)
{
    bool above = y > 0x1.3504f333f9de6p+1 * x, middle = y > 0x1.a827999fcef32p-2 * x;
    double numerator = above ? -x : middle ? y - x : y;
    double denominator = above ? y : middle ? y + x : x;
    double base = above ? 0.5 * PWT_PI_F64 : middle ? 0.25 * PWT_PI_F64 : 0.0;
    double base_low = above ? 0.5 * PWT_PI_LOW_F64 : middle ? 0.25 * PWT_PI_LOW_F64 : 0.0;
    double t = numerator / denominator, z = t * t;
    double p = PWT_POLYNOMIAL_F64(z, -0.333333333333332, 0.19999999999953819, -0.14285714280220485,
                                0.11111110784669664, -0.09090897792475085, 0.07692060826266345, -0.06663110866656756,
                                0.05847937641494101, -0.05039515864200397, 0.038069743754175524,
                                -0.017912678511452312);
    return base + (t + (t * z * p + base_low));
}

PWT_INLINE double pwt_atan_f64(double x)
{
    return pwt_copysign_f64(pwt_atan_ratio_f64(pwt_abs_f64(x), 1.0), x);
}

PWT_INLINE double pwt_atan2_f64(double y, double x)
{
    double a = pwt_abs_f64(y), b = pwt_abs_f64(x);
    bool both_infinite = a == PWT_INF_F64 && b == PWT_INF_F64;
    bool huge = a >= 0x1p1000 || b >= 0x1p1000;
    double scale = huge ? 0x1p-60 : 0x1p20;
    a = both_infinite ? 1.0 : a * scale;
    b = both_infinite ? 1.0 : b * scale;
    double angle = a == 0.0 ? 0.0 : pwt_atan_ratio_f64(a, b);
    bool left = (pwt_bits_f64(x) >> 63) & ((b != 0.0) | (a == 0.0));
    angle = left ? PWT_PI_F64 - (angle - PWT_PI_LOW_F64) : angle;
    return x != x || y != y ? PWT_NAN_F64 : pwt_copysign_f64(angle, y);
}

/* (asin(r) - r) / r for z = r^2 <= 1/4. */
PWT_INLINE double pwt_asin_series_f64(double z)
{
    double p = PWT_POLYNOMIAL_F64(z, 0.16666666666665383, 0.07500000000342932, 0.04464285682355815,
                                     0.030381959328533034, 0.022371753582062462, 0.01735977029977062,
                                     0.013884605722485063, 0.012173236312564815, 0.006511019779605819,
                                     0.019573502453826396, -0.016293518485540948, 0.03195863685221017);
    return p * z;
}

PWT_INLINE double pwt_asin_f64(double x)
{
    double a = pwt_abs_f64(x);
    bool large = a > 0.5;
    double z = large ? 0.5 - 0.5 * a : a * a;
    double r = large ? __builtin_sqrt(z) : a;
    double rest = r * pwt_asin_series_f64(z);
    double outer = (0.5 * PWT_PI_F64 - 2.0 * r) - (2.0 * rest - 0.5 * PWT_PI_LOW_F64);
    return pwt_copysign_f64(large ? outer : r + rest, x);
}

PWT_INLINE double pwt_acos_f64(double x)
{
    double a = pwt_abs_f64(x);
    bool large = a > 0.5;
    double z = large ? 0.5 - 0.5 * a : a * a;
    double r = large ? __builtin_sqrt(z) : x;
    double series = r * pwt_asin_series_f64(z);
    double near_one = 2.0 * (r + series);
    double outer = x < 0.0 ? PWT_PI_F64 - (near_one - PWT_PI_LOW_F64) : near_one;
    double inner = 0.5 * PWT_PI_F64 - (r + (series - 0.5 * PWT_PI_LOW_F64));
    return large ? outer : inner;
}

PWT_INLINE double pwt_sqrt_f64(double x)
{
    return __builtin_sqrt(x);
}

PWT_INLINE double pwt_rsqrt_f64(double x)
{
    return 1.0 / __builtin_sqrt(x);
}

#endif
