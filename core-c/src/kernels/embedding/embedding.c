/* embedding: rows by index, with gradients. */
#include "ops.h"

static int64_t *read_indices(Tensor *indices, int64_t rows) {
  if (indices->dtype != PWT_INT64 && indices->dtype != PWT_INT32)
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.%sTensor instead (while checking arguments for embedding)",
                    pwt_dtype_message_name((DType)indices->dtype));
  Tensor *wide = pwt_raw_contiguous_as(indices, PWT_INT64);
  if (!wide) return NULL;
  int64_t *values = pwt_data(wide);
  for (int64_t i = 0; i < wide->numel && !pwt_on_meta; i++)
    if (values[i] < 0 || values[i] >= rows) return pwt_fail(PWT_INDEX_ERROR, "index out of range in self: index %i, rows %i", values[i], rows);
  return values;
}

Tensor *pwt_kernel_embedding(Tensor *weight, Tensor *indices, int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
  (void)padding_idx, (void)scale_grad_by_freq, (void)sparse;
  if (weight->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "'weight' must be 2-D");
  int64_t sizes[PWT_MAX_DIMS + 1], *rows = read_indices(indices, weight->sizes[0]);
  pwt_copy_bytes(sizes, indices->sizes, indices->ndim * 8);
  sizes[indices->ndim] = weight->sizes[1];
  Tensor *table = pwt_raw_contiguous(weight), *result = rows ? pwt_new(indices->ndim + 1, sizes, (DType)weight->dtype) : NULL;
  if (!table || !result) return NULL;
  if (pwt_on_meta) return result;
  int64_t bytes = weight->sizes[1] * pwt_itemsize[weight->dtype];
  char *to = pwt_data(result);
  const char *from = pwt_data(table);
  for (int64_t i = 0; i < indices->numel; i++, to += bytes) pwt_copy_bytes(to, from + rows[i] * bytes, bytes);
  return result;
}

/* how often each index occurs, at its place */
static int64_t *frequencies(const int64_t *rows, int64_t n, int64_t size) {
  int64_t *count = pwt_scratch_items(size, 8);
  if (!count) return NULL;
  pwt_fill_bytes(count, 0, size * 8);
  for (int64_t i = 0; i < n; i++) count[rows[i]]++;
  return count;
}

Tensor *pwt_kernel_embedding_backward(Tensor *grad, Tensor *indices, IntList sizes, int64_t padding_idx, bool scale_grad_by_freq) {
  int64_t *rows = read_indices(indices, sizes.items[0]), width = sizes.items[1];
  DType dtype = grad->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Tensor *g = pwt_raw_contiguous_as(grad, dtype), *result = pwt_new_zeros(2, sizes.items, dtype);
  if (pwt_on_meta && result) return pwt_raw_cast(result, (DType)grad->dtype);
  int64_t *count = scale_grad_by_freq && rows ? frequencies(rows, indices->numel, sizes.items[0]) : NULL;
  if (!rows || !g || !result || pwt_failed()) return NULL;
  for (int64_t i = 0; i < indices->numel; i++) {
    if (rows[i] == padding_idx) continue;
    double scale = count ? 1.0 / (double)count[rows[i]] : 1;
    if (dtype == PWT_FLOAT32) {
      const float *restrict from = (const float *)pwt_data(g) + i * width;
      float *restrict to = (float *)pwt_data(result) + rows[i] * width, factor = (float)scale;
      for (int64_t k = 0; k < width; k++) to[k] += from[k] * factor;
    } else {
      const double *restrict from = (const double *)pwt_data(g) + i * width;
      double *restrict to = (double *)pwt_data(result) + rows[i] * width;
      for (int64_t k = 0; k < width; k++) to[k] += from[k] * scale;
    }
  }
  return pwt_raw_cast(result, (DType)grad->dtype);
}

Tensor *pwt_kernel_embedding_double_backward(Tensor *grad, Tensor *indices, int64_t padding_idx, bool scale_grad_by_freq) {
  Tensor *rows = pwt_embedding(grad, indices, -1, false, false);
  Tensor *padding = pwt_eq(indices, pwt_from_scalar(pwt_scalar_int(padding_idx)));
  if (scale_grad_by_freq) return pwt_fail(PWT_NOT_IMPLEMENTED, "pywasmtorch has no second derivative of embedding(..., scale_grad_by_freq=True)");
  return padding_idx < 0 ? rows : pwt_masked_fill(rows, pwt_unsqueeze(padding, -1), pwt_from_scalar(pwt_scalar_int(0)));
}

Tensor *pwt_kernel__one_hot(Tensor *self, int64_t num_classes) {
  if (self->dtype != PWT_INT64) return pwt_fail(PWT_RUNTIME_ERROR, "one_hot is only applicable to index tensor of type LongTensor.");
  Tensor *labels = pwt_raw_contiguous(self);
  if (!labels) return NULL;
  const int64_t *values = pwt_data(labels);
  int64_t largest = -1;
  if (pwt_on_meta && num_classes == -1) return pwt_no_meta("one_hot");
  for (int64_t i = 0; i < labels->numel && !pwt_on_meta; i++) {
    if (values[i] < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Class values must be non-negative.");
    largest = PWT_MAX(largest, values[i]);
  }
  if (labels->numel == 0 && num_classes <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "Can not infer total number of classes from empty tensor.");
  if (num_classes == 0 || num_classes < -1) return pwt_fail(PWT_RUNTIME_ERROR, "num_classes should be positive");
  if (num_classes == -1) num_classes = largest + 1;
  if (largest >= num_classes) return pwt_fail(PWT_RUNTIME_ERROR, "Class values must be smaller than num_classes.");
  int64_t sizes[PWT_MAX_DIMS + 1];
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  sizes[self->ndim] = num_classes;
  Tensor *result = pwt_new_zeros(self->ndim + 1, sizes, PWT_INT64);
  if (!result) return NULL;
  int64_t *to = pwt_data(result);
  for (int64_t i = 0; i < labels->numel && !pwt_on_meta; i++) to[i * num_classes + values[i]] = 1;
  return result;
}
