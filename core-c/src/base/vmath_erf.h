/* erf, erfc, erfinv and related functions, in both precisions. */
#ifndef PWT_VMATH_ERF_H
#define PWT_VMATH_ERF_H

#include "vmath_f32.h"
#include "vmath_f64.h"

/* e^(-factor a^2), factor 1 or 1/2: the square of a's upper half is exact, the rest enters after the reduction. */
PWT_INLINE pwt_exp_parts_f32 pwt_exp_minus_square_f32(float a, float factor)
{
    float high = pwt_from_bits_f32((pwt_bits_f32(a) + 0x800u) & 0xfffff000u);
    return pwt_exp_reduce_sum_f32(-factor * high * high, factor * (high - a) * (high + a));
}

PWT_INLINE pwt_exp_parts_f64 pwt_exp_minus_square_f64(double a, double factor)
{
    double high = pwt_from_bits_f64((pwt_bits_f64(a) + 0x4000000u) & 0xfffffffff8000000u);
    return pwt_exp_reduce_sum_f64(-factor * high * high, factor * (high - a) * (high + a));
}

#define PWT_ERFCX_FIRST 1.0740069f
#define PWT_ERFCX_AFTER_FIRST                                                                                          \
    -0.8833945f, 0.5902283f, -0.31046605f, 0.119528964f, -0.026839588f, -0.0012258191f, 0.0030800658f, -0.00048437234f, \
        -0.00032595254f
#define PWT_ERFCX_COEFFICIENTS PWT_ERFCX_FIRST, PWT_ERFCX_AFTER_FIRST

/* e^(a^2) erfc(a) = t P(q), t = 1/(a + K), q = (a - K) t, for 0 <= a (after M. M. Shepherd and J. G. Laframboise, 1981),
 * times factor 2^power (1 + tail). */
PWT_INLINE float pwt_erfcx_times_f32(float a, pwt_exp_parts_f32 e, float factor)
{
    float t = 1.0f / (a + 3.0f);
    float u = factor * t * PWT_POLYNOMIAL_F32((a - 3.0f) * t, PWT_ERFCX_COEFFICIENTS);
    return pwt_scale_f32(u + u * e.tail, e.power);
}

/* P(q)/(1 + 2a) in place of t P(q): closer by an ulp. What 1 + 2a loses in rounding is made good in the tail. */
PWT_INLINE double pwt_erfcx_times_f64(double a, pwt_exp_parts_f64 e, double factor)
{
    double q = (a - 4.25) / (a + 4.25);
    double p = PWT_POLYNOMIAL_F64(q, 1.2287801104668852, -0.1383850903683936, 0.02519373394910113, 0.05511897479665962,
                                     -0.09247012983532296, 0.09288944054573844, -0.07176815625494419,
                                     0.04501047266697135, -0.023000233453443448, 0.009278720534701095,
                                     -0.0026759094170197184, 0.0003518740067211853, 0.00011975443831462147,
                                     -8.019779148961349e-05, 1.3055642351533289e-05, 5.44606124333541e-06,
                                     -2.99597022205637e-06, -6.660647449380961e-09, 3.9596372657346563e-07,
                                     -5.845760899870551e-08, -4.643358157608634e-08, 8.215796625350098e-09,
                                     4.453846911787248e-09);
    double d = 1.0 + 2.0 * a, lost = 2.0 * a - (d - 1.0);
    double u = p / d;
    double whole = factor * u;
    return pwt_scale_f64(whole + whole * (e.tail - 0.83 * u * lost), e.power);
}

/* erf(x)/x - 1 for z = x^2 <= 0.8^2. */
PWT_INLINE float pwt_erf_series_f32(float z)
{
    return PWT_POLYNOMIAL_F32(z, 0.12837917f, -0.3761261f, 0.112832084f, -0.026824495f, 0.00509121f, -0.0006571202f);
}

/* The same for z <= 1. */
PWT_INLINE double pwt_erf_series_f64(double z)
{
    return PWT_POLYNOMIAL_F64(z, 0.1283791670955126, -0.3761263890318375, 0.11283791670954885, -0.026866170645077875,
                                 0.005223977624828431, -0.0008548326981425541, 0.00012055331132955795,
                                 -1.4925595772180376e-05, 1.6461008477794918e-06, -1.635039622278808e-07,
                                 1.4660328722260794e-08, -1.1374955734318104e-09, 5.960685335715844e-11);
}

PWT_INLINE float pwt_erf_f32(float x)
{
    float a = pwt_abs_f32(x);
    a = a > 4.0f ? 4.0f : a;
    float small = a + a * pwt_erf_series_f32(a * a);
    /* ln(erfc(w + 0.8125)) */
    float w = a - 0.8125f;
    float p = PWT_POLYNOMIAL_F32(w, -1.3841528f, -2.327463f, -0.81747663f, -0.049808197f, 0.011980425f, -0.0021997937f,
                                    0.00022163591f);
    pwt_exp_parts_f32 e = pwt_exp_reduce_f32(p);
    float scale = pwt_power_of_two_f32(e.power);
    float large = (1.0f - scale) - scale * e.tail;
    return pwt_copysign_f32(a < 0.78f ? small : large, x);
}

PWT_INLINE double pwt_erfc_positive_f64(double a)
{
    a = a > 28.0 ? 28.0 : a;
    return pwt_erfcx_times_f64(a, pwt_exp_minus_square_f64(a, 1.0), 1.0);
}

