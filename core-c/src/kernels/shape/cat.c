/* cat, stack, hstack, vstack, dstack. */
#include "ops.h"

static bool is_legacy_empty(const Tensor *t) { return t->ndim == 1 && t->sizes[0] == 0; }

Tensor *pwt_kernel_cat(TensorList tensors, int64_t dim) {
  if (tensors.count == 0) return pwt_fail(PWT_VALUE_ERROR, "torch.cat(): expected a non-empty list of Tensors");
  Tensor *first = NULL;
  int64_t sizes[PWT_MAX_DIMS], total = 0;
  bool channels_last = true;
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
    channels_last = channels_last && pwt_is_channels_last(t);
  }
  pwt_copy_bytes(sizes, first->sizes, first->ndim * 8);
  sizes[d] = total;
  Tensor *result = pwt_new_laid_out(first->ndim, sizes, dtype, channels_last);
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

static TensorList at_least(TensorList tensors, int ndim) {
  TensorList list = pwt_list_new(tensors.count);
  for (int64_t i = 0; i < list.count; i++) {
    Tensor *t = tensors.items[i];
    if (t && t->ndim == 0) t = pwt_reshape(t, (IntList){(const int64_t[]){1}, 1});
    if (t && t->ndim == 1 && ndim >= 2) t = pwt_unsqueeze(t, 0);
    if (t && t->ndim == 2 && ndim >= 3) t = pwt_unsqueeze(t, 2);
    list.items[i] = t;
  }
  return list;
}

static Tensor *join(TensorList tensors, int ndim, int64_t dim, const char *name) {
  if (tensors.count == 0) return pwt_fail(PWT_RUNTIME_ERROR, "%s expects a non-empty TensorList", name);
  TensorList list = at_least(tensors, ndim);
  if (pwt_failed()) return NULL;
  return pwt_cat(list, ndim == 1 && list.items[0]->ndim == 1 ? 0 : dim);
}

Tensor *pwt_kernel_hstack(TensorList tensors) { return join(tensors, 1, 1, "hstack"); }
Tensor *pwt_kernel_vstack(TensorList tensors) { return join(tensors, 2, 0, "vstack"); }
Tensor *pwt_kernel_dstack(TensorList tensors) { return join(tensors, 3, 2, "dstack"); }
