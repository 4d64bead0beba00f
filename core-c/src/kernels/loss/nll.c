/* nll_loss and cross_entropy. */
#include "ops.h"

static const Scalar one = {SCALAR_INT, 1, 1, 0};
static const IntList all_dims = {NULL, -1};

/* self [N, C] and target [N]; each row's loss and the weight it counted with (0 where ignored) */
Tensors2 pwt_kernel__nll_rows(Tensor *self, Tensor *target, Tensor *weight, int64_t ignore_index) {
  Tensors2 none = {{NULL, NULL}};
  int64_t rows = self->sizes[0], classes = self->sizes[1];
  DType dtype = self->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Tensor *x = pwt_raw_contiguous_as(self, PWT_FLOAT64 == dtype ? PWT_FLOAT64 : PWT_FLOAT32), *labels = pwt_raw_contiguous_as(target, PWT_INT64);
  Tensor *w = weight ? pwt_raw_contiguous_as(weight, PWT_FLOAT64) : NULL;
  Tensor *losses = pwt_new(1, &rows, PWT_FLOAT64), *weights = pwt_new(1, &rows, PWT_FLOAT64);
  if (!x || !labels || !losses || !weights || pwt_failed()) return none;
  const int64_t *label = pwt_data(labels);
  double *loss = pwt_data(losses), *counted = pwt_data(weights);
  for (int64_t i = 0; i < rows && !pwt_on_meta; i++) {
    if (label[i] == ignore_index) {
      loss[i] = counted[i] = 0;
      continue;
    }
    if (label[i] < 0 || label[i] >= classes) return pwt_fail(PWT_INDEX_ERROR, "Target %i is out of bounds.", label[i]), none;
    int64_t at = i * classes + label[i];
    counted[i] = w ? ((const double *)pwt_data(w))[label[i]] : 1;
    loss[i] = -counted[i] * (dtype == PWT_FLOAT32 ? (double)((const float *)pwt_data(x))[at] : ((const double *)pwt_data(x))[at]);
  }
  return (Tensors2){{pwt_raw_cast(losses, (DType)self->dtype), pwt_raw_cast(weights, (DType)self->dtype)}};
}

Tensor *pwt_kernel__nll_rows_backward(Tensor *grad, Tensor *weights, Tensor *target, IntList sizes) {
  DType dtype = (DType)weights->dtype, wide = dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Tensor *out = pwt_new_zeros(2, sizes.items, wide);
  if (!grad) return out;
  Tensor *g = pwt_raw_contiguous_as(grad, PWT_FLOAT64), *w = pwt_raw_contiguous_as(weights, PWT_FLOAT64), *labels = pwt_raw_contiguous_as(target, PWT_INT64);
  if (!out || !g || !w || !labels) return NULL;
  for (int64_t i = 0; i < sizes.items[0] && !pwt_on_meta; i++) {
    double factor = ((const double *)pwt_data(w))[i];
    if (factor == 0) continue;
    int64_t at = i * sizes.items[1] + ((const int64_t *)pwt_data(labels))[i];
    double value = -((const double *)pwt_data(g))[i] * factor;
    if (wide == PWT_FLOAT32) ((float *)pwt_data(out))[at] = (float)value;
    else ((double *)pwt_data(out))[at] = value;
  }
  return pwt_raw_cast(out, dtype);
}

Tensor *pwt_kernel__nll_rows_gather(Tensor *grad, Tensor *weights, Tensor *target) {
  Tensor *g = pwt_raw_contiguous_as(grad, PWT_FLOAT64), *w = pwt_raw_contiguous_as(weights, PWT_FLOAT64), *labels = pwt_raw_contiguous_as(target, PWT_INT64);
  Tensor *out = pwt_new(1, weights->sizes, PWT_FLOAT64);
  if (!g || !w || !labels || !out) return NULL;
  for (int64_t i = 0; i < weights->numel && !pwt_on_meta; i++) {
    double factor = ((const double *)pwt_data(w))[i];
    int64_t at = i * grad->sizes[1] + ((const int64_t *)pwt_data(labels))[i];
    ((double *)pwt_data(out))[i] = factor == 0 ? 0 : -factor * ((const double *)pwt_data(g))[at];
  }
  return pwt_raw_cast(out, (DType)weights->dtype);
}

