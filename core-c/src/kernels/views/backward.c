/* Gradients of select, slice, diagonal, split, unbind, unfold, as_strided. */
#include "ops.h"

Tensor *pwt_kernel_as_strided_backward(Tensor *grad, IntList sizes, IntList strides, int64_t offset, IntList size, IntList stride,
                                       OptInt storage_offset) {
  /* Both geometries are laid over one buffer that covers what either reaches; overlaps of the view add up. */
  int64_t view_offset = storage_offset.given ? storage_offset.value : offset, first = PWT_MIN(offset, view_offset);
  int64_t reach = offset, view_reach = view_offset;
  for (int i = 0; i < sizes.count; i++) reach += PWT_MAX(sizes.items[i] - 1, 0) * strides.items[i];
  for (int i = 0; i < size.count; i++) view_reach += PWT_MAX(size.items[i] - 1, 0) * stride.items[i];
  int64_t length = PWT_MAX(reach, view_reach) - first + 1;
  IntList flat = {(const int64_t[]){-1}, 1};
  Tensor *places = pwt_reshape(pwt_as_strided(pwt_new_range(PWT_INT64, length), size, stride, (OptInt){true, view_offset - first}), flat);
  Tensor *buffer = pwt_new_zeros(1, &length, pwt_dtype_of(grad));
  buffer = pwt_index_add(buffer, 0, places, pwt_reshape(grad, flat), pwt_scalar_int(1));
  return pwt_clone(pwt_as_strided(buffer, sizes, strides, (OptInt){true, offset - first}), 0);
}

/* zeros of the input's sizes, with the gradient put where the view was */
Tensor *pwt_kernel_select_backward(Tensor *grad, IntList sizes, int64_t dim, int64_t index) {
  Tensor *whole = pwt_new_zeros((int)sizes.count, sizes.items, grad->dtype);
  if (whole) pwt_raw_copy(pwt_kernel_select(whole, dim, index), grad);
  return whole;
}

Tensor *pwt_kernel_slice_backward(Tensor *grad, IntList sizes, int64_t dim, OptInt start, OptInt end, int64_t step) {
  Tensor *whole = pwt_new_zeros((int)sizes.count, sizes.items, grad->dtype);
  if (whole) pwt_raw_copy(pwt_kernel_slice(whole, dim, start, end, step), grad);
  return whole;
}

Tensor *pwt_kernel_diagonal_backward(Tensor *grad, IntList sizes, int64_t offset, int64_t dim1, int64_t dim2) {
  Tensor *whole = pwt_new_zeros((int)sizes.count, sizes.items, grad->dtype);
  if (whole) pwt_raw_copy(pwt_kernel_diagonal(whole, offset, dim1, dim2), grad);
  return whole;
}

Tensor *pwt_kernel_unfold_backward(Tensor *grad, IntList sizes, int64_t dimension, int64_t size, int64_t step) {
  Tensor *whole = pwt_new_zeros((int)sizes.count, sizes.items, grad->dtype);
  if (!whole) return NULL;
  Tensor *windows = pwt_kernel_unfold(whole, dimension, size, step);
  if (step >= size) {
    pwt_raw_copy(windows, grad);
    return whole;
  }
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  for (int64_t i = 0; i < size && windows; i++) {
    Tensor *part = pwt_kernel_select(windows, -1, i);
    pwt_raw_copy(part, pwt_add(part, pwt_kernel_select(grad, -1, i), pwt_scalar_int(1)));
  }
  pwt_grad_enabled = recording;
  return whole;
}

static Tensor *join(TensorList grads, IntList sizes, const int64_t *lengths, int dim) {
  DType dtype = pwt_default_dtype;
  for (int64_t i = 0; i < grads.count; i++)
    if (grads.items[i]) dtype = grads.items[i]->dtype;
  TensorList parts = pwt_list_new(grads.count);
  for (int64_t i = 0; i < parts.count; i++) {
    int64_t size[PWT_MAX_DIMS];
    pwt_copy_bytes(size, sizes.items, sizes.count * 8);
    size[dim] = lengths[i];
    parts.items[i] = grads.items[i] ? grads.items[i] : pwt_new_zeros((int)sizes.count, size, dtype);
  }
  return pwt_cat(parts, dim);
}

Tensor *pwt_kernel_split_backward(TensorList grads, IntList sizes, int64_t split_size, int64_t dim) {
  int d = pwt_wrap_dim(dim, sizes.count);
  int64_t *lengths = pwt_scratch(PWT_MAX(grads.count, 1) * 8);
  if (!lengths) return NULL;
  for (int64_t i = 0; i < grads.count; i++) lengths[i] = PWT_MIN(split_size, sizes.items[d] - i * split_size);
  return join(grads, sizes, lengths, d);
}

Tensor *pwt_kernel_split_sizes_backward(TensorList grads, IntList sizes, IntList split_sizes, int64_t dim) {
  return join(grads, sizes, split_sizes.items, pwt_wrap_dim(dim, sizes.count));
}

Tensor *pwt_kernel_unbind_backward(TensorList grads, IntList sizes, int64_t dim) {
  int d = pwt_wrap_dim(dim, sizes.count);
  int64_t part[PWT_MAX_DIMS];
  for (int i = 0, n = 0; i < sizes.count; i++)
    if (i != d) part[n++] = sizes.items[i];
  DType dtype = pwt_default_dtype;
  for (int64_t i = 0; i < grads.count; i++)
    if (grads.items[i]) dtype = grads.items[i]->dtype;
  TensorList parts = pwt_list_new(grads.count);
  for (int64_t i = 0; i < parts.count; i++) parts.items[i] = grads.items[i] ? grads.items[i] : pwt_new_zeros((int)sizes.count - 1, part, dtype);
  return pwt_stack(parts, d);
}
