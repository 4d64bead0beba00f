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

static inline uint32_t pwt_bits_f32(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float pwt_from_bits_f32(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t pwt_bits_f64(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double pwt_from_bits_f64(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float pwt_abs_f32(float x)
{
    return pwt_from_bits_f32(pwt_bits_f32(x) & 0x7fffffffu);
}

static inline double pwt_abs_f64(double x)
{
    return pwt_from_bits_f64(pwt_bits_f64(x) & 0x7fffffffffffffffu);
}

static inline float pwt_copysign_f32(float magnitude, float sign)
{
    return pwt_from_bits_f32((pwt_bits_f32(magnitude) & 0x7fffffffu) | (pwt_bits_f32(sign) & 0x80000000u));
}

static inline double pwt_copysign_f64(double magnitude, double sign)
{
    return pwt_from_bits_f64((pwt_bits_f64(magnitude) & 0x7fffffffffffffffu) |
                             (pwt_bits_f64(sign) & 0x8000000000000000u));
}

/* 2^power for a normal result. */
static inline float pwt_power_of_two_f32(int32_t power)
{
    return pwt_from_bits_f32((uint32_t)(power + 127) << 23);
}

static inline double pwt_power_of_two_f64(int64_t power)
{
    return pwt_from_bits_f64((uint64_t)(power + 1023) << 52);
}

/* x * 2^power in two steps, so that only a subnormal result is rounded. */
static inline float pwt_scale_f32(float x, int32_t power)
{
    int32_t half = power >> 1;
    return x * pwt_power_of_two_f32(half) * pwt_power_of_two_f32(power - half);
}

/* As pwt_scale_f32; |power| < 2^31. 64-bit vectors lack an arithmetic shift that is cheap everywhere. */
static inline double pwt_scale_f64(double x, int64_t power)
{
    int64_t half = (int64_t)((uint64_t)(power + 4096) >> 1) - 2048;
    return x * pwt_power_of_two_f64(half) * pwt_power_of_two_f64(power - half);
}

#endif
