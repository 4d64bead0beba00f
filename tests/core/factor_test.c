/* Factorizations, solves, eigenvalues and singular values of many sizes, and their gradients: products of factors give the matrix back, the
   sanitizers watch buffers, and nothing may stay behind. */
#include <stdio.h>

#include "autograd.h"
#include "ops.h"

static int failures;
static const Scalar one = {SCALAR_INT, 1, 1, 0};

static void near(Tensor *a, Tensor *b, const char *what, int64_t m, int64_t n, DType dtype) {
  Tensor *far = a && b ? pwt_abs(pwt_sub(a, b, one)) : NULL;
  if (far && far->numel == 0 && !pwt_failed()) return;
  Tensor *most = far ? pwt_max(far) : NULL;
  if (most && pwt_item(most).re < 1e-8 && !pwt_failed()) return;
  failures++;
  printf("%s of %lld × %lld, dtype %d: %s\n", what, (long long)m, (long long)n, (int)dtype, pwt_failed() ? pwt_error_state.message : "differs");
  pwt_clear_error();
}

static Tensor *matrices(int64_t m, int64_t n, DType dtype) {
  int64_t sizes[] = {2, n, m};
  return pwt_transpose(pwt__randn((IntList){sizes, 3}, dtype, NULL), 1, 2);
}

static Tensor *scaled(Tensor *columns, Tensor *by) { return columns && by ? pwt_mul(columns, pwt_unsqueeze(by, -2)) : NULL; }

static void rectangular(int64_t m, int64_t n, DType dtype) {
  int64_t mark = pwt_scope_open();
  Tensor *a = matrices(m, n, dtype), *b = matrices(m, 3, dtype);
  static const char *const modes[] = {"reduced", "complete"};
  for (int i = 0; i < 2; i++) {
    Tensors2 qr = pwt_linalg_qr(a, modes[i]);
    near(pwt_matmul(qr.r[0], qr.r[1]), a, "qr", m, n, dtype);
  }
  Tensors3 lu = pwt_linalg_lu(a, true), svd = pwt_linalg_svd(a, false, NULL), whole = pwt_linalg_svd(a, true, NULL);
  near(pwt_matmul(pwt_matmul(lu.r[0], lu.r[1]), lu.r[2]), a, "lu", m, n, dtype);
  near(pwt_matmul(scaled(svd.r[0], svd.r[1]), svd.r[2]), a, "svd", m, n, dtype);
  near(pwt_matmul(whole.r[0], pwt_mH(whole.r[0])), pwt__eye(m, m, dtype), "whole svd", m, n, dtype);
  near(pwt_linalg_svdvals(a, NULL), svd.r[1], "svdvals", m, n, dtype);
  static const char *const drivers[] = {"gels", "gelsy", "gelsd"};
  for (int i = 0; i < 3; i++) {
    Tensor *x = pwt_linalg_lstsq(a, b, (OptFloat){false, 0}, drivers[i]).r[0]; /* A^H (A x - b) = 0 */
    near(pwt_matmul(pwt_mH(a), pwt_matmul(a, x)), pwt_matmul(pwt_mH(a), b), "lstsq", m, n, dtype);
  }
  pwt_scope_close(mark);
}

