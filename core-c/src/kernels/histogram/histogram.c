/* histc, histogram, bincount. */
#include "ops.h"

static bool is_finite(double value) { return value - value == 0; }

/* The least and the greatest element, NaN where one is; 0 and 0 of none. */
static void extent(const double *values, int64_t n, double *least, double *greatest) {
  *least = *greatest = n ? values[0] : 0;
  for (int64_t i = 1; i < n; i++) {
    if (values[i] < *least || values[i] != values[i]) *least = values[i];
    if (values[i] > *greatest || values[i] != values[i]) *greatest = values[i];
    if (*least != *least) return;
  }
}

/* sixteen bits round after each step */
static float held(float value, DType dtype) {
  if (dtype == PWT_FLOAT16) return pwt_half_to_float(pwt_float_to_half(value));
  return dtype == PWT_BFLOAT16 ? pwt_bfloat16_to_float(pwt_float_to_bfloat16(value)) : value;
}

Tensor *pwt_kernel_histc(Tensor *self, int64_t bins, Scalar min, Scalar max) {
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"histogram_cpu\" not implemented for '%t'", (DType)self->dtype);
  if (bins <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "torch.histogram(): bins must be > 0, but got %i for dimension 0", bins);
  DType dtype = (DType)self->dtype;
  bool wide = dtype == PWT_FLOAT64;
  Tensor *input = pwt_raw_contiguous_as(self, PWT_FLOAT64), *counts = pwt_new_zeros(1, &bins, PWT_FLOAT64);
  if (!input || !counts) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(counts, dtype);
  const double *values = pwt_data(input);
  double left = min.re, right = max.re, *count = pwt_data(counts);
  if (left == right) extent(values, input->numel, &left, &right);
  if (!is_finite(left) || !is_finite(right)) return pwt_fail(PWT_RUNTIME_ERROR, "torch.histc: range of [%g, %g] is not finite", left, right);
  if (left > right) return pwt_fail(PWT_RUNTIME_ERROR, "torch.histc: max must be larger than min");
  if (left == right) {
    left -= 1;
    right += 1;
  }
  for (int64_t i = 0; i < input->numel; i++) {
    double x = values[i];
    if (!(x >= left && x <= right)) continue;
    /* in the precision of the elements, which decides what falls on an edge */
    int64_t bin = wide ? (int64_t)((x - left) * (double)bins / (right - left))
                       : (int64_t)held(held(held((float)x - (float)left, dtype) * (float)bins, dtype) / held((float)right - (float)left, dtype), dtype);
    count[PWT_MIN(bin, bins - 1)] += 1;
  }
  return pwt_raw_cast(counts, (DType)self->dtype);
}

/* ---- histogram: edges in ascending order, n + 1 of them for n bins ---- */
#define LAST_NOT_ABOVE(T)                                                             \
  static int64_t last_not_above_##T(const T *edges, int64_t start, int64_t end, T x) { \
    while (start < end) {                                                             \
      int64_t middle = start + (end - start) / 2;                                     \
      if (x < edges[middle]) end = middle;                                            \
      else start = middle + 1;                                                        \
    }                                                                                 \
    return start - 1;                                                                 \
  }

/* Of even edges the division tells the bin to within one; the edges themselves decide. */
#define HISTOGRAM(T)                                                                                        \
  LAST_NOT_ABOVE(T)                                                                                         \
  static void histogram_##T(const T *values, int64_t n, const T *edges, int64_t bins, const T *weights, bool even, double *sums) { \
    T left = edges[0], right = edges[bins];                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                       \
      T x = values[i];                                                                                      \
      if (!(x >= left && x <= right)) continue;                                                             \
      int64_t start = 0, end = bins + 1;                                                                    \
      if (even) {                                                                                           \
        int64_t guess = (int64_t)((x - left) * (T)bins / (right - left));                                   \
        start = PWT_MAX(guess - 1, 0);                                                                      \
        end = PWT_MIN(guess + 2, bins + 1);                                                                 \
      }                                                                                                     \
      int64_t bin = last_not_above_##T(edges, start, end, x);                                               \
      sums[PWT_MIN(bin, bins - 1)] += weights ? weights[i] : 1;                                             \
    }                                                                                                       \
  }
