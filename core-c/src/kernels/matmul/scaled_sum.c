/* addmm, addmv, addr, addbmm, baddbmm: beta * self + alpha * product. */
#include "ops.h"
#include "loops.h"

bool pwt_check_expands(Tensor *t, int ndim, const int64_t *sizes) {
  if (t->ndim > ndim) {
    pwt_fail(PWT_RUNTIME_ERROR, "expand(torch.%sTensor{%z}, size=%z): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
             pwt_dtype_message_name((DType)t->dtype), t->sizes, (int)t->ndim, sizes, ndim, ndim, (int)t->ndim);
    return false;
  }
  for (int i = t->ndim - 1; i >= 0; i--) {
    int d = i + ndim - t->ndim;
    if (t->sizes[i] == 1 || t->sizes[i] == sizes[d]) continue;
    pwt_fail(PWT_RUNTIME_ERROR, "The expanded size of the tensor (%i) must match the existing size (%i) at non-singleton dimension %d.  Target sizes: %z.  Tensor sizes: %z", sizes[d], t->sizes[i],
             d, sizes, ndim, t->sizes, (int)t->ndim);
    return false;
  }
  return true;
}

static bool is_one(Scalar s) { return s.re == 1 && s.im == 0; }
static bool is_zero(Scalar s) { return s.re == 0 && s.im == 0; }

/* beta * self + alpha * product, whose dtype is what products of self's are computed in. */
static Tensor *scaled_sum(Tensor *self, Tensor *product, Scalar beta, Scalar alpha) {
  DType dtype = (DType)self->dtype, compute = pwt_product_dtype(dtype);
  bool enabled = pwt_grad_enabled;
  pwt_grad_enabled = false;
  if (!is_one(alpha)) product = pwt_mul(product, pwt_full_scalar(alpha, compute));
  if (!is_zero(beta)) product = pwt_add(product, pwt_mul(pwt_raw_cast(self, compute), pwt_full_scalar(beta, compute)), pwt_scalar_int(1));
  pwt_grad_enabled = enabled;
  return pwt_raw_cast(product, dtype);
}

/* beta * self at the product's sizes: with alpha = 0 nothing of the product is computed, whatever it may hold. */
static Tensor *scaled_self(Tensor *self, int ndim, const int64_t *sizes, Scalar beta) {
  DType dtype = (DType)self->dtype, compute = pwt_product_dtype(dtype);
  Tensor *result = pwt_new_zeros(ndim, sizes, dtype);
  if (!result || is_zero(beta)) return result;
  bool enabled = pwt_grad_enabled;
  pwt_grad_enabled = false;
  if (!is_one(beta)) self = pwt_mul(pwt_raw_cast(self, compute), pwt_full_scalar(beta, compute));
  pwt_grad_enabled = enabled;
  if (!self) return NULL;
  pwt_raw_copy(result, pwt_raw_expand(self, ndim, sizes));
  return result;
}

static bool check_factors(DType dtype, Scalar beta, Scalar alpha) {
  if (pwt_is_complex(dtype) || (beta.kind != SCALAR_COMPLEX && alpha.kind != SCALAR_COMPLEX)) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "value cannot be converted to type %s without overflow", pwt_c_type_name(dtype));
  return false;
}

Tensor *pwt_raw_add_product(Tensor *self, Tensor *a, Tensor *b, Scalar beta, Scalar alpha) {
  DType dtype = (DType)a->dtype, compute = pwt_product_dtype(dtype);
  if (!check_factors(dtype, beta, alpha)) return NULL;
  if (is_zero(alpha)) {
    int64_t sizes[] = {a->sizes[0], a->sizes[a->ndim - 2], b->sizes[b->ndim - 1]};
    return scaled_self(self, a->ndim, a->ndim == 3 ? sizes : sizes + 1, beta);
  }
  if (is_one(beta) && is_one(alpha)) return pwt_raw_cast(pwt_raw_matmul(a, b, self, compute), dtype);
  return scaled_sum(self, pwt_raw_matmul(a, b, NULL, compute), beta, alpha);
}

Tensor *pwt_kernel_baddbmm(Tensor *self, Tensor *batch1, Tensor *batch2, Scalar beta, Scalar alpha) {
  if (!pwt_check_bmm_sizes(batch1, batch2)) return NULL;
  int64_t sizes[] = {batch1->sizes[0], batch1->sizes[1], batch2->sizes[2]};
  if (!pwt_check_expands(self, 3, sizes) || !pwt_check_bmm_dtypes(batch1, batch2, "baddbmm")) return NULL;
  if (self->dtype != batch1->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s", pwt_c_type_name((DType)self->dtype), pwt_c_type_name((DType)batch1->dtype),
                    pwt_c_type_name((DType)batch2->dtype));
  return pwt_raw_add_product(self, batch1, batch2, beta, alpha);
}

