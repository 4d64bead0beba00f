/* prelu, celu, gelu, glu: activations composed of other operators. */
#include "ops.h"

static Tensor *number(double value) { return pwt_from_scalar(pwt_scalar_float(value)); }

Tensor *pwt_kernel_prelu(Tensor *self, Tensor *weight) {
  if (weight->dtype != self->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "prelu: Type promoting not supported. Got %s and %s", pwt_dtype_name((DType)self->dtype), pwt_dtype_name((DType)weight->dtype));
  if (weight->ndim > 1) return pwt_fail(PWT_RUNTIME_ERROR, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = %d", (int)weight->ndim);
  int64_t channels = self->ndim >= 2 ? self->sizes[1] : 1;
  if (weight->numel != 1) {
    if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "Not allow zero-dim input tensor.");
    if (weight->numel != channels)
      return pwt_fail(PWT_RUNTIME_ERROR, "Mismatch of parameter numbers and input channel size. Found parameter numbers = %i and channel size = %i.", weight->numel, channels);
  }
  int64_t sizes[PWT_MAX_DIMS];
  for (int i = 0; i < self->ndim; i++) sizes[i] = i == 1 ? weight->numel : 1;
  if (self->ndim == 1) sizes[0] = weight->numel;
  Tensor *slopes = pwt_reshape(weight, (IntList){sizes, self->ndim});
  return pwt_where(pwt_gt(self, number(0)), self, pwt_mul(self, slopes));
}

Tensor *pwt_kernel_celu(Tensor *self, Scalar alpha) {
  if (alpha.re == 0) return pwt_fail(PWT_RUNTIME_ERROR, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return pwt_elu(self, alpha, pwt_scalar_int(1), pwt_scalar_float(1 / alpha.re));
}

Tensor *pwt_kernel_gelu(Tensor *self, const char *approximate) {
  if (pwt_same_text(approximate, "none")) return pwt_gelu_erf(self);
  if (pwt_same_text(approximate, "tanh")) return pwt_gelu_tanh(self);
  return pwt_fail(PWT_RUNTIME_ERROR, "approximate argument must be either none or tanh.");
}

Tensor *pwt_kernel_gelu_tanh_backward(Tensor *grad, Tensor *self) {
  if (!pwt_grad_enabled) return pwt_mul(grad, pwt_gelu_tanh_slope(self));
  Tensor *square = pwt_mul(self, self);
  Tensor *inner = pwt_mul(pwt_add(self, pwt_mul(pwt_mul(square, self), number(0.044715)), pwt_scalar_int(1)), number(0.7978845608028654));
  Tensor *t = pwt_tanh(inner);
  Tensor *slope = pwt_mul(pwt_add(pwt_mul(square, number(0.134145)), number(1), pwt_scalar_int(1)), number(0.7978845608028654 * 0.5));
  Tensor *right = pwt_mul(pwt_mul(self, pwt_rsub(pwt_mul(t, t), number(1), pwt_scalar_int(1))), slope);
  Tensor *left = pwt_mul(pwt_add(t, number(1), pwt_scalar_int(1)), number(0.5));
  return pwt_mul(grad, pwt_add(left, right, pwt_scalar_int(1)));
}

bool pwt_check_relu(Tensor *self) {
  if (self->dtype == PWT_BOOL) pwt_fail(PWT_RUNTIME_ERROR, "Boolean inputs not supported for relu");
  return !pwt_failed();
}

bool pwt_check_hardtanh(Tensor *self, Scalar min_val, Scalar max_val) {
  if (self->dtype == PWT_BOOL) pwt_fail(PWT_RUNTIME_ERROR, "Bool inputs not supported for hardtanh");
  if (self->dtype == PWT_UINT8 && (min_val.re < 0 || max_val.re < 0)) pwt_fail(PWT_RUNTIME_ERROR, "cannot do hardtanh on an unsigned type with negative limits");
  DType dtype = (DType)self->dtype;
  return !pwt_failed() && pwt_check_two_fit(min_val, max_val, dtype);
}

bool pwt_check_two_fit(Scalar a, Scalar b, DType dtype) { return pwt_check_fits(a, dtype) && pwt_check_fits(b, dtype); }

/* in which factors are kept beside self */
DType pwt_scale_dtype(Tensor *self) { return self->dtype == PWT_FLOAT64 || self->dtype == PWT_COMPLEX128 ? PWT_FLOAT64 : PWT_FLOAT32; }

bool pwt_check_threshold(Tensor *self, Scalar threshold, Scalar value) {
  DType dtype = (DType)self->dtype;
  return pwt_check_fits(threshold, dtype <= PWT_INT64 ? dtype : pwt_scale_dtype(self)) && pwt_check_fits(value, dtype);
}

bool pwt_check_softshrink(Tensor *self, Scalar lambd) {
  if (lambd.re >= 0) {
    double largest = self->dtype == PWT_FLOAT16 ? 65504 : self->dtype == PWT_BFLOAT16 ? 3.3895313892515355e38 : self->dtype == PWT_FLOAT32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
    if (lambd.re <= largest) return true;
    pwt_fail(PWT_RUNTIME_ERROR, "lambda must be in range [0, %g] for input dtype %t, but found %g", largest, self->dtype, lambd.re);
    return false;
  }
  pwt_fail(PWT_RUNTIME_ERROR, "lambda must be greater or equal to 0, but found to be %g.", lambd.re);
  return false;
}

Tensor *pwt_kernel_glu(Tensor *self, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "glu does not support 0-dimensional tensors");
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  int64_t size = self->sizes[d];
  if (size % 2) return pwt_fail(PWT_RUNTIME_ERROR, "Halving dimension must be even, but dimension %d is size %i", d, size);
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"glu_cpu\" not implemented for '%t'", self->dtype);
  return pwt_mul(pwt_narrow(self, d, 0, size / 2), pwt_sigmoid(pwt_narrow(self, d, size / 2, size / 2)));
}
