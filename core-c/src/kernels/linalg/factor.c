/* Cholesky and LU factorizations, inverses, determinants, triangular solves: batches and PyTorch's errors. */
#include "factor.h"
#include "math.h"
#include "matmul/loops.h"
#include "ops.h"

/* ---- matrices ---- */
static bool describe(Matrices *m, Tensor *t) {
  m->tensor = t;
  if (!t) return false;
  m->m = t->sizes[t->ndim - 2], m->n = t->sizes[t->ndim - 1];
  m->count = pwt_on_meta ? 0 : pwt_product(t->sizes, t->ndim - 2); /* none is worked on */
  m->bytes = m->m * m->n * pwt_itemsize[t->dtype];
  return true;
}

static void conjugate(Tensor *t) {
  if (t->dtype != PWT_COMPLEX128 || pwt_on_meta) return;
  double *data = pwt_data(t);
  for (int64_t i = 0; i < t->numel; i++) data[2 * i + 1] = -data[2 * i + 1];
}

bool pwt_matrices(Matrices *to, Tensor *from, bool adjoint, bool shared) {
  if (!from) return false;
  DType dtype = pwt_factor_dtype((DType)from->dtype);
  if (shared && !adjoint) return describe(to, pwt_raw_contiguous_as(from, dtype));
  Tensor *source = adjoint ? pwt_raw_transpose(from) : from, *copy = source ? pwt_new(source->ndim, source->sizes, dtype) : NULL;
  if (!copy) return false;
  pwt_raw_copy(copy, source);
  if (adjoint) conjugate(copy);
  return describe(to, copy);
}

bool pwt_new_matrices(Matrices *to, const Tensor *batch_of, int64_t m, int64_t n, DType dtype) {
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, batch_of->sizes, batch_of->ndim * 8);
  sizes[batch_of->ndim - 2] = m, sizes[batch_of->ndim - 1] = n;
  return describe(to, pwt_new_zeros(batch_of->ndim, sizes, pwt_factor_dtype(dtype)));
}

Tensor *pwt_from_matrices(Tensor *t, bool adjoint, DType dtype) {
  if (!t || pwt_failed()) return NULL;
  if (adjoint) {
    conjugate(t);
    t = pwt_raw_contiguous(pwt_raw_transpose(t));
  }
  return pwt_raw_cast(t, dtype);
}

Tensor *pwt_batch_zeros(const Tensor *matrices, int64_t last, DType dtype) {
  int64_t sizes[PWT_MAX_DIMS];
  int ndim = matrices->ndim - 2;
  pwt_copy_bytes(sizes, matrices->sizes, ndim * 8);
  if (last >= 0) sizes[ndim++] = last;
  return pwt_new_zeros(ndim, sizes, dtype);
}

Tensor *pwt_expand_batch(Tensor *t, int tail, int ndim, const int64_t *batch) {
  int64_t sizes[PWT_MAX_DIMS];
  if (!t || ndim + tail > PWT_MAX_DIMS) return NULL;
  pwt_copy_bytes(sizes, batch, ndim * 8);
  for (int i = 0; i < tail; i++) sizes[ndim + i] = t->sizes[t->ndim - tail + i];
  return pwt_raw_expand(t, ndim + tail, sizes);
}

/* Zeros what is not of the triangle. */
void pwt_keep_triangle(const Matrices *m, bool upper) {
  int item = pwt_itemsize[m->tensor->dtype];
  for (int64_t b = 0; b < m->count; b++)
    for (int64_t i = 0; i < m->m; i++) {
      char *row = (char *)pwt_matrix(m, b) + i * m->n * item;
      int64_t cut = PWT_MIN(upper ? i : i + 1, m->n);
      if (upper) pwt_fill_bytes(row, 0, cut * item);
      else pwt_fill_bytes(row + cut * item, 0, (m->n - cut) * item);
    }
}

/* ---- refusals ---- */
bool pwt_check_matrices(Tensor *t, const char *function, const char *name) {
  if (t->ndim >= 2) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s: The input tensor %s must have at least 2 dimensions.", function, name);
  return false;
}