PWT_INLINE double pwt_erf_f64(double x)
{
    double a = pwt_abs_f64(x);
    double small = x + x * pwt_erf_series_f64(x * x);
    double large = 1.0 - pwt_erfc_positive_f64(a);
    return a < 1.0 ? small : pwt_copysign_f64(large, x);
}

/* erfc(a) in double to about 2^-28, 0 <= a <= 11: the formula of pwt_erfcx_times_f32 would cost three ulp. */
PWT_INLINE double pwt_erfc_for_f32(double a)
{
    double t = 1.0 / (a + 3.0), p = t * PWT_POLYNOMIAL_F64((a - 3.0) * t, PWT_ERFCX_COEFFICIENTS);
    return p * pwt_exp_for_f32(-a * a);
}

PWT_INLINE float pwt_erfc_f32(float x)
{
    float a = pwt_abs_f32(x);
    double tail = pwt_erfc_for_f32(a > 11.0f ? 11.0f : a);
    return (float)((double)(x < 0.0f ? 2.0f : 0.0f) + (double)(x < 0.0f ? -1.0f : 1.0f) * tail);
}

PWT_INLINE double pwt_erfc_f64(double x)
{
    double a = pwt_abs_f64(x);
    double small = (0.5 - x) + (0.5 - x * pwt_erf_series_f64(x * x));
    double tail = pwt_erfc_positive_f64(a);
    double large = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.5 ? small : large;
}

/* ---- inverses ---- */

/* erfinv(x)/x for z = x^2 <= 0.7^2. */
static inline double pwt_erfinv_series_f64(double z)
{
    return PWT_POLYNOMIAL_F64(z, 0.886226925452758, 0.23201366653466413, 0.12755617530303642, 0.08655212951154231,
                                0.06495960271186828, 0.05173179268061167, 0.042825192398814126, 0.03664868287511707,
                                0.029576920463629634, 0.04623787550987306, -0.09506177613634625, 0.6298786275355533,
                                -2.3510610589205414, 7.161490893606733, -16.4334727531733, 28.501112017992345,
                                -35.94710391300647, 31.36717068935891, -16.958048054357597, 4.364301270169824);
}

/* The y with ln(erfc(y)) = log_q for -750 < log_q <= -ln 2, to 2^-36. */
static inline double pwt_inverse_log_erfc_f64(double log_q)
{
    double s = __builtin_sqrt(-log_q);
    double q = (s - 2.0) / (s + 2.0);
    return s * PWT_POLYNOMIAL_F64(q, 0.8340941580319348, 0.4309177306395496, -0.423763219720468, 0.20193899497564471,
                                  0.006725080313900392, -0.12811098833031748, 0.13775769962403284,
                                  -0.0727119424532296, -0.013473610051193631, 0.07188804355096899,
                                  -0.08055931535849935, 0.038350329924315724, 0.0292055574112298,
                                  -0.055055524864837425, -0.004166427347831854, 0.05178065599945819,
                                  0.023987863290484027, -0.12415496868475696, 0.10532332489160699,
                                  -0.02995581055228229);
}

/* A step of Newton's method for it, which keeps the digits of a tiny erfc. */
static inline double pwt_refine_log_erfc_f64(double y, double log_q)
{
    double erfcx = pwt_erfcx_times_f64(y, (pwt_exp_parts_f64){0.0, 0}, 1.0);
    double ratio = pwt_exp_f64(log_q + y * y) / erfcx;
    return y - (ratio - 1.0) * erfcx * 0.88622692545275801;
}

/* erfinv(x) for |x| > 0.7, given as 1 - |x| = q; refined where float64 needs it. */
static inline double pwt_erfinv_tail_f64(double q, bool refined)
{
    if (!(q > 0.0))
        return q == 0.0 ? PWT_INF_F64 : PWT_NAN_F64;
    double log_q = pwt_log_f64(q), y = pwt_inverse_log_erfc_f64(log_q);
    return refined ? pwt_refine_log_erfc_f64(y, log_q) : y;
}

static inline double pwt_erfinv_f64(double x)
{
    double a = pwt_abs_f64(x);
    return a <= 0.7 ? x * pwt_erfinv_series_f64(x * x) : pwt_copysign_f64(pwt_erfinv_tail_f64(1.0 - a, true), x);
}

static inline float pwt_erfinv_f32(float x)
{
    double a = (double)pwt_abs_f32(x);
    return pwt_copysign_f32((float)(a <= 0.7 ? a * pwt_erfinv_series_f64(a * a) : pwt_erfinv_tail_f64(1.0 - a, false)), x);
}

/* The x below which a standard normal variable stays with probability p. */
static inline double pwt_ndtri_to_f64(double p, bool refined)
{
    double x = 2.0 * p - 1.0;
    if (pwt_abs_f64(x) <= 0.7)
        return 0x1.6a09e667f3bcdp+0 * x * pwt_erfinv_series_f64(x * x);
    double tail = 0x1.6a09e667f3bcdp+0 * pwt_erfinv_tail_f64(2.0 * (p < 0.5 ? p : 1.0 - p), refined);
    return p < 0.5 ? -tail : tail;
}

static inline double pwt_ndtri_f64(double p)
{
    return pwt_ndtri_to_f64(p, true);
}

static inline float pwt_ndtri_f32(float p)
{
    return (float)pwt_ndtri_to_f64((double)p, false);
}

#endif
