/* Functions called by pointwise expressions, in addition to vmath; each name ends in its compute type. */
#pragma once
#include "base.h"
#include "base/special.h"
#include "base/vmath.h"

static inline complex64 pwt_make_c64(float re, float im) {
  complex64 z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

static inline complex128 pwt_make_c128(double re, double im) {
  complex128 z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

#define PWT_ORDERED(S, T)                                                                    \
  static inline T pwt_maximum_##S(T a, T b) { return ((a != a) | (a > b)) ? a : b; }           \
  static inline T pwt_minimum_##S(T a, T b) { return ((a != a) | (a < b)) ? a : b; }           \
  static inline T pwt_sign_or_zero_##S(T a) { return (T)((a > 0) - (a < 0)); }
PWT_ORDERED(i32, int32_t)
PWT_ORDERED(i64, int64_t)
PWT_ORDERED(f32, float)
PWT_ORDERED(f64, double)

/* Shifts by what C leaves undefined give what shifting bit by bit would. */
#define PWT_INTEGERS(S, T, U, BITS)                                                                                      \
  static inline T pwt_abs_##S(T a) { return a < 0 ? (T)(0 - (U)a) : a; }                                                 \
  static inline T pwt_trunc_divide_##S(T a, T b) { return b == -1 ? (T)(0 - (U)a) : a / b; }                             \
  static inline T pwt_shift_left_##S(T a, T b) { return b < 0 || b >= BITS ? 0 : (T)((U)a << b); }                       \
  static inline T pwt_shift_right_##S(T a, T b) { return b < 0 || b >= BITS ? (a < 0 ? -1 : 0) : a >> b; }
/* Of magnitudes, as unsigned numbers: that of the least integer is no signed one. */
#define PWT_DIVISORS(S, T, U)                                                          \
  static inline U pwt_magnitude_##S(T a) { return a < 0 ? 0 - (U)a : (U)a; }           \
  static inline T pwt_gcd_##S(T first, T second) {                                     \
    U a = pwt_magnitude_##S(first), b = pwt_magnitude_##S(second);                     \
    while (b != 0) {                                                                   \
      U rest = a % b;                                                                  \
      a = b;                                                                           \
      b = rest;                                                                        \
    }                                                                                  \
    return (T)a;                                                                       \
  }                                                                                    \
  static inline T pwt_lcm_##S(T a, T b) {                                              \
    U divisor = (U)pwt_gcd_##S(a, b);                                                  \
    return divisor == 0 ? 0 : pwt_abs_##S((T)(pwt_magnitude_##S(a) / divisor * pwt_magnitude_##S(b))); \
  }
PWT_INTEGERS(i32, int32_t, uint32_t, 32)
PWT_INTEGERS(i64, int64_t, uint64_t, 64)
PWT_DIVISORS(i32, int32_t, uint32_t)
PWT_DIVISORS(i64, int64_t, uint64_t)

static inline uint8_t pwt_signbit_f32(float a) { return pwt_bits_f32(a) >> 31; }
static inline uint8_t pwt_signbit_f64(double a) { return (uint8_t)(pwt_bits_f64(a) >> 63); }

#include "complex_math.h"
