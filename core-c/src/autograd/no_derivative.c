/* Operators without a derivative: each fails with the message that its table entry gives. */
#include "autograd.h"
#include "ops.h"

bool pwt_check_no_gradient(Tensor *t, const char *function, const char *argument) {
  if (!t || !pwt_grad_enabled || !pwt_requires_grad(t)) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "The function '%s' is not differentiable with respect to argument '%s'. This input cannot have requires_grad True.",
           function, argument);
  return false;
}

/* Sums of floating point numbers as integers have no gradient. */
bool pwt_check_differentiable_as(Tensor *self, DType dtype) {
  if (dtype == PWT_NO_DTYPE || pwt_is_differentiable(dtype) || !pwt_grad_enabled || !pwt_requires_grad(self)) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "Autograd not support dtype: %t", dtype);
  return false;
}

Tensor *pwt_kernel__no_derivative(Tensor *grad, const char *name) {
  (void)grad;
  return pwt_fail(PWT_NOT_IMPLEMENTED, "the derivative for '%s' is not implemented.", name);
}

Tensor *pwt_kernel__no_double_backward(Tensor *grad, const char *name) {
  (void)grad;
  return pwt_fail(PWT_RUNTIME_ERROR, "double backwards on %s not supported", name);
}

Tensor *pwt_kernel_not_implemented(Tensor *grad, const char *name) {
  (void)grad;
  return pwt_fail(PWT_NOT_IMPLEMENTED, "the derivative for '%s' is not implemented.", name);
}

Tensor *pwt_kernel__not_derived(Tensor *grad, const char *name) {
  (void)grad;
  return pwt_fail(PWT_RUNTIME_ERROR, "derivative for %s is not implemented", name);
}

Tensor *pwt_kernel_no_derivative(Tensor *grad, const char *name) {
  (void)grad;
  return pwt_fail(PWT_NOT_IMPLEMENTED, "pywasmtorch has no derivative of %s", name);
}
