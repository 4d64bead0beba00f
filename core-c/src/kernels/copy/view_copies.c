/* *_copy of views (split_copy, unbind_copy), and *_scatter (select_scatter, slice_scatter, …). */
#include "ops.h"

static TensorList cloned(TensorList views) {
  for (int64_t i = 0; i < views.count; i++) views.items[i] = pwt_clone(views.items[i], 0);
  return views;
}

TensorList pwt_kernel_split_copy(Tensor *self, int64_t split_size, int64_t dim) { return cloned(pwt_split(self, split_size, dim)); }

TensorList pwt_kernel_split_with_sizes_copy(Tensor *self, IntList split_sizes, int64_t dim) { return cloned(pwt_split_sizes(self, split_sizes, dim)); }

TensorList pwt_kernel_unbind_copy(Tensor *self, int64_t dim) { return cloned(pwt_unbind(self, dim)); }

/* `whole`, a fresh copy, after its view took the values of src */
static Tensor *replaced(Tensor *whole, Tensor *view, Tensor *src) {
  if (!whole || !view || !src) return NULL;
  if (!pwt_same_sizes(view, src))
    return pwt_fail(PWT_RUNTIME_ERROR, "expected src to have a size equal to the slice of self. src size = %z, slice size = %z", src->sizes, (int)src->ndim, view->sizes, (int)view->ndim);
  pwt_copy__(view, src, false);
  return whole;
}

Tensor *pwt_kernel_diagonal_scatter(Tensor *self, Tensor *src, int64_t offset, int64_t dim1, int64_t dim2) {
  Tensor *whole = pwt_clone(self, -1);
  return whole ? replaced(whole, pwt_diagonal(whole, offset, dim1, dim2), src) : NULL;
}

Tensor *pwt_kernel_select_scatter(Tensor *self, Tensor *src, int64_t dim, int64_t index) {
  Tensor *whole = pwt_clone(self, -1);
  return whole ? replaced(whole, pwt_select(whole, dim, index), src) : NULL;
}

Tensor *pwt_kernel_slice_scatter(Tensor *self, Tensor *src, int64_t dim, OptInt start, OptInt end, int64_t step) {
  Tensor *whole = pwt_clone(self, -1);
  return whole ? replaced(whole, pwt_slice(whole, dim, start, end, step), src) : NULL;
}

/* The copy keeps the strides and the offset, since the new strides speak of the storage. */
Tensor *pwt_kernel_as_strided_scatter(Tensor *self, Tensor *src, IntList size, IntList stride, OptInt storage_offset) {
  for (int i = 0; i < self->ndim; i++) /* elements that share memory get some of their own */
    if (self->numel && self->strides[i] == 0 && self->sizes[i] > 1) return pwt_kernel_as_strided_scatter(pwt_raw_contiguous(self), src, size, stride, storage_offset);
  int64_t reach = self->offset + 1, one = 1;
  for (int i = 0; i < self->ndim; i++) reach += self->numel ? (self->sizes[i] - 1) * self->strides[i] : 0;
  Tensor *storage = pwt_alias(self, 1, &reach, &one, 0), *copy = storage ? pwt_raw_clone(storage) : NULL;
  Tensor *whole = copy ? pwt_alias(copy, self->ndim, self->sizes, self->strides, self->offset) : NULL;
  if (!whole) return NULL;
  OptInt from = storage_offset.given ? storage_offset : (OptInt){true, self->offset};
  Tensor *view = pwt_kernel_as_strided(whole, size, stride, from);
  if (!view) return NULL;
  if (!pwt_same_sizes(view, src))
    return pwt_fail(PWT_RUNTIME_ERROR, "expected src to have a size equal to the slice of self. src size = %z, slice size = %z", src->sizes, (int)src->ndim, view->sizes, (int)view->ndim);
  pwt_raw_copy(view, src);
  return whole;
}
