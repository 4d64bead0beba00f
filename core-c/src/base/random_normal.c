/* Normal and log-normal fills: Box-Muller in PyTorch's two pairings of uniforms. */
#include "random_draw.h"
#include "vmath.h"

#define GROUP 16 /* eight pairs: radii from the first eight uniforms, angles from the last eight */
#define PAIRS (DRAW_BLOCK / 2)
#define TWO_PI 0x1.921fb54442d18p+2

/* ---- float32: the functions that torch's AVX2 kernel uses, fused where its binary fuses, for the same bits.
   Cephes' logf, sinf and cosf (Moshier, "Methods and Programs for Mathematical Functions", 1989).
   The numbers are float32 values kept in double, where products are exact; a sum is rounded twice, which one time
   in 2^29 is not what one rounding gives. ---- */
static inline double f32(double value) { /* to nearest, ties to even; conversions would not vectorise */
  uint64_t bits;
  __builtin_memcpy(&bits, &value, 8);
  bits = (bits + 0xfffffff + (bits >> 29 & 1)) & ~(uint64_t)0x1fffffff;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}
static inline double fused(double a, double b, double c) { return f32(a * b + c); }

static inline double log_cephes(float value) { /* of (0, 1] */
  int32_t bits;
  float half_to_one;
  __builtin_memcpy(&bits, &value, 4);
  int32_t power = (bits >> 23) - 126;
  bits = (bits & 0x7fffff) | 0x3f000000;
  __builtin_memcpy(&half_to_one, &bits, 4);
  bool low = half_to_one < 0.707106781186547524f;
  double exponent = power - low, mantissa = half_to_one;
  double x = low ? mantissa + mantissa - 1 : mantissa - 1;
  double square = f32(x * x), y = 7.0376836292e-2f;
  y = fused(y, x, -1.1514610310e-1f);
  y = fused(y, x, 1.1676998740e-1f);
  y = fused(y, x, -1.2420140846e-1f);
  y = fused(y, x, 1.4249322787e-1f);
  y = fused(y, x, -1.6668057665e-1f);
  y = fused(y, x, 2.0000714765e-1f);
  y = fused(y, x, -2.4999993993e-1f);
  y = fused(y, x, 3.3333331174e-1f);
  y = fused(f32(y * x), square, f32(exponent * -2.12194440e-4f));
  y = f32(y - 0.5 * square);
  return fused(exponent, 0.693359375, f32(x + y));
}

static inline double cos_cephes(double square) {
  double y = fused(2.443315711809948e-5f, square, -1.388731625493765e-3f);
  y = fused(y, square, 4.166664568298827e-2f);
  return f32(fused(f32(y * square), square, -0.5 * square) + 1);
}

static inline double sin_cephes(double x, double square) {
  double y = fused(-1.9515295891e-4f, square, 8.3321608736e-3f);
  y = fused(y, square, -1.6666654611e-1f);
  return fused(f32(y * square), x, x);
}

static void box_muller_f32(float *data, int64_t n, float mean, float std) {
  float first[PAIRS], second[PAIRS];
  double radius[PAIRS];
  int64_t pairs = n / 2;
  for (int64_t i = 0; i < pairs; i++) {
    const float *group = data + i / 8 * GROUP + i % 8;
    first[i] = 1 - group[0];
    second[i] = (float)TWO_PI * group[8];
  }
  for (int64_t i = 0; i < pairs; i++) radius[i] = f32(__builtin_sqrt(-2 * log_cephes(first[i])));
  for (int64_t i = 0; i < pairs; i++) {
    float angle = second[i];
    int32_t octant = ((int32_t)(angle * 1.27323954473516f) + 1) & ~1;
    double turns = octant;
    double x = fused(turns, -0.78515625, angle);
    x = fused(turns, -2.4187564849853515625e-4f, x);
    x = fused(turns, -3.77489497744594108e-8f, x);
    double square = f32(x * x), sine = sin_cephes(x, square), cosine = cos_cephes(square);
    double to_sine = octant & 2 ? cosine : sine, to_cosine = octant & 2 ? sine : cosine;
    to_sine = octant & 4 ? -to_sine : to_sine;
    to_cosine = (octant + 2) & 4 ? -to_cosine : to_cosine;
    first[i] = (float)(f32(radius[i] * to_cosine) * std + mean);
    second[i] = (float)(f32(radius[i] * to_sine) * std + mean);
  }
  for (int64_t i = 0; i < pairs; i++) {
    float *group = data + i / 8 * GROUP + i % 8;
    group[0] = first[i];
    group[8] = second[i];
  }
}

