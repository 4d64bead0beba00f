/* softmax and log_softmax over one dimension, and their gradients. */
#include "base/lane_sum.h"
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

#define LANES 8

typedef struct {
  const void *input, *other;
  void *output;
  int64_t length;
} Job;

#define ROWS(S, T)                                                                                  \
  static T largest_##S(const T *restrict x, int64_t n) {                                            \
    T lanes[LANES];                                                                                 \
    int64_t i = 0;                                                                                  \
    for (int k = 0; k < LANES; k++) lanes[k] = -(T)__builtin_inf();                                 \
    for (; i + LANES <= n; i += LANES)                                                              \
      for (int k = 0; k < LANES; k++) lanes[k] = pwt_maximum_##S(lanes[k], x[i + k]);               \
    for (int k = 0; i < n; i++, k++) lanes[k] = pwt_maximum_##S(lanes[k], x[i]);                    \
    for (int k = 1; k < LANES; k++) lanes[0] = pwt_maximum_##S(lanes[0], lanes[k]);                 \
    return lanes[0];                                                                                \
  }                                                                                                 \
  /* y = exp(x - top), and their sum */                                                             \
  static inline T exponentials_##S(const T *restrict x, T *restrict y, int64_t n, T top) {          \
    T total;                                                                                        \
    for (int64_t i = 0; i < n; i++) y[i] = pwt_exp_##S(x[i] - top);                                 \
    LANE_SUM(total, T, LANES, 0, n, y[i])                                                           \
    return total;                                                                                   \
  }                                                                                                 \
  static inline void softmax_row_##S(const T *restrict x, T *restrict y, int64_t n, T top) {        \
    T total = exponentials_##S(x, y, n, top);                                                       \
    for (int64_t i = 0; i < n; i++) y[i] /= total;                                                  \
  }                                                                                                 \
  static void softmax_##S(void *context, int64_t begin, int64_t end) {                              \
    const Job *job = context;                                                                       \
    int64_t n = job->length;                                                                        \
    for (int64_t row = begin; row < end; row++) {                                                   \
      const T *x = (const T *)job->input + row * n;                                                 \
      softmax_row_##S(x, (T *)job->output + row * n, n, largest_##S(x, n));                         \
    }                                                                                               \
  }                                                                                                 \
  static void safe_softmax_##S(void *context, int64_t begin, int64_t end) {                         \
    const Job *job = context;                                                                       \
    int64_t n = job->length;                                                                        \
    for (int64_t row = begin; row < end; row++) {                                                   \
      const T *x = (const T *)job->input + row * n;                                                 \
      T *y = (T *)job->output + row * n, top = largest_##S(x, n);                                   \
      if (top == -(T)__builtin_inf()) pwt_fill_bytes(y, 0, n * (int64_t)sizeof *y);                 \
      else softmax_row_##S(x, y, n, top);                                                           \
    }                                                                                               \
  }                                                                                                 \
  static void log_softmax_##S(void *context, int64_t begin, int64_t end) {                          \
    const Job *job = context;                                                                       \
    int64_t n = job->length;                                                                        \
    for (int64_t row = begin; row < end; row++) {                                                   \
      const T *restrict x = (const T *)job->input + row * n;                                        \
      T *restrict y = (T *)job->output + row * n, top = largest_##S(x, n), total = exponentials_##S(x, y, n, top); \
      total = pwt_log_##S(total);                                                                   \
      for (int64_t i = 0; i < n; i++) y[i] = x[i] - top - total;                                    \
    }                                                                                               \
  }                                                                                                 \
  static void softmax_backward_##S(void *context, int64_t begin, int64_t end) {                     \
    const Job *job = context;                                                                       \
    int64_t n = job->length;                                                                        \
    for (int64_t row = begin; row < end; row++) {                                                   \
      const T *restrict g = (const T *)job->input + row * n, *restrict y = (const T *)job->other + row * n; \
      T *restrict out = (T *)job->output + row * n, total;                                          \
      LANE_SUM(total, T, LANES, 0, n, g[i] * y[i])                                                  \
      for (int64_t i = 0; i < n; i++) out[i] = y[i] * (g[i] - total);                               \
    }                                                                                               \
  }                                                                                                 \
  static void log_softmax_backward_##S(void *context, int64_t begin, int64_t end) {                 \
    const Job *job = context;                                                                       \
    int64_t n = job->length;                                                                        \
    for (int64_t row = begin; row < end; row++) {                                                   \
      const T *restrict g = (const T *)job->input + row * n, *restrict y = (const T *)job->other + row * n; \
      T *restrict out = (T *)job->output + row * n, total;                                          \
      LANE_SUM(total, T, LANES, 0, n, g[i])                                                         \
      for (int64_t i = 0; i < n; i++) out[i] = g[i] - pwt_exp_##S(y[i]) * total;                    \
    }                                                                                               \
  }
