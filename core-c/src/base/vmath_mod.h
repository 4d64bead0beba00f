/* Rounding, remainders, floor division. */
#ifndef PWT_VMATH_MOD_H
#define PWT_VMATH_MOD_H

#include "vmath_bits.h"

PWT_INLINE float pwt_round_half_even_f32(float x)
{
    return __builtin_nearbyintf(x);
}

PWT_INLINE double pwt_round_half_even_f64(double x)
{
    return __builtin_nearbyint(x);
}

PWT_INLINE float pwt_floor_f32(float x)
{
    return __builtin_floorf(x);
}

PWT_INLINE double pwt_floor_f64(double x)
{
    return __builtin_floor(x);
}

/* The exact remainder of finite |x| >= |y| > 0 by long division of the mantissas, 11 bits at a time. */
static __attribute__((noinline, unused)) double pwt_long_division_rest_f64(double x, double y)
{
    uint64_t a = pwt_bits_f64(x) & 0x7fffffffffffffffu, b = pwt_bits_f64(y) & 0x7fffffffffffffffu;
    int a_exponent = (int)(a >> 52), b_exponent = (int)(b >> 52);
    a &= 0xfffffffffffffu;
    b &= 0xfffffffffffffu;
    if (a_exponent)
        a |= 0x10000000000000u;
    else
        a_exponent = 1;
    if (b_exponent)
        b |= 0x10000000000000u;
    else
        b_exponent = 1;
    int left = a_exponent - b_exponent;
    a %= b;
    while (left > 0 && a != 0) {
        int step = left < 11 ? left : 11;
        a = (a << step) % b;
        left -= step;
    }
    if (a == 0)
        return pwt_copysign_f64(0.0, x);
    int zeros = __builtin_clzll(a) - 11;
    int shift = zeros < b_exponent - 1 ? zeros : b_exponent - 1;
    a <<= shift;
    uint64_t exponent = a >> 52 ? (uint64_t)(b_exponent - shift) : 0;
    return pwt_copysign_f64(pwt_from_bits_f64((a & 0xfffffffffffffu) | exponent << 52), x);
}

/* C's fmod. */
static inline double pwt_fmod_f64(double x, double y)
{
    double a = pwt_abs_f64(x), b = pwt_abs_f64(y);
    if (!(a < PWT_INF_F64) || b == 0.0 || b != b)
        return PWT_NAN_F64;
    return a < b ? x : pwt_long_division_rest_f64(x, y);
}

/* For |x / y| < 2^29, where the quotient in float64 has the right integer part and an exact product with y. */
PWT_INLINE float pwt_fmod_near_f32(float x, float y)
{
    double a = (double)x, b = (double)y;
    double quotient = __builtin_trunc(a / b);
    return pwt_copysign_f32((float)(a - quotient * b), x);
}

PWT_INLINE bool pwt_fmod_is_near_f32(float x, float y)
{
    return pwt_abs_f32(x) < pwt_abs_f32(y) * 0x1p28f && pwt_abs_f32(y) < PWT_INF_F32;
}

static inline float pwt_fmod_f32(float x, float y)
{
    return pwt_fmod_is_near_f32(x, y) ? pwt_fmod_near_f32(x, y) : (float)pwt_fmod_f64((double)x, (double)y);
}

#endif
