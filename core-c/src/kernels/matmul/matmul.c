/* matmul, mm, bmm, mv, dot. */
#include "loops.h"

#include "ops.h"

bool pwt_refuse_bool(Tensor *t, const char *kernel) {
  if (t->dtype != PWT_BOOL) return true;
  pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for 'Bool'", kernel);
  return false;
}

static bool check_matrices(Tensor *a, Tensor *b) {
  if (a->dtype != b->dtype) {
    pwt_fail(PWT_RUNTIME_ERROR, "expected m1 and m2 to have the same dtype, but got: %s != %s", pwt_c_type_name((DType)a->dtype), pwt_c_type_name((DType)b->dtype));
    return false;
  }
  return pwt_refuse_bool(a, "addmm_impl_cpu_");
}

static bool check_shapes(int64_t rows, int64_t depth, Tensor *b) {
  if (depth == b->sizes[0]) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "mat1 and mat2 shapes cannot be multiplied (%ix%i and %ix%i)", rows, depth, b->sizes[0], b->sizes[1]);
  return false;
}

static Tensor *product(Tensor *a, Tensor *b) {
  DType dtype = (DType)a->dtype;
  return pwt_raw_cast(pwt_raw_matmul(a, b, NULL, pwt_product_dtype(dtype)), dtype);
}

Tensor *pwt_kernel_mm(Tensor *self, Tensor *mat2) {
  if (self->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "self must be a matrix");
  if (mat2->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "mat2 must be a matrix");
  if (!check_shapes(self->sizes[0], self->sizes[1], mat2) || !check_matrices(self, mat2)) return NULL;
  return product(self, mat2);
}

bool pwt_check_bmm_dtypes(Tensor *a, Tensor *b, const char *kernel) {
  if (a->dtype != b->dtype) {
    pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type %t but found %t", a->dtype, b->dtype);
    return false;
  }
  return pwt_refuse_bool(a, kernel);
}

bool pwt_check_bmm_sizes(Tensor *batch1, Tensor *batch2) {
  if (batch1->ndim != 3 || batch2->ndim != 3) {
    pwt_fail(PWT_RUNTIME_ERROR, "batch%d must be a 3D tensor", batch1->ndim != 3 ? 1 : 2);
    return false;
  }
  if (batch1->sizes[0] != batch2->sizes[0] || batch1->sizes[2] != batch2->sizes[1]) {
    int64_t expected[] = {batch1->sizes[0], batch1->sizes[2]};
    pwt_fail(PWT_RUNTIME_ERROR, "Expected size for first two dimensions of batch2 tensor to be: %z but got: %z.", expected, 2, batch2->sizes, 2);
    return false;
  }
  return true;
}

bool pwt_check_bmm(Tensor *batch1, Tensor *batch2) { return pwt_check_bmm_sizes(batch1, batch2) && pwt_check_bmm_dtypes(batch1, batch2, "bmm"); }

Tensor *pwt_kernel__bmm(Tensor *self, Tensor *mat2) { return product(self, mat2); }

Tensor *pwt_kernel__bmm_sum(Tensor *self, Tensor *mat2) {
  DType dtype = (DType)self->dtype;
  return pwt_raw_cast(pwt_raw_matmul_sum(self, mat2, pwt_product_dtype(dtype)), dtype);
}

/* The gradient of one factor: where its matrix served a whole batch, the products are added as they are made. */
Tensor *pwt_kernel_bmm_backward(Tensor *left, Tensor *right, IntList sizes) {
  bool shared = pwt_product(sizes.items, (int)sizes.count - 2) == 1;
  return shared ? pwt_view(pwt__bmm_sum(left, right), sizes) : pwt__bmm(left, right);
}

