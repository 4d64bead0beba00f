/* cumsum, cumprod, cummax, cummin, logcumsumexp. */
#include "base/parallel.h"
#include "ops.h"
#include "loops.h"
#include "rows.h"

typedef void (*ScanRow)(ComputeType type, const void *from, void *to, int64_t n, bool narrow);

typedef struct {
  const Rows *plan;
  ScanRow scan;
  void *to;
  bool narrow, reversed;
} Scan;

static void reverse_row(void *row, int64_t n, int itemsize) {
  char *left = row, *right = left + (n - 1) * itemsize, item[sizeof(complex128)];
  for (; left < right; left += itemsize, right -= itemsize) {
    __builtin_memcpy(item, left, (size_t)itemsize);
    __builtin_memcpy(left, right, (size_t)itemsize);
    __builtin_memcpy(right, item, (size_t)itemsize);
  }
}

static void scan_rows(void *context, int64_t begin, int64_t end) {
  const Scan *s = context;
  const Rows *plan = s->plan;
  int itemsize = pwt_compute_size[plan->type];
  int64_t bytes = plan->length * itemsize;
  for (int64_t row = begin; row < end; row++) {
    const char *from = (const char *)pwt_data(plan->input) + row * bytes;
    char *to = (char *)s->to + row * bytes;
    if (s->reversed) {
      pwt_copy_bytes(to, from, bytes);
      reverse_row(to, plan->length, itemsize);
      s->scan(plan->type, to, to, plan->length, s->narrow);
      reverse_row(to, plan->length, itemsize);
    } else {
      s->scan(plan->type, from, to, plan->length, s->narrow);
    }
  }
}

static Tensor *scan(Tensor *self, int64_t dim, ScanRow row, bool reversed) {
  Rows plan;
  if (!self || !pwt_rows_along(&plan, self, dim)) return NULL;
  Tensor *result = pwt_rows_like(&plan, plan.length, (DType)plan.input->dtype);
  if (!result) return NULL;
  Scan job = {&plan, row, pwt_data(result), self->dtype == PWT_FLOAT16 || self->dtype == PWT_BFLOAT16, reversed};
  if (result->numel) pwt_parallel_for(plan.rows, pwt_grain(ROW_WORK, plan.length), scan_rows, &job);
  return pwt_rows_restored(&plan, result, self->dtype);
}

/* The dtype that sums and products of `self` have, and self in it. */
static Tensor *as_accumulated(Tensor *self, DType dtype, const char *name) {
  if (dtype == PWT_NO_DTYPE) dtype = self->dtype <= PWT_INT64 || pwt_is_wide_unsigned((DType)self->dtype) ? PWT_INT64 : (DType)self->dtype;
  if (dtype == PWT_BOOL && self->ndim && self->numel)
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s_out_cpu\" not implemented for 'Bool'", name);
  if (pwt_is_wide_unsigned(dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s_out_cpu\" not implemented for '%t'", name, dtype);
  return pwt_raw_cast(self, dtype);
}

bool pwt_check_own_dtype(Tensor *self, DType dtype, bool inplace) {
  if (!pwt_check_differentiable_as(self, dtype)) return false;
  if (!inplace || dtype == PWT_NO_DTYPE || dtype == self->dtype) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "Bad in-place call: input tensor dtype %t and output tensor dtype %t should match", self->dtype, dtype);
  return false;
}

Tensor *pwt_kernel_cumsum(Tensor *self, int64_t dim, DType dtype) {
  return scan(as_accumulated(self, dtype, "cumsum"), dim, pwt_cumsum_row, false);
}

Tensor *pwt_kernel__cumsum_reversed(Tensor *self, int64_t dim) { return scan(self, dim, pwt_cumsum_row, true); }

Tensor *pwt_kernel_cumprod(Tensor *self, int64_t dim, DType dtype) {
  return scan(as_accumulated(self, dtype, "cumprod"), dim, pwt_cumprod_row, false);
}

Tensor *pwt_kernel_logcumsumexp(Tensor *self, int64_t dim) {
  if (pwt_wrap_dim(dim, self->ndim) < 0) return NULL;
  if (!pwt_is_differentiable(self->dtype))
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"logcumsumexp_out_cpu\" not implemented for '%t'", self->dtype);
  return scan(self, dim, pwt_logcumsumexp_row, false);
}

/* ---- extremes ---- */
typedef void (*ExtremeRow)(ComputeType type, const void *from, void *to, int64_t *indices, int64_t n);

typedef struct {
  const Rows *plan;
  ExtremeRow extreme;
  char *values;
  int64_t *indices;
} Extremes;

static void extreme_rows(void *context, int64_t begin, int64_t end) {
  const Extremes *e = context;
  int64_t n = e->plan->length, bytes = n * pwt_compute_size[e->plan->type];
  for (int64_t row = begin; row < end; row++)
    e->extreme(e->plan->type, (const char *)pwt_data(e->plan->input) + row * bytes, e->values + row * bytes, e->indices + row * n, n);
}

static Tensors2 extremes(Tensor *self, int64_t dim, ExtremeRow row, const char *name) {
  Rows plan;
  if (!pwt_rows_along(&plan, self, dim)) return (Tensors2){0};
  if (pwt_is_complex(self->dtype)) {
    pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s_cpu\" not implemented for '%t'", name, self->dtype);
    return (Tensors2){0};
  }
  Tensor *values = pwt_rows_like(&plan, plan.length, (DType)plan.input->dtype), *indices = pwt_rows_like(&plan, plan.length, PWT_INT64);
  if (!values || !indices) return (Tensors2){0};
  Extremes job = {&plan, row, pwt_data(values), pwt_data(indices)};
  if (values->numel) pwt_parallel_for(plan.rows, pwt_grain(ROW_WORK, plan.length), extreme_rows, &job);
  return (Tensors2){{pwt_rows_restored(&plan, values, self->dtype), pwt_rows_restored(&plan, indices, PWT_INT64)}};
}

Tensors2 pwt_kernel_cummax(Tensor *self, int64_t dim) { return extremes(self, dim, pwt_cummax_row, "cummax"); }

Tensors2 pwt_kernel_cummin(Tensor *self, int64_t dim) { return extremes(self, dim, pwt_cummin_row, "cummin"); }
