/* mH, H, adjoint: transposes, conjugated for complex dtypes. */
#include "ops.h"

static Tensor *conjugate_transpose(Tensor *self, const char *name) {
  if (self->ndim == 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "tensor.%s is only supported on matrices or batches of matrices. Got 1-D tensor.", name);
  return pwt_conj_if_complex(self->ndim ? pwt_transpose(self, -2, -1) : self);
}

Tensor *pwt_kernel_mH(Tensor *self) { return conjugate_transpose(self, "mH"); }
Tensor *pwt_kernel_adjoint(Tensor *self) { return conjugate_transpose(self, "adjoint()"); }

Tensor *pwt_kernel_H(Tensor *self) {
  if (self->ndim != 0 && self->ndim != 2)
    return pwt_fail(PWT_RUNTIME_ERROR, "tensor.H is only supported on matrices (2-D tensors). Got %d-D tensor.%s", self->ndim,
                    self->ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return conjugate_transpose(self, "H");
}
