/* L D L^T factorization of symmetric indefinite matrices: linalg.ldl_factor_ex and linalg.ldl_solve. */
#include "factor.h"
#include "ops.h"

Tensors3 pwt_kernel_linalg_ldl_factor_ex(Tensor *self, bool hermitian, bool check_errors) {
  Matrices a;
  if (!pwt_check_square(self, "torch.linalg.ldl_factor_ex", "A") || !pwt_check_factorable(self, "torch.linalg.ldl_factor_ex", true) || !pwt_check_factor_kernel(self, "ldl_factor_kernel_cpu")) return (Tensors3){0};
  Tensor *pivots = pwt_batch_zeros(self, self->sizes[self->ndim - 1], PWT_INT32), *info = pwt_batch_zeros(self, -1, PWT_INT32);
  if (!pivots || !info || !pwt_matrices(&a, self, false, false)) return (Tensors3){0};
  pwt_keep_triangle(&a, false);
  int32_t *failed = pwt_data(info);
  for (int64_t i = 0; i < a.count; i++) {
    failed[i] = (int32_t)pwt_factors_of((DType)self->dtype)->ldl(hermitian && pwt_is_complex((DType)self->dtype), a.n, pwt_matrix(&a, i), a.n, (int32_t *)pwt_data(pivots) + i * a.n);
    if (failed[i] && check_errors) return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.ldl_factor_ex: block %d of D is singular", failed[i]), (Tensors3){0};
  }
  pwt_keep_triangle(&a, false);
  return (Tensors3){{pwt_from_matrices(a.tensor, false, (DType)self->dtype), pivots, info}};
}

Tensor *pwt_kernel_linalg_ldl_solve(Tensor *LD, Tensor *pivots, Tensor *B, bool hermitian) {
  Matrices a, b;
  DType dtype = (DType)LD->dtype;
  const char *name = "torch.linalg.ldl_solve";
  if (!pwt_check_square(LD, name, "A") || !pwt_check_factorable(LD, name, true)) return NULL;
  if (!pwt_is_integral((DType)pivots->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.ldl_solve: Expected pivots to be integers. Got %t", pivots->dtype);
  if (B->ndim < 2) return pwt_wrap_dim(-2, B->ndim), pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.ldl_solve: Expected B to have at least 2 dimensions, but it has %d dimensions instead", (int)B->ndim);
  if (!pwt_check_equation(B, LD, name)) return NULL;
  int64_t n = LD->sizes[LD->ndim - 1];
  if (pivots->ndim != LD->ndim - 1 || pivots->sizes[pivots->ndim - 1] != n || pivots->numel != LD->numel / PWT_MAX(n, 1))
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape %z instead", pivots->sizes, (int)pivots->ndim);
  if (!pwt_check_factor_kernel(LD, "ldl_solve_kernel_cpu")) return NULL;
  int64_t batch[PWT_MAX_DIMS];
  int ndim = B->ndim - 2;
  pwt_copy_bytes(batch, B->sizes, ndim * 8);
  Tensor *like = pwt_alias(LD, LD->ndim - 2, LD->sizes, LD->strides, LD->offset);
  if (!like || !pwt_broadcast_sizes(&ndim, batch, like)) return NULL;
  pivots = pwt_raw_contiguous_as(pwt_expand_batch(pivots, 1, ndim, batch), PWT_INT32);
  if (!pivots || !pwt_matrices(&a, pwt_expand_batch(LD, 2, ndim, batch), false, true) || !pwt_matrices(&b, pwt_expand_batch(B, 2, ndim, batch), false, false)) return NULL;
  const int32_t *swaps = pwt_data(pivots);
  for (int64_t i = 0; i < pivots->numel && !pwt_on_meta; i++)
    if (!swaps[i] || swaps[i] > n || swaps[i] < -n) return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.ldl_solve: pivots must be those of ldl_factor");
  for (int64_t i = 0; i < b.count; i++) pwt_factors_of(dtype)->ldl_solve(hermitian && pwt_is_complex(dtype), n, b.n, pwt_matrix(&a, i), n, swaps + i * n, pwt_matrix(&b, i), b.n);
  return pwt_from_matrices(b.tensor, false, dtype);
}
