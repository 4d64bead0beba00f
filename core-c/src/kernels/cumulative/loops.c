/* Cumulative loops. Each is serial along a row: PyTorch adds from left to right, and the order is part of the result. */
#include "loops.h"
#include "base/vmath.h"
#include "math.h"

/* ---- sums and products ---- */
#define SCAN(NAME, T, ACC, START, STEP)                        \
  static void NAME(const T *from, T *to, int64_t n) {          \
    ACC total = START;                                         \
    for (int64_t i = 0; i < n; i++) {                          \
      total = STEP(total, from[i]);                            \
      to[i] = (T)total;                                        \
    }                                                          \
  }
#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define ADD_WRAPPING(a, b) ((a) + (uint64_t)(b))
#define MULTIPLY_WRAPPING(a, b) ((a) * (uint64_t)(b))

SCAN(cumsum_i32, int32_t, uint64_t, 0, ADD_WRAPPING)
SCAN(cumsum_i64, int64_t, uint64_t, 0, ADD_WRAPPING)
SCAN(cumsum_half, float, float, 0, ADD)
SCAN(cumsum_f32, float, double, 0, ADD)
SCAN(cumsum_f64, double, double, 0, ADD)
SCAN(cumprod_i32, int32_t, uint64_t, 1, MULTIPLY_WRAPPING)
SCAN(cumprod_i64, int64_t, uint64_t, 1, MULTIPLY_WRAPPING)
SCAN(cumprod_half, float, float, 1, MULTIPLY)
SCAN(cumprod_f32, float, double, 1, MULTIPLY)
SCAN(cumprod_f64, double, double, 1, MULTIPLY)

/* Pairs of real and imaginary parts: C's own complex product would call into a runtime library. */
#define COMPLEX_SCANS(SUFFIX, T)                                                        \
  static void cumsum_##SUFFIX(const T *from, T *to, int64_t n) {                        \
    double re = 0, im = 0;                                                              \
    for (int64_t i = 0; i < 2 * n; i += 2) {                                            \
      to[i] = (T)(re += from[i]);                                                       \
      to[i + 1] = (T)(im += from[i + 1]);                                               \
    }                                                                                   \
  }                                                                                     \
  static void cumprod_##SUFFIX(const T *from, T *to, int64_t n) {                       \
    double re = 1, im = 0;                                                              \
    for (int64_t i = 0; i < 2 * n; i += 2) {                                            \
      double a = from[i], b = from[i + 1], product = re * a - im * b;                   \
      im = re * b + im * a;                                                             \
      re = product;                                                                     \
      to[i] = (T)re;                                                                    \
      to[i + 1] = (T)im;                                                                \
    }                                                                                   \
  }
COMPLEX_SCANS(c64, float)
COMPLEX_SCANS(c128, double)

void pwt_cumsum_row(ComputeType type, const void *from, void *to, int64_t n, bool narrow) {
  switch (type) {
    case CT_I64: cumsum_i64(from, to, n); break;
    case CT_F32: (narrow ? cumsum_half : cumsum_f32)(from, to, n); break;
    case CT_F64: cumsum_f64(from, to, n); break;
    case CT_C64: cumsum_c64(from, to, n); break;
    case CT_C128: cumsum_c128(from, to, n); break;
    default: cumsum_i32(from, to, n);
  }
}

void pwt_cumprod_row(ComputeType type, const void *from, void *to, int64_t n, bool narrow) {
  switch (type) {
    case CT_I64: cumprod_i64(from, to, n); break;
    case CT_F32: (narrow ? cumprod_half : cumprod_f32)(from, to, n); break;
    case CT_F64: cumprod_f64(from, to, n); break;
    case CT_C64: cumprod_c64(from, to, n); break;
    case CT_C128: cumprod_c128(from, to, n); break;
    default: cumprod_i32(from, to, n);
  }
}

/* ---- log of the running sum of exponentials ---- */
static double log_add_exp(double a, double b) {
  double low = a < b ? a : b, high = a < b ? b : a;
  if (a != a || b != b) return a + b;
  bool same_infinity = low == high && low - high != 0;
  return same_infinity ? high : high + pwt_log1p_f64(pwt_exp_f64(low - high));
}

#define LOGCUMSUMEXP(NAME, T, ACC)                             \
  static void NAME(const T *from, T *to, int64_t n) {          \
    ACC total = -__builtin_inff();                             \
    for (int64_t i = 0; i < n; i++) {                          \
      total = (ACC)log_add_exp(from[i], total);                \
      to[i] = (T)total;                                        \
    }                                                          \
  }