Tensor *pwt_kernel_addbmm(Tensor *self, Tensor *batch1, Tensor *batch2, Scalar beta, Scalar alpha) {
  for (int i = 0; i < 2; i++)
    if ((i ? batch2 : batch1)->ndim != 3) return pwt_fail(PWT_RUNTIME_ERROR, "batch%d must be a 3D tensor", i + 1);
  if (batch1->sizes[0] != batch2->sizes[0])
    return pwt_fail(PWT_RUNTIME_ERROR, "batch1 and batch2 must have same number of batches, got %i and %i", batch1->sizes[0], batch2->sizes[0]);
  if (batch1->sizes[2] != batch2->sizes[1])
    return pwt_fail(PWT_RUNTIME_ERROR, "Incompatible matrix sizes for bmm (%ix%i and %ix%i)", batch1->sizes[1], batch1->sizes[2], batch2->sizes[1], batch2->sizes[2]);
  int64_t sizes[] = {batch1->sizes[1], batch2->sizes[2]};
  if (!pwt_check_expands(self, 2, sizes) || !pwt_check_bmm_dtypes(batch1, batch2, "bmm")) return NULL;
  if (self->dtype != batch1->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "self and mat2 must have the same dtype, but got %t and %t", self->dtype, batch1->dtype);
  if (!check_factors((DType)self->dtype, beta, alpha)) return NULL;
  if (is_zero(alpha)) return scaled_self(self, 2, sizes, beta);
  DType dtype = (DType)self->dtype;
  if (dtype == PWT_FLOAT16 || dtype == PWT_BFLOAT16) { /* rounded after each batch, as in torch */
    Tensor *result = pwt_raw_expand(self, 2, sizes);
    for (int64_t i = 0; i < batch1->sizes[0] && result; i++) {
      Tensor *a = pwt_alias(batch1, 2, batch1->sizes + 1, batch1->strides + 1, batch1->offset + i * batch1->strides[0]);
      Tensor *b = pwt_alias(batch2, 2, batch2->sizes + 1, batch2->strides + 1, batch2->offset + i * batch2->strides[0]);
      result = a && b ? pwt_raw_add_product(result, a, b, i ? pwt_scalar_int(1) : beta, alpha) : NULL;
    }
    if (batch1->sizes[0]) return result;
  }
  return scaled_sum(self, pwt_raw_matmul_sum(batch1, batch2, pwt_product_dtype((DType)self->dtype)), beta, alpha);
}

Tensor *pwt_kernel_addmv(Tensor *self, Tensor *mat, Tensor *vec, Scalar beta, Scalar alpha) {
  if (mat->ndim != 2 || vec->ndim != 1 || self->ndim > 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "vector + matrix @ vector expected, got %d, %d, %d", (int)self->ndim, (int)mat->ndim, (int)vec->ndim);
  if (mat->sizes[1] != vec->numel || (self->numel != 1 && self->numel != mat->sizes[0]))
    return pwt_fail(PWT_RUNTIME_ERROR, "size mismatch, got input (%i), mat (%ix%i), vec (%i)", self->numel, mat->sizes[0], mat->sizes[1], vec->numel);
  if (self->dtype != mat->dtype || mat->dtype != vec->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "addmv input tensors must have the same dtype, but got %t, %t, and %t", self->dtype, mat->dtype, vec->dtype);
  if (!pwt_refuse_bool(mat, "addmv_impl_cpu")) return NULL;
  Tensor *start = self->ndim ? pwt_raw_unsqueeze(self, 1) : self;
  Tensor *result = pwt_raw_add_product(start, mat, pwt_raw_unsqueeze(vec, 1), beta, alpha);
  return result ? pwt_alias(result, 1, result->sizes, result->strides, result->offset) : NULL;
}

static bool check_integral_factor(Scalar s, const char *name) {
  if (s.kind <= SCALAR_INT) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "For integral input tensors, argument %s must not be a floating point number.", name);
  return false;
}

/* Its vectors may be of any dtypes, which promote; of bools it is self or (vec1 and vec2). */
Tensor *pwt_kernel_addr(Tensor *self, Tensor *vec1, Tensor *vec2, Scalar beta, Scalar alpha) {
  for (int i = 0; i < 2; i++)
    if ((i ? vec2 : vec1)->ndim != 1) return pwt_fail(PWT_RUNTIME_ERROR, "addr: Expected 1-D argument vec%d, but got %d-D", i + 1, (int)(i ? vec2 : vec1)->ndim);
  int64_t sizes[] = {vec1->numel, vec2->numel};
  if (!pwt_check_expands(self, 2, sizes)) return NULL;
  DType dtype = pwt_result_type((Tensor *[]){pwt_expand(self, (IntList){sizes, 2}, false), vec1, vec2}, 3);
  if (!pwt_is_differentiable(dtype) && (!check_integral_factor(beta, "beta") || !check_integral_factor(alpha, "alpha"))) return NULL;
  bool enabled = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *result = pwt_outer(is_one(alpha) ? vec1 : pwt_mul(vec1, pwt_from_scalar(alpha)), vec2);
  if (!is_zero(beta)) {
    Tensor *start = pwt_expand(is_one(beta) ? self : pwt_mul(pwt_raw_cast(self, dtype), pwt_from_scalar(beta)), (IntList){sizes, 2}, false);
    result = dtype == PWT_BOOL ? pwt_logical_or(start, result) : pwt_add(start, result, pwt_scalar_int(1));
  }
  pwt_grad_enabled = enabled;
  return pwt_raw_cast(result, dtype);
}