bool pwt_check_square(Tensor *t, const char *function, const char *name) {
  if (!pwt_check_matrices(t, function, name)) return false;
  int64_t m = t->sizes[t->ndim - 2], n = t->sizes[t->ndim - 1];
  if (m == n) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s: %s must be batches of square matrices, but they are %i by %i matrices", function, name, m, n);
  return false;
}

bool pwt_check_factorable(Tensor *t, const char *function, bool low_precision) {
  const char *text = NULL;
  if (!pwt_is_differentiable((DType)t->dtype)) text = "Expected a floating point or complex tensor as input.";
  else if (!low_precision && t->dtype < PWT_FLOAT32) text = "Low precision dtypes not supported.";
  if (!text) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s: %s Got %t", function, text, t->dtype);
  return false;
}

bool pwt_check_factor_kernel(Tensor *t, const char *kernel) {
  if (t->dtype >= PWT_FLOAT32) return true;
  pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", kernel, t->dtype);
  return false;
}

bool pwt_check_equation(Tensor *b, Tensor *a, const char *function) {
  if (b->dtype != a->dtype) {
    pwt_fail(PWT_RUNTIME_ERROR, "Expected b and A to have the same dtype, but found b of type %t and A of type %t instead.", b->dtype, a->dtype);
    return false;
  }
  int64_t m = a->sizes[a->ndim - 2], n = a->sizes[a->ndim - 1], rows = b->sizes[b->ndim - 2], columns = b->sizes[b->ndim - 1];
  if (m != n) pwt_fail(PWT_RUNTIME_ERROR, "A must be batches of square matrices, but they are %i by %i matrices", m, n);
  else if (m != rows) pwt_fail(PWT_RUNTIME_ERROR, "Incompatible matrix sizes for %s: each A matrix is %i by %i but each b matrix is %i by %i", function, m, m, rows, columns);
  return m == n && m == rows;
}

/* The first matrix whose info is not 0, or -1. */
static int64_t first_failed(Tensor *info, int32_t *order) {
  const int32_t *data = pwt_data(info);
  for (int64_t i = 0; i < info->numel && !pwt_on_meta; i++)
    if (data[i]) return *order = data[i], i;
  return -1;
}

static bool report(Tensor *info, int kind, const char *function, const char *text) {
  int32_t order = 0;
  int64_t i = info ? first_failed(info, &order) : -1;
  if (i < 0) return info != NULL;
  char what[400], batch[64] = "";
  pwt_format(what, sizeof what, text, (int)order, (int)order);
  if (info->ndim) pwt_format(batch, sizeof batch, "(Batch element %i): ", i);
  pwt_fail((ErrorKind)kind, "%s: %s%s", function, batch, what);
  return false;
}

static const char singular_inverse[] = "The diagonal element %d is zero, the inversion could not be completed because the input matrix is singular.";
static const char not_positive[] = "The factorization could not be completed because the input is not positive-definite (the leading minor of order %d is not positive-definite).";

Tensor *pwt_kernel__check_info(Tensor *result, Tensor *info, const char *function, int64_t what) {
  static const char *const texts[] = {
      singular_inverse, not_positive, "The solver failed because the input matrix is singular.",
      "U[%d,%d] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
      "linalg.lu_factor_ex(A, pivot)"};
  return report(info, what == 3 ? PWT_RUNTIME_ERROR : PWT_LINALG_ERROR, function, texts[what]) ? result : NULL;
}

/* ---- Cholesky ---- */
Tensors2 pwt_kernel_linalg_cholesky_ex(Tensor *self, bool upper, bool check_errors) {
  Matrices a;
  if (!pwt_check_square(self, "linalg.cholesky", "A") || !pwt_check_factorable(self, "linalg.cholesky", true) || !pwt_check_factor_kernel(self, "cholesky_cpu")) return (Tensors2){0};
  Tensor *info = pwt_batch_zeros(self, -1, PWT_INT32);
  if (!info || !pwt_matrices(&a, self, upper, false)) return (Tensors2){0};
  int32_t *failed = pwt_data(info);
  for (int64_t i = 0; i < a.count; i++) failed[i] = (int32_t)pwt_factors_of((DType)self->dtype)->cholesky(a.n, pwt_matrix(&a, i), a.n);
  pwt_keep_triangle(&a, false);
  if (check_errors && !report(info, PWT_LINALG_ERROR, "linalg.cholesky_ex", not_positive)) return (Tensors2){0};
  return (Tensors2){{pwt_from_matrices(a.tensor, upper, (DType)self->dtype), info}};
}

