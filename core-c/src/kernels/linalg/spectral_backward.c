/* Gradients of eigenvalues, singular values, pseudoinverses and matrix exponentials, made of differentiable operators.
   Giles, An extended collection of matrix derivative results (2008); Boeddeker et al., On the computation of
   complex-valued gradients (2017); Golub and Pereyra (1973) for the pseudoinverse. */
#include "ops.h"

static const Scalar one = {SCALAR_INT, 1, 1, 0};
static Tensor *diagonal(Tensor *t) { return pwt_diagonal(t, 0, -2, -1); }
static Tensor *embedded(Tensor *t) { return pwt_diag_embed(t, 0, -2, -1); }
static Tensor *column(Tensor *t) { return pwt_unsqueeze(t, -1); }
static Tensor *row(Tensor *t) { return pwt_unsqueeze(t, -2); }
static Tensor *minus(Tensor *a, Tensor *b) { return pwt_sub(a, b, one); }
static Tensor *plus(Tensor *a, Tensor *b) { return pwt_add(a, b, one); }
static Tensor *skew(Tensor *t) { return minus(t, pwt_mH(t)); }

/* values[j] - values[i], and 1 on the diagonal */
static Tensor *gaps(Tensor *values) { return values ? plus(minus(row(values), column(values)), pwt__eye(values->sizes[values->ndim - 1], values->sizes[values->ndim - 1], (DType)values->dtype)) : NULL; }

/* Whether the imaginary parts of two diagonals (the second may be missing) cancel: the loss does not depend on phases. */
static bool free_of_phases(Tensor *a, Tensor *b, const char *message) {
  if (!a || pwt_on_meta || !pwt_is_complex((DType)a->dtype)) return true;
  Tensor *first = pwt_raw_contiguous_as(a, PWT_COMPLEX128), *second = b ? pwt_raw_contiguous_as(b, PWT_COMPLEX128) : NULL;
  if (pwt_failed()) return false;
  const double *x = pwt_data(first), *y = second ? pwt_data(second) : NULL;
  for (int64_t i = 0; i < first->numel; i++) {
    double expected = y ? -y[2 * i + 1] : 0, off = __builtin_fabs(x[2 * i + 1] - expected);
    if (!(off <= 1e-2 + 1e-2 * __builtin_fabs(expected))) return pwt_fail(PWT_RUNTIME_ERROR, "%s", message);
  }
  return true;
}

Tensor *pwt_kernel_linalg_eigh_backward(Tensor *gL, Tensor *gV, Tensor *L, Tensor *V) {
  if (!gV) return gL ? pwt_matmul(pwt_mul(V, row(gL)), pwt_mH(V)) : NULL;
  Tensor *inner = pwt_matmul(pwt_mH(V), gV);
  if (!free_of_phases(diagonal(inner), NULL,
                      "linalg_eigh_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. "
                      "The specified loss function depends on this quantity, so it is ill-defined."))
    return NULL;
  inner = pwt_div(pwt_mul(skew(inner), pwt_from_scalar(pwt_scalar_float(0.5))), gaps(L));
  inner = minus(inner, embedded(diagonal(inner)));
  if (gL) inner = plus(inner, embedded(gL));
  return pwt_matmul(V, pwt_matmul(inner, pwt_mH(V)));
}

/* A^-H B */
static Tensor *solve_adjoint(Tensor *A, Tensor *B) { return pwt_linalg_solve(pwt_mH(A), B, true); }

Tensor *pwt_kernel_linalg_eig_backward(Tensor *gL, Tensor *gV, Tensor *L, Tensor *V) {
  if (!gV) return gL ? solve_adjoint(V, pwt_mul(column(gL), pwt_mH(V))) : NULL;
  Tensor *Vh = pwt_mH(V), *inner = pwt_matmul(Vh, gV), *main = diagonal(inner);
  if (!free_of_phases(main, NULL,
                      "linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. "
                      "The specified loss function depends on this quantity, so it is ill-defined."))
    return NULL;
  Tensor *real = pwt_mul(plus(main, pwt_conj_if_complex(main)), pwt_from_scalar(pwt_scalar_float(0.5)));
  inner = minus(inner, pwt_mul(pwt_matmul(Vh, V), row(real)));
  inner = pwt_div(inner, pwt_conj_if_complex(gaps(L)));
  inner = minus(inner, embedded(diagonal(inner)));
  if (gL) inner = plus(inner, embedded(gL));
  return solve_adjoint(V, pwt_matmul(inner, Vh));
}

