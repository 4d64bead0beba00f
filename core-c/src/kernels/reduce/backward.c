/* Gradients of max, min, prod, var, std, norm, logsumexp. */
#include "ops.h"
#include "plan.h"

static Tensor *number(double value) { return pwt_from_scalar(pwt_scalar_float(value)); }
static Tensor *integer(int64_t value) { return pwt_from_scalar(pwt_scalar_int(value)); }

Tensor *pwt_kernel_extreme_backward(Tensor *grad, Tensor *self, Tensor *result, IntList dim, bool keepdim) {
  IntList sizes = pwt_sizes_of(self);
  Tensor *value = pwt_restore_dims(result, sizes, dim, keepdim);
  Tensor *mask = pwt_eq(self, value);
  if (pwt_is_floating((DType)self->dtype)) mask = pwt_logical_or(mask, pwt_logical_and(pwt_isnan(self), pwt_isnan(value)));
  Tensor *count = pwt_sum(mask, dim, true, PWT_NO_DTYPE);
  return pwt_mul(mask, pwt_div(pwt_restore_dims(grad, sizes, dim, keepdim), count));
}

Tensor *pwt_kernel_value_selecting_backward(Tensor *grad, IntList sizes, int64_t dim, Tensor *indices, bool keepdim) {
  if (!keepdim && sizes.count) {
    grad = pwt_unsqueeze(grad, dim);
    indices = pwt_unsqueeze(indices, dim);
  }
  Tensor *zeros = pwt_new_zeros((int)sizes.count, sizes.items, pwt_dtype_of(grad));
  return pwt_scatter(zeros, dim, indices, grad);
}

/* Where one factor is zero, the product of the others must not be found by division. */
static Tensor *product_of_others(Tensor *rows) {
  int64_t last = rows->ndim - 1, n = rows->sizes[last];
  int64_t one_sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(one_sizes, rows->sizes, rows->ndim * 8);
  one_sizes[last] = 1;
  Tensor *ones = pwt_new(rows->ndim, one_sizes, (DType)rows->dtype);
  pwt_raw_fill(ones, pwt_scalar_int(1));
  if (!ones || n == 1) return pwt_mul(ones, ones);
  Tensor *before = pwt_cumprod(pwt_cat((TensorList){(Tensor *[]){ones, pwt_narrow(rows, last, 0, n - 1)}, 2}, last), last, PWT_NO_DTYPE);
  IntList flipped = {&last, 1};
  Tensor *tail = pwt_flip(pwt_narrow(rows, last, 1, n - 1), flipped);
  Tensor *after = pwt_flip(pwt_cumprod(pwt_cat((TensorList){(Tensor *[]){ones, tail}, 2}, last), last, PWT_NO_DTYPE), flipped);
  return pwt_mul(before, after);
}

static bool has_zero(Tensor *self) {
  if (pwt_on_meta) return false;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *any = pwt_any(pwt_eq(self, integer(0)));
  pwt_grad_enabled = recording;
  return any && pwt_item(any).i;
}

Tensor *pwt_kernel_prod_backward(Tensor *grad, Tensor *self, Tensor *result) {
  if (self->ndim == 0) return pwt_mul(grad, pwt_ones_like(self));
  if (!has_zero(self) && !pwt_grad_enabled) return pwt_div(pwt_mul(grad, pwt_conj_if_complex(result)), pwt_conj_if_complex(self));
  Tensor *flat = pwt_reshape(self, (IntList){(const int64_t[]){-1}, 1});
  if (self->numel == 0) return pwt_zeros_like(self);
  return pwt_mul(grad, pwt_reshape(pwt_conj_if_complex(product_of_others(flat)), pwt_sizes_of(self)));
}

