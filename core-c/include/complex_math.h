/* Complex functions for pointwise expressions, in both precisions. */
#pragma once

/* Where a part is infinite or NaN, and where real functions overflow on the way: in src/base/complex_functions.c. */
complex128 pwt_exp_far_c128(complex128 z);
complex128 pwt_sqrt_far_c128(complex128 z);
complex128 pwt_sin_far_c128(complex128 z);
complex128 pwt_cos_far_c128(complex128 z);
/* The logarithm of x + iy near the unit circle, whose angle is known. */
complex128 pwt_log_near_c128(double x, double y, double angle);

#define PWT_COMPLEX_FUNCTIONS(C, F, CT, T)                                                                      \
  static inline CT pwt_conj_##C(CT a) { return pwt_make_##C(__real__ a, -__imag__ a); }                         \
  static inline T pwt_abs_##C(CT a) { return pwt_hypot_##F(__real__ a, __imag__ a); }                           \
  static inline T pwt_angle_##C(CT a) { return pwt_atan2_##F(__imag__ a, __real__ a); }                         \
  static inline uint8_t pwt_isinf_##C(CT a) {                                                                   \
    return (pwt_abs_##F(__real__ a) == (T)__builtin_inf()) | (pwt_abs_##F(__imag__ a) == (T)__builtin_inf());   \
  }                                                                                                             \
  static inline uint8_t pwt_isfinite_##C(CT a) {                                                                \
    return (pwt_abs_##F(__real__ a) < (T)__builtin_inf()) & (pwt_abs_##F(__imag__ a) < (T)__builtin_inf());     \
  }                                                                                                             \
  static inline CT pwt_mul_##C(CT a, CT b) {                                                                    \
    return pwt_make_##C(__real__ a * __real__ b - __imag__ a * __imag__ b,                                      \
                        __real__ a * __imag__ b + __imag__ a * __real__ b);                                     \
  }                                                                                                             \
  /* Smith (1962): scaled by the larger part of the divisor, so that its square cannot overflow */              \
  static inline CT pwt_div_##C(CT a, CT b) {                                                                    \
    T c = __real__ b, d = __imag__ b;                                                                           \
    if (pwt_abs_##F(c) >= pwt_abs_##F(d)) {                                                                     \
      if (c == 0 && d == 0) return pwt_make_##C(__real__ a / pwt_abs_##F(c), __imag__ a / pwt_abs_##F(c));     \
      T r = d / c, s = 1 / (c + d * r);                                                                         \
      return pwt_make_##C((__real__ a + __imag__ a * r) * s, (__imag__ a - __real__ a * r) * s);                \
    }                                                                                                           \
    T r = c / d, s = 1 / (c * r + d);                                                                           \
    return pwt_make_##C((__real__ a * r + __imag__ a) * s, (__imag__ a * r - __real__ a) * s);                  \
  }                                                                                                             \
  static inline CT pwt_exp_##C(CT a) {                                                                         \
    T e = pwt_exp_##F(__real__ a);                                                                             \
    if (__imag__ a == 0) return pwt_make_##C(e, __imag__ a);                                                   \
    if (!(e < (T)__builtin_inf() && pwt_abs_##F(__imag__ a) < (T)__builtin_inf())) return (CT)pwt_exp_far_c128((complex128)a); \
    return pwt_make_##C(e * pwt_cos_##F(__imag__ a), e * pwt_sin_##F(__imag__ a));                             \
  }                                                                                                            \
  static inline CT pwt_log_##C(CT a) {                                                                         \
    T m = pwt_abs_##C(a);                                                                                      \
    if (m > (T)0.9 && m < (T)1.1) return (CT)pwt_log_near_c128((double)__real__ a, (double)__imag__ a, (double)pwt_angle_##C(a)); \
    return pwt_make_##C(pwt_log_##F(m), pwt_angle_##C(a));                                                     \
  }                                                                                                            \
  static inline CT pwt_sqrt_##C(CT a) {                                                                        \
    T x = __real__ a, y = __imag__ a, m = pwt_abs_##C(a);                                                      \
    if (m == 0) return pwt_make_##C(0, y);                                                                     \
    if (!(m + pwt_abs_##F(x) < (T)__builtin_inf())) return (CT)pwt_sqrt_far_c128((complex128)a);               \
    T s = pwt_sqrt_real_##F((T)0.5 * (m + pwt_abs_##F(x)));                                                    \
    T o = (T)0.5 * pwt_abs_##F(y) / s;                                                                         \
    return x >= 0 ? pwt_make_##C(s, pwt_copysign_##F(o, y)) : pwt_make_##C(o, pwt_copysign_##F(s, y));         \
  }                                                                                                            \
  static inline CT pwt_sin_##C(CT a) {                                                                         \
    T c = pwt_cosh_##F(__imag__ a);                                                                            \
    if (!(c < (T)__builtin_inf() && pwt_abs_##F(__real__ a) < (T)__builtin_inf())) return (CT)pwt_sin_far_c128((complex128)a); \
    return pwt_make_##C(__real__ a == 0 ? __real__ a : pwt_sin_##F(__real__ a) * c,                            \
                        pwt_cos_##F(__real__ a) * pwt_sinh_##F(__imag__ a));                                   \
  }                                                                                                            \
  static inline CT pwt_cos_##C(CT a) {                                                                         \
    T c = pwt_cosh_##F(__imag__ a);                                                                            \
    if (!(c < (T)__builtin_inf() && pwt_abs_##F(__real__ a) < (T)__builtin_inf())) return (CT)pwt_cos_far_c128((complex128)a); \
    return pwt_make_##C(pwt_cos_##F(__real__ a) * c,                                                           \
                        __real__ a == 0 ? -__real__ a * __imag__ a : -pwt_sin_##F(__real__ a) * pwt_sinh_##F(__imag__ a)); \
  }                                                                                                            \
  static inline CT pwt_sgn_##C(CT a) {                                                                          \
    T m = pwt_abs_##C(a);                                                                                       \
    return m == 0 ? pwt_make_##C(0, 0) : pwt_make_##C(__real__ a / m, __imag__ a / m);                          \
  }

static inline float pwt_sqrt_real_f32(float x) { return __builtin_sqrtf(x); }
static inline double pwt_sqrt_real_f64(double x) { return __builtin_sqrt(x); }

PWT_COMPLEX_FUNCTIONS(c64, f32, complex64, float)
PWT_COMPLEX_FUNCTIONS(c128, f64, complex128, double)

/* Rarely called: computed in double for both precisions, in src/base/complex_functions.c. */
#define PWT_RARE_COMPLEX(NAME)                \
  complex128 pwt_##NAME##_c128(complex128 z); \
  static inline complex64 pwt_##NAME##_c64(complex64 z) { return (complex64)pwt_##NAME##_c128((complex128)z); }
PWT_RARE_COMPLEX(tan)
PWT_RARE_COMPLEX(asin)
PWT_RARE_COMPLEX(acos)
PWT_RARE_COMPLEX(atan)
PWT_RARE_COMPLEX(sinh)
PWT_RARE_COMPLEX(cosh)
PWT_RARE_COMPLEX(tanh)
PWT_RARE_COMPLEX(asinh)
PWT_RARE_COMPLEX(acosh)
PWT_RARE_COMPLEX(atanh)
PWT_RARE_COMPLEX(exp2)
PWT_RARE_COMPLEX(expm1)
PWT_RARE_COMPLEX(log2)
PWT_RARE_COMPLEX(log10)
PWT_RARE_COMPLEX(log1p)
PWT_RARE_COMPLEX(sigmoid)
PWT_RARE_COMPLEX(sinc)
PWT_RARE_COMPLEX(silu)
#define PWT_RARE_COMPLEX_PAIR(NAME)                         \
  complex128 pwt_##NAME##_c128(complex128 a, complex128 b); \
  static inline complex64 pwt_##NAME##_c64(complex64 a, complex64 b) { return (complex64)pwt_##NAME##_c128((complex128)a, (complex128)b); }
PWT_RARE_COMPLEX_PAIR(pow)
PWT_RARE_COMPLEX_PAIR(logaddexp)
