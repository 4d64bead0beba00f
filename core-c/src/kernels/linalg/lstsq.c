/* Least squares by a complete orthogonal decomposition: A P = Q [T 0; 0 0] Z^H (Golub and Van Loan, Matrix Computations, 4th ed., 5.5). */
#include "factor.h"
#include "ops.h"

static const Scalar one = {SCALAR_INT, 1, 1, 0};

static double magnitude(DType dtype, const void *matrix, int64_t at) {
  Scalar v = pwt_scalar_load(dtype, (const char *)matrix + at * pwt_itemsize[dtype]);
  return __builtin_fabs(v.re) + __builtin_fabs(v.im);
}

typedef struct {
  Matrices a, b, x;
  Tensor *residuals; /* of A's batch and B's columns, double */
  int64_t *rank;
  const double *values; /* of the singular ones, min(m, n) each; or NULL */
  double rcond;
} Problem;

/* The problem number i: the factor of a, and Q^H b where b was, are left behind. */
static bool solve_one(const Problem *p, const Factors *f, int64_t i) {
  int64_t m = p->a.m, n = p->a.n, k = PWT_MIN(m, n), columns = p->b.n;
  DType dtype = (DType)p->a.tensor->dtype;
  int64_t item = pwt_itemsize[dtype], rank = 0;
  char *a = pwt_matrix(&p->a, i), *b = pwt_matrix(&p->b, i), *x = pwt_matrix(&p->x, i);
  char *tau = pwt_alloc((2 * k + n * k + n * columns + 1) * item), *z_tau = tau + k * item, *z = z_tau + k * item, *y = z + n * k * item;
  int64_t *order = pwt_alloc((n + 1) * 8);
  if (!tau || !order) return pwt_free(tau), pwt_free(order), false;
  for (int64_t at = 0; at < m * n; at++)
    if (!(magnitude(dtype, a, at) < __builtin_inf()))
      return pwt_free(tau), pwt_free(order), pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.lstsq: the input matrix contains infinite or NaN values") != NULL;
  f->pivoted_qr(m, n, a, n, tau, order);
  f->reflect(true, m, k, a, n, tau, columns, b, columns);
  if (p->values) {
    const double *values = p->values + i * k;
    while (rank < k && values[rank] > p->rcond * values[0]) rank++;
  } else {
    while (rank < k && magnitude(dtype, a, rank * n + rank) > p->rcond * magnitude(dtype, a, 0)) rank++;
  }
  while (rank > 0 && !(magnitude(dtype, a, (rank - 1) * n + rank - 1) != 0)) rank--;
  p->rank[i] = columns ? rank : 0; /* as torch, which does not look at A then */
  pwt_fill_bytes(y, 0, n * columns * item);
  pwt_copy_bytes(y, b, rank * columns * item);
  if (rank < n && rank) { /* [R11 R12]^H = Z T */
    for (int64_t r = 0; r < n; r++)
      for (int64_t c = 0; c < rank; c++) {
        Scalar v = r >= c ? pwt_scalar_load(dtype, a + (c * n + r) * item) : pwt_scalar_int(0);
        if (v.kind == SCALAR_COMPLEX) v.im = -v.im;
        pwt_scalar_store(v, dtype, z + (r * rank + c) * item);
      }
    f->qr(n, rank, z, rank, z_tau);
    f->solve_triangular(true, false, true, rank, columns, z, rank, y, columns);
    f->reflect(false, n, rank, z, rank, z_tau, columns, y, columns);
  } else {
    f->solve_triangular(true, false, false, rank, columns, a, n, y, columns);
  }
  for (int64_t j = 0; j < n; j++) pwt_copy_bytes(x + order[j] * columns * item, y + j * columns * item, columns * item);
  if (p->residuals) {
    double *sums = (double *)pwt_data(p->residuals) + i * columns;
    for (int64_t r = n; r < m; r++)
      for (int64_t c = 0; c < columns; c++) {
        Scalar v = pwt_scalar_load(dtype, b + (r * columns + c) * item);
        sums[c] += v.re * v.re + v.im * v.im;
      }
  }
  pwt_free(tau), pwt_free(order);
  return !pwt_failed();
}

Tensors4 pwt_kernel__linalg_lstsq(Tensor *self, Tensor *b, double rcond, const char *driver) {
  Problem p = {0};
  Tensors4 none = {0};
  DType dtype = (DType)self->dtype, real = pwt_real_dtype(dtype);
  bool plain = pwt_same_text(driver, "gels"), pivoted = pwt_same_text(driver, "gelsy");
  if (!pwt_matrices(&p.a, self, false, false) || !pwt_matrices(&p.b, b, false, false) || !pwt_new_matrices(&p.x, b, p.a.n, p.b.n, dtype)) return none;
  int64_t empty = 0;
  Tensor *rank = pwt_batch_zeros(self, -1, PWT_INT64), *values = pwt_new(1, &empty, PWT_FLOAT64);
  if (!plain && !pivoted) values = pwt_raw_contiguous(pwt_kernel__linalg_svd(pwt_raw_cast(self, pwt_factor_dtype(dtype)), false, false).r[1]);
  p.residuals = p.a.m > p.a.n && !pivoted ? pwt_batch_zeros(self, p.b.n, PWT_FLOAT64) : NULL;
  if (!rank || !values || pwt_failed()) return none;
  p.rank = pwt_data(rank), p.values = plain || pivoted ? NULL : pwt_data(values), p.rcond = plain ? 0 : rcond;
  bool full = true;
  for (int64_t i = 0; i < p.a.count; i++) {
    if (!solve_one(&p, pwt_factors_of(dtype), i)) return none;
    full = full && p.rank[i] == p.a.n;
  }
  if (!p.residuals || !(full || plain)) p.residuals = pwt_new(1, &empty, PWT_FLOAT64);
  if (plain) rank = pwt_new(1, &empty, PWT_INT64);
  return (Tensors4){{pwt_from_matrices(p.x.tensor, false, dtype), pwt_raw_cast(p.residuals, real), rank, pwt_raw_cast(values, real)}};
}