/* [N, C, d...] as [N * d..., C]; a single row [C] as [1, C] */
static Tensor *class_rows(Tensor *self) {
  int64_t classes = self->sizes[self->ndim > 1], rows = 1;
  for (int d = 0; d < self->ndim; d++) rows *= d == (self->ndim > 1) ? 1 : self->sizes[d];
  if (self->ndim > 2) self = pwt_movedim(self, (IntList){(const int64_t[]){1}, 1}, (IntList){(const int64_t[]){-1}, 1});
  return pwt_reshape(self, (IntList){(const int64_t[]){rows, classes}, 2});
}

static bool check_class_weights(const Tensor *weight, int64_t classes) {
  if (!weight || (weight->ndim == 1 && weight->numel == classes)) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "weight tensor should be defined either for all %i classes or no classes but got weight tensor of shape: %z", classes, weight->sizes, (int)weight->ndim);
  return false;
}

static bool check_target(Tensor *self, Tensor *target, Tensor *weight) {
  if (self->ndim == 0) {
    pwt_fail(PWT_RUNTIME_ERROR, "Expected an input of at least one dimension, got a 0-d tensor");
    return false;
  }
  bool fits = target->ndim == self->ndim - 1 || (self->ndim == 1 && target->ndim == 1);
  if (self->ndim == 1 && target->ndim == 1 && target->sizes[0] != 1) {
    pwt_fail(PWT_VALUE_ERROR, "For 1D input, 1D target must have size 1, but got target size: %i", target->sizes[0]);
    return false;
  }
  if (fits && self->ndim > 1 && self->sizes[0] != target->sizes[0]) {
    pwt_fail(PWT_VALUE_ERROR, "Expected input batch_size (%i) to match target batch_size (%i).", self->sizes[0], target->sizes[0]);
    return false;
  }
  for (int i = 1; i < target->ndim && fits; i++) fits = target->sizes[i] == self->sizes[i + 1];
  if (!fits) {
    if (self->ndim == 2) pwt_fail(PWT_RUNTIME_ERROR, "0D or 1D target tensor expected, multi-target not supported");
    else pwt_fail(PWT_RUNTIME_ERROR, "Expected target size [N, d1, ...] for input %z, got %z", self->sizes, (int)self->ndim, target->sizes, (int)target->ndim);
    return false;
  }
  if (target->dtype != PWT_INT64 && target->dtype != PWT_UINT8) {
    pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type Long but found %t", target->dtype);
    return false;
  }
  return check_class_weights(weight, self->sizes[self->ndim > 1]);
}

Tensor *pwt_kernel__nll_loss(Tensor *self, Tensor *target, Tensor *weight, const char *reduction, int64_t ignore_index) {
  if (!check_target(self, target, weight) || !pwt_check_no_gradient(weight, self->ndim > 2 ? "nll_loss2d_forward" : "nll_loss_forward", "weight")) return NULL;
  Tensors2 rows = pwt__nll_rows(class_rows(self), pwt_reshape(target, (IntList){(const int64_t[]){-1}, 1}), weight, ignore_index);
  if (!rows.r[0]) return NULL;
  if (pwt_same_text(reduction, "none")) return pwt_reshape(rows.r[0], (IntList){target->sizes, self->ndim - 1});
  Tensor *total = pwt_sum(rows.r[0], all_dims, false, PWT_NO_DTYPE);
  if (pwt_same_text(reduction, "sum")) return total;
  if (pwt_same_text(reduction, "mean")) return pwt_div(total, pwt_sum(rows.r[1], all_dims, false, PWT_NO_DTYPE));
  return pwt_fail(PWT_VALUE_ERROR, "%s is not a valid value for reduction", reduction);
}

static Tensor *per_class(Tensor *weight, Tensor *self) {
  int64_t sizes[PWT_MAX_DIMS];
  for (int i = 0; i < self->ndim; i++) sizes[i] = i == (self->ndim > 1) ? weight->numel : 1;
  return pwt_reshape(weight, (IntList){sizes, self->ndim});
}

static Tensor *reduced(Tensor *losses, Tensor *self, const char *reduction) {
  if (pwt_same_text(reduction, "none") || !losses) return losses;
  Tensor *total = pwt_sum(losses, all_dims, false, PWT_NO_DTYPE);
  if (pwt_same_text(reduction, "sum")) return total;
  int64_t classes = self->sizes[self->ndim > 1];
  return pwt_div(total, pwt_from_scalar(pwt_scalar_int(classes ? self->numel / classes : 0)));
}

