/* QR: geqrf, linalg.qr, linalg.householder_product and ormqr; products of Householder reflectors and their gradient. */
#include "factor.h"
#include "ops.h"

static bool factor_qr(Tensor *self, Matrices *a, Tensor **tau) {
  if (!pwt_check_factor_kernel(self, "geqrf_cpu") || !pwt_matrices(a, self, false, false)) return false;
  int64_t k = PWT_MIN(a->m, a->n);
  *tau = pwt_batch_zeros(self, k, (DType)a->tensor->dtype);
  if (!*tau) return false;
  int64_t step = k * pwt_itemsize[a->tensor->dtype];
  for (int64_t i = 0; i < a->count; i++) pwt_factors_of((DType)self->dtype)->qr(a->m, a->n, pwt_matrix(a, i), a->n, (char *)pwt_data(*tau) + i * step);
  return !pwt_failed();
}

Tensors2 pwt_kernel_geqrf(Tensor *self) {
  Matrices a;
  Tensor *tau;
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "torch.geqrf: input must have at least 2 dimensions."), (Tensors2){0};
  if (!factor_qr(self, &a, &tau)) return (Tensors2){0};
  return (Tensors2){{pwt_from_matrices(a.tensor, false, (DType)self->dtype), pwt_raw_cast(tau, (DType)self->dtype)}};
}

static void set_diagonal(const Matrices *m) {
  int item = pwt_itemsize[m->tensor->dtype];
  for (int64_t b = 0; b < m->count; b++)
    for (int64_t i = 0; i < PWT_MIN(m->m, m->n); i++) pwt_scalar_store(pwt_scalar_int(1), (DType)m->tensor->dtype, (char *)pwt_matrix(m, b) + (i * m->n + i) * item);
}

Tensors2 pwt_kernel_linalg_qr(Tensor *A, const char *mode) {
  bool reduced = pwt_same_text(mode, "reduced"), only_r = pwt_same_text(mode, "r");
  if (!reduced && !only_r && !pwt_same_text(mode, "complete"))
    return pwt_fail(PWT_RUNTIME_ERROR, "qr received unrecognized mode '%s' but expected one of 'reduced' (default), 'r', or 'complete'", mode), (Tensors2){0};
  Matrices a, q, r;
  Tensor *tau;
  if (!pwt_check_matrices(A, "linalg.qr", "A") || !pwt_check_factorable(A, "linalg.qr", true) || !factor_qr(A, &a, &tau)) return (Tensors2){0};
  DType dtype = (DType)A->dtype;
  int64_t k = PWT_MIN(a.m, a.n), columns = reduced || only_r ? k : a.m, none = 0, item = pwt_itemsize[a.tensor->dtype];
  if (!pwt_new_matrices(&r, A, columns, a.n, dtype)) return (Tensors2){0};
  for (int64_t b = 0; b < r.count; b++) pwt_copy_bytes(pwt_matrix(&r, b), pwt_matrix(&a, b), PWT_MIN(columns, a.m) * a.n * item);
  pwt_keep_triangle(&r, true);
  if (only_r) return (Tensors2){{pwt_new(1, &none, dtype), pwt_from_matrices(r.tensor, false, dtype)}};
  if (!pwt_new_matrices(&q, A, a.m, columns, dtype)) return (Tensors2){0};
  set_diagonal(&q);
  for (int64_t b = 0; b < q.count; b++)
    pwt_factors_of(dtype)->reflect(false, a.m, k, pwt_matrix(&a, b), a.n, (char *)pwt_data(tau) + b * k * item, columns, pwt_matrix(&q, b), columns);
  return (Tensors2){{pwt_from_matrices(q.tensor, false, dtype), pwt_from_matrices(r.tensor, false, dtype)}};
}