LOGCUMSUMEXP(logcumsumexp_half, float, float)
LOGCUMSUMEXP(logcumsumexp_f32, float, double)
LOGCUMSUMEXP(logcumsumexp_f64, double, double)

typedef struct {
  double re, im;
} Pair;

static Pair exp_pair(Pair z) {
  complex128 e = pwt_exp_c128(pwt_make_c128(z.re, z.im));
  return (Pair){__real__ e, __imag__ e};
}

/* log(1 + z), by log1p where |z| is small */
static Pair log1p_pair(Pair z) {
  double square = z.re * z.re + z.im * z.im, angle = pwt_atan2_f64(z.im, 1 + z.re);
  return (Pair){square < 0.25 ? 0.5 * pwt_log1p_f64(2 * z.re + square) : 0.5 * pwt_log_f64(1 + 2 * z.re + square), angle};
}

/* Ordered by real part: the exponential of the difference is at most 1 in size. */
static Pair log_add_exp_pair(Pair a, Pair b) {
  Pair low = a.re < b.re ? a : b, high = a.re < b.re ? b : a;
  if (a.re != a.re || a.im != a.im || b.re != b.re || b.im != b.im) return (Pair){__builtin_nan(""), __builtin_nan("")};
  if (low.re == high.re && low.re - high.re != 0) {
    if (low.re < 0) return low;
    Pair x = exp_pair(low), y = exp_pair(high);
    complex128 sum = pwt_log_c128(pwt_make_c128(x.re + y.re, x.im + y.im));
    return (Pair){__real__ sum, __imag__ sum};
  }
  Pair rest = log1p_pair(exp_pair((Pair){low.re - high.re, low.im - high.im}));
  return (Pair){high.re + rest.re, high.im + rest.im};
}

#define LOGCUMSUMEXP_COMPLEX(NAME, T)                                              \
  static void NAME(const T *from, T *to, int64_t n) {                              \
    Pair total = {-__builtin_inf(), 0};                                            \
    for (int64_t i = 0; i < 2 * n; i += 2) {                                       \
      total = log_add_exp_pair((Pair){from[i], from[i + 1]}, total);               \
      to[i] = (T)total.re;                                                         \
      to[i + 1] = (T)total.im;                                                     \
    }                                                                              \
  }
LOGCUMSUMEXP_COMPLEX(logcumsumexp_c64, float)
LOGCUMSUMEXP_COMPLEX(logcumsumexp_c128, double)

void pwt_logcumsumexp_row(ComputeType type, const void *from, void *to, int64_t n, bool narrow) {
  switch (type) {
    case CT_F64: logcumsumexp_f64(from, to, n); break;
    case CT_C64: logcumsumexp_c64(from, to, n); break;
    case CT_C128: logcumsumexp_c128(from, to, n); break;
    default: (narrow ? logcumsumexp_half : logcumsumexp_f32)(from, to, n);
  }
}

/* ---- extremes ---- */
#define EXTREME(NAME, T, KEEPS_UP)                                                 \
  static void NAME(const T *from, T *to, int64_t *indices, int64_t n) {            \
    int64_t best_index = 0;                                                        \
    T best = n ? from[0] : 0;                                                      \
    for (int64_t i = 0; i < n; i++) {                                              \
      T value = from[i];                                                           \
      if (value != value || (best == best && value KEEPS_UP best)) {               \
        best = value;                                                              \
        best_index = i;                                                            \
      }                                                                            \
      to[i] = best;                                                                \
      indices[i] = best_index;                                                     \
    }                                                                              \
  }
#define EXTREMES(SUFFIX, T)         \
  EXTREME(cummax_##SUFFIX, T, >=)   \
  EXTREME(cummin_##SUFFIX, T, <=)
EXTREMES(i32, int32_t)
EXTREMES(i64, int64_t)
EXTREMES(f32, float)
EXTREMES(f64, double)

void pwt_cummax_row(ComputeType type, const void *from, void *to, int64_t *indices, int64_t n) {
  switch (type) {
    case CT_I64: cummax_i64(from, to, indices, n); break;
    case CT_F32: cummax_f32(from, to, indices, n); break;
    case CT_F64: cummax_f64(from, to, indices, n); break;
    default: cummax_i32(from, to, indices, n);
  }
}

void pwt_cummin_row(ComputeType type, const void *from, void *to, int64_t *indices, int64_t n) {
  switch (type) {
    case CT_I64: cummin_i64(from, to, indices, n); break;
    case CT_F32: cummin_f32(from, to, indices, n); break;
    case CT_F64: cummin_f64(from, to, indices, n); break;
    default: cummin_i32(from, to, indices, n);
  }
}
