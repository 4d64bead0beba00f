/* Random samples with tensor parameters: bernoulli, poisson, gamma, dirichlet, binomial; one draw per element, in order. */
#include "random_draw.h"
#include "vmath.h"

/* The value as the dtype computes it: torch keeps a float32 parameter's arithmetic in float32. */
static inline double rounded(bool single, double value) { return single ? (double)(float)value : value; }

/* What the conversion gives on torch's x86. */
static int64_t truncated(double value) { return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN; }

/* ---- Bernoulli ---- */
bool pwt_sample_bernoulli(PwtGenerator *g, DType dtype, void *out, DType p_dtype, const void *p, int64_t n) {
  if (pwt_is_complex(dtype)) return pwt_fail_dtype("bernoulli_tensor_cpu_self_", dtype);
  if (!pwt_is_floating(p_dtype)) return pwt_fail_dtype("bernoulli_tensor_cpu_p_", p_dtype);
  double block[DRAW_BLOCK], limits[DRAW_BLOCK];
  float narrow[DRAW_BLOCK];
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    pwt_convert(limits, PWT_FLOAT64, (const char *)p + done * pwt_itemsize[p_dtype], p_dtype, count);
    for (int64_t i = 0; i < count; i++)
      if (!(limits[i] >= 0 && limits[i] <= 1))
        return pwt_fail(PWT_RUNTIME_ERROR, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
    if (p_dtype == PWT_FLOAT64) {
      pwt_draw_uniforms_f64(g, block, count);
    } else {
      pwt_draw_uniforms_f32(g, narrow, count);
      for (int64_t i = 0; i < count; i++) block[i] = narrow[i];
    }
    for (int64_t i = 0; i < count; i++) block[i] = block[i] < limits[i] ? 1 : 0;
    pwt_convert((char *)out + done * pwt_itemsize[dtype], dtype, block, PWT_FLOAT64, count);
  }
  return true;
}

/* ---- factorials ---- */
/* log k! minus Stirling's approximation without its series. */
static double stirling_tail(double k) {
  static const double exact[] = {0.0810614667953272,  0.0413406959554092,  0.0276779256849983,  0.02079067210376509,
                                 0.0166446911898211,  0.0138761288230707,  0.0118967099458917,  0.0104112652619720,
                                 0.00925546218271273, 0.00833056343336287};
  if (k >= 0 && k < 10) return exact[(int)k];
  double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

static double log_factorial(double k) {
  const double half_log_two_pi = 0x1.d67f1c864beb5p-1;
  return (k + 0.5) * pwt_log_f64(k + 1) - (k + 1) + half_log_two_pi + stirling_tail(k);
}

/* ---- Poisson ---- */
static int64_t poisson_by_products(PwtGenerator *g, double rate) {
  double limit = pwt_exp_f64(-rate), product = 1;
  for (int64_t events = 0;; events++) {
    product *= pwt_random_uniform(g);
    if (!(product > limit)) return events;
  }
}

/* Hoermann, "The transformed rejection method for generating Poisson random variables", 1993: PTRS. */
static int64_t poisson_by_rejection(PwtGenerator *g, double rate) {
  double log_rate = pwt_log_f64(rate);
  double b = 0.931 + 2.53 * __builtin_sqrt(rate);
  double a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  double v_accept = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = pwt_random_uniform(g) - 0.5, v = pwt_random_uniform(g);
    double edge = 0.5 - __builtin_fabs(u);
    int64_t k = truncated(__builtin_floor((2 * a / edge + b) * u + rate + 0.43));
    if (edge >= 0.07 && v <= v_accept) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    double hat = pwt_log_f64(v) + pwt_log_f64(inverse_alpha) - pwt_log_f64(a / (edge * edge) + b);
    if (hat <= -rate + (double)k * log_rate - log_factorial((double)k)) return k;
  }
}

static double sample_poisson(PwtGenerator *g, double rate) {
  if (rate == 0) return 0;
  return (double)(rate >= 10 ? poisson_by_rejection(g, rate) : poisson_by_products(g, rate));
}

bool pwt_sample_poisson(PwtGenerator *g, DType dtype, void *out, const void *rate, int64_t n) {
  if (!pwt_is_floating(dtype)) return pwt_fail_dtype("poisson_cpu", dtype);
  int size = pwt_itemsize[dtype];
  for (int64_t i = 0; i < n; i++) {
    double value;
    pwt_convert(&value, PWT_FLOAT64, (const char *)rate + i * size, dtype, 1);
    if (!(value >= 0))
      return pwt_fail(PWT_RUNTIME_ERROR, "invalid Poisson rate, expected rate to be non-negative");
    value = sample_poisson(g, value);
    pwt_convert((char *)out + i * size, dtype, &value, PWT_FLOAT64, 1);
  }
  return true;
}

static inline double load(const void *values, bool single, int64_t i) {
  return single ? ((const float *)values)[i] : ((const double *)values)[i];
}

static inline void store(void *values, bool single, int64_t i, double value) {
  if (single) ((float *)values)[i] = (float)value;
  else ((double *)values)[i] = value;
}

static bool is_single_or_double(DType dtype) { return dtype == PWT_FLOAT32 || dtype == PWT_FLOAT64; }

/* ---- gamma and Dirichlet ---- */

/* Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. Below one, the sample of alpha + 1
   times u^(1/alpha). Outside the domain torch does not return; NaN here. */
