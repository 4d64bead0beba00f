#ifndef PWT_VMATH_GAMMA_H
#define PWT_VMATH_GAMMA_H

#include "vmath_f64.h"

/* x without its nearest integer. */
static inline double pwt_half_turn_f64(double x)
{
    return x - __builtin_nearbyint(x);
}

/* ln(gamma(2 + z)) for |z| <= 1, exactly 0 at gamma's two ones. */
static inline double pwt_lgamma_near_two_f64(double z)
{
    double series = PWT_POLYNOMIAL_F64(z, 0.42278433509846713, -0.1003173016743539, 0.03296500062115698,
                                -0.012384192193374458, 0.004998641164622941, -0.0021081308338254494,
                                0.0009153769241314419, -0.0004057074000011905, 0.00018255261433188397,
                                -8.30950993509986e-05, 3.816908387297125e-05, -1.76618590161921e-05,
                                8.221202511355426e-06, -3.846500325670396e-06, 1.811484526877129e-06,
                                -8.555190803643635e-07, 3.9570563007488747e-07, -1.860618498045347e-07,
                                1.0446371713750485e-07, -5.2128921718654934e-08, 5.669369025704272e-09,
                                -7.065550466989708e-10, 1.6338883290541424e-08, -8.997513102227535e-09,
                                -4.362903988151696e-09, 2.484658357053134e-09, 1.5824356240404291e-09,
                                -8.212705665325837e-10);
    return z * (z + 1.0) * series;
}

/* Stirling's series. */
static inline double pwt_lgamma_large_f64(double x)
{
    double inverse = 1.0 / x, z = inverse * inverse;
    double p = PWT_POLYNOMIAL_F64(z, 1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0,
                                     -691.0 / 360360.0, 1.0 / 156.0);
    return (x - 0.5) * (pwt_log_f64(x) - 1.0) + (0.41893853320467274 + inverse * p);
}

static inline double pwt_lgamma_positive_f64(double x)
{
    if (x >= 10.0)
        return x < PWT_INF_F64 ? pwt_lgamma_large_f64(x) : x;
    if (x < 1.0)
        return pwt_lgamma_near_two_f64(x - 1.0) - pwt_log_f64(x);
    double product = 1.0;
    while (x >= 3.0) {
        x -= 1.0;
        product *= x;
    }
    double rest = pwt_lgamma_near_two_f64(x - 2.0);
    return product == 1.0 ? rest : pwt_log_f64(product) + rest;
}

/* ln |gamma(x)| */
static inline double pwt_lgamma_f64(double x)
{
    double a = pwt_abs_f64(x);
    if (x != x)
        return x;
    if (a < 0x1p-60)
        return -pwt_log_f64(a);
    if (x > 0.0)
        return pwt_lgamma_positive_f64(x);
    double rest = pwt_half_turn_f64(a);
    if (rest == 0.0 || a == PWT_INF_F64)
        return PWT_INF_F64;
    double sine = pwt_abs_f64(pwt_sin_f64(PWT_PI_F64 * rest));
    return pwt_log_f64(PWT_PI_F64 / (a * sine)) - pwt_lgamma_positive_f64(a);
}

static inline float pwt_lgamma_f32(float x)
{
    return (float)pwt_lgamma_f64((double)x);
}

/* The logarithmic derivative of gamma: upward recurrence to 10, then the asymptotic series. */
static inline double pwt_digamma_positive_f64(double x)
{
    double sum = 0.0;
    while (x < 10.0) {
        sum -= 1.0 / x;
        x += 1.0;
    }
    double z = 1.0 / (x * x);
    double p = PWT_POLYNOMIAL_F64(z, 1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0,
                                     1.0 / 12.0);
    return sum + (pwt_log_f64(x) - 0.5 / x - z * p);
}

static inline double pwt_digamma_f64(double x)
{
    if (x == 0.0)
        return pwt_copysign_f64(PWT_INF_F64, -x);
    if (x > 0.0 || x != x)
        return pwt_digamma_positive_f64(x);
    double rest = pwt_half_turn_f64(x);
    if (rest == 0.0 || x == -PWT_INF_F64)
        return PWT_NAN_F64;
    return pwt_digamma_positive_f64(1.0 - x) - PWT_PI_F64 / pwt_tan_f64(PWT_PI_F64 * rest);
}

static inline float pwt_digamma_f32(float x)
{
    return (float)pwt_digamma_f64((double)x);
}

/* The modified Bessel function of order 0: a polynomial in x^2/4 up to 15, e^x/sqrt(x) times one in 1/x above. */
PWT_INLINE double pwt_i0_f64(double x)
{
    double a = pwt_abs_f64(x);
    double z = 0.25 * a * a, inverse = 1.0 / a;
    double small = PWT_POLYNOMIAL_F64(z, 1.0, 1.0, 0.2500000000000003, 0.02777777777777723, 0.001736111111111644,
                                6.944444444414426e-05, 1.9290123457862336e-06, 3.936759886553908e-08,
                                6.151187370853684e-10, 7.594057880807621e-12, 7.594063498665691e-14,
                                6.276045728816333e-16, 4.358581537268643e-18, 2.5781337343417624e-20,
                                1.3183223776483058e-22, 5.785581357654737e-25, 2.4000606733388702e-27,
                                6.314197228880709e-30, 3.9930823461096977e-32, -3.2597139933123083e-35,
                                5.304845336975992e-37);
    double large = PWT_POLYNOMIAL_F64(inverse, 0.3989422804014327, 0.04986778505013264, 0.02805062912865157,
                                0.029219393117272487, 0.044744243274244894, 0.09040301799692407, 0.2409396067767646,
                                0.1684924778891808, 16.945094108034024, -260.2472482749958, 3268.930697481048,
                                -22368.59686397432, 73293.91129810271);
    double root = pwt_exp_f64(0.5 * (a > 1000.0 ? 1000.0 : a));
    large = root * (large / __builtin_sqrt(a > 1000.0 ? 1000.0 : a)) * root;
    return a <= 15.0 ? small : a == a ? large : a;
}

PWT_INLINE float pwt_i0_f32(float x)
{
    return (float)pwt_i0_f64((double)x);
}

#endif