static void box_muller_f64(double *data, int64_t n, double mean, double std) {
  for (int64_t start = 0; start < n; start += GROUP) {
    for (double *pair = data + start; pair < data + start + GROUP / 2; pair++) {
      double radius = __builtin_sqrt(-2 * pwt_log_f64(1 - pair[0])), angle = TWO_PI * pair[GROUP / 2];
      pair[0] = fused_f64(radius * pwt_cos_f64(angle), std, mean);
      pair[GROUP / 2] = fused_f64(radius * pwt_sin_f64(angle), std, mean);
    }
  }
}

/* ---- 16 or more contiguous elements ---- */
static void normal_groups(PwtGenerator *g, DType dtype, void *out, int64_t n, double mean, double std) {
  union {
    float f32[DRAW_BLOCK];
    double f64[DRAW_BLOCK];
  } block;
  if (dtype == PWT_FLOAT64) {
    pwt_draw_uniforms_f64(g, block.f64, n);
    box_muller_f64(block.f64, n, mean, std);
    pwt_copy_bytes(out, block.f64, 8 * n);
  } else {
    pwt_draw_uniforms_f32(g, block.f32, n);
    box_muller_f32(block.f32, n, (float)mean, (float)std);
    pwt_convert(out, dtype, block.f32, PWT_FLOAT32, n);
  }
}

static void normal_contiguous(PwtGenerator *g, DType dtype, void *out, int64_t n, double mean, double std) {
  int64_t rest = n % GROUP, whole = n - rest;
  for (int64_t done = 0; done < whole; done += DRAW_BLOCK)
    normal_groups(g, dtype, pwt_element(dtype, out, done), PWT_MIN(whole - done, DRAW_BLOCK), mean, std);
  if (!rest) return;
  /* The last sixteen are drawn anew. float32 and float64 had drawn uniforms for the rest before that. */
  uint32_t unused[2 * GROUP];
  if (dtype == PWT_FLOAT32) pwt_random_words(g, unused, rest);
  if (dtype == PWT_FLOAT64) pwt_random_words(g, unused, 2 * rest);
  normal_groups(g, dtype, pwt_element(dtype, out, n - GROUP), GROUP, mean, std);
}

/* ---- fewer, or strided: one after the other, in double ---- */
double pwt_random_normal(PwtGenerator *g) {
  if (g->has_normal) {
    g->has_normal = false;
    return g->normal;
  }
  double angle = TWO_PI * pwt_random_uniform(g);
  double radius = __builtin_sqrt(-2 * pwt_log1p_f64(-pwt_random_uniform(g)));
  g->normal = radius * pwt_sin_f64(angle);
  g->has_normal = true;
  return radius * pwt_cos_f64(angle);
}

static void normal_serial(PwtGenerator *g, double *block, int64_t n, double mean, double std) {
  for (int64_t i = 0; i < n; i++) block[i] = fused_f64(pwt_random_normal(g), std, mean);
}

bool pwt_fill_normal(PwtGenerator *g, DType dtype, void *out, int64_t n, double mean, double std, bool contiguous) {
  if (!(std >= 0)) return pwt_fail(PWT_RUNTIME_ERROR, "normal expects std >= 0.0, but found std %g", std);
  if (n == 0) return true;
  if (!pwt_is_floating(dtype)) return pwt_fail_dtype("normal_kernel_cpu", dtype);
  if (!contiguous || n < GROUP) return pwt_fill_doubles(g, dtype, out, n, normal_serial, mean, std);
  normal_contiguous(g, dtype, out, n, mean, std);
  return true;
}

static void log_normal_serial(PwtGenerator *g, double *block, int64_t n, double mean, double std) {
  normal_serial(g, block, n, mean, std);
  for (int64_t i = 0; i < n; i++) block[i] = pwt_exp_f64(block[i]);
}

bool pwt_fill_log_normal(PwtGenerator *g, DType dtype, void *out, int64_t n, double mean, double std) {
  if (!(std > 0)) return pwt_fail(PWT_RUNTIME_ERROR, "log_normal_ expects std > 0.0, but found std=%g", std);
  if (!pwt_is_floating(dtype)) return pwt_fail_dtype("log_normal_cpu", dtype);
  return pwt_fill_doubles(g, dtype, out, n, log_normal_serial, mean, std);
}
