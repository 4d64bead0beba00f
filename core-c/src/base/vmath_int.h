/* Integer powers, floor division, and both remainders. */
#ifndef PWT_VMATH_INT_H
#define PWT_VMATH_INT_H

#include <stdint.h>

#define PWT_DEFINE_INTEGER_MATH(type, unsigned_type, suffix)                                                           \
    /* base^exponent modulo 2^bits; a negative exponent gives the truncated reciprocal, and 0 for base 0. */           \
    static inline type pwt_pow_##suffix(type base, type exponent)                                                      \
    {                                                                                                                  \
        if (exponent < 0)                                                                                              \
            return base == 1 ? 1 : base == -1 ? ((exponent & 1) ? -1 : 1) : 0;                                         \
        unsigned_type result = 1, square = (unsigned_type)base;                                                        \
        for (unsigned_type left = (unsigned_type)exponent; left != 0; left >>= 1) {                                    \
            result *= (left & 1) ? square : 1;                                                                         \
            square *= square;                                                                                          \
        }                                                                                                              \
        return (type)result;                                                                                           \
    }                                                                                                                  \
                                                                                                                       \
    /* Rounded towards negative infinity; y is not 0. The least integer divided by -1 wraps around to itself. */       \
    static inline type pwt_floor_divide_##suffix(type x, type y)                                                       \
    {                                                                                                                  \
        if (y == -1)                                                                                                   \
            return (type)(0 - (unsigned_type)x);                                                                       \
        type quotient = x / y;                                                                                         \
        return x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;                                             \
    }                                                                                                                  \
                                                                                                                       \
    /* With the divisor's sign, as Python's %; y is not 0. */                                                          \
    static inline type pwt_remainder_##suffix(type x, type y)                                                          \
    {                                                                                                                  \
        type rest = y == -1 ? 0 : x % y;                                                                               \
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* With the dividend's sign, as C's %; y is not 0. */                                                              \
    static inline type pwt_fmod_##suffix(type x, type y)                                                               \
    {                                                                                                                  \
        return y == -1 ? 0 : x % y;                                                                                    \
    }

PWT_DEFINE_INTEGER_MATH(int32_t, uint32_t, i32)
PWT_DEFINE_INTEGER_MATH(int64_t, uint64_t, i64)

#undef PWT_DEFINE_INTEGER_MATH

#endif