/* Both at their common batch. */
static bool broadcast_pair(Tensor **a, int a_tail, Tensor **b, int b_tail) {
  int64_t batch[PWT_MAX_DIMS];
  int ndim = (*a)->ndim - a_tail;
  pwt_copy_bytes(batch, (*a)->sizes, ndim * 8);
  Tensor *like = pwt_alias(*b, (*b)->ndim - b_tail, (*b)->sizes, (*b)->strides, (*b)->offset);
  if (!like || !pwt_broadcast_sizes(&ndim, batch, like)) return false;
  *a = pwt_expand_batch(*a, a_tail, ndim, batch), *b = pwt_expand_batch(*b, b_tail, ndim, batch);
  return *a && *b;
}

Tensor *pwt_kernel_cholesky_solve(Tensor *self, Tensor *input2, bool upper) {
  Matrices a, b;
  DType dtype = (DType)self->dtype;
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "b should have at least 2 dimensions, but has %d dimensions instead", (int)self->ndim);
  if (input2->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "u should have at least 2 dimensions, but has %d dimensions instead", (int)input2->ndim);
  if (!pwt_check_equation(self, input2, "cholesky_solve") || !pwt_check_factor_kernel(self, "cholesky_solve_cpu") || !broadcast_pair(&self, 2, &input2, 2)) return NULL;
  if (!pwt_matrices(&a, input2, false, true) || !pwt_matrices(&b, self, false, false)) return NULL;
  const Factors *f = pwt_factors_of(dtype);
  for (int64_t i = 0; i < b.count; i++) {
    f->solve_triangular(upper, false, upper, a.n, b.n, pwt_matrix(&a, i), a.n, pwt_matrix(&b, i), b.n);
    f->solve_triangular(upper, false, !upper, a.n, b.n, pwt_matrix(&a, i), a.n, pwt_matrix(&b, i), b.n);
  }
  return pwt_from_matrices(b.tensor, false, dtype);
}

/* Ones on the diagonal. */
static void set_identity(const Matrices *m) {
  for (int64_t b = 0; b < m->count; b++)
    for (int64_t i = 0; i < PWT_MIN(m->m, m->n); i++) pwt_scalar_store(pwt_scalar_int(1), (DType)m->tensor->dtype, (char *)pwt_matrix(m, b) + (i * m->n + i) * pwt_itemsize[m->tensor->dtype]);
}

Tensor *pwt_kernel_cholesky_inverse(Tensor *self, bool upper) {
  Matrices a, b;
  if (!pwt_check_square(self, "cholesky_inverse", "A") || !pwt_check_factor_kernel(self, "cholesky_inverse_out_cpu")) return NULL;
  if (!pwt_matrices(&a, self, false, true) || !pwt_new_matrices(&b, self, a.n, a.n, (DType)self->dtype)) return NULL;
  Tensor *info = pwt_batch_zeros(self, -1, PWT_INT32);
  if (!info) return NULL;
  set_identity(&b);
  const Factors *f = pwt_factors_of((DType)self->dtype);
  int64_t step = pwt_itemsize[a.tensor->dtype];
  for (int64_t i = 0; i < a.count; i++) {
    char *matrix = pwt_matrix(&a, i);
    for (int64_t k = a.n - 1; k >= 0; k--) {
      Scalar d = pwt_scalar_load((DType)a.tensor->dtype, matrix + (k * a.n + k) * step);
      if (d.re == 0 && d.im == 0) ((int32_t *)pwt_data(info))[i] = (int32_t)k + 1;
    }
    f->solve_triangular(upper, false, upper, a.n, a.n, matrix, a.n, pwt_matrix(&b, i), a.n);
    f->solve_triangular(upper, false, !upper, a.n, a.n, matrix, a.n, pwt_matrix(&b, i), a.n);
  }
  return report(info, PWT_LINALG_ERROR, "cholesky_inverse", singular_inverse) ? pwt_from_matrices(b.tensor, false, (DType)self->dtype) : NULL;
}