/* Q C or Q^H C for the product Q of the reflectors below the diagonal of self; without C the first columns of Q. */
Tensor *pwt_kernel__reflect(Tensor *self, Tensor *tau, Tensor *other, bool adjoint) {
  Matrices v, c;
  DType dtype = (DType)self->dtype;
  if (!pwt_matrices(&v, self, false, true) || !pwt_matrices(&c, other, false, false)) return NULL;
  tau = pwt_raw_contiguous_as(tau, pwt_factor_dtype(dtype));
  if (!tau) return NULL;
  int64_t k = tau->sizes[tau->ndim - 1], item = pwt_itemsize[v.tensor->dtype];
  for (int64_t b = 0; b < v.count; b++)
    pwt_factors_of(dtype)->reflect(adjoint, v.m, k, pwt_matrix(&v, b), v.n, (char *)pwt_data(tau) + b * k * item, c.n, pwt_matrix(&c, b), c.n);
  return pwt_from_matrices(c.tensor, false, dtype);
}

static bool check_reflectors(Tensor *input, Tensor *tau, const char *function, const char *kernel) {
  if (input->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "%s: input must have at least 2 dimensions.", function) != NULL;
  int64_t m = input->sizes[input->ndim - 2], n = input->sizes[input->ndim - 1];
  if (m < n) return pwt_fail(PWT_RUNTIME_ERROR, "%s: input.shape[-2] must be greater than or equal to input.shape[-1]", function) != NULL;
  if (tau->ndim && n < tau->sizes[tau->ndim - 1]) return pwt_fail(PWT_RUNTIME_ERROR, "%s: input.shape[-1] must be greater than or equal to tau.shape[-1]", function) != NULL;
  if (input->ndim - tau->ndim != 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "%s: Expected tau to have one dimension less than input, but got tau.ndim equal to %d and input.ndim is equal to %d", function, (int)tau->ndim,
                    (int)input->ndim) != NULL;
  for (int d = 0; d < input->ndim - 2; d++)
    if (input->sizes[d] != tau->sizes[d])
      return pwt_fail(PWT_RUNTIME_ERROR, "%s: Expected batch dimensions of tau to be equal to input.shape[:-2], but got %z", function, tau->sizes, tau->ndim - 1) != NULL;
  if (tau->dtype != input->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "%s: tau dtype %t does not match input dtype %t", function, tau->dtype, input->dtype) != NULL;
  return pwt_check_factor_kernel(input, kernel);
}

Tensor *pwt_kernel_linalg_householder_product(Tensor *input, Tensor *tau) {
  if (!check_reflectors(input, tau, "torch.linalg.householder_product", "orgqr_cpu")) return NULL;
  int64_t m = input->sizes[input->ndim - 2], n = input->sizes[input->ndim - 1];
  return pwt__reflect(input, tau, pwt_expand(pwt__eye(m, n, (DType)input->dtype), pwt_sizes_of(input), false), false);
}

Tensor *pwt_kernel_ormqr(Tensor *self, Tensor *input2, Tensor *input3, bool left, bool transpose) {
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: input must have at least 2 dimensions.");
  if (input3->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: other must have at least 2 dimensions.");
  int64_t m = self->sizes[self->ndim - 2], k = input2->ndim ? input2->sizes[input2->ndim - 1] : 1, size = input3->sizes[input3->ndim - (left ? 2 : 1)];
  const char *side = left ? "-2" : "-1";
  if (size != m) return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: other.shape[%s] must be equal to input.shape[-2]", side);
  if (k != PWT_MIN(size, self->sizes[self->ndim - 1])) return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[%s], input.shape[-1])", side);
  if (self->ndim - input2->ndim != 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to %d and input.ndim is equal to %d", (int)input2->ndim, (int)self->ndim);
  if (self->ndim != input3->ndim)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim equal to %d and input.ndim is equal to %d", (int)input3->ndim,
                    (int)self->ndim);
  for (int d = 0; d < self->ndim - 2; d++) {
    if (self->sizes[d] != input2->sizes[d])
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: Expected batch dimensions of tau to be equal to input.shape[:-2], but got %z", input2->sizes, self->ndim - 2);
    if (self->sizes[d] != input3->sizes[d])
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got %z", input3->sizes, self->ndim - 2);
  }
  for (int i = 0; i < 2; i++) {
    Tensor *t = i ? input3 : input2;
    if (t->dtype != self->dtype)
      return pwt_fail(PWT_RUNTIME_ERROR, "torch.ormqr: Expected input and %s to have the same dtype, but input has dtype%t and %s has dtype %t", i ? "other" : "tau", self->dtype,
                      i ? "other" : "tau", t->dtype);
  }
  if (!pwt_check_factor_kernel(self, "ormqr_cpu")) return NULL;
  return left ? pwt__reflect(self, input2, input3, transpose) : pwt_mH(pwt__reflect(self, input2, pwt_mH(input3), !transpose));
}

