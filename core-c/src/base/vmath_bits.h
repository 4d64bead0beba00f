/* Shared by vmath: bit patterns, rounding, polynomials. */
#ifndef PWT_VMATH_BITS_H
#define PWT_VMATH_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define PWT_INF_F32 __builtin_inff()
#define PWT_NAN_F32 __builtin_nanf("")
#define PWT_INF_F64 __builtin_inf()
#define PWT_NAN_F64 __builtin_nan("")

/* Adding 1.5 * 2^(mantissa bits) rounds to an integer, half to even, and leaves it in the sum's low bits. */
#define PWT_ROUNDER_F32 0x1.8p23f
#define PWT_ROUNDER_F64 0x1.8p52

/* Not left to the compiler's judgement: a loop over a function that is called is no vector loop. */
#define PWT_INLINE static inline __attribute__((always_inline))

/* PWT_SCALAR_LOOP: two lanes of a long function gain little, a rare loop nothing, and both cost as much code again. */
#ifdef __clang__
#define PWT_UNROLL _Pragma("clang loop unroll(full)")
#define PWT_SCALAR_LOOP _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define PWT_UNROLL _Pragma("GCC unroll 32")
#define PWT_SCALAR_LOOP
#endif

/* c0 + c1 x + c2 x^2 + ... */
#define PWT_POLYNOMIAL_F32(x, ...)                                                                                     \
    pwt_polynomial_f32(x, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))
#define PWT_POLYNOMIAL_F64(x, ...)                                                                                     \
    pwt_polynomial_f64(x, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

PWT_INLINE float pwt_polynomial_f32(float x, const float *coefficients, int count)
{
    float sum = coefficients[count - 1];
    PWT_UNROLL
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}

PWT_INLINE double pwt_horner_f64(double x, const double *coefficients, int count)
{
    double sum = coefficients[count - 1];
    PWT_UNROLL
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + coefficients[i];
    return sum;
}

/* In groups of eight terms, which do not wait for each other. */
PWT_INLINE double pwt_polynomial_f64(double x, const double *coefficients, int count)
{
    double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    int group = (count - 1) / 8 * 8;
    double sum = pwt_horner_f64(x, coefficients + group, count - group);
    PWT_UNROLL
    for (group -= 8; group >= 0; group -= 8)
        sum = sum * x8 + pwt_horner_f64(x, coefficients + group, 8);
    return sum;
}

PWT_INLINE uint32_t pwt_bits_f32(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

PWT_INLINE float pwt_from_bits_f32(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

PWT_INLINE uint64_t pwt_bits_f64(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

PWT_INLINE double pwt_from_bits_f64(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

PWT_INLINE float pwt_abs_f32(float x)
{
    return pwt_from_bits_f32(pwt_bits_f32(x) & 0x7fffffffu);
}

PWT_INLINE double pwt_abs_f64(double x)
{
    return pwt_from_bits_f64(pwt_bits_f64(x) & 0x7fffffffffffffffu);
}

PWT_INLINE float pwt_copysign_f32(float magnitude, float sign)
{
    return pwt_from_bits_f32((pwt_bits_f32(magnitude) & 0x7fffffffu) | (pwt_bits_f32(sign) & 0x80000000u));
}

PWT_INLINE double pwt_copysign_f64(double magnitude, double sign)
{
    return pwt_from_bits_f64((pwt_bits_f64(magnitude) & 0x7fffffffffffffffu) |
                             (pwt_bits_f64(sign) & 0x8000000000000000u));
}

/* 2^power for a normal result. Whatever a NaN left in power is harmless: sums of unsigned numbers wrap. */
PWT_INLINE float pwt_power_of_two_f32(int32_t power)
{
    return pwt_from_bits_f32(((uint32_t)power + 127) << 23);
}

PWT_INLINE double pwt_power_of_two_f64(int64_t power)
{
    return pwt_from_bits_f64(((uint64_t)power + 1023) << 52);
}

/* x * 2^power in two steps, so that only a subnormal result is rounded. */
PWT_INLINE float pwt_scale_f32(float x, int32_t power)
{
    int32_t half = power >> 1;
    return x * pwt_power_of_two_f32(half) * pwt_power_of_two_f32((int32_t)((uint32_t)power - (uint32_t)half));
}

/* The offset makes half's shift one of a positive number: vectors of 64 bits may lack the arithmetic shift. */
PWT_INLINE double pwt_scale_f64(double x, int64_t power)
{
    uint64_t half = (((uint64_t)power + 4096) >> 1) - 2048;
    return x * pwt_power_of_two_f64((int64_t)half) * pwt_power_of_two_f64((int64_t)((uint64_t)power - half));
}

#endif
