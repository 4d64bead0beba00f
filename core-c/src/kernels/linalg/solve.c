/* solve, inv, det, lu and cholesky with errors raised; the operators below them return the error code in a tensor. */
#include "factor.h"
#include "ops.h"

enum { SINGULAR_INVERSE, NOT_POSITIVE, SINGULAR_SOLVE, SINGULAR_LU }; /* the texts of _check_info */

Tensor *pwt_kernel__cholesky(Tensor *self, bool upper, const char *function) {
  if (!pwt_check_square(self, function, "A")) return NULL;
  Tensors2 r = pwt_linalg_cholesky_ex(self, upper, false);
  return pwt__check_info(r.r[0], r.r[1], function, NOT_POSITIVE);
}

Tensors2 pwt_kernel_linalg_lu_factor(Tensor *A, bool pivot) {
  Tensors3 r = pwt_linalg_lu_factor_ex(A, pivot, false);
  if (!pwt__check_info(r.r[0], r.r[2], "torch.linalg.lu_factor", SINGULAR_LU)) return (Tensors2){0};
  return (Tensors2){{r.r[0], r.r[1]}};
}

/* A permutation has no gradient. */
static Tensors3 without_history_of_first(Tensors3 r) {
  if (r.r[0]) r.r[0] = pwt_alias_same(r.r[0]);
  return r;
}

Tensors3 pwt_kernel_lu_unpack(Tensor *LU, Tensor *pivots, bool unpack_data, bool unpack_pivots) {
  return without_history_of_first(pwt__lu_unpack(LU, pivots, unpack_data, unpack_pivots));
}

Tensors3 pwt_kernel_linalg_lu(Tensor *A, bool pivot) { return without_history_of_first(pwt__linalg_lu(A, pivot)); }

Tensors3 pwt_kernel__linalg_lu(Tensor *A, bool pivot) {
  if (A->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu: Expected tensor with 2 or more dimensions. Got size: %z instead", A->sizes, (int)A->ndim), (Tensors3){0};
  if (!pivot) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_factor: LU without pivoting is not implemented on the CPU"), (Tensors3){0};
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensors3 r = pwt_linalg_lu_factor_ex(A, true, false);
  r = pwt_lu_unpack(r.r[0], r.r[1], true, true);
  pwt_grad_enabled = recording;
  return r;
}

Tensors2 pwt_kernel_linalg_solve_ex(Tensor *A, Tensor *B, bool left, bool check_errors) {
  Tensors4 r = pwt__linalg_solve_ex(A, B, left, check_errors);
  return (Tensors2){{r.r[0], r.r[3]}};
}

Tensor *pwt_kernel_linalg_solve(Tensor *A, Tensor *B, bool left) {
  Tensors4 r = pwt__linalg_solve_ex(A, B, left, false);
  return pwt__check_info(r.r[0], r.r[3], "torch.linalg.solve", SINGULAR_SOLVE);
}

Tensor *pwt_kernel_linalg_inv(Tensor *A) {
  Tensors2 r = pwt_linalg_inv_ex(A, false);
  return pwt__check_info(r.r[0], r.r[1], "linalg.inv", SINGULAR_INVERSE);
}

Tensors2 pwt_kernel_linalg_slogdet(Tensor *A) {
  Tensors4 r = pwt__linalg_slogdet(A);
  return (Tensors2){{r.r[0], r.r[1]}};
}

Tensors2 pwt_kernel_slogdet(Tensor *self) { return pwt_kernel_linalg_slogdet(self); }

Tensor *pwt_kernel_logdet(Tensor *self) {
  if (!pwt_check_square(self, "logdet", "A") || !pwt_check_factorable(self, "logdet", false)) return NULL;
  Tensors4 r = pwt__linalg_slogdet(self);
  if (!r.r[0]) return NULL;
  if (pwt_is_complex((DType)self->dtype)) return pwt_add(r.r[1], pwt_log(r.r[0]), pwt_scalar_int(1));
  Tensor *negative = pwt_eq(r.r[0], pwt_from_scalar(pwt_scalar_int(-1)));
  return pwt_where(negative, pwt_full_scalar(pwt_scalar_float(__builtin_nan("")), (DType)self->dtype), r.r[1]);
}

Tensors2 pwt_kernel_triangular_solve(Tensor *self, Tensor *A, bool upper, bool transpose, bool unitriangular) {
  Tensor *both[] = {self, A};
  for (int i = 0; i < 2; i++)
    if (both[i]->ndim < 2)
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.triangular_solve: Expected %s to have at least 2 dimensions, but it has %d dimensions instead", i ? "A" : "b", (int)both[i]->ndim), (Tensors2){0};
  if (!pwt_check_equation(self, A, "triangular_solve")) return (Tensors2){0};
  Tensor *a = transpose ? pwt_mH(A) : A;
  Tensor *x = pwt_linalg_solve_triangular(a, self, transpose ? !upper : upper, true, unitriangular);
  if (!x) return (Tensors2){0};
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, x->sizes, x->ndim * 8);
  sizes[x->ndim - 2] = A->sizes[A->ndim - 2], sizes[x->ndim - 1] = A->sizes[A->ndim - 1];
  return (Tensors2){{x, pwt_clone(pwt_expand(A, (IntList){sizes, x->ndim}, false), 0)}};
}

Tensors2 pwt_kernel_linalg_ldl_factor(Tensor *self, bool hermitian) {
  Tensors3 r = pwt_linalg_ldl_factor_ex(self, hermitian, true);
  return (Tensors2){{r.r[0], r.r[1]}};
}
