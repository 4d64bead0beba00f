/* Padding: constant, reflect, replicate, circular. */
#include "ops.h"

Tensor *pwt_kernel_constant_pad_nd(Tensor *self, IntList pad, Scalar value) {
  int n = self->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  if (pad.count % 2) return pwt_fail(PWT_RUNTIME_ERROR, "Length of pad must be even but instead it equals %i", pad.count);
  if (pad.count / 2 > n)
    return pwt_fail(PWT_RUNTIME_ERROR, "Length of pad should be no more than twice the number of dimensions of the input. Pad length is %i while the input has %d dimensions.", pad.count, n);
  pwt_copy_bytes(sizes, self->sizes, n * 8);
  Tensor *inner = self;
  for (int k = 0; k < pad.count / 2; k++) {
    int d = n - 1 - k;
    int64_t before = pad.items[2 * k], after = pad.items[2 * k + 1];
    if ((double)before + (double)after + (double)sizes[d] > 9e18)
      return pwt_fail(PWT_RUNTIME_ERROR, "Padding %i and %i of dimension %d, whose size is %i, is more than 64 bits count", before, after, d, sizes[d]);
    sizes[d] += before + after;
    if (sizes[d] < 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "The input size %i, plus negative padding %i and %i resulted in a negative output size, which is invalid. Check dimension %d of your input.", self->sizes[d],
                      before, after, d);
  }
  if (!pwt_check_fits(value, (DType)self->dtype)) return NULL;
  Tensor *result = pwt_new_laid_out(n, sizes, (DType)self->dtype, pwt_is_channels_last(self)), *window = result;
  pwt_raw_fill(result, value);
  for (int k = 0; k < pad.count / 2 && window && inner; k++) {
    int d = n - 1 - k;
    int64_t before = pad.items[2 * k], after = pad.items[2 * k + 1];
    int64_t from = PWT_MAX(-before, 0), to = self->sizes[d] - PWT_MAX(-after, 0);
    inner = pwt_kernel_slice(inner, d, (OptInt){true, from}, (OptInt){true, PWT_MAX(to, from)}, 1);
    if (inner) window = pwt_kernel_narrow(window, d, PWT_MAX(before, 0), inner->sizes[d]);
  }
  if (window && inner) pwt_raw_copy(window, inner);
  return result;
}

Tensor *pwt_kernel_pad_backward(Tensor *grad, IntList pad) {
  int64_t back[2 * PWT_MAX_DIMS];
  for (int i = 0; i < pad.count; i++) back[i] = -pad.items[i];
  return pwt_constant_pad_nd(grad, (IntList){back, pad.count}, pwt_scalar_int(0));
}

enum { REFLECT, REPLICATE, CIRCULAR };

Tensor *pwt_kernel__index_pad(Tensor *self, IntList pad, int64_t mode) {
  for (int k = 0; k < pad.count / 2 && self; k++) {
    int d = self->ndim - 1 - k;
    int64_t before = pad.items[2 * k], after = pad.items[2 * k + 1], size = self->sizes[d], length = size + before + after;
    if (before == 0 && after == 0) continue;
    if (mode == REFLECT && (before >= size || after >= size))
      return pwt_fail(PWT_RUNTIME_ERROR, "Argument #%d: Padding size should be less than the corresponding input dimension, but got: padding (%i, %i) at dimension %d of input %z", 4 + 2 * k, before,
                      after, d, self->sizes, (int)self->ndim);
    int64_t kept = size + PWT_MIN(before, 0) + PWT_MIN(after, 0); /* negative widths cut first; what is left goes round */
    if (mode == CIRCULAR && (before > kept || after > kept)) return pwt_fail(PWT_RUNTIME_ERROR, "Padding value causes wrapping around more than once.");
    if (size == 0) return pwt_fail(PWT_RUNTIME_ERROR, "Expected a non-empty dimension %d for padding, but got: %z", d, self->sizes, (int)self->ndim);
    if (length < 1)
      return pwt_fail(PWT_RUNTIME_ERROR, "input (size: %i) is too small for the padding (%i, %i) at dimension %d: the output would have size %i", size, before, after, d, length);
    Tensor *index = pwt_new(1, &length, PWT_INT64);
    if (!index) return NULL;
    int64_t *at = pwt_data(index);
    for (int64_t i = 0; i < length && !pwt_on_meta; i++) {
      int64_t from = i - before;
      if (mode == REFLECT) from = from < 0 ? -from : from >= size ? 2 * size - 2 - from : from;
      else if (mode == REPLICATE) from = PWT_MIN(PWT_MAX(from, 0), size - 1);
      else from = PWT_MAX(-before, 0) + (i - PWT_MAX(before, 0) + kept) % kept;
      at[i] = from;
    }
    self = pwt_index_select(self, d, index);
  }
  return self;
}