static Tensor *batched(Tensor *a, Tensor *b) {
  int64_t k = a->sizes[a->ndim - 1], rows = b->sizes[b->ndim - 2];
  if (!pwt_check_bmm_dtypes(a, b, "bmm")) return NULL;
  if (k == rows) return pwt__bmm(a, b);
  int ndim = a->ndim - 2;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, a->sizes, ndim * 8);
  Tensor *batch = pwt_alias(b, b->ndim - 2, b->sizes, b->strides, b->offset);
  if (!batch || !pwt_broadcast_sizes(&ndim, sizes, batch)) return NULL;
  int64_t count = pwt_product(sizes, ndim), expected[] = {count, k}, found[] = {count, rows};
  return pwt_fail(PWT_RUNTIME_ERROR, "Expected size for first two dimensions of batch2 tensor to be: %z but got: %z.", expected, 2, found, 2);
}

/* torch's rules: vectors gain a dimension for the product and lose it again, batches broadcast. */
Tensor *pwt_kernel_matmul(Tensor *self, Tensor *other) {
  int m = self->ndim, n = other->ndim;
  if (m == 0 || n == 0) return pwt_fail(PWT_RUNTIME_ERROR, "both arguments to matmul need to be at least 1D, but they are %dD and %dD", m, n);
  if (m == 2 && n == 2) return pwt_mm(self, other);
  if (m == 1 && n == 1) return pwt_dot(self, other);
  if (m == 2 && n == 1) return pwt_mv(self, other);
  if (m == 1 && n == 2) return pwt_squeeze(pwt_mm(pwt_unsqueeze(self, 0), other), (IntList){(const int64_t[]){0}, 1});
  if (n == 2) return pwt__linear(self, pwt_transpose(other, 0, 1), NULL);
  if (n == 1) {
    if (self->sizes[m - 1] != other->sizes[0]) {
      int64_t rows = self->sizes[m - 1] ? self->numel / self->sizes[m - 1] : 0;
      return pwt_fail(PWT_RUNTIME_ERROR, "size mismatch, got input (%i), mat (%ix%i), vec (%i)", rows, rows, self->sizes[m - 1], other->sizes[0]);
    }
    return pwt_squeeze(pwt__linear(self, pwt_unsqueeze(other, 0), NULL), (IntList){(const int64_t[]){-1}, 1});
  }
  if (m == 1) return pwt_squeeze(batched(pwt_unsqueeze(self, 0), other), (IntList){(const int64_t[]){-2}, 1});
  return batched(self, other);
}

/* ---- vectors ---- */
Tensor *pwt_kernel_mv(Tensor *self, Tensor *vec) {
  if (self->ndim != 2 || vec->ndim != 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "vector + matrix @ vector expected, got 1, %d, %d", (int)self->ndim, (int)vec->ndim);
  if (self->sizes[1] != vec->sizes[0])
    return pwt_fail(PWT_RUNTIME_ERROR, "size mismatch, got input (%i), mat (%ix%i), vec (%i)", self->sizes[0], self->sizes[0], self->sizes[1], vec->sizes[0]);
  if (self->dtype != vec->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "addmv input tensors must have the same dtype, but got %t, %t, and %t", vec->dtype, self->dtype, vec->dtype);
  if (!pwt_refuse_bool(self, "addmv_impl_cpu")) return NULL;
  Tensor *result = product(self, pwt_raw_unsqueeze(vec, 1));
  return result ? pwt_alias(result, 1, result->sizes, result->strides, 0) : NULL;
}

Tensor *pwt_kernel_dot(Tensor *self, Tensor *tensor) {
  if (self->ndim != 1 || tensor->ndim != 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "1D tensors expected, but got %dD and %dD tensors", (int)self->ndim, (int)tensor->ndim);
  if (self->dtype != tensor->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "dot : expected both vectors to have same dtype, but found %t and %t", self->dtype, tensor->dtype);
  if (self->numel != tensor->numel)
    return pwt_fail(PWT_RUNTIME_ERROR, "inconsistent tensor size, expected tensor [%i] and src [%i] to have the same number of elements, but got %i and %i elements respectively",
                    self->numel, tensor->numel, self->numel, tensor->numel);
  if (!pwt_refuse_bool(self, "dot")) return NULL;
  Tensor *result = product(pwt_raw_unsqueeze(self, 0), pwt_raw_unsqueeze(tensor, 1));
  return result ? pwt_alias(result, 0, NULL, NULL, 0) : NULL;
}

