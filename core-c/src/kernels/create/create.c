/* empty, full, arange, linspace, eye, zeros_like, ones_like. */
#include "ops.h"

static bool dims_fit(IntList size) {
  if (size.count <= PWT_MAX_DIMS) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %i", PWT_MAX_DIMS, size.count);
  return false;
}

Tensor *pwt_kernel__empty(IntList size, DType dtype) { return dims_fit(size) ? pwt_new((int)size.count, size.items, dtype) : NULL; }

Tensor *pwt_kernel__full(IntList size, Scalar value, DType dtype) {
  if (!dims_fit(size) || !pwt_check_fills(value, dtype)) return NULL;
  Tensor *t = pwt_new((int)size.count, size.items, dtype);
  pwt_raw_fill(t, value);
  return t;
}

Tensor *pwt_kernel__empty_strided(IntList size, IntList stride, DType dtype) {
  if (size.count != stride.count)
    return pwt_fail(PWT_RUNTIME_ERROR, "mismatch in length of strides and shape: %i sizes, %i strides", size.count, stride.count);
  return dims_fit(size) ? pwt_new_strided((int)size.count, size.items, stride.items, dtype) : NULL;
}

Tensor *pwt_kernel__like(Tensor *self, DType dtype, int64_t memory_format) {
  return pwt_new_in_format(self, dtype == PWT_NO_DTYPE ? (DType)self->dtype : dtype, memory_format);
}

bool pwt_kernel__make_meta(bool enabled) {
  bool before = pwt_makes_meta;
  pwt_makes_meta = enabled;
  return before;
}

Tensor *pwt_kernel__arange(Scalar start, Scalar end, Scalar step, DType dtype) {
  if (!(step.re < 0 || step.re > 0)) return pwt_fail(PWT_RUNTIME_ERROR, "step must be nonzero");
  double span = end.re - start.re;
  if (!(span - span == 0)) return pwt_fail(PWT_RUNTIME_ERROR, "unsupported range: %g -> %g", start.re, end.re);
  if ((step.re > 0 && span < 0) || (step.re < 0 && span > 0))
    return pwt_fail(PWT_RUNTIME_ERROR, "upper bound and lower bound inconsistent with step sign");
  bool whole = start.kind <= SCALAR_INT && end.kind <= SCALAR_INT && step.kind <= SCALAR_INT;
  int64_t n;
  if (whole) {
    int64_t sign = step.i > 0 ? 1 : -1;
    n = (end.i - start.i + step.i - sign) / step.i;
  } else {
    n = (int64_t)__builtin_ceil(span / step.re);
  }
  if (n > 0xffff0000ll && !pwt_on_meta) return pwt_fail(PWT_MEMORY_ERROR, "not enough memory: arange of %i elements", n);
  /* as in torch, the count follows the exact step and the values the step as the dtype holds it */
  bool integral = whole || dtype <= PWT_INT64;
  Tensor *t = pwt_new(1, &n, integral ? PWT_INT64 : PWT_FLOAT64);
  if (!t) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(t, dtype);
  if (integral) {
    int64_t *v = pwt_data(t), first = pwt_scalar_as_int(start), stride = pwt_scalar_as_int(step);
    for (int64_t i = 0; i < n; i++) v[i] = first + i * stride;
  } else {
    double *v = pwt_data(t);
    for (int64_t i = 0; i < n; i++) v[i] = start.re + (double)i * step.re;
  }
  return pwt_raw_cast(t, dtype);
}

/* From both ends towards the middle with a step of the dtype's own precision, rounded once, as torch's fused arithmetic. */
#define LINSPACE(TYPE)                                                         \
  {                                                                            \
    TYPE *v = pwt_data(t), first = (TYPE)start.re, last = (TYPE)end.re;        \
    TYPE step = steps > 1 ? (last - first) / (TYPE)(steps - 1) : 0;            \
    for (int64_t i = 0; i < steps; i++) {                                      \
      bool lower = i < steps / 2 || steps == 1;                                \
      double moved = (double)step * (double)(lower ? i : steps - 1 - i);       \
      v[i] = (TYPE)(lower ? (double)first + moved : (double)last - moved);     \
    }                                                                          \
  }

/* the number as the dtype holds it */
static double held(double value, DType dtype) {
  double cell[2];
  pwt_scalar_store(pwt_scalar_float(value), dtype, cell);
  return pwt_scalar_load(dtype, cell).re;
}

/* Sixteen bits round after each step, as torch's own arithmetic of them. */
static Tensor *short_linspace(double first, double last, int64_t steps, DType dtype) {
  Tensor *t = pwt_new(1, &steps, dtype);
  if (!t || pwt_on_meta) return t;
  uint16_t *v = pwt_data(t);
  double step = steps > 1 ? held(held(last - first, dtype) / (double)(steps - 1), dtype) : 0;
  for (int64_t i = 0; i < steps; i++) {
    bool lower = i < steps / 2 || steps == 1;
    double moved = held(step * (double)(lower ? i : steps - 1 - i), dtype);
    pwt_scalar_store(pwt_scalar_float(lower ? first + moved : last - moved), dtype, v + i);
  }
  return t;
}

Tensor *pwt_kernel__linspace(Scalar start, Scalar end, int64_t steps, DType dtype) {
  if (steps < 0) return pwt_fail(PWT_RUNTIME_ERROR, "number of steps must be non-negative");
  if (dtype == PWT_FLOAT16 || dtype == PWT_BFLOAT16) return short_linspace(start.re, end.re, steps, dtype);
  bool single = pwt_compute_type[dtype] == CT_F32;
  Tensor *t = pwt_new(1, &steps, single ? PWT_FLOAT32 : PWT_FLOAT64);
  if (!t) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(t, dtype);
  if (single) LINSPACE(float) else LINSPACE(double)
  return pwt_raw_cast(t, dtype);
}

Tensor *pwt_kernel__eye(int64_t n, int64_t m, DType dtype) {
  if (n < 0) return pwt_fail(PWT_RUNTIME_ERROR, "n must be greater or equal to 0, got %i", n);
  if (m < 0) return pwt_fail(PWT_RUNTIME_ERROR, "m must be greater or equal to 0, got %i", m);
  Tensor *t = pwt_new_zeros(2, (const int64_t[]){n, m}, dtype);
  if (!t || pwt_on_meta) return t;
  char *data = pwt_data(t);
  for (int64_t i = 0; i < PWT_MIN(n, m); i++) pwt_scalar_store(pwt_scalar_int(1), dtype, data + i * (m + 1) * pwt_itemsize[dtype]);
  return t;
}

Tensor *pwt_kernel_zeros_like(Tensor *self) {
  Tensor *result = pwt_new_like(self, self->dtype);
  if (result && !pwt_on_meta) pwt_fill_bytes(result->storage->data, 0, result->storage->bytes);
  return result;
}

Tensor *pwt_kernel_ones_like(Tensor *self) { return pwt_kernel_fill(self, pwt_scalar_int(1)); }
