/* Matrix products of tensors below autograd: any strides, batches broadcast, nothing is copied but for its dtype. */
#pragma once
#include "call.h"

DType pwt_product_dtype(DType dtype); /* what products of this dtype are computed in */

/* a[..., m, k] @ b[..., k, n] in `dtype`, which is what pwt_product_dtype gives. `start`, where given, is broadcast to
   the result and the product added to it. Sizes must fit. */
Tensor *pwt_raw_matmul(Tensor *a, Tensor *b, Tensor *start, DType dtype);

/* The sum of the same products over all batches, m × n. */
Tensor *pwt_raw_matmul_sum(Tensor *a, Tensor *b, DType dtype);

Tensor *pwt_raw_unsqueeze(Tensor *t, int dim);
Tensor *pwt_raw_transpose(Tensor *t); /* the last two dimensions */

/* beta * self + alpha * (a @ b), of one dtype; with beta = 0 nothing of self is read, so its NaNs do not spread. */
Tensor *pwt_raw_add_product(Tensor *self, Tensor *a, Tensor *b, Scalar beta, Scalar alpha);

/* torch's refusals; each records the error and returns false */
bool pwt_refuse_bool(Tensor *t, const char *kernel);
bool pwt_check_bmm_sizes(Tensor *batch1, Tensor *batch2);
bool pwt_check_bmm_dtypes(Tensor *a, Tensor *b, const char *kernel);
bool pwt_check_expands(Tensor *t, int ndim, const int64_t *sizes);
