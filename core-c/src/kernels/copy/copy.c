/* clone, copy_, fill, dtype conversion and item. */
#include "ops.h"

Tensor *pwt_kernel_clone(Tensor *self, int64_t memory_format) {
  Tensor *copy = pwt_new_in_format(self, self->dtype, memory_format);
  pwt_raw_copy(copy, self);
  return copy;
}

/* the values that self is to hold: what assigns them converts and broadcasts */
Tensor *pwt_kernel_copy_(Tensor *self, Tensor *src, bool non_blocking) {
  (void)non_blocking;
  int ndim = self->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, self->sizes, ndim * 8);
  if (src->ndim > ndim)
    return pwt_fail(PWT_RUNTIME_ERROR, "output with shape %z doesn't match the broadcast shape %z", self->sizes, ndim, src->sizes, (int)src->ndim);
  for (int i = src->ndim - 1; i >= 0; i--) {
    int d = ndim - src->ndim + i;
    if (src->sizes[i] != 1 && src->sizes[i] != sizes[d])
      return pwt_fail(PWT_RUNTIME_ERROR, "The size of tensor a (%i) must match the size of tensor b (%i) at non-singleton dimension %d", sizes[d], src->sizes[i], d);
  }
  if (!pwt_check_partial_overlap(self, src)) return NULL;
  Tensor *values = pwt_raw_expand(src, ndim, sizes);
  return values && values->dtype != self->dtype ? pwt_raw_cast(values, self->dtype) : values;
}

Tensor *pwt_kernel__to_dtype(Tensor *self, DType dtype) {
  Tensor *copy = pwt_new_like(self, dtype);
  pwt_raw_copy(copy, self);
  return copy;
}

Tensor *pwt_kernel__to_meta(Tensor *self) {
  bool before = pwt_on_meta;
  pwt_on_meta = true;
  Tensor *result = pwt_new_like(self, self->dtype);
  pwt_on_meta = before;
  return result;
}

Tensor *pwt_kernel__from_meta(Tensor *self) {
  (void)self;
  return pwt_fail(PWT_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
}

Tensor *pwt_kernel_fill(Tensor *self, Scalar value) {
  if (!pwt_check_fills(value, (DType)self->dtype)) return NULL;
  Tensor *result = pwt_new_like(self, self->dtype);
  pwt_raw_fill(result, value);
  return result;
}

Tensor *pwt_kernel__set_item(Tensor *self, Scalar value) { return pwt_kernel_fill(self, value); }

bool pwt_check_fill(Tensor *value) {
  if (value->ndim == 0) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.", (int)value->ndim);
  return false;
}

Tensor *pwt_kernel_fill_tensor(Tensor *self, Tensor *value) { return pwt_expand(pwt_raw_cast(value, self->dtype), pwt_sizes_of(self), false); }

Tensor *pwt_kernel_zero(Tensor *self) { return pwt_kernel_fill(self, pwt_scalar_int(0)); }

Scalar pwt_kernel__item(Tensor *self) {
  if (self->numel == 1) return pwt_item(self);
  pwt_fail(PWT_RUNTIME_ERROR, "a Tensor with %i elements cannot be converted to Scalar", self->numel);
  return pwt_scalar_none();
}
