#ifndef PWT_VMATH_ERF_H
#define PWT_VMATH_ERF_H

#include "vmath_f32.h"
#include "vmath_f64.h"

/* erf(x)/x - 1 for z = x^2 <= 0.85^2. */
static inline float pwt_erf_series_f32(float z)
{
    float p = -0.0006364214f;
    p = p * z + 0.0050604716f;
    p = p * z - 0.02680897f;
    p = p * z + 0.11282905f;
    p = p * z - 0.37612593f;
    return p * z + 0.12837917f;
}

static inline float pwt_erf_f32(float x)
{
    float a = pwt_abs_f32(x);
    a = a > 4.0f ? 4.0f : a;
    float small = a + a * pwt_erf_series_f32(a * a);
    /* ln(erfc(a)) */
    float p = 0.00020367201f;
    p = p * a - 0.0031178154f;
    p = p * a + 0.022518912f;
    p = p * a - 0.10452565f;
    p = p * a - 0.63651925f;
    p = p * a - 1.1280608f;
    p = p * a - 0.0001045692f;
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(p);
    float scale = pwt_power_of_two_f32(e.power);
    float large = 1.0f - (scale + scale * e.tail);
    return pwt_copysign_f32(a < 0.85f ? small : large, x);
}

/* erfc(a) = e^(-a^2) t P((a - 3) t), t = 1/(a + 3), for 0 <= a (after M. M. Shepherd and J. G. Laframboise, 1981),
 * in float64 to about 2^-28. */
static inline float pwt_erfc_f32(float x)
{
    double a = (double)pwt_abs_f32(x);
    a = a > 11.0 ? 11.0 : a;
    double t = 1.0 / (a + 3.0), q = (a - 3.0) * t;
    double p = -0.00032595254;
    p = p * q - 0.00048437234;
    p = p * q + 0.0030800658;
    p = p * q - 0.0012258191;
    p = p * q - 0.026839588;
    p = p * q + 0.119528964;
    p = p * q - 0.31046605;
    p = p * q + 0.5902283;
    p = p * q - 0.8833945;
    p = p * q + 1.0740069;
    double shifted = a * a * -0x1.71547652b82fep+0 + PWT_ROUNDER_F64;
    double r = a * a * -1.0 - (shifted - PWT_ROUNDER_F64) * 0x1.62e42fefa39efp-1;
    double e = 0.0013919469;
    e = e * r + 0.0083693685;
    e = e * r + 0.041666586;
    e = e * r + 0.16666515;
    e = e * r + 0.5;
    e = 1.0 + (r + r * r * e);
    double tail = p * t * e * pwt_from_bits_f64((pwt_bits_f64(shifted) + 1023) << 52);
    return (float)(x < 0.0f ? 2.0 - tail : tail);
}

static inline double pwt_exp_minus_square_f64(double a)
{
    double high = pwt_from_bits_f64(pwt_bits_f64(a) & 0xfffffffff8000000u);
    double square = -high * high, rest = (high - a) * (high + a);
    double shifted = square * 0x1.71547652b82fep+0 + PWT_ROUNDER_F64;
    double n = shifted - PWT_ROUNDER_F64;
    double r = ((square - n * PWT_LN2_HIGH_F64) - n * PWT_LN2_LOW_F64) + rest;
    return pwt_scale_f64(1.0 + pwt_exp_tail_f64(r), (int64_t)(pwt_bits_f64(shifted) - pwt_bits_f64(PWT_ROUNDER_F64)));
}

static inline double pwt_erfc_positive_f64(double a)
{
    a = a > 28.0 ? 28.0 : a;
    double t = 1.0 / (a + 4.0), q = (a - 4.0) * t;
    double p = -2.7995429367211316e-09;
    p = p * q - 1.3929222174395739e-08;
    p = p * q + 9.628746209091375e-09;
    p = p * q + 1.2457102013677184e-07;
    p = p * q - 8.678093115053994e-08;
    p = p * q - 8.487598782309363e-07;
    p = p * q + 1.432343954551881e-06;
    p = p * q + 4.696878707984845e-06;
    p = p * q - 1.8864552577874456e-05;
    p = p * q - 3.636366917294031e-06;
    p = p * q + 0.00017681387869643864;
    p = p * q - 0.00045505234968852906;
    p = p * q - 0.00028095906220184904;
    p = p * q + 0.0061120556010624185;
    p = p * q - 0.026370053317790645;
    p = p * q + 0.07638151491428091;
    p = p * q - 0.17401093724139333;
    p = p * q + 0.3308515878777891;
    p = p * q - 0.5408538313131906;
    p = p * q + 0.7732087022652409;
    p = p * q - 0.9765487290808824;
    p = p * q + 1.095995661000491;
    return p * t * pwt_exp_minus_square_f64(a);
}

static inline double pwt_erf_series_f64(double z)
{
    double p = 5.960685335715844e-11;
    p = p * z - 1.1374955734318104e-09;
    p = p * z + 1.4660328722260794e-08;
    p = p * z - 1.635039622278808e-07;
    p = p * z + 1.6461008477794918e-06;
    p = p * z - 1.4925595772180376e-05;
    p = p * z + 0.00012055331132955795;
    p = p * z - 0.0008548326981425541;
    p = p * z + 0.005223977624828431;
    p = p * z - 0.026866170645077875;
    p = p * z + 0.11283791670954885;
    p = p * z - 0.3761263890318375;
    return p * z + 0.1283791670955126;
}

static inline double pwt_erf_f64(double x)
{
    double a = pwt_abs_f64(x);
    double small = x + x * pwt_erf_series_f64(x * x);
    double large = 1.0 - pwt_erfc_positive_f64(a);
    return a < 1.0 ? small : pwt_copysign_f64(large, x);
}

static inline double pwt_erfc_f64(double x)
{
    double a = pwt_abs_f64(x);
    double small = (0.5 - x) + (0.5 - x * pwt_erf_series_f64(x * x));
    double tail = pwt_erfc_positive_f64(a);
    double large = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.5 ? small : large;
}

#endif