/* ---- LU ---- */
typedef struct {
  Matrices lu;
  Tensor *pivots, *info;
} Factored;

static bool factor(Factored *f, Tensor *a, bool pivot) {
  if (!pwt_matrices(&f->lu, a, false, false)) return false;
  int64_t k = PWT_MIN(f->lu.m, f->lu.n);
  f->pivots = pwt_batch_zeros(a, k, PWT_INT32), f->info = pwt_batch_zeros(a, -1, PWT_INT32);
  if (!f->pivots || !f->info) return false;
  int32_t *pivots = pwt_data(f->pivots), *info = pwt_data(f->info);
  for (int64_t i = 0; i < f->lu.count; i++)
    info[i] = (int32_t)pwt_factors_of((DType)a->dtype)->lu(f->lu.m, f->lu.n, pwt_matrix(&f->lu, i), f->lu.n, pivots + i * k, pivot);
  return !pwt_failed();
}

Tensors3 pwt_kernel_linalg_lu_factor_ex(Tensor *A, bool pivot, bool check_errors) {
  Factored f;
  if (A->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: %z instead", A->sizes, (int)A->ndim), (Tensors3){0};
  if (!pwt_check_factor_kernel(A, "lu_cpu")) return (Tensors3){0};
  if (!pivot) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_factor: LU without pivoting is not implemented on the CPU"), (Tensors3){0};
  if (!factor(&f, A, pivot)) return (Tensors3){0};
  if (check_errors && !pwt_kernel__check_info(f.info, f.info, "torch.linalg.lu_factor_ex", 3)) return (Tensors3){0};
  return (Tensors3){{pwt_from_matrices(f.lu.tensor, false, (DType)A->dtype), f.pivots, f.info}};
}

static bool copy_corner(Matrices *to, Tensor *from, int64_t m, int64_t n) {
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, from->sizes, from->ndim * 8);
  sizes[from->ndim - 2] = m, sizes[from->ndim - 1] = n;
  Tensor *corner = pwt_alias(from, from->ndim, sizes, from->strides, from->offset), *copy = pwt_new(from->ndim, sizes, (DType)from->dtype);
  if (!corner || !copy) return false;
  pwt_raw_copy(copy, corner);
  return describe(to, copy);
}

static const char bad_pivots[] = "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result of lu_factor?";

/* P of pivots, and the triangles of LU; 0 × 0 matrices for what was not asked for, as torch. */
Tensors3 pwt_kernel__lu_unpack(Tensor *LU, Tensor *pivots, bool unpack_data, bool unpack_pivots) {
  if (LU->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: %z instead", LU->sizes, (int)LU->ndim), (Tensors3){0};
  if (unpack_pivots && pivots->dtype != PWT_INT32)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function is intended to be used with the output "
                                       "produced by torch.linalg.lu_factor"), (Tensors3){0};
  DType dtype = (DType)LU->dtype;
  int64_t m = LU->sizes[LU->ndim - 2], n = LU->sizes[LU->ndim - 1], k = PWT_MIN(m, n), none = 0;
  Tensor *p = pwt_new(1, &none, dtype), *l = p, *u = p;
  if (unpack_pivots) {
    Tensor *order = pwt_raw_contiguous(pivots);
    int64_t *rows = pwt_scratch_items(m, 8), sizes[PWT_MAX_DIMS];
    if (!order || !rows) return (Tensors3){0};
    pwt_copy_bytes(sizes, LU->sizes, (LU->ndim - 1) * 8);
    sizes[LU->ndim - 1] = m;
    p = pwt_new_zeros(LU->ndim, sizes, dtype);
    if (!p) return (Tensors3){0};
    int64_t count = pwt_product(LU->sizes, LU->ndim - 2);
    const int32_t *swaps = pwt_data(order);
    if (order->numel < count * k) return pwt_fail(PWT_RUNTIME_ERROR, bad_pivots), (Tensors3){0};
    for (int64_t b = 0; b < count && !pwt_on_meta; b++) {
      for (int64_t i = 0; i < m; i++) rows[i] = i;
      for (int64_t i = 0; i < k; i++) {
        int64_t other = swaps[b * k + i] - 1, kept = rows[i];
        if (other < 0 || other >= m) return pwt_fail(PWT_RUNTIME_ERROR, bad_pivots), (Tensors3){0};
        rows[i] = rows[other], rows[other] = kept;
      }
      for (int64_t j = 0; j < m; j++) pwt_scalar_store(pwt_scalar_int(1), dtype, (char *)pwt_data(p) + ((b * m + rows[j]) * m + j) * pwt_itemsize[dtype]);
    }
  }
  if (unpack_data) {
    Matrices lower, upper;
    if (!copy_corner(&lower, LU, m, k) || !copy_corner(&upper, LU, k, n)) return (Tensors3){0};
    pwt_keep_triangle(&lower, false), pwt_keep_triangle(&upper, true);
    set_identity(&lower);
    l = lower.tensor, u = upper.tensor;
  }
  return (Tensors3){{p, l, u}};
}

