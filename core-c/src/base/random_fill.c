/* Random fills with scalar parameters: uniform, bernoulli, exponential, geometric, cauchy. Draws follow PyTorch's CPU kernels. */
#include "random_draw.h"
#include "vmath.h"

void pwt_draw_uniforms_f32(PwtGenerator *g, float *restrict out, int64_t n) {
  uint32_t words[DRAW_BLOCK];
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    pwt_random_words(g, words, count);
    for (int64_t i = 0; i < count; i++) out[done + i] = (float)(int32_t)(words[i] & 0xffffff) * 0x1p-24f;
  }
}

void pwt_draw_uniforms_f64(PwtGenerator *g, double *restrict out, int64_t n) {
  uint32_t words[2 * DRAW_BLOCK];
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    pwt_random_words(g, words, 2 * count);
    for (int64_t i = 0; i < count; i++) /* exact, and needs no conversion from 64-bit integers */
      out[done + i] = (double)(words[2 * i] & 0x1fffff) * 0x1p-21 + (double)words[2 * i + 1] * 0x1p-53;
  }
}

const char *pwt_dtype_cpp_name(DType dtype) {
  static const char *const names[PWT_DTYPES] = {
      "bool",          "unsigned char", "signed char", "short int", "int",                 "long int",
      "c10::Half",     "c10::BFloat16", "float",       "double",    "c10::complex<float>", "c10::complex<double>",
  };
  return names[dtype];
}

void *pwt_fail_dtype(const char *kernel, DType dtype) {
  return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", kernel, dtype);
}

/* ---- uniform ---- */
static double largest(DType dtype) {
  switch (dtype) {
    case PWT_FLOAT16: return 65504;
    case PWT_BFLOAT16: return 0x1.fep127;
    case PWT_FLOAT32: return 0x1.fffffep127;
    default: return 0x1.fffffffffffffp1023;
  }
}

static bool check_uniform(DType dtype, double from, double to) {
  if (!pwt_is_floating(dtype)) return pwt_fail_dtype("check_uniform_bounds", dtype);
  double limit = largest(dtype);
  const char *name = pwt_dtype_cpp_name(dtype);
  if (!(from >= -limit && from <= limit)) return pwt_fail(PWT_RUNTIME_ERROR, "from is out of bounds for %s", name);
  if (!(to >= -limit && to <= limit)) return pwt_fail(PWT_RUNTIME_ERROR, "to is out of bounds for %s", name);
  if (from > to)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to);
  if (to - from > limit)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "uniform_ expects to-from <= std::numeric_limits<%t>::max(), but found to=%g and from=%g "
                    "which result in to-from to exceed the limit", dtype, to, from);
  return true;
}

/* A value that rounding carried to the open end becomes the closed end. */
static void uniform_f32(PwtGenerator *g, float *out, int64_t n, float from, float to) {
  pwt_draw_uniforms_f32(g, out, n);
  if (from == 0 && to == 1) return;
  float width = to - from;
  for (int64_t i = 0; i < n; i++) {
    float value = fused_f32(out[i], width, from);
    out[i] = value == to ? from : value;
  }
}

static void uniform_f64(PwtGenerator *g, double *out, int64_t n, double from, double to) {
  pwt_draw_uniforms_f64(g, out, n);
  if (from == 0 && to == 1) return;
  double width = to - from;
  for (int64_t i = 0; i < n; i++) {
    double value = fused_f64(out[i], width, from);
    out[i] = value == to ? from : value;
  }
}

static void uniform_half(PwtGenerator *g, DType dtype, uint16_t *out, int64_t n, double from, double to) {
  uint16_t closed, open;
  float drawn[DRAW_BLOCK];
  pwt_convert(&closed, dtype, &from, PWT_FLOAT64, 1);
  pwt_convert(&open, dtype, &to, PWT_FLOAT64, 1);
  float first = (float)from, width = (float)to - first;
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    pwt_draw_uniforms_f32(g, drawn, count);
    for (int64_t i = 0; i < count; i++) drawn[i] = fused_f32(drawn[i], width, first);
    uint16_t *part = out + done;
    pwt_convert(part, dtype, drawn, PWT_FLOAT32, count);
    for (int64_t i = 0; i < count; i++) part[i] = part[i] == open ? closed : part[i];
  }
}