static double sample_gamma(PwtGenerator *g, double alpha, bool single) {
  double scale = 1;
  if (alpha == 0) return 0;
  if (alpha < 1) {
    scale = pwt_pow_f64(1 - pwt_random_uniform(g), rounded(single, 1 / alpha));
    alpha = rounded(single, alpha + 1);
  }
  double d = rounded(single, alpha - 1.0f / 3.0f);
  if (!(d > 0)) return __builtin_nan("");
  double c = 1 / __builtin_sqrt(9 * d);
  for (;;) {
    double x, root;
    do {
      x = pwt_random_normal(g);
      root = 1 + c * x;
    } while (root <= 0);
    double v = root * root * root, u = 1 - pwt_random_uniform(g), square = x * x;
    if (u < 1 - 0.0331f * square * square) return scale * d * v;
    if (pwt_log_f64(u) < 0.5 * square + d * (1 - v + pwt_log_f64(v))) return scale * d * v;
  }
}

static double smallest_normal(bool single) { return single ? 0x1p-126 : 0x1p-1022; }

static double at_least(double least, double value) { return value < least ? least : value; }

bool pwt_sample_gamma(PwtGenerator *g, DType dtype, void *out, const void *alpha, int64_t n) {
  if (!is_single_or_double(dtype)) return pwt_fail_dtype("gamma_cpu", dtype);
  bool single = dtype == PWT_FLOAT32;
  for (int64_t i = 0; i < n; i++) {
    double sample = rounded(single, sample_gamma(g, load(alpha, single, i), single));
    store(out, single, i, at_least(smallest_normal(single), sample));
  }
  return true;
}

bool pwt_sample_dirichlet(PwtGenerator *g, DType dtype, void *out, const void *alpha, int64_t rows, int64_t classes) {
  if (!is_single_or_double(dtype)) return pwt_fail_dtype("dirichlet", dtype);
  bool single = dtype == PWT_FLOAT32;
  double below_one = single ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1;
  double *gammas = pwt_alloc(classes * (int64_t)sizeof(double));
  if (!gammas) return false;
  for (int64_t first = 0; first < rows * classes; first += classes) {
    double sum = 0;
    for (int64_t i = 0; i < classes; i++) {
      gammas[i] = at_least(smallest_normal(false), sample_gamma(g, load(alpha, single, first + i), false));
      sum += gammas[i];
    }
    for (int64_t i = 0; i < classes; i++) {
      double share = at_least(smallest_normal(single), gammas[i] / sum);
      store(out, single, first + i, share > below_one ? below_one : share);
    }
  }
  pwt_free(gammas);
  return true;
}

/* ---- binomial ---- */
static double binomial_by_gaps(PwtGenerator *g, double count, double p, bool single) {
  double log_failure = rounded(single, pwt_log1p_f64(-p)), trials = 0;
  for (double successes = 0;; successes++) {
    trials += __builtin_ceil(pwt_log_f64(pwt_random_uniform(g)) / log_failure);
    if (trials > count) return successes;
  }
}

/* Hoermann, "The generation of binomial random variates", 1993: BTRS. */
static double binomial_by_rejection(PwtGenerator *g, double count, double p, bool single) {
  double mean = rounded(single, count * p), failure = rounded(single, 1 - p);
  double deviation = rounded(single, __builtin_sqrt(rounded(single, mean * failure)));
  double b = 1.15 + 2.53 * deviation;
  double a = -0.0873 + 0.0248 * b + 0.01 * p;
  double c = mean + 0.5;
  double v_accept = 0.92 - 4.2 / b;
  double odds = rounded(single, p / failure);
  double alpha = (2.83 + 5.1 / b) * deviation;
  double next = rounded(single, count + 1);
  double mode = __builtin_floor(rounded(single, next * p));
  for (;;) {
    double u = pwt_random_uniform(g) - 0.5, v = pwt_random_uniform(g);
    double edge = 0.5 - __builtin_fabs(u);
    double k = rounded(single, __builtin_floor((2 * a / edge + b) * u + c));
    if (k < 0 || k > count) continue;
    if (edge >= 0.07 && v <= v_accept) return k;
    double rest = rounded(single, rounded(single, count - k) + 1);
    double hat = pwt_log_f64(v * alpha / (a / (edge * edge) + b));
    double bound = (mode + 0.5) * pwt_log_f64((mode + 1) / (odds * (count - mode + 1))) +
                   next * pwt_log_f64((count - mode + 1) / rest) +
                   (k + 0.5) * pwt_log_f64(odds * rest / rounded(single, k + 1)) +
                   stirling_tail(mode) + stirling_tail(count - mode) - stirling_tail(k) -
                   stirling_tail(rounded(single, count - k));
    if (hat <= bound) return k;
  }
}

static double binomial_below_half(PwtGenerator *g, double count, double p, bool single) {
  if (rounded(single, count * p) >= 10) return binomial_by_rejection(g, count, p, single);
  return binomial_by_gaps(g, count, p, single);
}

static double sample_binomial(PwtGenerator *g, double count, double p, bool single) {
  if (count <= 0 || p <= 0) return 0;
  if (count != count || p != p) return __builtin_nan(""); /* torch does not return for a NaN count */
  if (p >= 1) return count;
  if (p <= 0.5) return binomial_below_half(g, count, p, single);
  return count - binomial_below_half(g, count, rounded(single, 1 - p), single);
}

bool pwt_sample_binomial(PwtGenerator *g, DType dtype, void *out, const void *count, const void *p, int64_t n) {
  if (!is_single_or_double(dtype)) return pwt_fail_dtype("binomial_cpu", dtype);
  bool single = dtype == PWT_FLOAT32;
  for (int64_t i = 0; i < n; i++)
    store(out, single, i, sample_binomial(g, load(count, single, i), load(p, single, i), single));
  return true;
}
