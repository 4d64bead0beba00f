/* Plain stand-ins until vmath has its own. */
#pragma once
#define PENDING_INT(S, T, U) \
  static inline T pwt_floor_divide_##S(T a, T b) { if (b == -1) return (T)(0 - (U)a); T q = a / b; return q - ((a % b != 0) & ((a < 0) != (b < 0))); } \
  static inline T pwt_fmod_##S(T a, T b) { return b == -1 ? 0 : a % b; } \
  static inline T pwt_remainder_##S(T a, T b) { if (b == -1) return 0; T r = a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r; } \
  static inline T pwt_pow_##S(T a, T b) { if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0; U r = 1, x = (U)a; for (; b; b >>= 1, x *= x) if (b & 1) r *= x; return (T)r; }
PENDING_INT(i32, int32_t, uint32_t)
PENDING_INT(i64, int64_t, uint64_t)
#define PENDING_FLOAT(S, T, SQRT) \
  static inline T pwt_hypot_##S(T a, T b) { a = pwt_abs_##S(a); b = pwt_abs_##S(b); T m = a > b ? a : b, n = a > b ? b : a; if (m == 0) return 0; if (m == (T)__builtin_inf()) return m; T r = n / m; return m * SQRT(1 + r * r); } \
  static inline T pwt_asinh_##S(T a) { T x = pwt_abs_##S(a); return pwt_copysign_##S(pwt_log1p_##S(x + x * x / (1 + SQRT(1 + x * x))), a); } \
  static inline T pwt_acosh_##S(T a) { T t = a - 1; return pwt_log1p_##S(t + SQRT(2 * t + t * t)); } \
  static inline T pwt_atanh_##S(T a) { T x = pwt_abs_##S(a); return pwt_copysign_##S((T)0.5 * pwt_log1p_##S(2 * x / (1 - x)), a); } \
  static inline T pwt_sinc_##S(T a) { T x = a * (T)3.141592653589793; return a == 0 ? 1 : pwt_sin_##S(x) / x; } \
  static inline T pwt_erfinv_##S(T a) { T x = a; return x; } \
  static inline T pwt_nextafter_##S(T a, T b) { return a != a || b != b ? a + b : a == b ? b : a; } \
  static inline T pwt_logaddexp_##S(T a, T b) { T m = a > b ? a : b, n = a > b ? b : a; return m == n && m - m != 0 ? m : m + pwt_log1p_##S(pwt_exp_##S(n - m)); }
PENDING_FLOAT(f32, float, __builtin_sqrtf)
PENDING_FLOAT(f64, double, __builtin_sqrt)
