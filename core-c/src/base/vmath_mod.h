#ifndef PWT_VMATH_MOD_H
#define PWT_VMATH_MOD_H

#include "vmath_bits.h"

static inline float pwt_round_half_even_f32(float x)
{
    return __builtin_nearbyintf(x);
}

static inline double pwt_round_half_even_f64(double x)
{
    return __builtin_nearbyint(x);
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

static inline float pwt_fmod_f32(float x, float y)
{
    double a = (double)x, b = (double)y;
    double quotient = __builtin_trunc(a / b);
    /* Below 2^29 the quotient is right and its product with b exact. */
    if (pwt_abs_f64(quotient) < 0x1p29)
        return pwt_copysign_f32((float)(quotient == 0.0 ? a : a - quotient * b), x);
    return (float)pwt_fmod_f64(a, b);
}

#define PWT_DEFINE_FLOOR_DIVISION(type, suffix)                                                                        \
    /* Python's %: the remainder has the divisor's sign. */                                                           \
    static inline type pwt_remainder_##suffix(type x, type y)                                                          \
    {                                                                                                                  \
        type rest = pwt_fmod_##suffix(x, y);                                                                           \
        return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* Python's //, by CPython's float_divmod; division by zero is as in C. */                                        \
    static inline type pwt_floor_divide_##suffix(type x, type y)                                                       \
    {                                                                                                                  \
        if (y == 0)                                                                                                    \
            return x / y;                                                                                              \
        type rest = pwt_fmod_##suffix(x, y);                                                                           \
        type quotient = (x - rest) / y;                                                                                \
        if (rest != 0 && (y < 0) != (rest < 0))                                                                        \
            quotient -= 1;                                                                                             \
        if (quotient == 0)                                                                                             \
            return pwt_copysign_##suffix(0, x / y);                                                                    \
        type whole = pwt_floor_##suffix(quotient);                                                                     \
        return quotient - whole > (type)0.5 ? whole + 1 : whole;                                                       \
    }

static inline float pwt_floor_f32(float x)
{
    return __builtin_floorf(x);
}

static inline double pwt_floor_f64(double x)
{
    return __builtin_floor(x);
}

PWT_DEFINE_FLOOR_DIVISION(float, f32)
PWT_DEFINE_FLOOR_DIVISION(double, f64)

#undef PWT_DEFINE_FLOOR_DIVISION

#endif
