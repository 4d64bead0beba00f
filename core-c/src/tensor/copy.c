/* Copies to another dtype, layout or tensor. */
#include "iterator.h"

Tensor *pwt_raw_contiguous(Tensor *t) {
  if (!t || (t->contiguous && !(t->flags & (TENSOR_CONJ | TENSOR_NEG)))) return t;
  Tensor *copy = pwt_new(t->ndim, t->sizes, t->dtype);
  if (copy) pwt_raw_copy(copy, t);
  return copy;
}

Tensor *pwt_raw_cast(Tensor *t, DType dtype) {
  if (!t || t->dtype == dtype) return t;
  Tensor *copy = pwt_new_like(t, dtype);
  if (copy) pwt_raw_copy(copy, t);
  return copy;
}

Tensor *pwt_raw_contiguous_as(Tensor *t, DType dtype) {
  if (!t || (t->dtype == dtype && t->contiguous)) return t;
  Tensor *copy = pwt_new(t->ndim, t->sizes, dtype);
  if (copy) pwt_raw_copy(copy, t);
  return copy;
}

Tensor *pwt_raw_clone(Tensor *t) {
  if (!t) return NULL;
  Tensor *copy = pwt_new_like(t, t->dtype);
  if (copy) pwt_raw_copy(copy, t);
  return copy;
}

Tensor *pwt_raw_expand(Tensor *t, int ndim, const int64_t *sizes) {
  int64_t strides[PWT_MAX_DIMS];
  int lead = ndim - t->ndim;
  for (int i = 0; i < ndim; i++) {
    int d = i - lead;
    strides[i] = d < 0 || (t->sizes[d] == 1 && sizes[i] != 1) ? 0 : t->strides[d];
  }
  return pwt_alias(t, ndim, sizes, strides, t->offset);
}

Tensor *pwt_raw_movedim(Tensor *t, int from, int to) {
  if (!t || from == to) return t;
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  for (int i = 0, source = 0; i < t->ndim; i++) {
    if (source == from) source++;
    int d = i == to ? from : source++;
    sizes[i] = t->sizes[d];
    strides[i] = t->strides[d];
  }
  return pwt_alias(t, t->ndim, sizes, strides, t->offset);
}

Tensor *pwt_write_out(Tensor *out, Tensor *result) {
  if (!out || !result) return NULL;
  if (!pwt_can_cast(result->dtype, out->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", result->dtype, out->dtype);
  if (!pwt_same_sizes(out, result) && !pwt_resize(out, result->ndim, result->sizes)) return NULL;
  pwt_raw_copy(out, result);
  pwt_bump_version(out);
  return out;
}

void pwt_raw_fill(Tensor *t, Scalar value) {
  if (!t || t->numel == 0 || pwt_is_meta(t)) return;
  char item[16];
  pwt_scalar_store(value, t->dtype, item);
  int size = pwt_itemsize[t->dtype];
  if (t->contiguous) {
    char *data = pwt_data(t);
    switch (size) {
      case 1: pwt_fill_bytes(data, item[0], t->numel); return;
      case 2: for (int64_t i = 0; i < t->numel; i++) ((uint16_t *)data)[i] = *(uint16_t *)item; return;
      case 4: for (int64_t i = 0; i < t->numel; i++) ((uint32_t *)data)[i] = *(uint32_t *)item; return;
      default: for (int64_t i = 0; i < t->numel; i++) pwt_copy_bytes(data + i * size, item, size); return;
    }
  }
  Tensor *one = pwt_full_scalar(value, t->dtype);
  if (one) pwt_raw_copy(t, one);
}

/* ---- layouts with the channels last ---- */
bool pwt_is_channels_last(const Tensor *t) {
  static const int orders[2][5] = {{1, 3, 2, 0}, {1, 4, 3, 2, 0}};
  if (t->ndim < 4 || t->ndim > 5) return false;
  int64_t least = 0;
  for (int i = 0; i < t->ndim; i++) {
    int d = orders[t->ndim - 4][i];
    if (t->sizes[d] == 0 || t->strides[d] < least || (d == 1 && t->strides[d] == 0) || (d == 0 && least == t->strides[1])) return false;
    least = t->strides[d] * PWT_MAX(t->sizes[d], 1);
  }
  return true;
}

Tensor *pwt_new_laid_out(int ndim, const int64_t *sizes, DType dtype, bool last) {
  if (!last) return pwt_new(ndim, sizes, dtype);
  int64_t strides[PWT_MAX_DIMS], stride = sizes[1];
  for (int d = ndim - 1; d > 1; d--) strides[d] = stride, stride *= PWT_MAX(sizes[d], 1);
  strides[1] = 1, strides[0] = stride;
  return pwt_new_strided(ndim, sizes, strides, dtype);
}

Tensor *pwt_laid_out(Tensor *result, DType dtype, const Tensor *a, const Tensor *b) {
  result = pwt_raw_cast(result, dtype);
  if (!result || !(pwt_is_channels_last(a) || (b && pwt_is_channels_last(b)))) return result;
  Tensor *moved = pwt_new_laid_out(result->ndim, result->sizes, dtype, true);
  if (moved) pwt_raw_copy(moved, result);
  return moved;
}
