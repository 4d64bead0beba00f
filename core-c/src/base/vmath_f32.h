/* Elementary functions in float32. */
#ifndef PWT_VMATH_F32_H
#define PWT_VMATH_F32_H

#include "vmath_bits.h"
#include "vmath_f64.h"

/* ln 2 in two parts; a multiple of the first by an integer below 2^9 is exact. */
#define PWT_LN2_HIGH_F32 0x1.62e4p-1f
#define PWT_LN2_LOW_F32 1.4286068e-06f

/* ---- exponentials ---- */

/* e^x = 2^power * (1 + tail). */
typedef struct {
    float tail;
    int32_t power;
} pwt_exp_parts_f32;

/* e^(high + low) - 1 for |high + low| <= ln(2)/2 and a low that is far smaller. */
PWT_INLINE float pwt_exp_tail_f32(float high, float low)
{
    float r = high + low;
    float p = PWT_POLYNOMIAL_F32(r, 0.5f, 0.16666515f, 0.041666586f, 0.0083693685f, 0.0013919469f);
    return high + (r * r * p + low);
}

PWT_INLINE pwt_exp_parts_f32 pwt_exp_reduce_f32(float x)
{
    float shifted = x * 0x1.715476p+0f + PWT_ROUNDER_F32;
    float n = shifted - PWT_ROUNDER_F32;
    float tail = pwt_exp_tail_f32(x - n * PWT_LN2_HIGH_F32, -n * PWT_LN2_LOW_F32);
    int32_t power = (int32_t)(pwt_bits_f32(shifted) - pwt_bits_f32(PWT_ROUNDER_F32));
    return (pwt_exp_parts_f32){tail, power};
}

/* For x + low with |low| far below 1. */
PWT_INLINE pwt_exp_parts_f32 pwt_exp_reduce_sum_f32(float x, float low)
{
    float shifted = (x + low) * 0x1.715476p+0f + PWT_ROUNDER_F32;
    float n = shifted - PWT_ROUNDER_F32;
    float tail = pwt_exp_tail_f32(x - n * PWT_LN2_HIGH_F32, low - n * PWT_LN2_LOW_F32);
    int32_t power = (int32_t)(pwt_bits_f32(shifted) - pwt_bits_f32(PWT_ROUNDER_F32));
    return (pwt_exp_parts_f32){tail, power};
}

