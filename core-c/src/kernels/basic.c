/* Copies, filling, joining, and facts about tensors. */
#include "ops.h"

enum { CONTIGUOUS_FORMAT = 0, PRESERVE_FORMAT = -1 };

Tensor *pwt_kernel_clone(Tensor *self, int64_t memory_format) {
  Tensor *copy = memory_format == CONTIGUOUS_FORMAT ? pwt_new(self->ndim, self->sizes, self->dtype) : pwt_new_like(self, self->dtype);
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

Tensor *pwt_kernel_fill(Tensor *self, Scalar value) {
  if (!pwt_check_fits(value, (DType)self->dtype)) return NULL;
  Tensor *result = pwt_new_like(self, self->dtype);
  pwt_raw_fill(result, value);
  return result;
}

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

Tensor *pwt_kernel_zeros_like(Tensor *self) {
  Tensor *result = pwt_new_like(self, self->dtype);
  if (result) pwt_fill_bytes(result->storage->data, 0, result->storage->bytes);
  return result;
}

Tensor *pwt_kernel_ones_like(Tensor *self) { return pwt_kernel_fill(self, pwt_scalar_int(1)); }

static bool is_legacy_empty(const Tensor *t) { return t->ndim == 1 && t->sizes[0] == 0; }

Tensor *pwt_kernel_cat(TensorList tensors, int64_t dim) {
  if (tensors.count == 0) return pwt_fail(PWT_VALUE_ERROR, "torch.cat(): expected a non-empty list of Tensors");
  Tensor *first = NULL;
  int64_t sizes[PWT_MAX_DIMS], total = 0;
  DType dtype = pwt_result_type(tensors.items, tensors.count);
  for (int64_t i = 0; i < tensors.count; i++) {
    Tensor *t = tensors.items[i];
    if (!t) return NULL;
    if (t->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "zero-dimensional tensor (at position %i) cannot be concatenated", i);
    if (!first && !is_legacy_empty(t)) first = t;
  }
  if (!first) return pwt_new(1, (const int64_t[]){0}, dtype);
  int d = pwt_wrap_dim(dim, first->ndim);
  if (d < 0) return NULL;
  for (int64_t i = 0; i < tensors.count; i++) {
    Tensor *t = tensors.items[i];
    if (is_legacy_empty(t)) continue;
    if (t->ndim != first->ndim)
      return pwt_fail(PWT_RUNTIME_ERROR, "Tensors must have same number of dimensions: got %d and %d", (int)first->ndim, (int)t->ndim);
    for (int k = 0; k < t->ndim; k++)
      if (k != d && t->sizes[k] != first->sizes[k])
        return pwt_fail(PWT_RUNTIME_ERROR, "Sizes of tensors must match except in dimension %d. Expected size %i but got size %i for tensor number %i in the list.", d,
                        first->sizes[k], t->sizes[k], i);
    total += t->sizes[d];
  }
  pwt_copy_bytes(sizes, first->sizes, first->ndim * 8);
  sizes[d] = total;
  Tensor *result = pwt_new(first->ndim, sizes, dtype);
  if (!result) return NULL;
  Tensor part = *result;
  for (int64_t i = 0; i < tensors.count; i++) {
    Tensor *t = tensors.items[i];
    if (is_legacy_empty(t) && first->ndim != 1) continue;
    part.sizes[d] = t->sizes[d];
    part.numel = pwt_product(part.sizes, part.ndim);
    part.contiguous = pwt_compute_contiguous(&part);
    pwt_raw_copy(&part, t);
    part.offset += t->sizes[d] * part.strides[d];
  }
  return result;
}

TensorList pwt_kernel_cat_backward(Tensor *grad, TensorList tensors, int64_t dim) {
  TensorList grads = pwt_list_new(tensors.count);
  int64_t start = 0;
  int d = is_legacy_empty(grad) ? 0 : pwt_wrap_dim(dim, grad->ndim);
  for (int64_t i = 0; i < grads.count; i++) {
    Tensor *t = tensors.items[i];
    if (is_legacy_empty(t)) {
      grads.items[i] = pwt_zeros_like(t);
      continue;
    }
    grads.items[i] = pwt_narrow(grad, d, start, t->sizes[d]);
    start += t->sizes[d];
  }
  return grads;
}

Tensor *pwt_kernel_stack(TensorList tensors, int64_t dim) {
  if (tensors.count == 0) return pwt_fail(PWT_RUNTIME_ERROR, "stack expects a non-empty TensorList");
  Tensor *first = tensors.items[0];
  int d = pwt_wrap_dim(dim, first->ndim + 1);
  if (d < 0) return NULL;
  TensorList rows = pwt_list_new(tensors.count);
  for (int64_t i = 0; i < rows.count; i++) {
    Tensor *t = tensors.items[i];
    if (!pwt_same_sizes(first, t))
      return pwt_fail(PWT_RUNTIME_ERROR, "stack expects each tensor to be equal size, but got %z at entry 0 and %z at entry %i", first->sizes, (int)first->ndim, t->sizes,
                      (int)t->ndim, i);
    rows.items[i] = pwt_unsqueeze(t, d);
  }
  return pwt_failed() ? NULL : pwt_cat(rows, d);
}

/* ---- facts ---- */
DType pwt_kernel__result_type(Tensor *tensor1, Tensor *tensor2) { return pwt_result_type((Tensor *[]){tensor1, tensor2}, 2); }
DType pwt_kernel__promote_types(DType a, DType b) { return pwt_promote_types(a, b); }
bool pwt_kernel__can_cast(DType a, DType b) { return pwt_can_cast(a, b); }

bool pwt_kernel__set_default_dtype(DType dtype) {
  pwt_default_dtype = dtype;
  return true;
}

int64_t pwt_kernel__data_pointer(Tensor *self) { return (int64_t)(uintptr_t)pwt_data(self); }
int64_t pwt_kernel__storage_pointer(Tensor *self) { return (int64_t)(uintptr_t)self->storage->data; }
int64_t pwt_kernel__storage_bytes(Tensor *self) { return self->storage->bytes; }
int64_t pwt_kernel__version(Tensor *self) {
  if (self->flags & TENSOR_INFERENCE) pwt_fail(PWT_RUNTIME_ERROR, "Inference tensors do not track version counter.");
  return pwt_version_of(self);
}
int64_t pwt_kernel__resize(Tensor *self, IntList size) { return pwt_resize(self, (int)size.count, size.items); }
bool pwt_kernel__overlaps(Tensor *self, Tensor *other) { return pwt_share_memory(self, other); }

int64_t pwt_kernel__memory(int64_t which) {
  switch (which) {
    case 0: pwt_free_spare_nodes(), pwt_free_spare_tensors(); return pwt_memory_allocated();
    case 1: return pwt_max_memory_allocated();
    case 2: pwt_reset_max_memory_allocated(); return 0;
    default: return pwt_live_tensors();
  }
}

bool pwt_kernel_equal(Tensor *self, Tensor *other) {
  if (!pwt_same_sizes(self, other)) return false;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *same = pwt_raw_contiguous(pwt_eq(self, other));
  pwt_grad_enabled = recording;
  if (!same) return false;
  const uint8_t *values = pwt_data(same);
  for (int64_t i = 0; i < same->numel; i++)
    if (!values[i]) return false;
  return true;
}
