/* Running sums, products and extremes along one dimension. */
#include "../base/parallel.h"
#include "ops.h"
#include "rows.h"
#include "scan_raw.h"

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
  if (!self || !pwt_plan_rows(&plan, self, dim)) return NULL;
  Tensor *result = pwt_new_rows(&plan, plan.length, (DType)plan.input->dtype);
  if (!result) return NULL;
  Scan job = {&plan, row, pwt_data(result), self->dtype == PWT_FLOAT16 || self->dtype == PWT_BFLOAT16, reversed};
  if (result->numel) pwt_parallel_for(plan.rows, pwt_grain(ROW_WORK, plan.length), scan_rows, &job);
  return pwt_restore_rows(&plan, result, self->dtype);
}

/* The dtype that sums and products of `self` have, and self in it. */
static Tensor *as_accumulated(Tensor *self, DType dtype, const char *name) {
  if (dtype == PWT_NO_DTYPE) dtype = self->dtype <= PWT_INT64 ? PWT_INT64 : (DType)self->dtype;
  if (dtype == PWT_BOOL && self->ndim && self->numel)
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s_out_cpu\" not implemented for 'Bool'", name);
  return pwt_raw_cast(self, dtype);
}

Tensor *pwt_kernel_cumsum(Tensor *self, int64_t dim, DType dtype) {
  return scan(as_accumulated(self, dtype, "cumsum"), dim, pwt_cumsum_row, false);
}

Tensor *pwt_kernel__cumsum_reversed(Tensor *self, int64_t dim) { return scan(self, dim, pwt_cumsum_row, true); }

Tensor *pwt_kernel_cumprod(Tensor *self, int64_t dim, DType dtype) {
  return scan(as_accumulated(self, dtype, "cumprod"), dim, pwt_cumprod_row, false);
}
