/* Special functions that are no pointwise expression. */
#include "ops.h"

bool pwt_check_polygamma(int64_t n) {
  if (n < 0) pwt_fail(PWT_RUNTIME_ERROR, "polygamma(n, x) does not support negative n.");
  return n >= 0;
}

/* DLMF 35.3.4: a sum of ln gamma at steps of one half. */
Tensor *pwt_kernel_mvlgamma(Tensor *self, int64_t p) {
  if (p < 1) return pwt_fail(PWT_RUNTIME_ERROR, "p has to be greater than or equal to 1");
  if (p > 1000000) return pwt_fail(PWT_RUNTIME_ERROR, "mvlgamma: p of %i asks for more terms than there is memory", p);
  Tensor *sum = pwt_from_scalar(pwt_scalar_float(0.28618247146235 * (double)p * (double)(p - 1))); /* ln(pi) / 4 */
  for (int64_t j = 0; j < p && sum; j++)
    sum = pwt_add(pwt_lgamma(pwt_add(self, pwt_from_scalar(pwt_scalar_float(-0.5 * (double)j)), pwt_scalar_int(1))), sum, pwt_scalar_int(1));
  return sum;
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

/* A whole power in two halves, of which neither overflows where the product does not; it is cut to int32, as in torch. */
Tensor *pwt_kernel_ldexp(Tensor *self, Tensor *other) {
  if (other->dtype > PWT_INT64) return pwt_mul(self, pwt_pow(pwt_full_scalar(pwt_scalar_float(2), (DType)other->dtype), other));
  Tensor *two = pwt_from_scalar(pwt_scalar_float(2));
  DType dtype = self->dtype > PWT_INT64 ? pwt_real_dtype((DType)self->dtype) : pwt_default_dtype;
  Tensor *power = pwt__to_dtype(pwt__to_dtype(other, PWT_INT32), dtype);
  Tensor *half = pwt_floor(pwt_mul(power, pwt_from_scalar(pwt_scalar_float(0.5))));
  return pwt_mul(pwt_mul(self, pwt_pow(two, half)), pwt_pow(two, pwt_sub(power, half, pwt_scalar_int(1))));
}
