/* pow in both precisions. */
#ifndef PWT_VMATH_POW_H
#define PWT_VMATH_POW_H

#include "vmath_f32.h"
#include "vmath_f64.h"

/* An unevaluated sum of two float64 numbers (T. J. Dekker, 1971). */
PWT_INLINE pwt_pair_f64 pwt_fast_sum_f64(double large, double small)
{
    double sum = large + small;
    return (pwt_pair_f64){sum, small - (sum - large)};
}

PWT_INLINE pwt_pair_f64 pwt_product_f64(double a, double b)
{
    double a_high = pwt_from_bits_f64(pwt_bits_f64(a) & 0xfffffffff8000000u), a_low = a - a_high;
    double b_high = pwt_from_bits_f64(pwt_bits_f64(b) & 0xfffffffff8000000u), b_low = b - b_high;
    double product = a * b;
    return (pwt_pair_f64){product,
                          ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

PWT_INLINE pwt_pair_f64 pwt_pair_product_f64(pwt_pair_f64 a, pwt_pair_f64 b)
{
    pwt_pair_f64 product = pwt_product_f64(a.high, b.high);
    return pwt_fast_sum_f64(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* ln x to about 2^-65 for a positive finite x. */
PWT_INLINE pwt_pair_f64 pwt_log_pair_f64(double x)
{
    bool subnormal = x < 0x1p-1022;
    uint64_t bits = pwt_bits_f64(subnormal ? x * 0x1p54 : x);
    uint64_t offset = bits - pwt_bits_f64(0x1.6a09e667f3bcdp-1) + ((uint64_t)1023 << 52);
    uint64_t exponent = offset >> 52;
    double m = pwt_from_bits_f64(bits - (exponent << 52) + ((uint64_t)1023 << 52));
    double k = pwt_from_bits_f64(pwt_bits_f64(PWT_ROUNDER_F64) | exponent) -
               (PWT_ROUNDER_F64 + (subnormal ? 1077.0 : 1023.0));

    /* s = (m - 1)/(m + 1); ln m = 2s + s^3 (2/3 + z P(z)), z = s^2 */
    double f = m - 1.0;
    pwt_pair_f64 sum = pwt_fast_sum_f64(m > 1.0 ? m : 1.0, m > 1.0 ? 1.0 : m);
    double s_high = f / sum.high;
    pwt_pair_f64 back = pwt_product_f64(s_high, sum.high);
    pwt_pair_f64 s = {s_high, (((f - back.high) - back.low) - s_high * sum.low) / sum.high};
    pwt_pair_f64 z = pwt_pair_product_f64(s, s);
    double p = PWT_POLYNOMIAL_F64(z.high, 0.3999999999999998, 0.2857142857144384, 0.2222222221778973,
                                          0.18181818843994754, 0.15384558428353784, 0.13336264509429652,
                                          0.11675780385775707, 0.1198175770007765);
    pwt_pair_f64 factor = pwt_fast_sum_f64(0x1.5555555555555p-1, z.high * p);
    factor.low += 0x1.5555555555555p-55;
    pwt_pair_f64 cubic = pwt_pair_product_f64(pwt_pair_product_f64(s, z), factor);
    pwt_pair_f64 log_m = pwt_fast_sum_f64(2.0 * s.high, cubic.high);
    log_m.low += 2.0 * s.low + cubic.low;
    pwt_pair_f64 log_x = pwt_fast_sum_f64(k * 0x1.62e42fefa38p-1, log_m.high);
    pwt_pair_f64 log_one = log_m;
    log_x.low += log_m.low + k * 0x1.ef35793c7673p-45;
    bool near_one = k == 0.0;
    return pwt_fast_sum_f64(near_one ? log_one.high : log_x.high, near_one ? log_one.low : log_x.low);
}

/* The cases of C's pow that follow from x, y and the magnitude of the result. */
PWT_INLINE double pwt_pow_f64(double x, double y)
{
    double a = pwt_abs_f64(x);
    pwt_pair_f64 log_a = pwt_log_pair_f64(a);
    double exponent = pwt_clamp_f64(y, -0x1p65, 0x1p65);
    pwt_pair_f64 product = pwt_product_f64(exponent, log_a.high);
    product.low += exponent * log_a.low;
    bool in_range = pwt_abs_f64(product.high) < 746.0;
    double high = pwt_clamp_f64(product.high, -746.0, 746.0), low = in_range ? product.low : 0.0;
    double shifted = high * 0x1.71547652b82fep+0 + PWT_ROUNDER_F64;
    double n = shifted - PWT_ROUNDER_F64;
    double tail = pwt_exp_tail_f64(high - n * PWT_LN2_HIGH_F64, low - n * PWT_LN2_LOW_F64);
    int64_t power = (int64_t)(pwt_bits_f64(shifted) - pwt_bits_f64(PWT_ROUNDER_F64));
    double result = pwt_scale_f64(1.0 + tail, power);

    result = a == 0.0 ? (y < 0.0 ? PWT_INF_F64 : 0.0) : result;
    result = a == PWT_INF_F64 ? (y < 0.0 ? 0.0 : PWT_INF_F64) : result;
    double half = 0.5 * y;
    bool integer = __builtin_nearbyint(y) == y;
    bool odd = integer && __builtin_nearbyint(half) != half;
    uint64_t sign = odd ? pwt_bits_f64(x) & 0x8000000000000000u : 0u;
    result = pwt_from_bits_f64(pwt_bits_f64(result) | sign);
    bool no_value = (x < 0.0 && x > -PWT_INF_F64 && !integer) || x != x || y != y;
    result = no_value ? PWT_NAN_F64 : result;
    return y == 0.0 || x == 1.0 ? 1.0 : result;
}

/* x^y through log2 and exp2 in float64, to about 2^-28. */
PWT_INLINE float pwt_pow_f32(float x, float y)
{
    float a = pwt_abs_f32(x);
    bool subnormal = a < 0x1p-126f;
    uint32_t bits = pwt_bits_f32(subnormal ? a * 0x1p25f : a);
    int32_t k = (int32_t)(bits - pwt_bits_f32(0x1.6a09e6p-1f)) >> 23;
    double f = (double)(pwt_from_bits_f32(bits - ((uint32_t)k << 23)) - 1.0f);
    float whole = (float)(subnormal ? k - 25 : k);
    whole = a == 0.0f ? -PWT_INF_F32 : a < PWT_INF_F32 ? whole : a;

    double t = f / (2.0 + f), z = t * t;
    double p = PWT_POLYNOMIAL_F64(z, 2.88539008179032, 0.9617966730909746, 0.577083627069025, 0.4116704495048588,
                                     0.34076837649576236);
    double product = pwt_clamp_f64(((double)whole + t * p) * (double)y, -160.0, 140.0);
    double shifted = product + PWT_ROUNDER_F64;
    f = product - (shifted - PWT_ROUNDER_F64);
    double q = PWT_POLYNOMIAL_F64(f, 0.6931472, 0.2402265, 0.055503253, 0.009618097, 0.0013401236, 0.00015445532);
    float result = (float)((1.0 + q * f) * pwt_from_bits_f64((pwt_bits_f64(shifted) + 1023) << 52));

    result = a == 1.0f ? 1.0f : result;
    float half = 0.5f * y;
    bool integer = __builtin_nearbyintf(y) == y;
    bool odd = integer && __builtin_nearbyintf(half) != half;
    uint32_t sign = odd ? pwt_bits_f32(x) & 0x80000000u : 0u;
    result = pwt_from_bits_f32(pwt_bits_f32(result) | sign);
    result = x < 0.0f && x > -PWT_INF_F32 && !integer ? PWT_NAN_F32 : result;
    return x == 1.0f || y == 0.0f ? 1.0f : result;
}

/* x 2^power for a whole power, rounded once. */
PWT_INLINE float pwt_ldexp_f32(float x, float power)
{
    return (float)((double)x * pwt_power_of_two_f64((int64_t)pwt_clamp_f64((double)power, -400.0, 400.0)));
}

/* Three steps, of which the last alone may round: a step down ends above the least normal number while there are more. */
PWT_INLINE double pwt_ldexp_f64(double x, double power)
{
    int64_t left = (int64_t)pwt_clamp_f64(power, -2200.0, 2200.0);
    for (int step = 0; step < 2; step++) {
        int64_t part = left > 1023 ? 1023 : left < -1022 ? -969 : 0;
        x *= pwt_power_of_two_f64(part);
        left -= part;
    }
    return x * pwt_power_of_two_f64(left < -1022 ? -1022 : left > 1023 ? 1023 : left);
}

/* sqrt(x^2 + y^2); infinite where x or y is. */
PWT_INLINE float pwt_hypot_f32(float x, float y)
{
    double a = (double)x, b = (double)y;
    float result = (float)__builtin_sqrt(a * a + b * b);
    return pwt_abs_f32(x) == PWT_INF_F32 || pwt_abs_f32(y) == PWT_INF_F32 ? PWT_INF_F32 : result;
}

PWT_INLINE double pwt_hypot_f64(double x, double y)
{
    double a = pwt_abs_f64(x), b = pwt_abs_f64(y);
    double larger = a > b ? a : b;
    double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1.0;
    double back = larger > 0x1p500 ? 0x1p600 : larger < 0x1p-400 ? 0x1p-600 : 1.0;
    pwt_pair_f64 aa = pwt_product_f64(a * scale, a * scale), bb = pwt_product_f64(b * scale, b * scale);
    double result = __builtin_sqrt(aa.high + bb.high + (aa.low + bb.low)) * back;
    return a == PWT_INF_F64 || b == PWT_INF_F64 ? PWT_INF_F64 : result;
}

/* A third of the exponent and mantissa bits gives 5 bits of the root, each step of Halley's method three times as many. */
PWT_INLINE double pwt_cbrt_start_f64(double a)
{
    return pwt_from_bits_f64((((pwt_bits_f64(a) >> 32) * 0x55555556u >> 32) + 0x2a9f7893u) << 32);
}

PWT_INLINE double pwt_cbrt_step_f64(double root, double a)
{
    double cube = root * root * root;
    return root * ((cube + (a + a)) / ((cube + cube) + a));
}

PWT_INLINE float pwt_cbrt_f32(float x)
{
    double a = (double)pwt_abs_f32(x);
    double root = pwt_cbrt_step_f64(pwt_cbrt_step_f64(pwt_cbrt_start_f64(a), a), a);
    bool as_is = !(a > 0.0 && a < PWT_INF_F64);
    return as_is ? x : pwt_copysign_f32((float)root, x);
}

PWT_INLINE double pwt_cbrt_f64(double x)
{
    double a = pwt_abs_f64(x);
    double scale = a < 0x1p-1000 ? 0x1p60 : a > 0x1p1000 ? 0x1p-60 : 1.0;
    double back = a < 0x1p-1000 ? 0x1p-20 : a > 0x1p1000 ? 0x1p20 : 1.0;
    a *= scale;
    double root = pwt_cbrt_step_f64(pwt_cbrt_step_f64(pwt_cbrt_start_f64(a), a), a);
    /* A root of 26 bits has an exact square, so that the last correction is all the error. */
    root = pwt_from_bits_f64((pwt_bits_f64(root) + 0x4000000u) & 0xfffffffff8000000u);
    double quotient = a / (root * root);
    root += root * ((quotient - root) / (2.0 * root + quotient));
    bool as_is = !(a > 0.0 && a < PWT_INF_F64);
    return as_is ? x : pwt_copysign_f64(root * back, x);
}

#endif
