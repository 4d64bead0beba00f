/* masked_fill, masked_select, masked_scatter, nonzero. */
#include "iterator.h"
#include "ops.h"

static bool is_mask(Tensor *mask, const char *name) {
  if (mask->dtype == PWT_BOOL) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s only supports boolean masks, but got mask with dtype %s", name, pwt_dtype_name((DType)mask->dtype));
  return false;
}

Tensor *pwt_kernel_masked_fill(Tensor *self, Tensor *mask, Tensor *value) {
  if (!is_mask(mask, "masked_fill")) return NULL;
  if (value->ndim)
    return pwt_fail(PWT_RUNTIME_ERROR, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).", (int)value->ndim);
  DType dtype = (DType)self->dtype;
  if (!pwt_is_meta(value) && !pwt_check_fits(pwt_item(value), dtype)) return NULL;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *result = pwt_where(mask, pwt_raw_cast(value, dtype), self);
  pwt_grad_enabled = recording;
  return result;
}

/* Both laid out contiguously at their common size. */
static bool spread(Tensor **a, Tensor **b) {
  int ndim = (*a)->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, (*a)->sizes, ndim * 8);
  if (!pwt_broadcast_sizes(&ndim, sizes, *b)) return false;
  *a = pwt_raw_contiguous(pwt_raw_expand(*a, ndim, sizes));
  *b = pwt_raw_contiguous(pwt_raw_expand(*b, ndim, sizes));
  return *a && *b;
}

static int64_t count_true(const uint8_t *bits, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += bits[i] != 0;
  return count;
}

Tensor *pwt_kernel_masked_select(Tensor *self, Tensor *mask) {
  if (!is_mask(mask, "masked_select: expected BoolTensor for mask; it") || !spread(&self, &mask)) return NULL;
  const uint8_t *bits = pwt_data(mask);
  int64_t n = count_true(bits, mask->numel);
  Tensor *result = pwt_new(1, &n, (DType)self->dtype);
  if (!result) return NULL;
  int item = pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  const char *from = pwt_data(self);
  for (int64_t i = 0; i < mask->numel; i++) {
    if (!bits[i]) continue;
    pwt_copy_bytes(to, from + i * item, item);
    to += item;
  }
  return result;
}

Tensor *pwt_kernel_masked_select_backward(Tensor *grad, IntList sizes, Tensor *mask) {
  /* a mask larger than the input repeats it: its gradients add up */
  int ndim = mask->ndim;
  int64_t whole[PWT_MAX_DIMS];
  Tensor *like = pwt_new_zeros((int)sizes.count, sizes.items, pwt_dtype_of(grad));
  if (!like) return NULL;
  pwt_copy_bytes(whole, mask->sizes, ndim * 8);
  if (!pwt_broadcast_sizes(&ndim, whole, like)) return NULL;
  return pwt_masked_scatter(pwt_new_zeros(ndim, whole, pwt_dtype_of(grad)), pwt_expand(mask, (IntList){whole, ndim}, false), grad);
}

Tensor *pwt_kernel_masked_scatter(Tensor *self, Tensor *mask, Tensor *source) {
  if (!is_mask(mask, "masked_scatter_")) return NULL;
  if (source->dtype != self->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "masked_scatter: expected self and source to have same dtypes but got %t and %t", self->dtype, source->dtype);
  Tensor *values = pwt_raw_contiguous(source);
  if (!values || !spread(&self, &mask)) return NULL;
  if (pwt_on_meta) return pwt_raw_clone(self);
  const uint8_t *bits = pwt_data(mask);
  if (count_true(bits, mask->numel) > source->numel)
    return pwt_fail(PWT_RUNTIME_ERROR, "masked_scatter: expected source to have at least as many elements as there are ones in the mask, but got %i and %i",
                    source->numel, count_true(bits, mask->numel));
  Tensor *result = pwt_raw_clone(self);
  if (!result) return NULL;
  int item = pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  const char *from = pwt_data(values);
  for (int64_t i = 0; i < mask->numel; i++) {
    if (!bits[i]) continue;
    pwt_copy_bytes(to + i * item, from, item);
    from += item;
  }
  return result;
}

Tensor *pwt_kernel_masked_scatter_backward(Tensor *grad, Tensor *mask, IntList sizes) {
  if (pwt_on_meta) return pwt_new((int)sizes.count, sizes.items, pwt_dtype_of(grad));
  Tensor *chosen = pwt_masked_select(grad, mask);
  int64_t total = pwt_product(sizes.items, (int)sizes.count);
  if (!chosen) return NULL;
  int64_t missing = total - chosen->numel;
  if (missing > 0) chosen = pwt_cat((TensorList){(Tensor *[]){chosen, pwt_new_zeros(1, &missing, (DType)chosen->dtype)}, 2}, 0);
  return pwt_reshape(chosen, sizes);
}

Tensor *pwt_kernel_nonzero(Tensor *self) {
  Tensor *mask = pwt_raw_contiguous_as(self, PWT_BOOL);
  if (!mask) return NULL;
  const uint8_t *bits = pwt_data(mask);
  int64_t sizes[2] = {count_true(bits, mask->numel), self->ndim};
  Tensor *result = pwt_new(2, sizes, PWT_INT64);
  if (!result) return NULL;
  int64_t *to = pwt_data(result), position[PWT_MAX_DIMS] = {0};
  for (int64_t i = 0; i < mask->numel; i++) {
    if (bits[i])
      for (int d = 0; d < self->ndim; d++) *to++ = position[d];
    for (int d = self->ndim - 1; d >= 0; d--) {
      if (++position[d] < self->sizes[d]) break;
      position[d] = 0;
    }
  }
  return result;
}
