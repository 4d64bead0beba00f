/* Gradients of factorizations and of solves: Giles, Collected matrix derivative results (2008); Murray, Differentiation of the
   Cholesky decomposition (2016); Walter, Lehmann and Lamour (2012) for QR. All in differentiable operators. */
#include "factor.h"
#include "ops.h"

static const Scalar one = {SCALAR_INT, 1, 1, 0};

static Tensor *triangular(Tensor *a, Tensor *b, bool upper, bool left, bool unit) { return pwt_linalg_solve_triangular(a, b, upper, left, unit); }
static Tensor *part(Tensor *t, int64_t dim, int64_t from, int64_t length) { return pwt_narrow(t, dim, from, length); }
static int64_t rows_of(const Tensor *t) { return t->sizes[t->ndim - 2]; }
static int64_t columns_of(const Tensor *t) { return t->sizes[t->ndim - 1]; }
static Tensor *plus(Tensor *a, Tensor *b) { return !a ? b : !b ? a : pwt_add(a, b, one); }
static Tensor *minus(Tensor *a, Tensor *b) { return !b ? a : !a ? pwt_neg(b) : pwt_sub(a, b, one); }
static Tensor *product(Tensor *a, Tensor *b) { return a && b ? pwt_matmul(a, b) : NULL; }
static Tensor *diagonal_of(Tensor *t) { return pwt_diagonal(t, 0, -2, -1); }
static Tensor *half_diagonal(Tensor *t) { return pwt_diag_embed(pwt_mul(diagonal_of(t), pwt_from_scalar(pwt_scalar_float(0.5))), 0, -2, -1); }

Tensor *pwt_kernel_cholesky_backward(Tensor *grad, Tensor *L, bool upper) {
  if (upper) grad = pwt_mH(grad), L = pwt_mH(L);
  Tensor *phi = pwt_tril(pwt_matmul(pwt_mH(L), grad), 0);
  phi = pwt_mul(pwt_add(phi, pwt_mH(pwt_tril(phi, -1)), one), pwt_from_scalar(pwt_scalar_float(0.5)));
  return triangular(L, triangular(pwt_mH(L), phi, true, true, false), false, false, false);
}

/* The symmetric change of a matrix, as a change of its Cholesky factor */
Tensor *pwt_kernel_cholesky_solve_backward(Tensor *grad, Tensor *L, Tensor *result, bool upper) {
  Tensor *common = pwt_matmul(pwt_cholesky_solve(grad, L, upper), pwt_mH(result));
  common = pwt_add(common, pwt_mH(common), one);
  return pwt_neg(upper ? pwt_matmul(L, common) : pwt_matmul(common, L));
}

Tensor *pwt_kernel_cholesky_inverse_backward(Tensor *grad, Tensor *L, Tensor *inverse, bool upper) {
  Tensor *common = pwt_matmul(inverse, pwt_matmul(pwt_add(grad, pwt_mH(grad), one), inverse));
  return pwt_neg(upper ? pwt_matmul(L, common) : pwt_matmul(common, L));
}

/* The gradient of P^T A for A = P L U; either gradient may be missing. */
static Tensor *lu_product_backward(Tensor *g_l, Tensor *g_u, Tensor *l, Tensor *u) {
  int64_t m = rows_of(l), k = columns_of(l), n = columns_of(u);
  Tensor *l1 = part(l, -2, 0, k), *u1 = part(u, -1, 0, k);
  Tensor *lower = product(pwt_mH(l1), g_l ? part(g_l, -2, 0, k) : NULL), *higher = g_u ? pwt_matmul(part(g_u, -1, 0, k), pwt_mH(u1)) : NULL;
  Tensor *u2 = n > k ? part(u, -1, k, n - k) : NULL, *g_u2 = n > k && g_u ? part(g_u, -1, k, n - k) : NULL;
  Tensor *l2 = m > k ? part(l, -2, k, m - k) : NULL, *g_l2 = m > k && g_l ? part(g_l, -2, k, m - k) : NULL;
  if (g_u2) lower = minus(lower, product(g_u2, pwt_mH(u2)));
  if (g_l2) higher = minus(higher, product(pwt_mH(l2), g_l2));
  Tensor *core = plus(lower ? pwt_tril(lower, -1) : NULL, higher ? pwt_triu(higher, 0) : NULL);
  if (!core) return NULL;
  Tensor *a = triangular(pwt_mH(l1), triangular(pwt_mH(u1), core, false, false, false), true, true, true);
  if (u2) {
    Tensor *right = g_u2 ? triangular(pwt_mH(l1), g_u2, true, true, true) : pwt_zeros_like(u2);
    a = pwt_cat((TensorList){(Tensor *[]){a, right}, 2}, -1);
  }
  if (l2) {
    Tensor *below = g_l2 ? triangular(pwt_mH(u1), g_l2, false, false, false) : pwt_zeros_like(l2);
    a = pwt_cat((TensorList){(Tensor *[]){a, below}, 2}, -2);
  }
  return a;
}