Tensor *pwt_kernel_svd_backward(Tensor *gU, Tensor *gS, Tensor *gVh, Tensor *U, Tensor *S, Tensor *Vh) {
  if (!gU && !gVh) {
    if (!gS) return NULL;
    return U->sizes[U->ndim - 2] >= Vh->sizes[Vh->ndim - 1] ? pwt_matmul(U, pwt_mul(column(gS), Vh)) : pwt_matmul(pwt_mul(U, row(gS)), Vh);
  }
  int64_t k = S->sizes[S->ndim - 1], m = U->sizes[U->ndim - 2], n = Vh->sizes[Vh->ndim - 1];
  if (U->sizes[U->ndim - 1] > k) { /* of full bases only the part that A determines has a gradient */
    U = pwt_narrow(U, -1, 0, k);
    gU = gU ? pwt_narrow(gU, -1, 0, k) : NULL;
  }
  if (Vh->sizes[Vh->ndim - 2] > k) {
    Vh = pwt_narrow(Vh, -2, 0, k);
    gVh = gVh ? pwt_narrow(gVh, -2, 0, k) : NULL;
  }
  Tensor *left = gU ? skew(pwt_matmul(pwt_mH(U), gU)) : NULL, *right = gVh ? skew(pwt_matmul(Vh, pwt_mH(gVh))) : NULL;
  Tensor *main_left = left ? diagonal(left) : NULL, *main_right = right ? diagonal(right) : NULL;
  if (!free_of_phases(main_left ? main_left : main_right, main_left ? main_right : NULL,
                      "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. "
                      "The specified loss function depends on this phase term, making it ill-defined."))
    return NULL;
  Tensor *squares = pwt_mul(S, S), *gap = gaps(squares), *inner = NULL;
  if (left) inner = pwt_mul(pwt_div(left, gap), row(S));
  if (right) {
    Tensor *part = pwt_mul(column(S), pwt_div(right, gap));
    inner = inner ? plus(inner, part) : part;
  }
  if (gS) inner = plus(inner, embedded(gS));
  if (left && right && pwt_is_complex((DType)U->dtype)) inner = plus(inner, embedded(pwt_div(main_left, pwt_mul(S, pwt_from_scalar(pwt_scalar_float(2))))));
  /* what leaves the space that U (and V) span */
  if (m > k && gU) {
    Tensor *scaled = pwt_div(gU, row(S));
    Tensor *all = plus(pwt_matmul(U, inner), minus(scaled, pwt_matmul(U, pwt_matmul(pwt_mH(U), scaled))));
    return pwt_matmul(all, Vh);
  }
  if (n > k && gVh) {
    Tensor *scaled = pwt_div(gVh, column(S));
    Tensor *all = plus(pwt_matmul(inner, Vh), minus(scaled, pwt_matmul(pwt_matmul(scaled, pwt_mH(Vh)), Vh)));
    return pwt_matmul(U, all);
  }
  return m >= n ? pwt_matmul(U, pwt_matmul(inner, Vh)) : pwt_matmul(pwt_matmul(U, inner), Vh);
}