Tensor *pwt_kernel_prod_dim_backward(Tensor *grad, Tensor *self, Tensor *result, int64_t dim, bool keepdim) {
  if (self->ndim == 0) return grad;
  int64_t d = pwt_wrap_dim(dim, self->ndim);
  IntList dims = {&d, 1};
  grad = pwt_restore_dims(grad, pwt_sizes_of(self), dims, keepdim);
  if (self->numel == 0) return pwt_zeros_like(self);
  if (!has_zero(self) && !pwt_grad_enabled) {
    Tensor *whole = pwt_restore_dims(result, pwt_sizes_of(self), dims, keepdim);
    return pwt_div(pwt_mul(grad, pwt_conj_if_complex(whole)), pwt_conj_if_complex(self));
  }
  return pwt_mul(grad, pwt_conj_if_complex(pwt_transpose(product_of_others(pwt_transpose(self, d, -1)), d, -1)));
}

static int64_t reduced_count(Tensor *self, IntList dim) {
  uint32_t mask = 0;
  int64_t count = 1;
  pwt_dim_mask(dim, self->ndim, true, &mask);
  for (int i = 0; i < self->ndim; i++)
    if (mask >> i & 1) count *= self->sizes[i];
  return count;
}

Tensor *pwt_kernel_var_backward(Tensor *grad, Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  double divisor = (double)reduced_count(self, dim) - (correction.kind == SCALAR_NONE ? 1 : correction.re);
  grad = pwt_restore_dims(grad, pwt_sizes_of(self), dim, keepdim);
  Tensor *centred = pwt_sub(self, pwt_mean(self, dim, true, PWT_NO_DTYPE), pwt_scalar_int(1));
  return pwt_mul(pwt_mul(grad, number(2 / divisor)), centred);
}

Tensor *pwt_kernel_std_backward(Tensor *grad, Tensor *result, Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  Tensor *half = pwt_where(pwt_eq(result, integer(0)), integer(0), pwt_div(grad, pwt_mul(result, integer(2))));
  return pwt_kernel_var_backward(half, self, dim, correction, keepdim);
}

Tensor *pwt_kernel_norm_backward(Tensor *grad, Tensor *self, Tensor *result, double p, IntList dim, bool keepdim) {
  IntList sizes = pwt_sizes_of(self);
  grad = pwt_restore_dims(grad, sizes, dim, keepdim);
  Tensor *norm = pwt_restore_dims(result, sizes, dim, keepdim), *zero = integer(0);
  if (p == 0) return NULL; /* no gradient at all, as in torch */
  if (p == 1) return pwt_mul(pwt_sgn(self), grad);
  if (p == 2) return pwt_mul(grad, pwt_where(pwt_eq(norm, zero), zero, pwt_div(self, norm)));
  if (p == __builtin_inf() || p == -__builtin_inf()) {
    Tensor *mask = pwt_logical_or(pwt_eq(pwt_abs(self), norm), pwt_isnan(norm));
    Tensor *count = pwt_sum(mask, dim, true, PWT_NO_DTYPE);
    return pwt_mul(pwt_mul(pwt_sgn(self), mask), pwt_div(grad, count));
  }
  Tensor *scaled = pwt_mul(pwt_sgn(self), pwt_pow(pwt_abs(self), number(p - 1)));
  Tensor *factor = pwt_div(grad, pwt_pow(norm, number(p - 1)));
  Tensor *value = pwt_mul(scaled, factor);
  if (p < 1) value = pwt_where(pwt_eq(self, zero), zero, value);
  return pwt_where(pwt_eq(norm, zero), zero, value);
}

Tensor *pwt_kernel_logsumexp_backward(Tensor *grad, Tensor *self, Tensor *result, IntList dim, bool keepdim) {
  IntList sizes = pwt_sizes_of(self);
  Tensor *total = pwt_restore_dims(result, sizes, dim, keepdim);
  return pwt_mul(pwt_restore_dims(grad, sizes, dim, keepdim), pwt_conj_if_complex(pwt_exp(pwt_sub(self, total, pwt_scalar_int(1)))));
}