static bool check_lstsq(Tensor *a, Tensor *b, const char *driver) {
  const char *problem = NULL;
  if (a->ndim < 2) problem = "input must have at least 2 dimensions.";
  else if (b->ndim < 1) problem = "other must have at least 1 dimension.";
  else if (a->dtype != b->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype %t and other's dtype %t", a->dtype, b->dtype) != NULL;
  else if (a->ndim - b->ndim < 0 || a->ndim - b->ndim > 1) problem = "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1";
  else if (driver && !pwt_same_text(driver, "gels") && !pwt_same_text(driver, "gelsy") && !pwt_same_text(driver, "gelsd") && !pwt_same_text(driver, "gelss"))
    problem = "parameter `driver` should be one of (gels, gelsy, gelsd, gelss)";
  if (problem) return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.lstsq: %s", problem) != NULL;
  if (a->dtype < PWT_FLOAT32) return pwt_fail(PWT_RUNTIME_ERROR, "This function doesn't handle types other than float and double") != NULL;
  return true;
}

Tensors4 pwt_kernel_linalg_lstsq(Tensor *self, Tensor *b, OptFloat rcond, const char *driver) {
  if (!check_lstsq(self, b, driver)) return (Tensors4){0};
  bool vector = self->ndim - 1 == b->ndim;
  int64_t m = self->sizes[self->ndim - 2], n = self->sizes[self->ndim - 1], batch[PWT_MAX_DIMS], sizes[PWT_MAX_DIMS];
  Tensor *right = vector ? pwt_unsqueeze(b, -1) : b;
  if (!right) return (Tensors4){0};
  if (right->sizes[right->ndim - 2] != m)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.linalg.lstsq: input.size(-2) should match other.size(%s)", vector ? "-1" : "-2"), (Tensors4){0};
  int ndim = self->ndim - 2;
  pwt_copy_bytes(batch, self->sizes, ndim * 8);
  Tensor *like = pwt_alias(right, right->ndim - 2, right->sizes, right->strides, right->offset);
  if (!like || !pwt_broadcast_sizes(&ndim, batch, like)) return (Tensors4){0};
  pwt_copy_bytes(sizes, batch, ndim * 8);
  sizes[ndim] = m, sizes[ndim + 1] = n;
  Tensor *a = pwt_expand(self, (IntList){sizes, ndim + 2}, false);
  sizes[ndim + 1] = right->sizes[right->ndim - 1];
  right = pwt_expand(right, (IntList){sizes, ndim + 2}, false);
  double epsilon = pwt_real_dtype((DType)self->dtype) == PWT_FLOAT64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
  Tensors4 r = pwt__linalg_lstsq(a, right, rcond.given ? rcond.value : epsilon * (double)PWT_MAX(m, n), driver ? driver : "gelsy");
  if (!r.r[0]) return r;
  if (vector) r.r[0] = pwt_squeeze(r.r[0], (IntList){(const int64_t[]){-1}, 1});
  r.r[3] = pwt_alias_same(r.r[3]);
  return r;
}

/* The residuals |A X - B|^2 change with A and B only, since X is the best one. */
Tensors2 pwt_kernel_linalg_lstsq_backward(Tensor *g_x, Tensor *g_r, Tensor *A, Tensor *B, Tensor *X, double rcond, const char *driver) {
  Tensor *g_a = NULL, *g_b = NULL;
  if (g_x) {
    int64_t m = A->sizes[A->ndim - 2], sizes[PWT_MAX_DIMS];
    pwt_copy_bytes(sizes, A->sizes, A->ndim * 8);
    sizes[A->ndim - 1] = m;
    Tensor *pinv = pwt__linalg_lstsq(A, pwt_expand(pwt__eye(m, m, (DType)A->dtype), (IntList){sizes, A->ndim}, false), rcond, driver).r[0];
    g_a = pwt_pinv_backward(pwt_matmul(g_x, pwt_mH(B)), pinv, A), g_b = pwt_matmul(pwt_mH(pinv), g_x);
  }
  if (g_r && g_r->numel) {
    Tensor *r = pwt_mul(pwt_sub(pwt_matmul(A, X), B, one), pwt_mul(pwt_unsqueeze(g_r, -2), pwt_from_scalar(pwt_scalar_int(2))));
    Tensor *a = pwt_matmul(r, pwt_mH(X));
    g_a = g_a ? pwt_add(g_a, a, one) : a, g_b = g_b ? pwt_sub(g_b, r, one) : pwt_neg(r);
  }
  return (Tensors2){{g_a, g_b}};
}