Tensor *pwt_kernel_lu_backward(Tensor *g_l, Tensor *g_u, Tensor *P, Tensor *L, Tensor *U) {
  Tensor *a = lu_product_backward(g_l, g_u, L, U);
  return a ? pwt_matmul(P, a) : NULL;
}

Tensor *pwt_kernel_lu_factor_backward(Tensor *grad, Tensor *LU, Tensor *pivots) {
  Tensors3 plu = pwt_lu_unpack(LU, pivots, true, true);
  if (!plu.r[0]) return NULL;
  int64_t k = columns_of(plu.r[1]);
  return pwt_kernel_lu_backward(part(pwt_tril(grad, -1), -1, 0, k), part(pwt_triu(grad, 0), -2, 0, k), plu.r[0], plu.r[1], plu.r[2]);
}

Tensor *pwt_kernel_lu_unpack_backward(Tensor *g_l, Tensor *g_u, IntList sizes) {
  int64_t m = sizes.items[sizes.count - 2], n = sizes.items[sizes.count - 1], k = PWT_MIN(m, n);
  int64_t rest[PWT_MAX_DIMS];
  Tensor *lower = g_l ? pwt_tril(g_l, -1) : NULL, *upper = g_u ? pwt_triu(g_u, 0) : NULL;
  pwt_copy_bytes(rest, sizes.items, sizes.count * 8);
  if (lower && n > k) {
    rest[sizes.count - 1] = n - k;
    lower = pwt_cat((TensorList){(Tensor *[]){lower, pwt_new_zeros((int)sizes.count, rest, (DType)lower->dtype)}, 2}, -1);
  }
  if (upper && m > k) {
    rest[sizes.count - 2] = m - k;
    upper = pwt_cat((TensorList){(Tensor *[]){upper, pwt_new_zeros((int)sizes.count, rest, (DType)upper->dtype)}, 2}, -2);
  }
  return plus(lower, upper);
}

/* X solves A X = B, A^H X = B, X A = B or X A^H = B; the change of A reaches L and U. */
Tensor *pwt_kernel_lu_solve_backward(Tensor *grad, Tensor *LU, Tensor *pivots, Tensor *X, bool left, bool adjoint) {
  Tensors3 plu = pwt_lu_unpack(LU, pivots, true, true);
  Tensor *b = pwt_linalg_lu_solve(LU, pivots, grad, left, !adjoint);
  if (!plu.r[0] || !b) return NULL;
  Tensor *a = left ? adjoint ? pwt_matmul(X, pwt_mH(b)) : pwt_matmul(b, pwt_mH(X)) : adjoint ? pwt_matmul(pwt_mH(b), X) : pwt_matmul(pwt_mH(X), b);
  a = pwt_neg(pwt_matmul(pwt_mH(plu.r[0]), a));
  return pwt_add(pwt_tril(pwt_matmul(a, pwt_mH(plu.r[2])), -1), pwt_triu(pwt_matmul(pwt_mH(plu.r[1]), a), 0), one);
}

