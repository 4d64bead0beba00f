/* multilabel_margin_loss, without a buffer for all pairs of classes. */
#include "math.h"
#include "ops.h"

/* Labels up to the first -1 count; a row's loss is the sum of margins of all other classes to each of them, over the
   number of classes. Where `out` is given the gradient times `scale` is added to it. */
static void margin_row(const double *x, const int64_t *labels, int64_t classes, bool *is_label, double *loss, double *out, double scale) {
  int64_t count = 0;
  pwt_fill_bytes(is_label, 0, classes);
  for (; count < classes && labels[count] >= 0; count++) is_label[labels[count]] = true;
  double total = 0, share = 1 / (double)classes;
  for (int64_t k = 0; k < count; k++)
    for (int64_t c = 0; c < classes; c++) {
      double gap = 1 - x[labels[k]] + x[c];
      if (is_label[c] || !(gap > 0)) continue;
      total += gap;
      if (out) out[c] += share * scale, out[labels[k]] -= share * scale;
    }
  if (loss) *loss = total * share;
}

static Tensor *margins(Tensor *grad, Tensor *self, Tensor *target) {
  int64_t rows = self->sizes[0], classes = self->sizes[1];
  if (self->dtype != PWT_FLOAT32 && self->dtype != PWT_FLOAT64) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"multilabel_margin_loss\" not implemented for '%t'", self->dtype);
  if (target->dtype != PWT_INT64) return pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type Long but found %t", target->dtype);
  Tensor *x = pwt_raw_contiguous_as(self, PWT_FLOAT64), *labels = pwt_raw_contiguous(target), *g = pwt_raw_contiguous_as(grad, PWT_FLOAT64);
  Tensor *result = grad ? pwt_new_zeros(2, self->sizes, PWT_FLOAT64) : pwt_new(1, &rows, PWT_FLOAT64);
  bool *is_label = pwt_scratch_items(classes, 1);
  if (!x || !labels || !result || !is_label || pwt_failed()) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(result, (DType)self->dtype);
  const int64_t *at = pwt_data(labels);
  for (int64_t i = 0; i < labels->numel; i++)
    if (at[i] < -1 || at[i] >= classes) return pwt_fail(PWT_RUNTIME_ERROR, "multilabel_margin_loss: argument #3 target out of range: %i with %i classes", at[i], classes);
  for (int64_t r = 0; r < rows; r++) {
    double *to = pwt_data(result);
    const double *row = (const double *)pwt_data(x) + r * classes;
    if (grad) margin_row(row, at + r * classes, classes, is_label, NULL, to + r * classes, ((const double *)pwt_data(g))[r]);
    else margin_row(row, at + r * classes, classes, is_label, to + r, NULL, 0);
  }
  return pwt_raw_cast(result, (DType)self->dtype);
}

Tensor *pwt_kernel__multilabel_margins(Tensor *self, Tensor *target) { return margins(NULL, self, target); }

Tensor *pwt_kernel__multilabel_margins_backward(Tensor *grad, Tensor *self, Tensor *target) { return margins(grad, self, target); }