Tensor *pwt_kernel_linalg_lu_solve(Tensor *LU, Tensor *pivots, Tensor *B, bool left, bool adjoint) {
  Matrices a, b;
  DType dtype = (DType)B->dtype;
  if (!pwt_check_factorable(LU, "torch.linalg.lu_solve", true)) return NULL;
  if (LU->dtype != B->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type %t and B of type %t instead", LU->dtype, B->dtype);
  if (pivots->dtype != PWT_INT32) return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  if (!pwt_check_square(LU, "torch.linalg.lu_solve", "A") || !pwt_check_matrices(B, "linalg.lu_solve", "B")) return NULL;
  int64_t n = LU->sizes[LU->ndim - 1], m = B->sizes[B->ndim - (left ? 2 : 1)];
  if (m != n)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_solve: Incompatible shapes of A and B for the equation %s (%ix%i and %ix%i)", left ? "AX = B" : "XA = B", n, n, B->sizes[B->ndim - 2],
                    B->sizes[B->ndim - 1]);
  if (pivots->ndim != LU->ndim - 1 || pivots->sizes[pivots->ndim - 1] != n)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
  for (int d = 0; d < LU->ndim - 2; d++)
    if (pivots->sizes[d] != LU->sizes[d])
      return pwt_fail(PWT_RUNTIME_ERROR, "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape %z instead", pivots->sizes, (int)pivots->ndim);
  if (!pwt_check_factor_kernel(B, "linalg.lu_solve_cpu") || !broadcast_pair(&B, 2, &LU, 2)) return NULL;
  pivots = pwt_raw_contiguous(pwt_expand_batch(pivots, 1, LU->ndim - 2, LU->sizes));
  if (!pivots || !pwt_matrices(&a, LU, false, true) || !pwt_matrices(&b, B, !left, false)) return NULL;
  const int32_t *swaps = pwt_data(pivots);
  for (int64_t i = 0; i < pivots->numel && !pwt_on_meta; i++) {
    if (swaps[i] < 1) return pwt_fail(PWT_RUNTIME_ERROR, "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of lu_factor?");
    if (swaps[i] > n) return pwt_fail(PWT_RUNTIME_ERROR, "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the result of lu_factor?");
  }
  for (int64_t i = 0; i < b.count; i++) pwt_factors_of(dtype)->lu_solve(adjoint == left, n, b.n, pwt_matrix(&a, i), n, swaps + i * n, pwt_matrix(&b, i), b.n);
  return pwt_from_matrices(b.tensor, !left, dtype);
}

/* ---- what LU gives ---- */
/* b is one vector for each matrix. */
bool pwt_solves_vector(const Tensor *a, const Tensor *b) {
  if (b->ndim == 1) return true;
  if (a->ndim - 1 != b->ndim) return false;
  for (int i = 0; i < b->ndim; i++)
    if (a->sizes[i] != b->sizes[i]) return false;
  return true;
}

