/* Dimensions and sizes: wrapping, broadcasting, inferring, view strides; result_type. */
#include "tensor.h"

int pwt_wrap_dim(int64_t dim, int64_t ndim) {
  int64_t n = PWT_MAX(ndim, 1);
  if (dim < -n || dim >= n) {
    pwt_fail(PWT_INDEX_ERROR, "Dimension out of range (expected to be in range of [%i, %i], but got %i)", -n, n - 1, dim);
    return -1;
  }
  return (int)(dim < 0 ? dim + n : dim);
}

bool pwt_dim_mask(IntList dims, int ndim, bool empty_is_all, uint32_t *mask) {
  *mask = 0;
  if (dims.count < 0 || (dims.count == 0 && empty_is_all)) {
    *mask = (1u << ndim) - 1;
    return true;
  }
  for (int64_t i = 0; i < dims.count; i++) {
    int dim = pwt_wrap_dim(dims.items[i], ndim);
    if (dim < 0) return false;
    if (*mask & (1u << dim)) {
      pwt_fail(PWT_RUNTIME_ERROR, "dim %d appears multiple times in the list of dims", dim);
      return false;
    }
    *mask |= 1u << dim;
  }
  if (ndim == 0) *mask = 0;
  return true;
}

bool pwt_broadcast_sizes(int *ndim, int64_t *sizes, const Tensor *with) {
  int n = PWT_MAX(*ndim, (int)with->ndim), shift = n - *ndim;
  if (shift) {
    pwt_move_bytes(sizes + shift, sizes, *ndim * 8);
    for (int i = 0; i < shift; i++) sizes[i] = 1;
    *ndim = n;
  }
  for (int i = with->ndim - 1; i >= 0; i--) {
    int d = n - with->ndim + i;
    int64_t size = with->sizes[i];
    if (size == sizes[d] || size == 1) continue;
    if (sizes[d] != 1) {
      pwt_fail(PWT_RUNTIME_ERROR,
               "The size of tensor a (%i) must match the size of tensor b (%i) at non-singleton dimension %d", sizes[d], size, d);
      return false;
    }
    sizes[d] = size;
  }
  return true;
}

bool pwt_infer_size(IntList shape, int64_t numel, int64_t *sizes) {
  int unknown = -1;
  int64_t known = 1;
  if (shape.count > PWT_MAX_DIMS) {
    pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %i", PWT_MAX_DIMS, shape.count);
    return false;
  }
  for (int i = 0; i < shape.count; i++) {
    sizes[i] = shape.items[i];
    if (sizes[i] == -1) {
      if (unknown >= 0) {
        pwt_fail(PWT_RUNTIME_ERROR, "only one dimension can be inferred");
        return false;
      }
      unknown = i;
    } else if (sizes[i] < 0) {
      pwt_fail(PWT_RUNTIME_ERROR, "invalid shape dimension %i at index %d of shape %z", sizes[i], i, shape.items, (int)shape.count);
      return false;
    } else if (!pwt_multiply(known, sizes[i], &known)) {
      known = -1;
      break;
    }
  }
  if (unknown >= 0 && known == 0) {
    if (numel == 0)
      pwt_fail(PWT_RUNTIME_ERROR,
               "cannot reshape tensor of 0 elements into shape %z because the unspecified dimension size -1 can be any value and is ambiguous",
               shape.items, (int)shape.count);
    else
      pwt_fail(PWT_RUNTIME_ERROR, "shape '%z' is invalid for input of size %i", shape.items, (int)shape.count, numel);
    return false;
  }
  if (unknown >= 0 && known > 0 && numel % known == 0) {
    sizes[unknown] = numel / known;
    return true;
  }
  if (unknown < 0 && known == numel) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "shape '%z' is invalid for input of size %i", shape.items, (int)shape.count, numel);
  return false;
}

bool pwt_view_strides(const Tensor *t, int ndim, const int64_t *sizes, int64_t *strides) {
  if (t->numel == 0) {
    pwt_contiguous_strides(ndim, sizes, strides);
    return true;
  }
  int view_dim = ndim - 1;
  int64_t chunk_stride = t->ndim ? t->strides[t->ndim - 1] : 1, old_count = 1, new_count = 1;
  if (t->ndim == 0) {
    for (int i = 0; i < ndim; i++) strides[i] = 1;
    return true;
  }
  for (int d = t->ndim - 1; d >= 0; d--) {
    old_count *= t->sizes[d];
    bool ends = d == 0 || (t->sizes[d - 1] != 1 && t->strides[d - 1] != old_count * chunk_stride);
    if (!ends) continue;
    while (view_dim >= 0 && (new_count < old_count || sizes[view_dim] == 1)) {
      strides[view_dim] = new_count * chunk_stride;
      new_count *= sizes[view_dim--];
    }
    if (new_count != old_count) return false;
    if (d > 0) {
      chunk_stride = t->strides[d - 1];
      old_count = new_count = 1;
    }
  }
  return view_dim == -1;
}

DType pwt_result_type(Tensor *const *tensors, int64_t count) {
  DType dims = PWT_NO_DTYPE, zero = PWT_NO_DTYPE, number = PWT_NO_DTYPE;
  for (int64_t i = 0; i < count; i++) {
    const Tensor *t = tensors[i];
    if (!t) continue;
    DType d = t->dtype;
    DType *group = t->ndim ? &dims : &zero;
    if (t->flags & TENSOR_NUMBER) {
      group = &number;
      if (pwt_is_complex(d)) d = pwt_complex_dtype(pwt_default_dtype);
      else if (pwt_is_floating(d)) d = pwt_default_dtype;
    }
    *group = *group == PWT_NO_DTYPE ? d : pwt_promote_types(*group, d);
  }
  static const uint8_t rank[PWT_DTYPES] = {0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 1, 1, 1, 2, 2, 2, 2, 2};
  DType result = dims;
  for (int i = 0; i < 2; i++) {
    DType lower = i ? number : zero;
    if (lower == PWT_NO_DTYPE) continue;
    if (result == PWT_NO_DTYPE) result = lower;
    else if (rank[lower] > rank[result]) /* a complex number keeps the precision of floats that have dimensions */
      result = rank[lower] == 3 && rank[result] == 2 ? pwt_complex_dtype(result) : pwt_promote_types(result, lower);
  }
  return result;
}