/* ---- pseudoinverse ---- */
/* 1 / values, or 0 for what is not above max(atol, rtol * the largest) */
static Tensor *inverted(Tensor *values, Tensor *atol, Tensor *rtol, int64_t m, int64_t n) {
  if (!values) return NULL;
  DType dtype = (DType)values->dtype;
  Tensor *size = pwt_abs(values), *largest = pwt_amax(size, (IntList){(const int64_t[]){-1}, 1}, true);
  double epsilon = dtype == PWT_FLOAT32 ? 1.1920928955078125e-07 : 2.220446049250313e-16;
  Tensor *limit;
  if (atol && !rtol) {
    /* a positive atol alone stands without the default rtol */
    Tensor *relative = pwt_where(pwt_gt(atol, pwt_from_scalar(pwt_scalar_int(0))), pwt_full_scalar(pwt_scalar_float(0), dtype), pwt_full_scalar(pwt_scalar_float(epsilon * (double)PWT_MAX(m, n)), dtype));
    limit = pwt_maximum(column(atol), pwt_mul(column(relative), largest));
  } else {
    limit = pwt_mul(largest, rtol ? column(rtol) : pwt_from_scalar(pwt_scalar_float(epsilon * (double)PWT_MAX(m, n))));
    if (atol) limit = pwt_maximum(column(atol), limit);
  }
  Tensor *kept = pwt_gt(size, limit);
  return pwt_where(kept, pwt_div(pwt_full_scalar(pwt_scalar_float(1), dtype), pwt_where(kept, values, pwt_full_scalar(pwt_scalar_float(1), dtype))), pwt_full_scalar(pwt_scalar_float(0), dtype));
}

Tensor *pwt_kernel__pinv(Tensor *A, Tensor *atol, Tensor *rtol, bool hermitian) {
  if (A->ndim < 2 || A->dtype < PWT_FLOAT32)
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.pinv(%s{%z}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types", pwt_dtype_message_name((DType)A->dtype),
                    A->sizes, (int)A->ndim);
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  int64_t m = A->sizes[A->ndim - 2], n = A->sizes[A->ndim - 1];
  Tensor *result;
  if (m == 0 || n == 0) {
    int64_t sizes[PWT_MAX_DIMS];
    pwt_copy_bytes(sizes, A->sizes, A->ndim * 8);
    sizes[A->ndim - 2] = n, sizes[A->ndim - 1] = m;
    result = pwt_new(A->ndim, sizes, (DType)A->dtype);
  } else if (hermitian) {
    Tensors2 both = pwt__linalg_eigh(A, "L", true);
    result = pwt_matmul(pwt_mul(both.r[1], row(inverted(both.r[0], atol, rtol, m, n))), pwt_mH(both.r[1]));
  } else {
    Tensors3 all = pwt__linalg_svd(A, false, true);
    result = pwt_matmul(pwt_mul(pwt_mH(all.r[2]), row(inverted(all.r[1], atol, rtol, m, n))), pwt_mH(all.r[0]));
  }
  pwt_grad_enabled = recording;
  return result;
}

Tensor *pwt_kernel_pinv_backward(Tensor *grad, Tensor *P, Tensor *A) {
  int64_t m = A->sizes[A->ndim - 2], n = A->sizes[A->ndim - 1];
  Tensor *Ph = pwt_mH(P), *G = pwt_mH(grad);
  if (m <= n) {
    Tensor *K = pwt_matmul(G, P), *KPh = pwt_matmul(K, Ph);
    Tensor *sum = plus(minus(KPh, pwt_mH(pwt_matmul(P, K))), pwt_matmul(pwt_matmul(Ph, P), minus(G, pwt_matmul(K, A))));
    return minus(sum, pwt_matmul(pwt_matmul(A, P), KPh));
  }
  Tensor *K = pwt_matmul(P, G), *PhK = pwt_matmul(Ph, K);
  Tensor *sum = plus(minus(PhK, pwt_mH(pwt_matmul(K, P))), pwt_matmul(pwt_matmul(minus(G, pwt_matmul(A, K)), P), Ph));
  return minus(sum, pwt_matmul(pwt_matmul(PhK, P), A));
}

/* ---- matrix exponential ---- */
/* The derivative is a block of exp([[A^H, G], [0, A^H]]): Mathias (1996). */
Tensor *pwt_kernel_matrix_exp_backward(Tensor *grad, Tensor *A) {
  int64_t n = A->sizes[A->ndim - 1];
  Tensor *adjoint = pwt_mH(A);
  Tensor *above = pwt_cat((TensorList){(Tensor *[]){adjoint, grad}, 2}, -1), *below = pwt_cat((TensorList){(Tensor *[]){pwt_zeros_like(adjoint), adjoint}, 2}, -1);
  Tensor *whole = pwt_linalg_matrix_exp(pwt_cat((TensorList){(Tensor *[]){above, below}, 2}, -2));
  return pwt_narrow(pwt_narrow(whole, -2, 0, n), -1, n, n);
}
