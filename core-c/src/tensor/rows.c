/* A tensor as contiguous rows along one dimension. */
#include "rows.h"

bool pwt_rows_along(Rows *plan, Tensor *self, int64_t dim) {
  plan->dim = pwt_wrap_dim(dim, self->ndim);
  if (plan->dim < 0) return false;
  plan->type = (ComputeType)pwt_compute_type[self->dtype];
  Tensor *rows_last = self->ndim ? pwt_raw_movedim(self, plan->dim, self->ndim - 1) : self;
  plan->input = pwt_raw_contiguous_as(rows_last, (DType)pwt_dtype_of_compute[plan->type]);
  plan->length = self->ndim ? self->sizes[plan->dim] : 1;
  plan->rows = 1;
  for (int i = 0; i < self->ndim; i++)
    if (i != plan->dim) plan->rows *= self->sizes[i];
  return plan->input != NULL;
}

Tensor *pwt_rows_like(const Rows *plan, int64_t length, DType dtype) {
  int64_t sizes[PWT_MAX_DIMS];
  int ndim = plan->input->ndim;
  pwt_copy_bytes(sizes, plan->input->sizes, ndim * 8);
  if (ndim) sizes[ndim - 1] = length;
  return pwt_new(ndim, sizes, dtype);
}

Tensor *pwt_rows_restored(const Rows *plan, Tensor *rows, DType dtype) {
  if (!rows) return NULL;
  return pwt_raw_contiguous_as(rows->ndim ? pwt_raw_movedim(rows, rows->ndim - 1, plan->dim) : rows, dtype);
}
