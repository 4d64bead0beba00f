/* Gradients of cumprod and logcumsumexp. */
#include "math.h"
#include "ops.h"
#include "rows.h"

/* Of a row x with the running product y: gradient[k] = sum over j >= k of g[j] * y[j] / x[k] before the first zero z;
   at z the product that leaves x[z] out, which the next zero ends; nothing behind z. */
#define CUMPROD_BACKWARD_ROW(SUFFIX, T, MUL, DIV, CONJ)                              \
  static void cumprod_backward_##SUFFIX(const T *x, const T *g, T *gradient, int64_t n) { \
    T product = 1, total = 0;                                                        \
    int64_t zero = 0;                                                                \
    for (; zero < n && x[zero] != 0; zero++) {                                       \
      product = MUL(product, x[zero]);                                               \
      gradient[zero] = MUL(g[zero], CONJ(product));                                  \
    }                                                                                \
    for (int64_t k = zero - 1; k >= 0; k--) {                                        \
      total += gradient[k];                                                          \
      gradient[k] = DIV(total, CONJ(x[k]));                                          \
    }                                                                                \
    for (int64_t k = zero; k < n; k++) gradient[k] = 0;                              \
    if (zero == n) return;                                                           \
    total = MUL(g[zero], CONJ(product));                                             \
    for (int64_t j = zero + 1; j < n && x[j] != 0; j++) {                            \
      product = MUL(product, x[j]);                                                  \
      total += MUL(g[j], CONJ(product));                                             \
    }                                                                                \
    gradient[zero] = total;                                                          \
  }
#define MUL_REAL(a, b) ((a) * (b))
#define DIV_REAL(a, b) ((a) / (b))
#define CONJ_REAL(a) (a)
CUMPROD_BACKWARD_ROW(f64, double, MUL_REAL, DIV_REAL, CONJ_REAL)
CUMPROD_BACKWARD_ROW(c128, complex128, pwt_mul_c128, pwt_div_c128, pwt_conj_c128)

static Tensor *cumprod_backward_rows(Tensor *grad, Tensor *self, int dim) {
  DType wide = pwt_is_complex(self->dtype) || pwt_is_complex(grad->dtype) ? PWT_COMPLEX128 : PWT_FLOAT64;
  Rows x, g;
  if (!pwt_rows_along(&x, pwt_raw_cast(self, wide), dim) || !pwt_rows_along(&g, pwt_raw_cast(grad, wide), dim)) return NULL;
  Tensor *gradient = pwt_rows_like(&x, x.length, wide);
  if (!gradient) return NULL;
  for (int64_t row = 0; row < x.rows && !pwt_on_meta; row++) {
    int64_t start = row * x.length * pwt_itemsize[wide];
    const char *from = (const char *)pwt_data(x.input) + start, *of = (const char *)pwt_data(g.input) + start;
    char *to = (char *)pwt_data(gradient) + start;
    if (wide == PWT_FLOAT64) cumprod_backward_f64((const double *)from, (const double *)of, (double *)to, x.length);
    else cumprod_backward_c128((const complex128 *)from, (const complex128 *)of, (complex128 *)to, x.length);
  }
  return pwt_rows_restored(&x, gradient, grad->dtype);
}

static bool has_zero(Tensor *t) {
  if (pwt_on_meta) return false;
  Tensor *truth = pwt_raw_contiguous_as(t, PWT_BOOL);
  const uint8_t *values = truth ? pwt_data(truth) : NULL;
  for (int64_t i = 0; truth && i < truth->numel; i++)
    if (!values[i]) return true;
  return false;
}

/* O(n^2), of operators that record: element by element, the products that leave it out. */
static Tensor *cumprod_backward_recording(Tensor *grad, Tensor *self, int dim, Tensor *result) {
  int64_t n = self->sizes[dim];
  TensorList slices = pwt_list_new(n);
  for (int64_t k = 0; k < n && !pwt_failed(); k++) {
    Tensor *before = k ? pwt_narrow(result, dim, k - 1, 1) : pwt_ones_like(pwt_narrow(result, dim, 0, 1));
    Tensor *omitted = before;
    if (k + 1 < n) {
      Tensor *after = pwt_cumprod(pwt_narrow(self, dim, k + 1, n - k - 1), dim, result->dtype);
      Tensor *parts[] = {before, pwt_mul(before, after)};
      omitted = pwt_cat((TensorList){parts, 2}, dim);
    }
    Tensor *terms = pwt_mul(pwt_narrow(grad, dim, k, n - k), pwt_conj_if_complex(omitted));
    slices.items[k] = pwt_sum(terms, (IntList){(const int64_t[]){dim}, 1}, true, PWT_NO_DTYPE);
  }
  return pwt_failed() ? NULL : pwt_cat(slices, dim);
}

Tensor *pwt_kernel_cumprod_backward(Tensor *grad, Tensor *self, int64_t dim, Tensor *result) {
  if (!grad || !self || !result) return NULL;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (self->numel <= 1 || self->sizes[d] == 1) return grad;
  if (!pwt_grad_enabled) return cumprod_backward_rows(grad, self, d);
  if (has_zero(self)) return cumprod_backward_recording(grad, self, d, result);
  return pwt_div(pwt__cumsum_reversed(pwt_mul(grad, pwt_conj_if_complex(result)), d), pwt_conj_if_complex(self));
}

static Tensor *logcumsumexp_from_end(Tensor *x, int64_t dim) {
  IntList dims = {(const int64_t[]){dim}, 1};
  return pwt_flip(pwt_logcumsumexp(pwt_flip(x, dims), dim), dims);
}

/* sum over j >= k of g[j] * exp(self[k] - result[j]), in logarithms, so that no exponential overflows */
static Tensor *exp_weighted(Tensor *log_grad, Tensor *self, int64_t dim, Tensor *result) {
  return pwt_exp(pwt_add(logcumsumexp_from_end(pwt_sub(log_grad, result, pwt_scalar_int(1)), dim), self, pwt_scalar_int(1)));
}

/* Of zero the lowest finite number, whose differences have gradients, where those of -inf would be NaN. */
static Tensor *log_where(Tensor *condition, Tensor *log_abs) {
  static const double lowest[PWT_DTYPES] = {
      [PWT_FLOAT16] = -65504, [PWT_BFLOAT16] = -0x1.fep127, [PWT_FLOAT32] = -0x1.fffffep127, [PWT_FLOAT64] = -0x1.fffffffffffffp1023};
  return pwt_where(condition, log_abs, pwt_from_scalar(pwt_scalar_float(lowest[pwt_dtype_of(log_abs)])));
}

Tensor *pwt_kernel_logcumsumexp_backward(Tensor *grad, Tensor *self, int64_t dim, Tensor *result) {
  if (!grad || !self || !result || grad->numel == 0 || self->ndim == 0) return grad;
  if (pwt_is_complex(grad->dtype))
    return pwt_conj_physical(exp_weighted(pwt_log(pwt_conj_physical(grad)), self, dim, result));
  Tensor *zero = pwt_from_scalar(pwt_scalar_int(0)), *log_abs = pwt_log(pwt_abs(grad));
  if (!zero || !log_abs) return NULL;
  Tensor *up = exp_weighted(log_where(pwt_gt(grad, zero), log_abs), self, dim, result);
  Tensor *down = exp_weighted(log_where(pwt_lt(grad, zero), log_abs), self, dim, result);
  return pwt_sub(up, down, pwt_scalar_int(1));
}
