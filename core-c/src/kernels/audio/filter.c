/* A recursive filter: each sample less a weighted sum of the results before it. */
#include "base/parallel.h"
#include "ops.h"

typedef struct {
  const void *x, *coefficients;
  void *y;
  int64_t channels, samples, order;
} Job;

#define FILTER(S, T)                                                                                                  \
  static void filter_##S(void *context, int64_t begin, int64_t end) {                                                 \
    const Job *j = context;                                                                                           \
    for (int64_t row = begin; row < end; row++) {                                                                     \
      const T *x = (const T *)j->x + row * j->samples, *a = (const T *)j->coefficients + row % j->channels * j->order; \
      T *y = (T *)j->y + row * (j->samples + j->order - 1);                                                           \
      for (int64_t i = 0; i < j->samples; i++) {                                                                      \
        T value = x[i];                                                                                               \
        for (int64_t k = 0; k < j->order - 1; k++) value -= a[k] * y[i + k];                                          \
        y[i + j->order - 1] = value;                                                                                  \
      }                                                                                                               \
    }                                                                                                                 \
  }
FILTER(f32, float)
FILTER(f64, double)

Tensor *pwt_kernel__recursive_filter(Tensor *self, Tensor *coefficients, Tensor *padded) {
  if (self->ndim != 3 || coefficients->ndim != 2 || padded->ndim != 3)
    return pwt_fail(PWT_RUNTIME_ERROR, "expected signals of 3, coefficients of 2 and padded results of 3 dimensions, got %d, %d and %d", (int)self->ndim, (int)coefficients->ndim, (int)padded->ndim);
  if (self->dtype != coefficients->dtype || self->dtype != padded->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "signals, coefficients and padded results should have the same dtype");
  DType dtype = (DType)self->dtype;
  if (dtype != PWT_FLOAT32 && dtype != PWT_FLOAT64) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"lfilter\" not implemented for '%t'", dtype);
  Job j = {.channels = self->sizes[1], .samples = self->sizes[2], .order = coefficients->sizes[1]};
  int64_t expected[] = {self->sizes[0], j.channels, j.samples + j.order - 1};
  if (j.order < 1 || coefficients->sizes[0] != j.channels || !pwt_same_sizes(padded, &(Tensor){.ndim = 3, .sizes = {expected[0], expected[1], expected[2]}}))
    return pwt_fail(PWT_RUNTIME_ERROR, "signals %z, coefficients %z and padded results %z do not fit together", self->sizes, 3, coefficients->sizes, 2, padded->sizes, 3);
  Tensor *x = pwt_raw_contiguous(self), *a = pwt_raw_contiguous(coefficients), *y = pwt_new(3, expected, dtype);
  if (!x || !a || !y) return NULL;
  pwt_raw_copy(y, padded);
  j.x = pwt_data(x), j.coefficients = pwt_data(a), j.y = pwt_data(y);
  if (x->numel) pwt_parallel_for(expected[0] * j.channels, pwt_grain(16384, j.samples * j.order), dtype == PWT_FLOAT32 ? filter_f32 : filter_f64, &j);
  return y;
}
