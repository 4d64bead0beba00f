/* unique and unique_consecutive of a whole tensor. */
#include "ops.h"
#include "keys.h"
#include "loops.h"

static Tensor *new_row(int64_t n, DType dtype) { return pwt_new(1, &n, dtype); }

/* The first `count` elements of a row, in `dtype`. */
static Tensor *shortened(Tensor *row, int64_t count, DType dtype) {
  int64_t one = 1;
  return row ? pwt_raw_clone(pwt_raw_contiguous_as(pwt_alias(row, 1, &count, &one, 0), dtype)) : NULL;
}

static Tensors3 unique_of(Tensor *self, bool sorts, bool return_inverse, bool return_counts) {
  Tensors3 none = {0};
  if (pwt_is_complex((DType)self->dtype)) {
    pwt_fail(PWT_NOT_IMPLEMENTED, "\"unique\" not implemented for '%t'", (DType)self->dtype);
    return none;
  }
  ComputeType type = (ComputeType)pwt_compute_type[self->dtype];
  int64_t n = self->numel;
  Tensor *keys = pwt_raw_contiguous_as(self, (DType)pwt_dtype_of_compute[type]);
  Tensor *values = keys ? new_row(n, (DType)keys->dtype) : NULL;
  Tensor *inverse = return_inverse ? pwt_new(self->ndim, self->sizes, PWT_INT64) : new_row(0, PWT_INT64);
  Tensor *counts = return_counts ? new_row(n, PWT_INT64) : new_row(0, PWT_INT64);
  if (!values || !inverse || !counts) return none;
  void *sorted = pwt_data(keys);
  int64_t *order = NULL;
  if (sorts) {
    Tensor *row = new_row(n, (DType)keys->dtype);
    void *workspace = pwt_scratch(pwt_sort_workspace(type, n));
    order = pwt_scratch(8 * n);
    if (!row || !workspace || !order) return none;
    sorted = pwt_data(row);
    pwt_sort_row(type, pwt_data(keys), sorted, order, n, false, workspace);
    if (pwt_failed()) return none;
  }
  int64_t runs = pwt_unique_row(type, sorted, order, n, pwt_data(values), return_inverse ? pwt_data(inverse) : NULL,
                                return_counts ? pwt_data(counts) : NULL);
  return (Tensors3){{shortened(values, runs, (DType)self->dtype), inverse, return_counts ? shortened(counts, runs, PWT_INT64) : counts}};
}

Tensors3 pwt_kernel__unique2(Tensor *self, bool sorted, bool return_inverse, bool return_counts) {
  if (pwt_is_wide_unsigned((DType)self->dtype)) {
    Tensor *keys = pwt_as_signed(self);
    Tensors3 found = keys ? pwt_kernel__unique2(keys, sorted, return_inverse, return_counts) : (Tensors3){0};
    found.r[0] = pwt_as_unsigned(found.r[0], (DType)self->dtype);
    return found;
  }
  return unique_of(self, true, return_inverse, return_counts);
}

Tensors3 pwt_kernel__unique_consecutive(Tensor *self, bool return_inverse, bool return_counts) {
  return unique_of(self, false, return_inverse, return_counts);
}