PWT_INLINE float pwt_clamp_f32(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

PWT_INLINE float pwt_exp_f32(float x)
{
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(pwt_clamp_f32(x, -104.0f, 89.0f));
    return pwt_scale_f32(1.0f + e.tail, e.power);
}

PWT_INLINE float pwt_exp2_f32(float x)
{
    float y = pwt_clamp_f32(x, -151.0f, 129.0f);
    float shifted = y + PWT_ROUNDER_F32;
    float f = y - (shifted - PWT_ROUNDER_F32);
    int32_t power = (int32_t)(pwt_bits_f32(shifted) - pwt_bits_f32(PWT_ROUNDER_F32));
    return pwt_scale_f32(1.0f + pwt_exp_tail_f32(f * 0x1.62e43p-1f, f * -1.904654323148236e-09f), power);
}

PWT_INLINE float pwt_expm1_f32(float x)
{
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(pwt_clamp_f32(x, -30.0f, 89.0f));
    float half_scale = pwt_power_of_two_f32(e.power - 1);
    float result = 2.0f * (e.tail * half_scale + (half_scale - 0.5f));
    return pwt_abs_f32(x) < 0x1p-25f ? x : result;
}

/* e^x / 2, which stays finite wherever sinh and cosh do. */
PWT_INLINE float pwt_half_exp_f32(float x)
{
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(pwt_clamp_f32(x, -104.0f, 90.0f));
    return pwt_scale_f32(1.0f + e.tail, e.power - 1);
}

PWT_INLINE float pwt_cosh_f32(float x)
{
    float h = pwt_half_exp_f32(pwt_abs_f32(x));
    return h + 0.25f / h;
}

PWT_INLINE float pwt_sinh_f32(float x)
{
    float a = pwt_abs_f32(x);
    float h = pwt_half_exp_f32(a);
    float z = x * x;
    float small = x + x * z * (0.16666718f + z * (0.008330223f + z * 0.00020376634f));
    return a < 1.0f ? small : pwt_copysign_f32(h - 0.25f / h, x);
}

/* Small |x|: x + x z P(z)/Q(z), z = x^2. Large: 3/4 + (e^2x / 4 - 7/4) / (e^2x + 1), whose numerator and quotient are
 * small where an ulp of the result is. Both wait for one division. */
PWT_INLINE float pwt_tanh_f32(float x)
{
    float a = pwt_abs_f32(x);
    a = a > 10.0f ? 10.0f : a;
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(2.0f * a);
    float scale = pwt_power_of_two_f32(e.power), quarter = 0.25f * scale;
    float z = a * a;
    bool small = a < 0.6f;
    float base = small ? a : 0.75f;
    float p = z * -0.001542587f - 0.3333331f;
    float numerator = small ? a * z * p : (quarter - 1.75f) + e.tail * quarter;
    float denominator = small ? 1.0f + z * 0.4046159f : (scale + 1.0f) + e.tail * scale;
    return pwt_copysign_f32(base + numerator / denominator, x);
}

/* factor / (1 + e^-x): the exponential in float32, the sum and the quotient, which would each cost half an ulp, in
 * float64. */
PWT_INLINE float pwt_sigmoid_times_f32(float x, float factor)
{
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(pwt_clamp_f32(-x, -120.0f, 120.0f));
    double scale = pwt_power_of_two_f64(e.power);
    float result = (float)((double)factor / (1.0 + (scale + scale * (double)e.tail)));
    return x < -120.0f ? factor * 0.0f : result;
}

/* e^x in double to 2^-28 for |x| <= 700: what a float32 function needs whose formula would cost it several ulp. */
PWT_INLINE double pwt_exp_for_f32(double x)
{
    double shifted = x * 0x1.71547652b82fep+0 + PWT_ROUNDER_F64;
    double r = (PWT_ROUNDER_F64 - shifted) * 0x1.62e42fefa39efp-1 + x;
    double p = PWT_POLYNOMIAL_F64(r, 0.5, 0.16666515, 0.041666586, 0.0083693685, 0.0013919469);
    return (1.0 + (r + r * r * p)) * pwt_from_bits_f64((pwt_bits_f64(shifted) + 1023) << 52);
}

/* ln(1 + x) in double, likewise, for 0 <= x <= 1. */
PWT_INLINE double pwt_log1p_unit_for_f32(double x)
{
    double t = x / (2.0 + x), z = t * t;
    return t * (2.0 + z * PWT_POLYNOMIAL_F64(z, 0.66666675, 0.3999895, 0.28615215, 0.21443819, 0.24245623));
}

/* ---- logarithms ---- */

/* ln x = k ln 2 + f - (f^2/2 - s) for positive normal or subnormal x. */
typedef struct {
    float k, f, half_square, s;
} pwt_log_parts_f32;

/* ln(1+f) = f - (f^2/2 - s) with s = t (f^2/2 + R(t^2)), t = f/(2+f): the scheme of fdlibm's log. */
PWT_INLINE float pwt_log_series_f32(float f, float half_square)
{
    float t = f / (2.0f + f);
    float z = t * t;
    float series = z * (0.66666776f + z * (0.39977583f + z * 0.298708f));
    return t * (half_square + series);
}

PWT_INLINE pwt_log_parts_f32 pwt_log_reduce_f32(float x)
{
    bool subnormal = x < 0x1p-126f;
    uint32_t bits = pwt_bits_f32(subnormal ? x * 0x1p25f : x);
    int32_t k = (int32_t)(bits - pwt_bits_f32(0x1.6a09e6p-1f)) >> 23;
    float f = pwt_from_bits_f32(bits - ((uint32_t)k << 23)) - 1.0f;
    float half_square = 0.5f * f * f;
    return (pwt_log_parts_f32){(float)(subnormal ? k - 25 : k), f, half_square, pwt_log_series_f32(f, half_square)};
}

/* The logarithm's value at 0, infinity, negative numbers and NaN; result elsewhere. */
PWT_INLINE float pwt_log_special_f32(float x, float result)
{
    float other = x == 0.0f ? -PWT_INF_F32 : PWT_NAN_F32;
    return x > 0.0f ? (x == PWT_INF_F32 ? x : result) : other;
}

PWT_INLINE float pwt_log_f32(float x)
{
    pwt_log_parts_f32 l = pwt_log_reduce_f32(x);
    float low = l.half_square - (l.s + l.k * PWT_LN2_LOW_F32);
    return pwt_log_special_f32(x, l.k * PWT_LN2_HIGH_F32 + (l.f - low));
}

PWT_INLINE float pwt_log1p_f32(float x)
{
    float u = 1.0f + x;
    pwt_log_parts_f32 l = pwt_log_reduce_f32(u);
    bool direct = l.k == 0.0f;
    float lost = u >= 2.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    float correction = direct ? 0.0f : lost / u;
    float f = direct ? x : l.f;
    float half_square = 0.5f * f * f;
    float s = pwt_log_series_f32(f, half_square);
    float low = half_square - (s + (l.k * PWT_LN2_LOW_F32 + correction));
    float result = pwt_log_special_f32(u, l.k * PWT_LN2_HIGH_F32 + (f - low));
    return pwt_abs_f32(x) < 0x1p-25f ? x : result;
}

/* ln(1 + x) for 0 <= x <= 1. */
PWT_INLINE float pwt_log1p_unit_f32(float x)
{
    float t = x / (2.0f + x), z = t * t, half_square = 0.5f * x * x;
    float series = z * PWT_POLYNOMIAL_F32(z, 0.66666675f, 0.3999895f, 0.28615215f, 0.21443819f, 0.24245623f);
    return x - (half_square - t * (half_square + series));
}

/* The logarithm's mantissa part in two floats, the first with 12 bits, times 1/ln(base) in two floats. */
PWT_INLINE float pwt_log_other_base_f32(pwt_log_parts_f32 l, float inverse_high, float inverse_low)
{
    float high = pwt_from_bits_f32(pwt_bits_f32(l.f - l.half_square) & 0xfffff000u);
    float low = (l.f - high) - l.half_square + l.s;
    return (low + high) * inverse_low + low * inverse_high + high * inverse_high;
}

PWT_INLINE float pwt_log2_f32(float x)
{
    pwt_log_parts_f32 l = pwt_log_reduce_f32(x);
    return pwt_log_special_f32(x, pwt_log_other_base_f32(l, 0x1.716p+0f, -1.7605285e-04f) + l.k);
}

PWT_INLINE float pwt_log10_f32(float x)
{
    pwt_log_parts_f32 l = pwt_log_reduce_f32(x);
    float fraction = pwt_log_other_base_f32(l, 0x1.bccp-2f, -3.1689971e-05f) + l.k * 7.9034151e-07f;
    return pwt_log_special_f32(x, l.k * 3.0102920532e-01f + fraction);
}

/* ---- trigonometry ---- */

/* x = quadrant * pi/2 + high + low. */
typedef struct {
    float high, low;
    int32_t quadrant;
} pwt_angle_f32;

#define PWT_ANGLE_LIMIT_F32 12867.0f

/* pi/2 in parts of at most 11 bits (W. J. Cody and W. Waite, 1980), for |x| <= PWT_ANGLE_LIMIT_F32. */
PWT_INLINE pwt_angle_f32 pwt_reduce_small_angle_f32(float x)
{
    float shifted = x * 0x1.45f306p-1f + PWT_ROUNDER_F32;
    float n = shifted - PWT_ROUNDER_F32;
    float exact = (x - n * 0x1.92p+0f) - n * 0x1.fb4p-12f;
    float third = n * 0x1.444p-24f;
    float high = exact - third;
    float low = ((exact - high) - third) - n * 2.563344e-12f;
    return (pwt_angle_f32){high, low, (int32_t)(pwt_bits_f32(shifted) & 3u)};
}

/* x * 2/pi modulo 4, with 2/pi in parts of 29 bits: each product is exact in float64, and a whole number of turns
 * leaves it before the next is added (M. H. Payne and R. N. Hanek, 1983). */
PWT_INLINE pwt_angle_f32 pwt_reduce_large_angle_f32(float x)
{
    static const double two_over_pi[6] = {0x1.45f306dp-1,   0x1.9391054p-30,  0x1.4fe13abp-59,
                                          0x1.d1f534dp-88,  0x1.b81b6c5p-117, 0x1.5993c4p-148};
    double phase = 0.0;
    for (int i = 0; i < 6; i++) {
        double product = (double)x * two_over_pi[i];
        phase += product - 4.0 * __builtin_nearbyint(0.25 * product);
    }
    double shifted = phase + PWT_ROUNDER_F64;
    double angle = (phase - (shifted - PWT_ROUNDER_F64)) * 0x1.921fb54442d18p+0;
    float high = (float)angle;
    return (pwt_angle_f32){high, (float)(angle - (double)high), (int32_t)(pwt_bits_f64(shifted) & 3u)};
}

PWT_INLINE pwt_angle_f32 pwt_reduce_angle_f32(float x)
{
    pwt_angle_f32 small = pwt_reduce_small_angle_f32(x), large = pwt_reduce_large_angle_f32(x);
    bool is_small = pwt_abs_f32(x) <= PWT_ANGLE_LIMIT_F32;
    return (pwt_angle_f32){is_small ? small.high : large.high, is_small ? small.low : large.low,
                           is_small ? small.quadrant : large.quadrant};
}

PWT_INLINE float pwt_sin_kernel_f32(pwt_angle_f32 angle)
{
    float r = angle.high, z = r * r;
    float p = -0.16666655f + z * (0.008332192f + z * -0.0001951879f);
    return r + (r * z * p + angle.low);
}

PWT_INLINE float pwt_cos_kernel_f32(pwt_angle_f32 angle)
{
    float r = angle.high, z = r * r;
    float p = 0.041666646f + z * (-0.0013887301f + z * 2.443066e-05f);
    float half = 0.5f * z;
    float top = 1.0f - half;
    return top + (((1.0f - top) - half) + (z * z * p - r * angle.low));
}

/* sin(x + turn * pi/2), turn 0 or 1, for the x whose angle is given. */
PWT_INLINE float pwt_sine_f32(float x, pwt_angle_f32 angle, int turn)
{
    int32_t quadrant = (angle.quadrant + turn) & 3;
    float value = (quadrant & 1) ? pwt_cos_kernel_f32(angle) : pwt_sin_kernel_f32(angle);
    value = pwt_from_bits_f32(pwt_bits_f32(value) ^ ((uint32_t)quadrant >> 1 << 31));
    return turn == 0 && pwt_abs_f32(x) < 0x1p-12f ? x : value;
}

/* tan(r) = r + r z P(z)/Q(z), z = r^2, and -1/tan(r) in the odd quadrants. */
PWT_INLINE float pwt_tangent_f32(float x, pwt_angle_f32 angle)
{
    float r = angle.high, z = r * r;
    float p = 0.33333334f + z * -0.014897087f;
    float q = 1.0f + z * (-0.44469133f + z * 0.015972001f);
    float t = r + (r * z * p / q + (angle.low + angle.low * z));
    t = (angle.quadrant & 1) ? -1.0f / t : t;
    return pwt_abs_f32(x) < 0x1p-12f ? x : t;
}

PWT_INLINE float pwt_sin_f32(float x)
{
    return pwt_sine_f32(x, pwt_reduce_angle_f32(x), 0);
}

PWT_INLINE float pwt_cos_f32(float x)
{
    return pwt_sine_f32(x, pwt_reduce_angle_f32(x), 1);
}

PWT_INLINE float pwt_tan_f32(float x)
{
    return pwt_tangent_f32(x, pwt_reduce_angle_f32(x));
}

/* atan(y/x) for y, x >= 0: y/x, (y-x)/(y+x) or -x/y, whichever is at most tan(pi/8), by a polynomial. */
PWT_INLINE float pwt_atan_ratio_f32(float y, float x)
{
    bool above = y > 0x1.3504f4p+1f * x, middle = y > 0x1.a8279ap-2f * x;
    float numerator = above ? -x : middle ? y - x : y;
    float denominator = above ? y : middle ? y + x : x;
    float base = above ? 0x1.921fb6p+0f : middle ? 0x1.921fb6p-1f : 0.0f;
    float base_low = above ? -4.371139e-08f : middle ? -2.1855695e-08f : 0.0f;
    float t = numerator / denominator, z = t * t;
    float p = PWT_POLYNOMIAL_F32(z, -0.33333316f, 0.19998533f, -0.14244512f, 0.10600186f, -0.060927767f);
    return base + (t + (t * z * p + base_low));
}

PWT_INLINE float pwt_atan_f32(float x)
{
    return pwt_copysign_f32(pwt_atan_ratio_f32(pwt_abs_f32(x), 1.0f), x);
}

PWT_INLINE float pwt_atan2_f32(float y, float x)
{
    float a = pwt_abs_f32(y), b = pwt_abs_f32(x);
    bool both_infinite = a == PWT_INF_F32 && b == PWT_INF_F32;
    bool huge = a >= 0x1p90f || b >= 0x1p90f;
    float scale = huge ? 0x1p-30f : 0x1p30f;
    a = both_infinite ? 1.0f : a * scale;
    b = both_infinite ? 1.0f : b * scale;
    float angle = a == 0.0f ? 0.0f : pwt_atan_ratio_f32(a, b);
    bool left = pwt_bits_f32(x) >> 31;
    angle = left ? 0x1.921fb6p+1f - (angle + 8.742278e-08f) : angle;
    return x != x || y != y ? PWT_NAN_F32 : pwt_copysign_f32(angle, y);
}

/* (asin(r) - r) / r for z = r^2 <= 1/4. */
PWT_INLINE float pwt_asin_series_f32(float z)
{
    float p = PWT_POLYNOMIAL_F32(z, 0.1666666f, 0.07500521f, 0.044513635f, 0.03183606f, 0.014329173f, 0.03767316f);
    return p * z;
}

PWT_INLINE float pwt_asin_f32(float x)
{
    float a = pwt_abs_f32(x);
    bool large = a > 0.5f;
    float z = large ? 0.5f - 0.5f * a : a * a;
    float r = large ? __builtin_sqrtf(z) : a;
    float rest = r * pwt_asin_series_f32(z);
    float outer = (0x1.921fb6p+0f - 2.0f * r) - (2.0f * rest + 4.371139e-08f);
    return pwt_copysign_f32(large ? outer : r + rest, x);
}

PWT_INLINE float pwt_acos_f32(float x)
{
    float a = pwt_abs_f32(x);
    bool large = a > 0.5f;
    float z = large ? 0.5f - 0.5f * a : a * a;
    float r = large ? __builtin_sqrtf(z) : x;
    float series = r * pwt_asin_series_f32(z);
    float near_one = 2.0f * (r + series);
    float outer = x < 0.0f ? 0x1.921fb6p+1f - (near_one + 8.742278e-08f) : near_one;
    float inner = 0x1.921fb6p+0f - (r + (series + 4.371139e-08f));
    return large ? outer : inner;
}

PWT_INLINE float pwt_sqrt_f32(float x)
{
    return __builtin_sqrtf(x);
}

PWT_INLINE float pwt_rsqrt_f32(float x)
{
    return (float)(1.0 / __builtin_sqrt((double)x));
}

#endif
