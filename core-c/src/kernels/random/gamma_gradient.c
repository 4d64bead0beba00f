/* _standard_gamma_grad: the derivative of a gamma sample by its shape, dx/da = -(dF/da) / f at a fixed value of the distribution function F, whose
   density is f (Figurnov, Mohamed, Mnih: "Implicit Reparameterization Gradients", 2018). */
#include "digamma.h"
#include "ops.h"

/* F = x^a e^-x S / gamma(a) with S = sum of x^n / (a (a+1) ... (a+n)) (6.5.29); below the mean all terms count little. */
static double by_series(double a, double x, double log_x_minus_psi) {
  double term = 1 / a, rate = 1 / a, sum = term, derivative = -term * rate;
  for (int n = 1; n < 100000; n++) {
    double before = derivative;
    term *= x / (a + n);
    rate += 1 / (a + n);
    sum += term;
    derivative -= term * rate;
    if (derivative == before) break;
  }
  return -x * (sum * log_x_minus_psi + derivative);
}

/* 1 - F = x^a e^-x C / gamma(a) with the continued fraction C = 1 / (x+1-a - 1(1-a) / (x+3-a - ...)) (6.5.31). */
static double by_fraction(double a, double x, double log_x_minus_psi) {
  int steps = 60 + (int)(8 * __builtin_sqrt(a < 1e8 ? a : 1e8));
  double rest = 0, derivative = 0;
  for (int n = steps; n > 0; n--) {
    double below = x + 2 * n + 1 - a + rest, change = derivative - 1;
    rest = n * (a - n) / below;
    derivative = (n - rest * change) / below;
  }
  double fraction = 1 / (x + 1 - a + rest);
  return x * (fraction * log_x_minus_psi - fraction * fraction * (derivative - 1));
}

static double gamma_gradient(double a, double x) {
  if (!(x > 0)) return x == 0 ? 0 : x - x;
  double log_x_minus_psi = pwt_log_f64(x) - digamma(a);
  return x < a + 1 ? by_series(a, x, log_x_minus_psi) : by_fraction(a, x, log_x_minus_psi);
}

Tensor *pwt_kernel__standard_gamma_grad(Tensor *self, Tensor *output) {
  if (!pwt_is_floating((DType)self->dtype))
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"_standard_gamma_grad_cpu\" not implemented for '%t'", (DType)self->dtype);
  if (!pwt_same_sizes(self, output))
    return pwt_fail(PWT_RUNTIME_ERROR, "_standard_gamma_grad: self %z and output %z differ in size", self->sizes, (int)self->ndim,
                    output->sizes, (int)output->ndim);
  Tensor *shapes = pwt_raw_contiguous_as(self, PWT_FLOAT64), *samples = pwt_raw_contiguous_as(output, PWT_FLOAT64);
  Tensor *result = pwt_new(self->ndim, self->sizes, PWT_FLOAT64);
  if (!shapes || !samples || !result) return NULL;
  const double *a = pwt_data(shapes), *x = pwt_data(samples);
  double *to = pwt_data(result);
  for (int64_t i = 0; i < self->numel && !pwt_on_meta; i++) to[i] = gamma_gradient(a[i], x[i]);
  return pwt_raw_cast(result, (DType)self->dtype);
}
