/* mse_loss, l1_loss, huber_loss, smooth_l1_loss, binary_cross_entropy, and their reduction. */
#include "ops.h"

static const Scalar one = {SCALAR_INT, 1, 1, 0};
static const IntList all_dims = {NULL, -1};

Tensor *pwt_kernel__reduce_loss(Tensor *self, const char *reduction) {
  if (!self) return NULL;
  if (pwt_same_text(reduction, "mean")) return pwt_mean(self, all_dims, false, PWT_NO_DTYPE);
  if (pwt_same_text(reduction, "sum")) return pwt_sum(self, all_dims, false, PWT_NO_DTYPE);
  if (pwt_same_text(reduction, "none")) return self;
  return pwt_fail(PWT_VALUE_ERROR, "%s is not a valid value for reduction", reduction);
}

Tensor *pwt_kernel__mse_loss(Tensor *self, Tensor *target, const char *reduction) {
  DType common = pwt_result_type((Tensor *[]){self, target}, 2);
  if (!pwt_is_floating(common)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"mse_cpu\" not implemented for '%t'", common);
  Tensor *difference = pwt_sub(pwt__to_dtype(self, common), pwt__to_dtype(target, common), one);
  return pwt_kernel__reduce_loss(pwt_mul(difference, difference), reduction);
}

Tensor *pwt_kernel__l1_loss(Tensor *self, Tensor *target, const char *reduction) {
  return pwt_kernel__reduce_loss(pwt_abs(pwt_sub(self, target, one)), reduction);
}

Tensor *pwt_kernel__smooth_l1_loss(Tensor *self, Tensor *target, const char *reduction, double beta) {
  if (beta < 0) return pwt_fail(PWT_RUNTIME_ERROR, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return pwt_kernel__l1_loss(self, target, reduction);
  return pwt_kernel__reduce_loss(pwt_smooth_l1_terms(self, target, pwt_scalar_float(beta)), reduction);
}

Tensor *pwt_kernel__huber_loss(Tensor *self, Tensor *target, const char *reduction, double delta) {
  if (!(delta > 0)) return pwt_fail(PWT_RUNTIME_ERROR, "huber_loss does not support non-positive values for delta.");
  Tensor *terms = pwt_huber_terms(self, target, pwt_scalar_float(delta));
  if (terms && !pwt_can_cast((DType)terms->dtype, (DType)self->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", terms->dtype, self->dtype);
  return pwt_kernel__reduce_loss(pwt__to_dtype(terms, (DType)self->dtype), reduction);
}

static bool check_probabilities(Tensor *t, const char *name) {
  if (pwt_on_meta) return true;
  Tensor *wide = pwt_raw_contiguous_as(t, PWT_FLOAT64);
  if (!wide) return false;
  const double *p = pwt_data(wide);
  for (int64_t i = 0; i < wide->numel; i++) {
    if (p[i] >= 0 && p[i] <= 1) continue;
    pwt_fail(PWT_RUNTIME_ERROR, "all elements of %s should be between 0 and 1", name);
    return false;
  }
  return true;
}

Tensor *pwt_kernel__binary_cross_entropy(Tensor *self, Tensor *target, Tensor *weight, const char *reduction) {
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"binary_cross_entropy\" not implemented for '%t'", self->dtype);
  if (self->dtype != target->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "Found dtype %t but expected %t", target->dtype, self->dtype);
  if (!pwt_check_no_gradient(weight, "binary_cross_entropy", "weight")) return NULL;
  if (!check_probabilities(self, "input") || !check_probabilities(target, "target")) return NULL;
  Tensor *terms = pwt_bce_terms(self, target);
  return pwt_kernel__reduce_loss(weight ? pwt_mul(terms, weight) : terms, reduction);
}

Tensor *pwt_kernel_binary_cross_entropy_with_logits(Tensor *self, Tensor *target, Tensor *weight, Tensor *pos_weight, const char *reduction) {
  Tensor *terms;
  if (!pwt_check_no_gradient(weight, "binary_cross_entropy_with_logits", "weight") ||
      !pwt_check_no_gradient(pos_weight, "binary_cross_entropy_with_logits", "pos_weight"))
    return NULL;
  DType dtype = (DType)target->dtype; /* the loss is made in place of `1 - target` in torch */
  if (!pwt_check_sub(target, target, one)) return NULL;
  if (!pwt_can_cast((DType)self->dtype, dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", self->dtype, dtype);
  if (pos_weight) {
    /* the positive term counts pos_weight times */
    Tensor *log_weight = pwt_add(pwt_mul(pwt_sub(pos_weight, pwt_from_scalar(one), one), target), pwt_from_scalar(one), one);
    Tensor *negative = pwt_mul(pwt_rsub(target, pwt_from_scalar(one), one), self);
    terms = pwt_sub(negative, pwt_mul(log_weight, pwt_log_sigmoid(self)), one);
  } else if (pwt_itemsize[self->dtype] == 2) { /* sixteen bits round after each step, as in torch */
    terms = pwt_sub(pwt_mul(pwt_rsub(target, pwt_from_scalar(one), one), self), pwt_log_sigmoid(self), one);
  } else {
    terms = pwt_bce_logits_terms(self, target);
  }
  return pwt_kernel__reduce_loss(pwt__to_dtype(weight ? pwt_mul(terms, weight) : terms, dtype), reduction);
}

/* log(1 + exp(-target self)), whose gradient its table gives: that of the parts would cancel where the exponential is large. */
Tensor *pwt_kernel__soft_margin(Tensor *self, Tensor *target) {
  bool enabled = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *loss = pwt_log1p(pwt_exp(pwt_neg(pwt_mul(target, self))));
  pwt_grad_enabled = enabled;
  return pwt_raw_cast(loss, (DType)self->dtype);
}