ROWS(f32, float)
ROWS(f64, double)

typedef void (*Body)(void *, int64_t, int64_t);

/* Runs a row function over dimension `dim` of one or two tensors of one size. */
static Tensor *run(Tensor *self, Tensor *other, int64_t dim, Body single, Body wide, const char *name) {
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", name, self->dtype);
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  int last = PWT_MAX(self->ndim - 1, 0);
  DType dtype = self->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Tensor *in = pwt_raw_contiguous_as(pwt_raw_movedim(self, d, last), dtype);
  Tensor *second = other ? pwt_raw_contiguous_as(pwt_raw_movedim(other, d, last), dtype) : in;
  Tensor *out = in ? pwt_new(in->ndim, in->sizes, dtype) : NULL;
  if (!out || !second) return NULL;
  if (out->numel) {
    Job job = {pwt_data(in), pwt_data(second), pwt_data(out), in->ndim ? in->sizes[last] : 1};
    pwt_parallel_for(out->numel / job.length, pwt_grain(16384, job.length), dtype == PWT_FLOAT32 ? single : wide, &job);
  }
  return pwt_raw_cast(pwt_raw_contiguous(pwt_raw_movedim(out, last, d)), (DType)self->dtype);
}

Tensor *pwt_kernel__softmax(Tensor *self, int64_t dim) { return run(self, NULL, dim, softmax_f32, softmax_f64, "softmax_lastdim_kernel_impl"); }
/* a row of -inf alone, which looks nowhere, becomes zeros */
Tensor *pwt_kernel__safe_softmax(Tensor *self, int64_t dim) { return run(self, NULL, dim, safe_softmax_f32, safe_softmax_f64, "softmax_lastdim_kernel_impl"); }
Tensor *pwt_kernel__log_softmax(Tensor *self, int64_t dim) { return run(self, NULL, dim, log_softmax_f32, log_softmax_f64, "log_softmax_lastdim_kernel_impl"); }

Tensor *pwt_kernel__softmax_backward(Tensor *grad, Tensor *output, int64_t dim) {
  return run(grad, output, dim, softmax_backward_f32, softmax_backward_f64, "softmax_backward");
}

Tensor *pwt_kernel__log_softmax_backward(Tensor *grad, Tensor *output, int64_t dim) {
  return run(grad, output, dim, log_softmax_backward_f32, log_softmax_backward_f64, "log_softmax_backward");
}

static Tensor *cast(Tensor *self, DType dtype) { return dtype == PWT_NO_DTYPE || dtype == (DType)self->dtype ? self : pwt__to_dtype(self, dtype); }
Tensor *pwt_kernel_softmax(Tensor *self, int64_t dim, DType dtype) { return pwt__softmax(cast(self, dtype), dim); }
Tensor *pwt_kernel_log_softmax(Tensor *self, int64_t dim, DType dtype) { return pwt__log_softmax(cast(self, dtype), dim); }
