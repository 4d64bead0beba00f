/* renorm: slices scaled down to a maximum norm. */
#include "ops.h"

Tensor *pwt_kernel_renorm(Tensor *self, Scalar p, int64_t dim, Scalar maxnorm) {
  int64_t others[PWT_MAX_DIMS];
  int n = 0;
  if (p.kind == SCALAR_COMPLEX || !(p.re > 0)) return pwt_fail(PWT_RUNTIME_ERROR, "renorm: non-positive-norm not supported");
  if (!(maxnorm.re >= 0)) return pwt_fail(PWT_RUNTIME_ERROR, "renorm: expected maxnorm to be >= 0 but got %g", maxnorm.re);
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "renorm: input needs at least 2 dimensions, got %d dimensions", (int)self->ndim);
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  for (int i = 0; i < self->ndim; i++)
    if (i != d) others[n++] = i;
  Tensor *norm = pwt__norm(self, p.re, (IntList){others, n}, true, PWT_NO_DTYPE), *most = pwt_from_scalar(maxnorm);
  Tensor *factor = pwt_div(most, pwt_add(norm, pwt_from_scalar(pwt_scalar_float(1e-7)), pwt_scalar_int(1)));
  return pwt_mul(self, pwt_where(pwt_gt(norm, most), factor, pwt_from_scalar(pwt_scalar_int(1))));
}