/* The reflectors one by one: C_i = C_(i+1) - tau v (v^H C_(i+1)). Of a gradient G of C_i, tau gets -v^H G (v^H C)^H, v gets
   -conj(tau) G (v^H C)^H - tau C (G^H v), and C gets G - conj(tau) v (v^H G). For Q^H the order turns, and tau is its conjugate. */
Tensors3 pwt_kernel__reflect_backward(Tensor *grad, Tensor *self, Tensor *tau, Tensor *other, bool adjoint) {
  if (!self->numel || !tau->numel) return (Tensors3){{NULL, NULL, grad}}; /* no reflector: torch leaves their gradients undefined */
  int64_t k = tau->sizes[tau->ndim - 1], columns = self->sizes[self->ndim - 1], m = self->sizes[self->ndim - 2];
  Tensor *identity = pwt__eye(m, columns, (DType)self->dtype), *vectors = pwt_add(pwt_tril(self, -1), identity, pwt_scalar_int(1));
  TensorList stages = pwt_list_new(k + 1), vs = pwt_list_new(k + 1), grads = pwt_list_new(columns + 1), taus = pwt_list_new(k + 1);
  if (!stages.items || !vs.items || !grads.items || !taus.items || !vectors) return (Tensors3){0};
  Tensor *factors = adjoint ? pwt_conj_if_complex(tau) : tau;
  Tensor *c = other;
  for (int64_t s = 0; s < k; s++) { /* s-th to be applied */
    int64_t i = adjoint ? s : k - 1 - s;
    vs.items[i] = pwt_narrow(vectors, -1, i, 1);
    taus.items[i] = pwt_unsqueeze(pwt_narrow(factors, -1, i, 1), -1);
    stages.items[i] = c;
    c = pwt_sub(c, pwt_mul(taus.items[i], pwt_matmul(vs.items[i], pwt_matmul(pwt_mH(vs.items[i]), c))), pwt_scalar_int(1));
    if (!c) return (Tensors3){0};
  }
  Tensor *g = grad, *none = pwt_zeros_like(pwt_narrow(self, -1, 0, PWT_MIN(1, columns)));
  for (int64_t i = 0; i < columns; i++) grads.items[i] = none;
  for (int64_t s = k - 1; s >= 0; s--) {
    int64_t i = adjoint ? s : k - 1 - s;
    Tensor *v = vs.items[i], *t = taus.items[i], *row = pwt_matmul(pwt_mH(v), stages.items[i]);
    Tensor *g_row = pwt_matmul(g, pwt_mH(row)), *g_v = pwt_matmul(pwt_mH(v), g);
    grads.items[i] = pwt_neg(pwt_add(pwt_mul(pwt_conj_if_complex(t), g_row), pwt_mul(t, pwt_matmul(stages.items[i], pwt_mH(g_v))), pwt_scalar_int(1)));
    taus.items[i] = pwt_neg(pwt_squeeze(pwt_matmul(pwt_mH(v), g_row), (IntList){(const int64_t[]){-1}, 1}));
    g = pwt_sub(g, pwt_mul(pwt_conj_if_complex(t), pwt_matmul(v, g_v)), pwt_scalar_int(1));
    if (!g || !grads.items[i] || !taus.items[i]) return (Tensors3){0};
  }
  grads.count = columns, taus.count = k;
  Tensor *g_self = columns ? pwt_tril(pwt_cat(grads, -1), -1) : pwt_zeros_like(self), *g_tau = k ? pwt_cat(taus, -1) : pwt_zeros_like(tau);
  return (Tensors3){{g_self, adjoint ? pwt_conj_if_complex(g_tau) : g_tau, g}};
}
