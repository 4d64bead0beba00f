/* clamp, float_power, division with a rounding mode, and the argument checks named in the table. */
#include "ops.h"

static DType common_of(Tensor *a, Tensor *b) { return pwt_result_type((Tensor *[]){a, b}, 2); }

static bool fail(ErrorKind kind, const char *message) {
  pwt_fail(kind, message);
  return false;
}

bool pwt_check_alpha(Tensor *self, Tensor *other, Scalar alpha) {
  if (alpha.kind == SCALAR_INT) return true;
  DType common = common_of(self, other);
  if (alpha.kind == SCALAR_BOOL && common != PWT_BOOL)
    return fail(PWT_RUNTIME_ERROR, "Boolean alpha only supported for Boolean results.");
  if (alpha.kind >= SCALAR_FLOAT && common <= PWT_INT64)
    return fail(PWT_RUNTIME_ERROR, "For integral input tensors, argument alpha must not be a floating point number.");
  if (alpha.kind == SCALAR_COMPLEX && !pwt_is_complex(common))
    return fail(PWT_RUNTIME_ERROR, "For non-complex input tensors, argument alpha must not be a complex number.");
  return true;
}

bool pwt_check_sub(Tensor *self, Tensor *other, Scalar alpha) {
  if (self->dtype == PWT_BOOL && other->dtype == PWT_BOOL)
    return fail(PWT_RUNTIME_ERROR, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.");
  if (self->dtype == PWT_BOOL || other->dtype == PWT_BOOL)
    return fail(PWT_RUNTIME_ERROR, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  return pwt_check_alpha(self, other, alpha);
}

bool pwt_check_neg(Tensor *self) {
  if (self->dtype != PWT_BOOL) return true;
  return fail(PWT_RUNTIME_ERROR, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

bool pwt_check_integer_divisor(Tensor *self, Tensor *other) {
  DType common = common_of(self, other);
  if (common > PWT_INT64 || common == PWT_BOOL || self->numel == 0 || pwt_on_meta) return true;
  Tensor *divisor = pwt_raw_contiguous_as(pwt_raw_cast(other, common), PWT_INT64); /* 256 is 0 among uint8 */
  if (!divisor) return false;
  const int64_t *values = pwt_data(divisor);
  for (int64_t i = 0; i < divisor->numel; i++)
    if (values[i] == 0) return fail(PWT_RUNTIME_ERROR, "ZeroDivisionError");
  return true;
}

bool pwt_check_pow(Tensor *self, Tensor *exponent) {
  DType common = common_of(self, exponent);
  bool integers = common <= PWT_INT64;
  if (self->dtype == PWT_BOOL && exponent->dtype == PWT_BOOL && !(exponent->flags & TENSOR_NUMBER)) return fail(PWT_NOT_IMPLEMENTED, "\"pow\" not implemented for 'Bool'");
  if (integers && exponent->flags & TENSOR_NUMBER && pwt_item(exponent).i < 0)
    return fail(PWT_RUNTIME_ERROR, "Integers to negative integer powers are not allowed.");
  return !(integers && exponent->flags & TENSOR_NUMBER) || pwt_check_fits(pwt_item(exponent), common);
}

static bool same_dtype(const char *name, Tensor *self, Tensor *other) {
  if (self->dtype == other->dtype) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "expected dtype %s for `%s` but got dtype %s", pwt_c_type_name((DType)self->dtype), name, pwt_c_type_name((DType)other->dtype));
  return false;
}

bool pwt_check_lerp(Tensor *self, Tensor *end, Tensor *weight) {
  if (weight->flags & TENSOR_NUMBER && weight->dtype == PWT_COMPLEX128 && !pwt_is_complex((DType)self->dtype))
    return fail(PWT_RUNTIME_ERROR, "value cannot be converted to type float without overflow");
  if (!same_dtype("end", self, end) || (weight->ndim && !same_dtype("weight", self, weight))) return false;
  if (self->dtype > PWT_INT64) return true;
  pwt_fail(PWT_NOT_IMPLEMENTED, "\"lerp_kernel_%s\" not implemented for '%t'", weight->flags & TENSOR_NUMBER ? "scalar" : "tensor", self->dtype);
  return false;
}

bool pwt_check_addcdiv(Tensor *self, Tensor *tensor1, Tensor *tensor2) {
  (void)self;
  if (tensor1->dtype > PWT_INT64 || tensor2->dtype > PWT_INT64) return true;
  return fail(PWT_RUNTIME_ERROR, "Integer division with addcdiv is no longer supported; divide with torch.true_divide or floor the quotient first.");
}

bool pwt_check_heaviside(Tensor *self, Tensor *values) {
  if (pwt_is_complex((DType)self->dtype) || pwt_is_complex((DType)values->dtype)) return fail(PWT_RUNTIME_ERROR, "heaviside is not yet implemented for complex tensors.");
  if (self->dtype == values->dtype) return true;
  return fail(PWT_RUNTIME_ERROR, "heaviside is not yet implemented for tensors with different dtypes.");
}

bool pwt_check_where(Tensor *condition, Tensor *self, Tensor *other) {
  if (condition->dtype != PWT_BOOL && condition->dtype != PWT_UINT8) {
    pwt_fail(PWT_RUNTIME_ERROR, "where expected condition to be a boolean tensor, but got a tensor with dtype %t", condition->dtype);
    return false;
  }
  if (!((self->flags | other->flags) & TENSOR_NUMBER)) return true;
  DType common = common_of(self, other);
  if (common == PWT_FLOAT16 || common == PWT_BFLOAT16) common = PWT_FLOAT32; /* from which torch rounds numbers */
  return (!(self->flags & TENSOR_NUMBER) || pwt_check_fits(pwt_item(self), common)) && (!(other->flags & TENSOR_NUMBER) || pwt_check_fits(pwt_item(other), common));
}

Tensor *pwt_kernel_div_mode(Tensor *self, Tensor *other, const char *rounding_mode) {
  if (!rounding_mode) return pwt_div(self, other);
  if (pwt_same_text(rounding_mode, "floor")) return pwt_floor_divide(self, other);
  if (pwt_same_text(rounding_mode, "trunc")) return pwt_name_node(pwt_div_trunc(self, other), "DivBackward1");
  return pwt_fail(PWT_RUNTIME_ERROR, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'", rounding_mode);
}

/* torch rounds the quotient of sixteen-bit floats before it cuts it, but not that by a number */
Tensor *pwt_kernel_div_trunc(Tensor *self, Tensor *other) {
  DType common = common_of(self, other);
  bool rounds = (common == PWT_FLOAT16 || common == PWT_BFLOAT16) && other->ndim;
  return rounds ? pwt_trunc(pwt_div(self, other)) : pwt_div_trunc_wide(self, other);
}

Tensor *pwt_kernel_float_power(Tensor *self, Tensor *exponent) {
  DType dtype = pwt_is_complex((DType)self->dtype) || pwt_is_complex((DType)exponent->dtype) ? PWT_COMPLEX128 : PWT_FLOAT64;
  return pwt_pow(pwt__to_dtype(self, dtype), pwt__to_dtype(exponent, dtype));
}

/* torch bounds bools by tensors only */
bool pwt_check_bound(Tensor *self, Tensor *bound) {
  if (!(bound->flags & TENSOR_NUMBER) || self->flags & TENSOR_NUMBER) return true;
  if (self->dtype != PWT_BOOL || bound->dtype != PWT_BOOL) return pwt_check_fits(pwt_item(bound), common_of(self, bound));
  return fail(PWT_NOT_IMPLEMENTED, "\"clamp_scalar_cpu\" not implemented for 'Bool'");
}

bool pwt_check_bounds(Tensor *self, Tensor *min, Tensor *max) {
  bool numbers = min->flags & TENSOR_NUMBER && max->flags & TENSOR_NUMBER && !(self->flags & TENSOR_NUMBER);
  DType common = numbers ? pwt_result_type((Tensor *[]){self, min, max}, 3) : PWT_BOOL;
  return !numbers || common == PWT_BOOL || (pwt_check_fits(pwt_item(min), common) && pwt_check_fits(pwt_item(max), common));
}

Tensor *pwt_kernel_clamp(Tensor *self, Tensor *min, Tensor *max) {
  if (!min && !max) return pwt_fail(PWT_RUNTIME_ERROR, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!max) return pwt_clamp_min(self, min);
  return min ? pwt_clamp_between(self, min, max) : pwt_clamp_max(self, max);
}
