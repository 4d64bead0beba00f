/* sort, argsort, msort, topk. */
#include "base/parallel.h"
#include "ops.h"
#include "keys.h"
#include "loops.h"
#include "rows.h"

static Tensor *turned(Tensor *t, bool turns) {
  return t && turns ? pwt_bitwise_xor(t, pwt_from_scalar(pwt_scalar_int(INT64_MIN))) : t;
}

Tensor *pwt_as_signed(Tensor *t) { return turned(pwt_raw_cast(t, PWT_INT64), t && t->dtype == PWT_UINT64); }

Tensor *pwt_as_unsigned(Tensor *t, DType dtype) { return pwt_raw_cast(turned(t, dtype == PWT_UINT64), dtype); }

typedef struct {
  const Rows *plan;
  char *values; /* NULL: indices alone */
  int64_t *indices;
  int64_t k; /* elements per row of the result */
  bool descending;
  pwt_slots slots;
} Sort;

static void sort_rows(void *context, int64_t begin, int64_t end) {
  Sort *s = context;
  const Rows *plan = s->plan;
  int64_t n = plan->length, itemsize = pwt_compute_size[plan->type];
  void *workspace = pwt_slot_take(&s->slots);
  for (int64_t row = begin; row < end; row++) {
    const char *keys = (const char *)pwt_data(plan->input) + row * n * itemsize;
    char *values = s->values ? s->values + row * s->k * itemsize : NULL;
    if (s->k == n) pwt_sort_row(plan->type, keys, values, s->indices + row * n, n, s->descending, workspace);
    else pwt_topk_row(plan->type, keys, values, s->indices + row * s->k, n, s->k, s->descending, workspace);
  }
  pwt_slot_give(&s->slots, workspace);
}

/* The first k of each sorted row; values are of the compute type. */
static Tensors2 sorted_rows(const Rows *plan, int64_t k, bool descending, bool with_values) {
  Tensor *values = with_values ? pwt_rows_like(plan, k, (DType)plan->input->dtype) : NULL;
  Tensor *indices = pwt_rows_like(plan, k, PWT_INT64);
  int64_t slot = pwt_sort_workspace(plan->type, k), bytes = pwt_slots_bytes(slot);
  void *workspace = pwt_scratch(bytes);
  if (pwt_failed()) return (Tensors2){0};
  Sort job = {plan, values ? pwt_data(values) : NULL, pwt_data(indices), k, descending, pwt_slots_over(workspace, bytes, slot)};
  if (indices->numel) pwt_parallel_for(plan->rows, pwt_grain(ROW_WORK / 8, plan->length), sort_rows, &job);
  return (Tensors2){{values, indices}};
}

/* In the layout of self, as torch returns what it sorted. */
static Tensor *laid_out_like(Tensor *self, const Rows *plan, Tensor *rows, DType dtype) {
  Tensor *result = pwt_rows_restored(plan, rows, dtype);
  if (!result || self->contiguous) return result;
  Tensor *copy = pwt_new_like(self, dtype);
  if (copy) pwt_raw_copy(copy, result);
  return copy;
}

static bool plan_sort(Rows *plan, Tensor *self, int64_t dim) {
  if (pwt_wrap_dim(dim, self->ndim) < 0) return false;
  if (pwt_is_complex((DType)self->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "Sort does not support complex dtypes on CPU");
  return pwt_rows_along(plan, self, dim);
}

Tensors2 pwt_kernel_sort(Tensor *self, int64_t dim, bool descending, OptInt stable) {
  if (pwt_is_wide_unsigned((DType)self->dtype)) {
    Tensor *keys = pwt_as_signed(self);
    Tensors2 found = keys ? pwt_kernel_sort(keys, dim, descending, stable) : (Tensors2){0};
    return (Tensors2){{pwt_as_unsigned(found.r[0], (DType)self->dtype), found.r[1]}};
  }
  Rows plan;
  if (!plan_sort(&plan, self, dim)) return (Tensors2){0};
  Tensors2 sorted = sorted_rows(&plan, plan.length, descending, true);
  return (Tensors2){{laid_out_like(self, &plan, sorted.r[0], (DType)self->dtype), laid_out_like(self, &plan, sorted.r[1], PWT_INT64)}};
}

Tensor *pwt_kernel_argsort(Tensor *self, int64_t dim, bool descending, bool stable) {
  (void)stable;
  Rows plan;
  if (!plan_sort(&plan, self, dim)) return NULL;
  return laid_out_like(self, &plan, sorted_rows(&plan, plan.length, descending, false).r[1], PWT_INT64);
}

Tensor *pwt_kernel_msort(Tensor *self) { return pwt_sort(self, 0, false, (OptInt){false, 0}).r[0]; }

Tensors2 pwt_kernel_topk(Tensor *self, int64_t k, int64_t dim, bool largest, bool sorted) {
  (void)sorted;
  Tensors2 none = {0};
  Rows plan;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return none;
  if (k < 0 || k > (self->ndim ? self->sizes[d] : 1)) {
    pwt_fail(PWT_RUNTIME_ERROR, "selected index k out of range");
    return none;
  }
  if (pwt_is_complex((DType)self->dtype) || self->dtype == PWT_BOOL) {
    pwt_fail(PWT_RUNTIME_ERROR, "topk does not support %s dtypes on CPU", self->dtype == PWT_BOOL ? "bool" : "complex");
    return none;
  }
  if (!pwt_rows_along(&plan, self, d)) return none;
  if (self->ndim == 0) k = 1; /* a single number is its own top, even of none */
  Tensors2 first = sorted_rows(&plan, k, largest, true);
  return (Tensors2){{pwt_rows_restored(&plan, first.r[0], (DType)self->dtype), pwt_rows_restored(&plan, first.r[1], PWT_INT64)}};
}
