/* round, sgn, logit, nan_to_num, bitwise_not: kernels that depend on dtype or argument. */
#include "math.h"
#include "ops.h"

static Tensor *integer(int64_t value) { return pwt_from_scalar(pwt_scalar_int(value)); }
static Tensor *number(double value) { return pwt_from_scalar(pwt_scalar_float(value)); }
static bool is_complex(const Tensor *t) { return pwt_is_complex((DType)t->dtype); }

Tensor *pwt_kernel_sgn(Tensor *self) { return is_complex(self) ? pwt_sgn_complex(self) : pwt_sign(self); }

Tensor *pwt_kernel_acosh_slope(Tensor *self) {
  Tensor *one = integer(1);
  if (!is_complex(self)) return pwt_rsqrt(pwt_sub(pwt_mul(self, self), one, pwt_scalar_int(1)));
  return pwt_mul(pwt_rsqrt(pwt_add(self, one, pwt_scalar_int(1))), pwt_rsqrt(pwt_sub(self, one, pwt_scalar_int(1))));
}

Tensor *pwt_kernel_bitwise_not(Tensor *self) { return self->dtype == PWT_BOOL ? pwt_logical_not(self) : pwt_bitwise_not_integer(self); }

Tensor *pwt_kernel_logit(Tensor *self, OptFloat eps) {
  return eps.given && eps.value >= 0 ? pwt_logit_within(self, eps.value) : pwt_logit_open(self);
}

/* to the last bit: in pairs, of which the first number is the nearest */
static double power_of_ten(int64_t decimals) {
  pwt_pair_f64 power = {1, 0};
  if (decimals > 308 || decimals < -308) return PWT_INF_F64;
  for (int64_t i = decimals < 0 ? -decimals : decimals; i > 0; i--) power = pwt_pair_product_f64(power, (pwt_pair_f64){10, 0});
  return power.high;
}

Tensor *pwt_kernel_round(Tensor *self, int64_t decimals) {
  if (decimals == 0) return pwt_round_half_even(self);
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"round_cpu\" not implemented for '%t'", self->dtype);
  DType dtype = (DType)self->dtype;
  if (dtype < PWT_FLOAT32) return pwt__to_dtype(pwt_round(pwt__to_dtype(self, PWT_FLOAT32), decimals), dtype);
  Tensor *scale = number(power_of_ten(decimals));
  if (decimals > 0) return pwt_div(pwt_round_half_even(pwt_mul(self, scale)), scale);
  return pwt_mul(pwt_round_half_even(pwt_div(self, scale)), scale);
}

static double largest(DType d) {
  return d == PWT_FLOAT16 ? 65504.0 : d == PWT_BFLOAT16 ? 3.3895313892515355e38 : d == PWT_FLOAT32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
}

Tensor *pwt_kernel_nan_to_num(Tensor *self, OptFloat nan, OptFloat posinf, OptFloat neginf) {
  if (self->dtype <= PWT_INT64) return pwt_clone(self, -1);
  if (pwt_is_complex((DType)self->dtype))
    return pwt_complex(pwt_nan_to_num(pwt_real(self), nan, posinf, neginf), pwt_nan_to_num(pwt_imag(self), nan, posinf, neginf));
  DType dtype = (DType)self->dtype;
  double top = largest(dtype);
  Tensor *x = pwt_where(pwt_isnan(self), pwt_raw_cast(number(nan.given ? nan.value : 0), dtype), self);
  x = pwt_where(pwt_isposinf(self), pwt_raw_cast(number(posinf.given ? posinf.value : top), dtype), x);
  return pwt_where(pwt_isneginf(self), pwt_raw_cast(number(neginf.given ? neginf.value : -top), dtype), x);
}
