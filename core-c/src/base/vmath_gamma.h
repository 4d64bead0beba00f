/* lgamma, digamma, and the Bessel function i0. */
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
    double series = PWT_POLYNOMIAL_F64(z, 0.42278433509846713, -0.10031730167435397, 0.03296500062115767,
                                -0.012384192193365217, 0.004998641164583197, -0.0021081308341627646,
                                0.0009153769250321794, -0.0004057073942800336, 0.00018255260375139574,
                                -8.309515392386678e-05, 3.816915767607921e-05, -1.7661534840808573e-05,
                                8.220872719166535e-06, -3.847772591090637e-06, 1.8124702333050629e-06,
                                -8.521068315944443e-07, 3.9369250235157203e-07, -1.9241424137498696e-07,
                                1.0728199725543852e-07, -4.39255096780417e-08, 3.009416803361814e-09,
                                -7.915409766622802e-09, 1.7956454924009695e-08, -4.88541016745552e-09,
                                -4.935146227341669e-09, 1.1118328002249635e-09, 1.6719075284679495e-09,
                                -6.176925683617984e-10);
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
    double small = PWT_POLYNOMIAL_F64(z, 1.0, 1.0, 0.25000000000000006, 0.027777777777777575, 0.001736111111111378,
                                6.944444444426491e-05, 1.9290123457511597e-06, 3.9367598872485245e-08,
                                6.15118736107999e-10, 7.594057981452614e-12, 7.594062724172166e-14,
                                6.276050245908002e-16, 4.3585614030748865e-18, 2.578202522028586e-20,
                                1.3181427452658694e-22, 5.789132958390416e-25, 2.394841964243616e-27,
                                6.369367641866783e-30, 3.9534530738267934e-32, -3.086667929206949e-35,
                                5.270194474527029e-37);
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