/* In a backward pass that is itself recorded the factors of A are no use: they have no history here. */
Tensors2 pwt_kernel_linalg_solve_backward(Tensor *grad, Tensor *A, Tensor *X, Tensor *LU, Tensor *pivots, bool left, bool vector) {
  if (vector) grad = pwt_unsqueeze(grad, -1), X = pwt_unsqueeze(X, -1);
  Tensor *b = pwt_grad_enabled ? pwt__linalg_solve_ex(pwt_mH(A), grad, left, false).r[0] : pwt_linalg_lu_solve(LU, pivots, grad, left, true);
  Tensor *a = left ? pwt_matmul(b, pwt_mH(X)) : pwt_matmul(pwt_mH(X), b);
  return (Tensors2){{pwt_neg(a), vector ? pwt_squeeze(b, (IntList){(const int64_t[]){-1}, 1}) : b}};
}

/* By Faddeev and LeVerrier, in double: n - 1 products, no division by what may be zero; it loses digits with n. */
static Tensor *small_adjugate(Tensor *a, int64_t n) {
  DType dtype = pwt_factor_dtype((DType)a->dtype), kept = (DType)a->dtype;
  Tensor *identity = pwt__eye(n, n, dtype), *m = pwt_expand(identity, pwt_sizes_of(a), false);
  a = pwt__to_dtype(a, dtype);
  int64_t last = -1;
  for (int64_t k = 1; k < n && !pwt_failed(); k++) {
    m = pwt_matmul(a, m);
    Tensor *trace = pwt_sum(diagonal_of(m), (IntList){&last, 1}, false, PWT_NO_DTYPE);
    Tensor *c = pwt_div(pwt_unsqueeze(pwt_unsqueeze(trace, -1), -1), pwt_from_scalar(pwt_scalar_int(k)));
    m = pwt_sub(m, pwt_mul(c, identity), one);
  }
  return pwt__to_dtype(n % 2 ? m : pwt_neg(m), kept);
}

/* det(U) det(V^H) V adj(S) U^H: the adjugate of a diagonal matrix has the products of the others. */
static Tensor *adjugate(Tensor *a, int64_t n) {
  if (n <= 6) return small_adjugate(a, n);
  Tensors3 usv = pwt_linalg_svd(a, false, NULL);
  if (!usv.r[0]) return NULL;
  Tensor *identity = pwt__eye(n, n, pwt_real_dtype((DType)a->dtype));
  Tensor *others = pwt_where(pwt_eq(identity, pwt_from_scalar(pwt_scalar_int(1))), identity, pwt_unsqueeze(usv.r[1], -2));
  Tensor *products = pwt__to_dtype(pwt_prod_dim(others, -1, false, PWT_NO_DTYPE), (DType)a->dtype);
  Tensor *phase = pwt_unsqueeze(pwt_unsqueeze(pwt_mul(pwt_linalg_det(usv.r[0]), pwt_linalg_det(usv.r[2])), -1), -1);
  return pwt_mul(phase, pwt_matmul(pwt_mul(pwt_mH(usv.r[2]), pwt_unsqueeze(products, -2)), pwt_mH(usv.r[0])));
}

static bool has_zero_pivot(Tensor *LU) {
  Matrices m;
  if (!pwt_matrices(&m, LU, false, true)) return false;
  int64_t item = pwt_itemsize[m.tensor->dtype];
  for (int64_t b = 0; b < m.count; b++)
    for (int64_t i = 0; i < m.n; i++) {
      Scalar d = pwt_scalar_load((DType)m.tensor->dtype, (char *)pwt_matrix(&m, b) + (i * m.n + i) * item);
      if (d.re == 0 && d.im == 0) return true;
    }
  return false;
}

/* conj(det) A^-H, which is the adjoint of the adjugate and stays so where A is singular. */
Tensor *pwt_kernel_linalg_det_backward(Tensor *grad, Tensor *A, Tensor *det, Tensor *LU, Tensor *pivots) {
  int64_t n = columns_of(A);
  bool singular = has_zero_pivot(LU);
  if (pwt_failed()) return NULL;
  if (singular) return pwt_mul(pwt_unsqueeze(pwt_unsqueeze(grad, -1), -1), pwt_mH(adjugate(A, n)));
  Tensor *scale = pwt_unsqueeze(pwt_unsqueeze(pwt_mul(grad, pwt_conj_if_complex(det)), -1), -1);
  Tensor *right = pwt_mul(scale, pwt__eye(n, n, (DType)A->dtype));
  return pwt_grad_enabled ? pwt__linalg_solve_ex(pwt_mH(A), right, true, false).r[0] : pwt_linalg_lu_solve(LU, pivots, right, true, true);
}

