/* Functions whose float32 version computes in double to keep within the error bound. */
#ifndef PWT_VMATH_WIDE_H
#define PWT_VMATH_WIDE_H

#include "vmath_erf.h"

#define PWT_LARGEST_F32 3.4028234663852886e38f

/* ---- logarithms of sums of exponentials ---- */

/* log(base^x + base^y) with ln(base) = unit. Numbers are chosen while they are floats: a mask of one width that chooses among
 * numbers of another costs more than the rest. */
PWT_INLINE float pwt_log_of_sum_f32(float x, float y, double unit, double inverse)
{
    float larger = x > y ? x : y, smaller = x > y ? y : x;
    smaller = pwt_clamp_f32(smaller, -PWT_LARGEST_F32, PWT_LARGEST_F32);
    double distance = ((double)pwt_clamp_f32(larger, -PWT_LARGEST_F32, PWT_LARGEST_F32) - (double)smaller) * unit;
    distance = distance > 150.0 ? 150.0 : distance;
    double power = pwt_exp_for_f32(-distance);
    return (float)((double)larger + pwt_log1p_unit_for_f32(power) * inverse);
}

PWT_INLINE float pwt_logaddexp_f32(float x, float y)
{
    return pwt_log_of_sum_f32(x, y, 1.0, 1.0);
}

PWT_INLINE float pwt_logaddexp2_f32(float x, float y)
{
    return pwt_log_of_sum_f32(x, y, 0x1.62e42fefa39efp-1, 0x1.71547652b82fep+0);
}

PWT_INLINE double pwt_logaddexp_f64(double x, double y)
{
    double larger = x > y ? x : y;
    double distance = x == y ? 0 : pwt_abs_f64(x - y);
    return larger + pwt_log1p_unit_f64(pwt_exp_f64(-distance));
}

PWT_INLINE double pwt_logaddexp2_f64(double x, double y)
{
    double larger = x > y ? x : y;
    double distance = x == y ? 0 : pwt_abs_f64(x - y);
    return larger + pwt_log1p_unit_f64(pwt_exp2_f64(-distance)) * 0x1.71547652b82fep+0;
}

/* ---- activations; at -infinity they give NaN, as in torch ---- */

/* x (1 + tanh(u)) / 2 = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3). */
PWT_INLINE float pwt_gelu_tanh_f32(float x)
{
    double a = pwt_clamp_f32(x, -15.0f, 15.0f), u = 1.5957691216057308 * a * (1.0 + 0.044715 * (a * a));
    float result = (float)((double)x / (1.0 + pwt_exp_for_f32(-u)));
    return x < -15.0f ? x * 0.0f : result;
}

PWT_INLINE double pwt_gelu_tanh_f64(double x)
{
    return pwt_sigmoid_times_f64(1.5957691216057308 * (x + 0.044715 * x * x * x), x);
}

/* x tanh(ln(1 + e^x)) = x w / (w + 2) with w = e^x (e^x + 2) */
PWT_INLINE float pwt_mish_f32(float x)
{
    double n = pwt_exp_for_f32(pwt_clamp_f32(x, -150.0f, 40.0f)), w = n * (n + 2.0);
    float result = (float)(x * w / (w + 2.0));
    return x < -150.0f ? x * 0.0f : result;
}

PWT_INLINE double pwt_mish_f64(double x)
{
    double n = pwt_exp_f64(x > 40.0 ? 40.0 : x), w = n * (n + 2.0);
    return x * (w / (w + 2.0));
}

/* factor Phi(-a), Phi the normal distribution function, 0 <= a <= 15: erfcx's division and last step in double. */
PWT_INLINE float pwt_ndtr_tail_f32(float a, float factor)
{
    double h = (double)a * 0.70710678118654752, t = 1.0 / (h + 3.0), q = (h - 3.0) * t;
    float rest = PWT_POLYNOMIAL_F32((float)q, PWT_ERFCX_AFTER_FIRST);
    float whole = (float)((double)factor * t * (PWT_ERFCX_FIRST + q * (double)rest));
    pwt_exp_parts_f32 e = pwt_exp_minus_square_f32(a, 0.5f);
    return 0.5f * pwt_scale_f32(whole + whole * e.tail, e.power);
}

PWT_INLINE float pwt_ndtr_f32(float x)
{
    float a = pwt_abs_f32(x), tail = pwt_ndtr_tail_f32(a > 15.0f ? 15.0f : a, 1.0f);
    return x > 0.0f ? 1.0f - tail : tail;
}

PWT_INLINE double pwt_ndtr_f64(double x)
{
    pwt_normal_parts_f64 n = pwt_normal_f64(x);
    double tail = pwt_erfcx_times_f64(n.h, n.bell, 0.5);
    double upper = n.small ? 0.5 + n.half_erf : 1 - tail;
    double lower = n.small ? 0.5 - n.half_erf : tail;
    return x > 0 ? upper : lower;
}

/* x Phi(x) */
PWT_INLINE float pwt_gelu_erf_f32(float x)
{
    float a = pwt_abs_f32(x);
    a = a > 15.0f ? 15.0f : a;
    float result = (x > 0.0f ? x : x * 0.0f) - pwt_ndtr_tail_f32(a, a);
    return x < -15.0f ? x * 0.0f : result;
}

PWT_INLINE double pwt_gelu_erf_f64(double x)
{
    pwt_normal_parts_f64 n = pwt_normal_f64(x);
    double tail = pwt_erfcx_times_f64(n.h, n.bell, 0.5 * n.a);
    double large = (x > 0 ? x : x * 0) - tail;
    return n.small ? x * (0.5 + pwt_copysign_f64(n.half_erf, x)) : large;
}

/* Phi(x) + x phi(x) */
PWT_INLINE float pwt_gelu_erf_derivative_f32(float x)
{
    pwt_exp_parts_f32 e = pwt_normal_f32(x).bell;
    float limited = pwt_clamp_f32(x, -15, 15);
    return pwt_ndtr_f32(x) + limited * (float)0.39894228040143268 * pwt_scale_f32(1 + e.tail, e.power);
}

PWT_INLINE double pwt_gelu_erf_derivative_f64(double x)
{
    pwt_exp_parts_f64 e = pwt_normal_f64(x).bell;
    double limited = pwt_clamp_f64(x, -39, 39);
    return pwt_ndtr_f64(x) + limited * 0.39894228040143268 * pwt_scale_f64(1 + e.tail, e.power);
}

#endif
