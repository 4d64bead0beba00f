/* mvlgamma. */
#include "ops.h"

bool pwt_check_polygamma(int64_t n) {
  if (n < 0) pwt_fail(PWT_RUNTIME_ERROR, "polygamma(n, x) does not support negative n.");
  return n >= 0;
}

/* DLMF 35.3.4: a sum of ln gamma at steps of one half. */
Tensor *pwt_kernel_mvlgamma(Tensor *self, int64_t p) {
  if (self->dtype == PWT_BOOL) return pwt_fail(PWT_RUNTIME_ERROR, "The input tensor may not be a boolean tensor.");
  if (p < 1) return pwt_fail(PWT_RUNTIME_ERROR, "p has to be greater than or equal to 1");
  if (p > 1000000) return pwt_fail(PWT_RUNTIME_ERROR, "mvlgamma: p of %i asks for more terms than there is memory", p);
  Tensor *sum = pwt_from_scalar(pwt_scalar_float(0.28618247146235 * (double)p * (double)(p - 1))); /* ln(pi) / 4 */
  for (int64_t j = 0; j < p && sum; j++)
    sum = pwt_add(pwt_lgamma(pwt_add(self, pwt_from_scalar(pwt_scalar_float(-0.5 * (double)j)), pwt_scalar_int(1))), sum, pwt_scalar_int(1));
  return sum;
}