bool pwt_fill_uniform(PwtGenerator *g, DType dtype, void *out, int64_t n, double from, double to) {
  if (!check_uniform(dtype, from, to)) return false;
  if (dtype == PWT_FLOAT32) uniform_f32(g, out, n, (float)from, (float)to);
  else if (dtype == PWT_FLOAT64) uniform_f64(g, out, n, from, to);
  else uniform_half(g, dtype, out, n, from, to);
  return true;
}

/* ---- distributions that torch draws as double, whatever the dtype ---- */
bool pwt_fill_doubles(PwtGenerator *g, DType dtype, void *out, int64_t n, DoubleFill *fill, double a, double b) {
  double block[DRAW_BLOCK];
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    fill(g, block, count, a, b);
    pwt_convert(pwt_element(dtype, out, done), dtype, block, PWT_FLOAT64, count);
  }
  return true;
}

static void bernoulli_block(PwtGenerator *g, double *block, int64_t n, double p, double unused) {
  (void)unused;
  pwt_draw_uniforms_f64(g, block, n);
  for (int64_t i = 0; i < n; i++) block[i] = block[i] < p ? 1 : 0;
}

bool pwt_fill_bernoulli(PwtGenerator *g, DType dtype, void *out, int64_t n, double p) {
  if (!(p >= 0 && p <= 1))
    return pwt_fail(PWT_RUNTIME_ERROR, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
  if (pwt_is_complex(dtype)) return pwt_fail_dtype("bernoulli_scalar_cpu_", dtype);
  return pwt_fill_doubles(g, dtype, out, n, bernoulli_block, p, 0);
}

static void exponential_block(PwtGenerator *g, double *block, int64_t n, double lambda, double unused) {
  (void)unused;
  double scale = -1.0 / lambda;
  pwt_draw_uniforms_f64(g, block, n);
  for (int64_t i = 0; i < n; i++) block[i] = scale * pwt_log1p_f64(-block[i]);
}

bool pwt_fill_exponential(PwtGenerator *g, DType dtype, void *out, int64_t n, double lambda) {
  if (!(lambda > 0))
    return pwt_fail(PWT_RUNTIME_ERROR, "exponential_ expects lambda > 0.0, but found lambda=%g", lambda);
  if (!pwt_is_floating(dtype))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Exponential distribution is a continuous probability distribution. "
                    "dtype must be a floating point but you specified %t", dtype);
  return pwt_fill_doubles(g, dtype, out, n, exponential_block, lambda, 0);
}

static void geometric_block(PwtGenerator *g, double *block, int64_t n, double p, double unused) {
  (void)unused;
  double log_failure = pwt_log1p_f64(-p);
  pwt_draw_uniforms_f64(g, block, n);
  for (int64_t i = 0; i < n; i++) block[i] = __builtin_ceil(pwt_log_f64(block[i]) / log_failure);
}

bool pwt_fill_geometric(PwtGenerator *g, DType dtype, void *out, int64_t n, double p) {
  if (!(p > 0 && p < 1))
    return pwt_fail(PWT_RUNTIME_ERROR, "geometric_ expects p to be in (0, 1), but got p=%g", p);
  if (dtype == PWT_BOOL || pwt_is_complex(dtype)) return pwt_fail_dtype("geometric_cpu", dtype);
  return pwt_fill_doubles(g, dtype, out, n, geometric_block, p, 0);
}

static void cauchy_block(PwtGenerator *g, double *block, int64_t n, double median, double sigma) {
  pwt_draw_uniforms_f64(g, block, n);
  for (int64_t i = 0; i < n; i++)
    block[i] = fused_f64(sigma, pwt_tan_f64(0x1.921fb54442d18p+1 * (block[i] - 0.5)), median);
}

bool pwt_fill_cauchy(PwtGenerator *g, DType dtype, void *out, int64_t n, double median, double sigma) {
  if (!(sigma > 0)) return pwt_fail(PWT_RUNTIME_ERROR, "cauchy_ expects sigma > 0.0, but found sigma=%g", sigma);
  if (!pwt_is_floating(dtype))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Cauchy distribution is a continuous probability distribution. "
                    "dtype must be a floating point but you specified %s", pwt_dtype_cpp_name(dtype));
  return pwt_fill_doubles(g, dtype, out, n, cauchy_block, median, sigma);
}