Tensor *pwt_kernel_linalg_slogdet_backward(Tensor *g_sign, Tensor *g_log, Tensor *A, Tensor *sign, Tensor *LU, Tensor *pivots) {
  DType dtype = (DType)A->dtype;
  int64_t n = columns_of(A);
  Tensor *g = g_log ? pwt__to_dtype(g_log, dtype) : NULL;
  if (g_sign && pwt_is_complex(dtype)) { /* only the phase of the sign changes: the imaginary part of conj(g) s */
    Tensor *turn = pwt_mul(pwt_conj_if_complex(g_sign), sign);
    turn = pwt_mul(pwt_sub(turn, pwt_conj_if_complex(turn), one), pwt_from_scalar(pwt_scalar_float(0.5)));
    g = minus(g, turn);
  }
  if (!g) return pwt_zeros_like(A);
  Tensor *right = pwt_mul(pwt_unsqueeze(pwt_unsqueeze(g, -1), -1), pwt__eye(n, n, dtype));
  return pwt_grad_enabled ? pwt__linalg_solve_ex(pwt_mH(A), right, true, false).r[0] : pwt_linalg_lu_solve(LU, pivots, right, true, true);
}

Tensors2 pwt_kernel_linalg_solve_triangular_backward(Tensor *grad, Tensor *A, Tensor *X, bool upper, bool left, bool unitriangular) {
  Tensor *b = triangular(pwt_mH(A), grad, !upper, left, unitriangular);
  Tensor *a = pwt_neg(left ? pwt_matmul(b, pwt_mH(X)) : pwt_matmul(pwt_mH(X), b));
  return (Tensors2){{upper ? pwt_triu(a, unitriangular) : pwt_tril(a, -(int64_t)unitriangular), b}};
}

/* A = Q R of square or tall Q: (Q copyltu(M) + gQ) R^-H with M = R gR^H - gQ^H Q */
static Tensor *tall_backward(Tensor *g_q, Tensor *g_r, Tensor *q, Tensor *r) {
  Tensor *m = product(g_r, pwt_mH(r));
  if (g_q) m = minus(m, pwt_matmul(pwt_mH(q), g_q));
  Tensor *up = pwt_triu(m, 0), *sum = pwt_add(up, pwt_mH(up), one);
  Tensor *a = pwt_matmul(q, pwt_sub(sum, half_diagonal(sum), one));
  return triangular(pwt_mH(r), plus(a, g_q), false, false, false);
}

Tensor *pwt_kernel_linalg_qr_backward(Tensor *g_q, Tensor *g_r, Tensor *Q, Tensor *R, IntList sizes, const char *mode) {
  int64_t m = sizes.items[sizes.count - 2], n = sizes.items[sizes.count - 1];
  if (pwt_same_text(mode, "r"))
    return pwt_fail(PWT_RUNTIME_ERROR, "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to differentiate "
                                       "through linalg.qr.");
  if (pwt_same_text(mode, "complete") && m > n) return pwt_fail(PWT_RUNTIME_ERROR, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  if (!g_q && !g_r) return NULL;
  if (m >= n) return tall_backward(g_q, g_r, Q, R);
  /* the columns beyond the square part are Q R2, so that their gradient joins that of Q */
  Tensor *g_r1 = g_r ? part(g_r, -1, 0, m) : NULL, *g_r2 = g_r ? part(g_r, -1, m, n - m) : NULL, *r2 = part(R, -1, m, n - m);
  Tensor *right = g_r2 ? pwt_matmul(Q, g_r2) : pwt_matmul(Q, pwt_zeros_like(r2));
  Tensor *all = g_r2 ? plus(g_q, pwt_matmul(Q, pwt_matmul(r2, pwt_mH(g_r2)))) : g_q;
  return pwt_cat((TensorList){(Tensor *[]){tall_backward(all, g_r1, Q, part(R, -1, 0, m)), right}, 2}, -1);
}