bool pwt_check_outer(Tensor *self, Tensor *vec2) {
  const char *which = self->ndim != 1 ? "self" : "vec2";
  if (self->ndim == 1 && vec2->ndim == 1) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "outer: Expected 1-D argument %s, but got %d-D", which, (int)(self->ndim != 1 ? self : vec2)->ndim);
  return false;
}

/* ---- sums with products ---- */
Tensor *pwt_kernel_addmm(Tensor *self, Tensor *mat1, Tensor *mat2, Scalar beta, Scalar alpha) {
  if (mat1->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "mat1 must be a matrix, got %d-D tensor", (int)mat1->ndim);
  if (mat2->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "mat2 must be a matrix, got %d-D tensor", (int)mat2->ndim);
  if (!check_shapes(mat1->sizes[0], mat1->sizes[1], mat2)) return NULL;
  int64_t sizes[] = {mat1->sizes[0], mat2->sizes[1]};
  if (!pwt_check_expands(self, 2, sizes)) return NULL;
  if (self->dtype != mat2->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "self and mat2 must have the same dtype, but got %t and %t", self->dtype, mat2->dtype);
  return check_matrices(mat1, mat2) ? pwt_raw_add_product(self, mat1, mat2, beta, alpha) : NULL;
}

/* ---- linear ---- */
Tensor *pwt_kernel_linear(Tensor *input, Tensor *weight, Tensor *bias) {
  if (input->ndim == 0 || weight->ndim == 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "both arguments to linear need to be at least 1D, but they are %dD and %dD", (int)input->ndim, (int)weight->ndim);
  if (weight->ndim > 2) return pwt_fail(PWT_RUNTIME_ERROR, "t() expects a tensor with <= 2 dimensions, but self is %dD", (int)weight->ndim);
  if (weight->ndim == 2) return pwt__linear(input, weight, bias);
  if (bias) return pwt_fail(PWT_RUNTIME_ERROR, "mat2 must be a matrix, got 1-D tensor");
  return pwt_matmul(input, weight);
}

Tensor *pwt_kernel__linear(Tensor *input, Tensor *weight, Tensor *bias) {
  int n = input->ndim;
  int64_t depth = input->sizes[n - 1], sizes[PWT_MAX_DIMS];
  Tensor *columns = pwt_raw_transpose(weight), *rows = n == 1 ? pwt_raw_unsqueeze(input, 0) : input;
  if (!columns || !rows) return NULL;
  if (depth != weight->sizes[1]) {
    int64_t lead = pwt_product(input->sizes, n - 1);
    check_shapes(lead, depth, columns);
    return NULL;
  }
  if (!check_matrices(input, weight)) return NULL;
  pwt_copy_bytes(sizes, rows->sizes, (rows->ndim - 1) * 8);
  sizes[rows->ndim - 1] = weight->sizes[0];
  if (bias && bias->dtype != input->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "self and mat2 must have the same dtype, but got %t and %t", bias->dtype, weight->dtype);
  if (bias && !pwt_check_expands(bias, rows->ndim, sizes)) return NULL;
  DType dtype = (DType)input->dtype;
  Tensor *result = pwt_raw_cast(pwt_raw_matmul(rows, columns, bias, pwt_product_dtype(dtype)), dtype);
  return n > 1 || !result ? result : pwt_alias(result, 1, result->sizes + 1, result->strides + 1, 0);
}

Tensor *pwt_kernel_linear_weight_grad(Tensor *grad, Tensor *input) {
  if (input->ndim == 1) return pwt_outer(grad, input);
  return pwt__bmm_sum(pwt_transpose(grad, -2, -1), input);
}
