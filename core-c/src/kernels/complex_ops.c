/* What gradients of complex functions need; real tensors pass through. */
#include "ops.h"

Tensor *pwt_kernel_conj_if_complex(Tensor *self) { return pwt_is_complex((DType)self->dtype) ? pwt_conj_physical(self) : self; }

Tensor *pwt_kernel_mul_conj(Tensor *self, Scalar factor) {
  if (factor.re == 1 && factor.im == 0) return self;
  factor.im = -factor.im;
  return pwt_mul(self, pwt_from_scalar(factor));
}

Tensor *pwt_kernel_sgn(Tensor *self) { return pwt_is_complex((DType)self->dtype) ? pwt_sgn_complex(self) : pwt_sign(self); }