/* target holds a probability for each class */
static Tensor *soft_cross_entropy(Tensor *logs, Tensor *target, Tensor *weight, const char *reduction, double smoothing) {
  int64_t dim = logs->ndim > 1;
  if (!check_class_weights(weight, logs->sizes[dim])) return NULL;
  if (smoothing > 0) {
    Tensor *kept = pwt_mul(target, pwt_from_scalar(pwt_scalar_float(1 - smoothing)));
    target = pwt_add(kept, pwt_from_scalar(pwt_scalar_float(smoothing / (double)logs->sizes[dim])), one);
  }
  Tensor *terms = pwt_mul(logs, target);
  if (weight) terms = pwt_mul(terms, per_class(weight, logs));
  return reduced(pwt_neg(pwt_sum(terms, (IntList){&dim, 1}, false, PWT_NO_DTYPE)), logs, reduction);
}

/* Szegedy et al., 2016: the target mixed with the uniform distribution */
static Tensor *smooth_cross_entropy(Tensor *logs, Tensor *target, Tensor *weight, const char *reduction, int64_t ignore_index, double smoothing) {
  int64_t dim = logs->ndim > 1;
  Tensor *likelihood = pwt__nll_loss(logs, target, weight, reduction, ignore_index);
  Tensor *spread = weight ? pwt_mul(logs, per_class(weight, logs)) : logs;
  Tensor *uniform = pwt_neg(pwt_sum(spread, (IntList){&dim, 1}, false, PWT_NO_DTYPE));
  Tensor *ignored = pwt_eq(target, pwt_from_scalar(pwt_scalar_int(ignore_index)));
  uniform = pwt_masked_fill(uniform, ignored, pwt_from_scalar(pwt_scalar_int(0)));
  if (pwt_same_text(reduction, "sum")) uniform = pwt_sum(uniform, all_dims, false, PWT_NO_DTYPE);
  if (pwt_same_text(reduction, "mean")) {
    Tensor *total = pwt_sum(uniform, all_dims, false, PWT_NO_DTYPE), *count;
    if (weight) {
      Tensor *labels = pwt_masked_fill(target, ignored, pwt_from_scalar(pwt_scalar_int(0)));
      Tensor *counted = pwt_index_select(weight, 0, pwt_reshape(labels, (IntList){(const int64_t[]){-1}, 1}));
      counted = pwt_masked_fill(counted, pwt_reshape(ignored, (IntList){(const int64_t[]){-1}, 1}), pwt_from_scalar(pwt_scalar_int(0)));
      count = pwt_sum(counted, all_dims, false, PWT_NO_DTYPE);
    } else {
      count = pwt_sum(pwt_logical_not(ignored), all_dims, false, PWT_NO_DTYPE);
    }
    uniform = pwt_div(total, count);
  }
  Tensor *kept = pwt_mul(likelihood, pwt_from_scalar(pwt_scalar_float(1 - smoothing)));
  return pwt_add(kept, pwt_mul(uniform, pwt_from_scalar(pwt_scalar_float(smoothing / (double)logs->sizes[dim]))), one);
}

Tensor *pwt_kernel__cross_entropy(Tensor *self, Tensor *target, Tensor *weight, const char *reduction, int64_t ignore_index, double label_smoothing) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "cross_entropy: expected an input of at least one dimension, got a 0-d tensor");
  if (!(label_smoothing >= 0 && label_smoothing <= 1)) return pwt_fail(PWT_RUNTIME_ERROR, "label_smoothing must be between 0.0 and 1.0. Got: %g", label_smoothing);
  bool soft = pwt_same_sizes(self, target);
  if (soft && !pwt_is_floating((DType)target->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "Expected floating point type for target with class probabilities, got %t", target->dtype);
  Tensor *logs = pwt__log_softmax(self, self->ndim > 1);
  if (!logs) return NULL;
  if (soft) return soft_cross_entropy(logs, target, weight, reduction, label_smoothing);
  if (pwt_is_floating((DType)target->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, target->ndim == self->ndim - 1 ? "expected scalar type Long but found %t" : "cross_entropy: a target of probabilities (%t) must have the sizes of the input, %z, but has %z",
                    target->dtype, self->sizes, (int)self->ndim, target->sizes, (int)target->ndim);
  if (label_smoothing > 0) return check_target(self, target, weight) ? smooth_cross_entropy(logs, target, weight, reduction, ignore_index, label_smoothing) : NULL;
  return pwt__nll_loss(logs, target, weight, reduction, ignore_index);
}