static void square(int64_t n, DType dtype) {
  int64_t mark = pwt_scope_open();
  Tensor *shift = pwt_mul(pwt__eye(n, n, dtype), pwt_from_scalar(pwt_scalar_int(n + 4)));
  Tensor *a = pwt_add(matrices(n, n, dtype), shift, one), *h = pwt_add(a, pwt_mH(a), one), *b = matrices(n, 5, dtype);
  near(pwt_matmul(a, pwt_linalg_solve(a, b, true)), b, "solve", n, n, dtype);
  near(pwt_matmul(pwt_linalg_solve(a, pwt_mH(b), false), a), pwt_mH(b), "solve from the right", n, n, dtype);
  near(pwt_matmul(a, pwt_linalg_inv(a)), pwt__eye(n, n, dtype), "inv", n, n, dtype);
  Tensor *l = pwt_linalg_cholesky(h, false);
  near(pwt_matmul(l, pwt_mH(l)), h, "cholesky", n, n, dtype);
  near(pwt_matmul(l, pwt_linalg_solve_triangular(l, b, false, true, false)), b, "solve_triangular", n, n, dtype);
  for (int hermitian = 0; hermitian < 2; hermitian++) {
    Tensor *s = hermitian ? pwt_sub(h, pwt_mul(shift, pwt_from_scalar(pwt_scalar_int(2))), one) : pwt_add(a, pwt_transpose(a, 1, 2), one);
    Tensors2 ldl = pwt_linalg_ldl_factor(s, hermitian);
    near(pwt_matmul(s, pwt_linalg_ldl_solve(ldl.r[0], ldl.r[1], b, hermitian)), b, "ldl", n, n, dtype);
  }
  Tensors2 eigh = pwt_linalg_eigh(h, "L"), eig = pwt_linalg_eig(a);
  near(pwt_matmul(h, eigh.r[1]), scaled(eigh.r[1], eigh.r[0]), "eigh", n, n, dtype);
  near(pwt_linalg_eigvalsh(h, "U"), eigh.r[0], "eigvalsh", n, n, dtype);
  near(pwt_matmul(pwt__to_dtype(a, PWT_COMPLEX128), eig.r[1]), scaled(eig.r[1], eig.r[0]), "eig", n, n, dtype);
  Tensor *half = pwt_linalg_matrix_exp(pwt_div(a, pwt_from_scalar(pwt_scalar_int(2 * n + 8)))), *exp = pwt_linalg_matrix_exp(pwt_div(a, pwt_from_scalar(pwt_scalar_int(n + 4))));
  near(pwt_matmul(half, half), exp, "matrix_exp", n, n, dtype);
  pwt_scope_close(mark);
}

/* The gradients of real sums, for the buffers of the backward passes; their values are tested in Python. */
static void gradients(int64_t n, DType dtype) {
  int64_t mark = pwt_scope_open();
  Tensor *a = pwt_add(matrices(n, n, dtype), pwt_mul(pwt__eye(n, n, dtype), pwt_from_scalar(pwt_scalar_int(n + 4))), one);
  pwt_set_requires_grad(a, true);
  Tensor *h = pwt_add(a, pwt_mH(a), one), *b = pwt_detach(matrices(n, 2, dtype));
  Tensor *results[] = {pwt_linalg_solve(a, b, true), pwt_linalg_cholesky(h, false), pwt_linalg_qr(a, "reduced").r[1], pwt_linalg_lu(a, true).r[2], pwt_linalg_det(a),
                       pwt_linalg_eigh(h, "L").r[0], pwt_linalg_eig(a).r[0], pwt_linalg_svdvals(a, NULL), pwt_linalg_inv(a), pwt_linalg_matrix_exp(pwt_div(a, pwt_from_scalar(pwt_scalar_int(9)))),
                       pwt_linalg_lstsq(a, b, (OptFloat){false, 0}, NULL).r[0]};
  for (int i = 0; i < (int)(sizeof results / sizeof *results); i++) {
    Tensor *sum = results[i] ? pwt_sum(pwt_abs(results[i]), (IntList){NULL, -1}, false, PWT_NO_DTYPE) : NULL;
    if (sum && pwt_backward((TensorList){&sum, 1}, (TensorList){NULL, -1}, true, false, (TensorList){NULL, -1}, true, true, NULL) && !pwt_failed()) continue;
    failures++;
    printf("backward %d of %lld, dtype %d: %s\n", i, (long long)n, (int)dtype, pwt_error_state.message);
    pwt_clear_error();
  }
  pwt_scope_close(mark);
}

int main(void) {
  static const DType dtypes[] = {PWT_FLOAT64, PWT_COMPLEX128};
  static const int64_t sizes[] = {1, 2, 3, 5, 17, 33, 70};
  for (int d = 0; d < 2; d++) {
    for (int i = 0; i < 7; i++) {
      square(sizes[i], dtypes[d]);
      for (int j = 0; j < 7; j++) rectangular(sizes[i], sizes[j], dtypes[d]);
    }
    rectangular(0, 3, dtypes[d]), rectangular(3, 0, dtypes[d]), square(0, dtypes[d]);
    gradients(1, dtypes[d]), gradients(7, dtypes[d]), gradients(40, dtypes[d]);
  }
  if (pwt_live_tensors()) failures++, printf("%lld tensors stayed behind\n", (long long)pwt_live_tensors());
  return failures != 0;
}
