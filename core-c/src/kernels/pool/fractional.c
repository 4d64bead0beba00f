/* fractional_max_pool (Graham, "Fractional max-pooling", 2014). */
#include "base/parallel.h"
#include "ops.h"

typedef struct {
  const void *x, *samples;
  void *y;
  int64_t *indices, in[3], out[3], kernel[3]; /* depth, height, width; depth 1 for images */
  int dims;
} Job;

/* Where window i begins: steps of about (size - kernel) / (out - 1), the last one at the end. In the samples' precision. */
#define FRACTIONAL(S, T)                                                                                            \
  static int64_t start_##S(const Job *j, T sample, int d, int64_t i) {                                              \
    if (i == j->out[d] - 1) return j->in[d] - j->kernel[d];                                                         \
    T alpha = (T)(j->in[d] - j->kernel[d]) / (T)(j->out[d] - 1);                                                    \
    return (int64_t)(((T)i + sample) * alpha) - (int64_t)(sample * alpha);                                          \
  }                                                                                                                 \
  static void pool_##S(void *context, int64_t begin, int64_t end) {                                                 \
    const Job *j = context;                                                                                         \
    int64_t plane = pwt_product(j->in, 3), outputs = pwt_product(j->out, 3);                                        \
    for (int64_t p = begin; p < end; p++) {                                                                         \
      const T *x = (const T *)j->x + p * plane, *s = (const T *)j->samples + p * j->dims;                           \
      T sample[3] = {j->dims == 3 ? s[0] : 0, s[1], j->dims == 3 ? s[2] : s[0]};                                    \
      for (int64_t o = 0; o < outputs; o++) {                                                                       \
        int64_t at = o, start[3], best = -1;                                                                        \
        for (int d = 2; d >= 0; d--) start[d] = start_##S(j, sample[d], d, at % j->out[d]), at /= j->out[d];        \
        for (int64_t d = start[0]; d < start[0] + j->kernel[0]; d++)                                                \
          for (int64_t h = start[1]; h < start[1] + j->kernel[1]; h++)                                              \
            for (int64_t w = start[2]; w < start[2] + j->kernel[2]; w++) {                                          \
              int64_t i = (d * j->in[1] + h) * j->in[2] + w;                                                        \
              if (i >= 0 && i < plane && (best < 0 || x[i] > x[best] || x[i] != x[i])) best = i;                    \
            }                                                                                                       \
        best = PWT_MAX(best, 0);                                                                                    \
        ((T *)j->y)[p * outputs + o] = x[best];                                                                     \
        j->indices[p * outputs + o] = best;                                                                         \
      }                                                                                                             \
    }                                                                                                               \
  }
FRACTIONAL(f32, float)
FRACTIONAL(f64, double)

Tensors2 pwt_kernel__fractional_max_pool(Tensor *self, Tensor *samples, IntList kernel_size, IntList output_size, int64_t dims) {
  Tensors2 none = {{NULL, NULL}};
  DType dtype = self->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"fractional_max_pool%dd\" not implemented for '%t'", (int)dims, self->dtype), none;
  int lead = self->ndim - (int)dims;
  int64_t sizes[PWT_MAX_DIMS];
  Job j = {.in = {1, 1, 1}, .out = {1, 1, 1}, .kernel = {1, 1, 1}, .dims = (int)dims};
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  for (int d = 0; d < dims; d++) {
    int axis = d + 3 - (int)dims;
    j.in[axis] = self->sizes[lead + d], j.kernel[axis] = kernel_size.items[d];
    sizes[lead + d] = j.out[axis] = output_size.items[d];
  }
  Tensor *x = pwt_raw_contiguous_as(self, dtype), *s = pwt_raw_contiguous_as(samples, dtype);
  Tensor *y = pwt_new(self->ndim, sizes, dtype), *indices = pwt_new(self->ndim, sizes, PWT_INT64);
  if (!x || !s || !y || !indices) return none;
  j.x = pwt_data(x), j.samples = pwt_data(s), j.y = pwt_data(y), j.indices = pwt_data(indices);
  int64_t planes = pwt_product(self->sizes, lead), work = pwt_product(j.out, 3) * pwt_product(j.kernel, 3);
  if (y->numel) pwt_parallel_for(planes, pwt_grain(16384, work), dtype == PWT_FLOAT32 ? pool_f32 : pool_f64, &j);
  return (Tensors2){{pwt_raw_cast(y, (DType)self->dtype), indices}};
}