HISTOGRAM(float)
HISTOGRAM(double)

Tensor *pwt_kernel__histogram(Tensor *self, Tensor *edges, Tensor *weight, bool even) {
  DType dtype = self->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  int64_t bins = edges->numel - 1;
  if (bins < 1) return pwt_fail(PWT_RUNTIME_ERROR, "torch.histogram(): bins must be > 0, but got %i for dimension 0", bins);
  Tensor *values = pwt_raw_contiguous_as(self, dtype), *bounds = pwt_raw_contiguous_as(edges, dtype);
  Tensor *weights = weight ? pwt_raw_contiguous_as(weight, dtype) : NULL, *sums = pwt_new_zeros(1, &bins, PWT_FLOAT64);
  if (!values || !bounds || (weight && !weights) || !sums) return NULL;
  if (weights && weights->numel != self->numel)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.histogramdd: %i elements and %i weights", self->numel, weights->numel);
  if (pwt_on_meta) return pwt_raw_cast(sums, dtype);
  const void *w = weights ? pwt_data(weights) : NULL;
  if (dtype == PWT_FLOAT64) histogram_double(pwt_data(values), self->numel, pwt_data(bounds), bins, w, even, pwt_data(sums));
  else histogram_float(pwt_data(values), self->numel, pwt_data(bounds), bins, w, even, pwt_data(sums));
  return pwt_raw_cast(sums, dtype);
}

/* ---- bincount ---- */
static Tensor *counted(const int64_t *values, int64_t n, int64_t bins) {
  Tensor *counts = pwt_new_zeros(1, &bins, PWT_INT64);
  int64_t *count = counts ? pwt_data(counts) : NULL;
  for (int64_t i = 0; counts && i < n; i++) count[values[i]]++;
  return counts;
}

#define ADD_WEIGHTS(T)                                                                                \
  for (int64_t i = 0; i < n; i++) ((T *)pwt_data(sums))[values[i]] += ((const T *)pwt_data(weights))[i];

static Tensor *weighed(const int64_t *values, int64_t n, int64_t bins, Tensor *given) {
  DType dtype = given->dtype == PWT_FLOAT32 ? PWT_FLOAT32 : PWT_FLOAT64;
  Tensor *weights = pwt_raw_contiguous_as(given, dtype), *sums = pwt_new_zeros(1, &bins, dtype);
  if (!weights || !sums) return NULL;
  if (dtype == PWT_FLOAT32) ADD_WEIGHTS(float)
  else ADD_WEIGHTS(double)
  return sums;
}

Tensor *pwt_kernel_bincount(Tensor *self, Tensor *weights, int64_t minlength) {
  if (!pwt_is_integral((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"bincount_cpu\" not implemented for '%t'", (DType)self->dtype);
  if (minlength < 0) return pwt_fail(PWT_RUNTIME_ERROR, "minlength should be >= 0");
  Tensor *input = pwt_raw_contiguous_as(self, PWT_INT64);
  if (!input) return NULL;
  const int64_t *values = pwt_data(input);
  int64_t bins = minlength, n = input->numel;
  bool counts = self->ndim == 1;
  for (int64_t i = 0; i < n && counts; i++) {
    counts = values[i] >= 0 && values[i] < INT64_MAX;
    bins = PWT_MAX(bins, values[i] + 1);
  }
  if (!counts) return pwt_fail(PWT_RUNTIME_ERROR, "bincount only supports 1-d non-negative integral inputs.");
  if (weights && n && (weights->ndim != 1 || weights->numel != n))
    return pwt_fail(PWT_RUNTIME_ERROR, "weights should be 1-d and have the same length as input");
  return weights && n ? weighed(values, n, bins, weights) : counted(values, n, bins);
}
