/* pow with fast paths for common exponents; ldexp, nextafter. */
#include "ops.h"

static Tensor *number(double value) { return pwt_from_scalar(pwt_scalar_float(value)); }

/* self ** e for the exponents that need no pow; NULL for the others */
static Tensor *simple_power(Tensor *x, double e) {
  if (e == 2) return pwt_mul(x, x);
  if (e == 3) return pwt_mul(pwt_mul(x, x), x);
  if (x->dtype <= PWT_INT64) return NULL;
  if (e == 0.5) return pwt_sqrt(x);
  if (e == -0.5) return pwt_rsqrt(x);
  if (e == -1) return pwt_reciprocal(x);
  if (e == -2) return pwt_reciprocal(pwt_mul(x, x));
  return NULL;
}

Tensor *pwt_kernel_pow(Tensor *self, Tensor *exponent) {
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *result = NULL;
  DType common = pwt_result_type((Tensor *[]){self, exponent}, 2);
  if (exponent->flags & TENSOR_NUMBER && exponent->dtype != PWT_COMPLEX128 && common != PWT_BOOL) {
    Tensor *base = pwt_raw_cast(self, common);
    if (base) result = simple_power(base, pwt_item(exponent).re);
  }
  if (!result && !pwt_failed()) {
    /* bools as numbers: only False ** True is False */
    if (common == PWT_BOOL) result = pwt_logical_or(self, pwt_logical_not(exponent));
    else result = pwt_pow_general(self, exponent);
  }
  pwt_grad_enabled = recording;
  return result;
}

Tensor *pwt_kernel_pow_backward_self(Tensor *grad, Tensor *self, Tensor *exponent) {
  if (exponent->flags & TENSOR_NUMBER) {
    Scalar e = pwt_item(exponent);
    if (e.re == 0 && e.im == 0) return pwt_zeros_like(grad);
    if (e.im == 0 && e.re == 1) return grad;
    Scalar less = pwt_scalar_sub(e, pwt_scalar_int(1));
    Tensor *slope = e.im == 0 && e.re == 2 ? self : pwt_pow(self, pwt_from_scalar(less));
    return pwt_mul(grad, pwt_conj_if_complex(pwt_mul(slope, exponent)));
  }
  Tensor *zero = number(0);
  Tensor *slope = pwt_mul(exponent, pwt_pow(self, pwt_sub(exponent, pwt_from_scalar(pwt_scalar_int(1)), pwt_scalar_int(1))));
  return pwt_where(pwt_eq(exponent, zero), pwt_zeros_like(grad), pwt_mul(grad, pwt_conj_if_complex(slope)));
}

/* Sixteen-bit floats are ordered as their bits, the negative ones backwards. */
static uint16_t next_bits(uint16_t a, uint16_t b, uint16_t infinity) {
  uint16_t ma = a & 0x7fff, mb = b & 0x7fff;
  if (ma > infinity) return a;
  if (mb > infinity) return b;
  if (a == b || (ma == 0 && mb == 0)) return b;
  if (ma == 0) return (uint16_t)((b & 0x8000) | 1);
  int32_t va = a & 0x8000 ? -(int32_t)ma : ma, vb = b & 0x8000 ? -(int32_t)mb : mb;
  bool away = (vb > va) == (va > 0);
  return (uint16_t)((a & 0x8000) | (away ? ma + 1 : ma - 1));
}

Tensor *pwt_kernel_nextafter(Tensor *self, Tensor *other) {
  DType common = pwt_result_type((Tensor *[]){self, other}, 2);
  if (common != PWT_FLOAT16 && common != PWT_BFLOAT16) return pwt_nextafter_single(self, other);
  int ndim = self->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, self->sizes, ndim * 8);
  if (!pwt_broadcast_sizes(&ndim, sizes, other)) return NULL;
  Tensor *a = pwt_raw_contiguous_as(pwt_raw_expand(self, ndim, sizes), common), *b = pwt_raw_contiguous_as(pwt_raw_expand(other, ndim, sizes), common);
  Tensor *result = pwt_new(ndim, sizes, common);
  if (!a || !b || !result) return NULL;
  if (pwt_on_meta) return result;
  const uint16_t *from = pwt_data(a), *towards = pwt_data(b);
  uint16_t *to = pwt_data(result), infinity = common == PWT_FLOAT16 ? 0x7c00 : 0x7f80;
  for (int64_t i = 0; i < result->numel; i++) to[i] = next_bits(from[i], towards[i], infinity);
  return result;
}

Tensor *pwt_kernel_pow_backward_exponent(Tensor *grad, Tensor *self, Tensor *exponent, Tensor *result) {
  Tensor *zero = pwt_from_scalar(pwt_scalar_int(0)), *size = pwt_is_complex((DType)exponent->dtype) ? pwt_real(exponent) : exponent;
  if (self->flags & TENSOR_NUMBER) self = pwt_raw_cast(self, (DType)result->dtype); /* its logarithm in the result's precision */
  Tensor *flat = pwt_logical_and(pwt_eq(self, zero), pwt_ge(size, zero));
  return pwt_where(flat, pwt_zeros_like(grad), pwt_mul(grad, pwt_conj_if_complex(pwt_mul(result, pwt_log(self)))));
}

/* Of floats and whole powers what C's ldexp gives, which is never rounded twice, with the power cut to int32 as in torch;
   of everything else the product. Sixteen-bit floats could not hold the power. */
Tensor *pwt_kernel_ldexp(Tensor *self, Tensor *other) {
  if (!pwt_is_floating((DType)self->dtype) || other->dtype > PWT_INT64)
    return pwt_mul(self, pwt_pow(pwt_from_scalar(pwt_scalar_float(2)), other));
  if (other->dtype == PWT_BOOL) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"ldexp_cpu_exp\" not implemented for 'Bool'");
  bool narrow = self->dtype < PWT_FLOAT32;
  Tensor *result = pwt_ldexp_whole(narrow ? pwt__to_dtype(self, PWT_FLOAT32) : self, pwt__to_dtype(other, PWT_INT32));
  return narrow ? pwt__to_dtype(result, (DType)self->dtype) : result;
}
