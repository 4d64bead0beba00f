/* Operators without a derivative: each fails with the message that its table entry gives. */
#include "ops.h"

Tensor *pwt_kernel__no_derivative(Tensor *grad, const char *name) {
  (void)grad;
  return pwt_fail(PWT_NOT_IMPLEMENTED, "the derivative for '%s' is not implemented.", name);
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