Tensors4 pwt_kernel__linalg_solve_ex(Tensor *A, Tensor *B, bool left, bool check_errors) {
  Factored f;
  Matrices b;
  DType dtype = (DType)A->dtype;
  if (!pwt_check_factorable(A, "linalg.solve", true)) return (Tensors4){0};
  if (A->dtype != B->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.solve: Expected A and B to have the same dtype, but found A of type %t and B of type %t instead", dtype, B->dtype), (Tensors4){0};
  if (!pwt_check_square(A, "linalg.solve", "A")) return (Tensors4){0};
  bool vector = B->ndim > 0 && pwt_solves_vector(A, B);
  Tensor *right = vector ? pwt_raw_unsqueeze(B, B->ndim) : B;
  if (!right || !pwt_check_matrices(right, "linalg.solve", "B")) return (Tensors4){0};
  int64_t n = A->sizes[A->ndim - 1], rows = right->sizes[right->ndim - 2], columns = right->sizes[right->ndim - 1];
  if ((left ? rows : columns) != n)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.solve: Incompatible shapes of A and B for the equation %s (%ix%i and %ix%i)", left ? "AX = B" : "XA = B", n, n, rows, columns), (Tensors4){0};
  if (!pwt_check_factor_kernel(A, "lu_cpu") || !factor(&f, A, true)) return (Tensors4){0};
  Tensor *lu = f.lu.tensor, *pivots = f.pivots;
  if (!broadcast_pair(&right, 2, &lu, 2)) return (Tensors4){0};
  Matrices a;
  pivots = pwt_raw_contiguous(pwt_expand_batch(pivots, 1, lu->ndim - 2, lu->sizes));
  if (!pivots || !pwt_matrices(&a, lu, false, true) || !pwt_matrices(&b, right, !left, false)) return (Tensors4){0};
  if (check_errors && !pwt_kernel__check_info(f.info, f.info, "torch.linalg.solve_ex", 2)) return (Tensors4){0};
  for (int64_t i = 0; i < b.count; i++) pwt_factors_of(dtype)->lu_solve(!left, n, b.n, pwt_matrix(&a, i), n, (const int32_t *)pwt_data(pivots) + i * n, pwt_matrix(&b, i), b.n);
  Tensor *x = pwt_from_matrices(b.tensor, !left, dtype);
  if (x && vector) x = pwt_alias(x, x->ndim - 1, x->sizes, x->strides, 0);
  if (x && vector) x = pwt_raw_contiguous(x);
  return (Tensors4){{x, pwt_from_matrices(f.lu.tensor, false, dtype), f.pivots, f.info}};
}

Tensors2 pwt_kernel_linalg_inv_ex(Tensor *A, bool check_errors) {
  Factored f;
  Matrices b;
  DType dtype = (DType)A->dtype;
  if (!pwt_check_square(A, "linalg.inv", "A") || !pwt_check_factorable(A, "linalg.inv", false)) return (Tensors2){0};
  if (!factor(&f, A, true) || !pwt_new_matrices(&b, A, f.lu.n, f.lu.n, dtype)) return (Tensors2){0};
  if (check_errors && !report(f.info, PWT_LINALG_ERROR, "linalg.inv_ex", singular_inverse)) return (Tensors2){0};
  set_identity(&b);
  for (int64_t i = 0; i < b.count; i++)
    pwt_factors_of(dtype)->lu_solve(false, b.n, b.n, pwt_matrix(&f.lu, i), b.n, (const int32_t *)pwt_data(f.pivots) + i * b.n, pwt_matrix(&b, i), b.n);
  return (Tensors2){{pwt_from_matrices(b.tensor, false, dtype), f.info}};
}

/* The sign of the permutation times the product of the diagonal, or its sign (phase) and the logarithm of its magnitude. */
static Tensor *determinant(const Factored *f, DType dtype, Tensor **log) {
  Tensor *result = pwt_batch_zeros(f->lu.tensor, -1, (DType)f->lu.tensor->dtype), *logs = log ? pwt_batch_zeros(f->lu.tensor, -1, PWT_FLOAT64) : NULL;
  if (!result || (log && !logs)) return NULL;
  bool complex = pwt_is_complex(dtype);
  int64_t n = f->lu.n, step = complex ? 2 : 1;
  for (int64_t b = 0; b < f->lu.count; b++) {
    const int32_t *pivots = (const int32_t *)pwt_data(f->pivots) + b * n;
    const double *matrix = pwt_matrix(&f->lu, b);
    double total = 0;
    complex128 value = 1;
    for (int64_t i = 0; i < n; i++) {
      const double *at = matrix + (i * n + i) * step;
      complex128 d = complex ? pwt_make_c128(at[0], at[1]) : pwt_make_c128(at[0], 0);
      if (pivots[i] != i + 1) value = -value;
      if (log) total += pwt_log_f64(pwt_abs_c128(d)), d = complex ? pwt_sgn_c128(d) : pwt_make_c128((at[0] > 0) - (at[0] < 0), 0);
      value = complex ? pwt_mul_c128(value, d) : pwt_make_c128(__real__ value * __real__ d, 0);
    }
    double *to = (double *)pwt_data(result) + b * step;
    to[0] = __real__ value;
    if (complex) to[1] = __imag__ value;
    if (log) ((double *)pwt_data(logs))[b] = total;
  }
  if (log) *log = pwt_raw_cast(logs, pwt_real_dtype(dtype));
  return pwt_raw_cast(result, dtype);
}

Tensors3 pwt_kernel__linalg_det(Tensor *A) {
  Factored f;
  if (!pwt_check_square(A, "linalg.det", "A") || !pwt_check_factorable(A, "linalg.det", true) || !pwt_check_factor_kernel(A, "lu_cpu") || !factor(&f, A, true)) return (Tensors3){0};
  Tensor *det = determinant(&f, (DType)A->dtype, NULL);
  return (Tensors3){{det, pwt_from_matrices(f.lu.tensor, false, (DType)A->dtype), f.pivots}};
}

Tensors4 pwt_kernel__linalg_slogdet(Tensor *A) {
  Factored f;
  if (!pwt_check_square(A, "linalg.slogdet", "A") || !pwt_check_factorable(A, "linalg.slogdet", false) || !factor(&f, A, true)) return (Tensors4){0};
  Tensor *log = NULL, *sign = determinant(&f, (DType)A->dtype, &log);
  return (Tensors4){{sign, log, pwt_from_matrices(f.lu.tensor, false, (DType)A->dtype), f.pivots}};
}

/* ---- triangles ---- */
Tensor *pwt_kernel_linalg_solve_triangular(Tensor *self, Tensor *B, bool upper, bool left, bool unitriangular) {
  Matrices a, b;
  DType dtype = (DType)self->dtype;
  if (self->dtype != B->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type %t and B of type %t instead", dtype, B->dtype);
  if (!pwt_check_square(self, "linalg.solve_triangular", "A") || !pwt_check_matrices(B, "linalg.solve_triangular", "B")) return NULL;
  int64_t n = self->sizes[self->ndim - 1];
  if (B->sizes[B->ndim - (left ? 2 : 1)] != n)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.solve_triangular: Incompatible shapes of A and B for the equation %s (%ix%i and %ix%i)", left ? "AX = B" : "XA = B", n, n,
                    B->sizes[B->ndim - 2], B->sizes[B->ndim - 1]);
  if (!pwt_check_factor_kernel(self, "triangular_solve_cpu") || !broadcast_pair(&B, 2, &self, 2)) return NULL;
  if (!pwt_matrices(&a, self, false, true) || !pwt_matrices(&b, B, !left, false)) return NULL;
  for (int64_t i = 0; i < b.count; i++) pwt_factors_of(dtype)->solve_triangular(upper, unitriangular, !left, n, b.n, pwt_matrix(&a, i), n, pwt_matrix(&b, i), b.n);
  return pwt_from_matrices(b.tensor, !left, dtype);
}
