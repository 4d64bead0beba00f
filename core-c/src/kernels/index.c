/* Gathering and scattering by index. */
#include "ops.h"

/* The index as int64, each value wrapped and checked against `size`; NULL after an error. */
static int64_t *checked_index(Tensor *index, int64_t size, const char *name) {
  Tensor *wide = pwt_raw_contiguous_as(index, PWT_INT64);
  if (index->dtype != PWT_INT64 && index->dtype != PWT_INT32)
    return pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected dtype int32 or int64 for index but got: %t", name, index->dtype);
  if (index->ndim > 1) return pwt_fail(PWT_INDEX_ERROR, "%s(): Index is supposed to be a vector, but got dim: %d", name, (int)index->ndim);
  if (!wide) return NULL;
  int64_t *values = pwt_data(wide);
  for (int64_t i = 0; i < wide->numel; i++)
    if (values[i] < 0 || values[i] >= size) return pwt_fail(PWT_INDEX_ERROR, "index out of range in self: %i is not in [0, %i)", values[i], size);
  return values;
}

Tensor *pwt_kernel_index_select(Tensor *self, int64_t dim, Tensor *index) {
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  int64_t *rows = checked_index(index, self->ndim ? self->sizes[d] : 1, "index_select"), sizes[PWT_MAX_DIMS];
  if (!rows) return NULL;
  Tensor *source = pwt_raw_contiguous(self);
  if (self->ndim == 0) return source;
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  sizes[d] = index->numel;
  Tensor *result = pwt_new(self->ndim, sizes, self->dtype);
  if (!result || !source) return NULL;
  int64_t inner = pwt_itemsize[self->dtype], outer = 1;
  for (int i = d + 1; i < self->ndim; i++) inner *= self->sizes[i];
  for (int i = 0; i < d; i++) outer *= self->sizes[i];
  char *to = pwt_data(result);
  const char *from = pwt_data(source);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < index->numel; i++) {
      pwt_copy_bytes(to, from + (o * self->sizes[d] + rows[i]) * inner, inner);
      to += inner;
    }
  return result;
}

Tensor *pwt_kernel_index_select_backward(Tensor *grad, IntList sizes, int64_t dim, Tensor *index) {
  return pwt_index_add(pwt_expand(pwt_full_scalar(pwt_scalar_int(0), (DType)grad->dtype), sizes, false), dim, index, grad, pwt_scalar_int(1));
}

Tensor *pwt_kernel_index_add(Tensor *self, int64_t dim, Tensor *index, Tensor *source, Scalar alpha) {
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  int64_t *rows = checked_index(index, self->ndim ? self->sizes[d] : 1, "index_add");
  if (!rows) return NULL;
  if (source->dtype != self->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "index_add_(): self (%t) and source (%t) must have the same scalar type", self->dtype, source->dtype);
  Tensor *result = pwt_new(self->ndim, self->sizes, self->dtype);
  if (!result) return NULL;
  pwt_raw_copy(result, self);
  for (int64_t i = 0; i < index->numel; i++) {
    Tensor *row = self->ndim ? pwt_kernel_select(result, d, rows[i]) : result;
    int64_t mark = pwt_scope_open();
    Tensor *part = source->ndim ? pwt_kernel_select(source, d, i) : source;
    bool recording = pwt_grad_enabled;
    pwt_grad_enabled = false;
    pwt_raw_copy(row, pwt_add(row, part, alpha));
    pwt_grad_enabled = recording;
    pwt_scope_close(mark);
  }
  return result;
}
