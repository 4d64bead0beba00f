/* _dirichlet_grad: the derivative of a Dirichlet sample by its concentration, -(dF/da) / f / (1 - x), where F is the distribution function
   of its beta distribution and f the density (Figurnov, Mohamed, Mnih: "Implicit Reparameterization Gradients", 2018). */
#include "digamma.h"
#include "ops.h"

/* I_x(p, q) = x^p (1-x)^q / (p B(p, q)) S with S = sum of x^n (p+q)_n / (p+1)_n (Abramowitz and Stegun, 26.5.4). The derivative of
   p B I / (x^p (1-x)^q) by p, or by q, where the logarithm of the factor in front has the derivative `outer`. */
static double by_series(double p, double q, double x, double outer, int by_p) {
  double term = 1, rate = 0, sum = 1, derivative = 0;
  for (int n = 1; n < 200000; n++) {
    double total = p + q + n - 1;
    term *= x * (total / (p + n));
    rate += 1 / total;
    if (by_p) rate -= 1 / (p + n);
    double next = sum + term, change = term * rate;
    if (next == sum && derivative + change == derivative) break;
    sum = next;
    derivative += change;
  }
  return outer * sum + derivative;
}

static double beta_gradient(double x, double a, double total) {
  double b = total - a, y = 1 - x;
  if (!(x >= 0 && x <= 1 && a > 0 && b > 0)) return (x - x) / (x - x);
  if (x == 0) return 0;
  if (a > 1e6 && b > 1e6) { /* normal: the mean and the deviation move */
    double deviation = (1 / a - 2 / total - 1 / (total + 1)) / 2;
    return (b / total / total + (x - a / total) * deviation) / y;
  }
  int low = x < (a + 1) / (total + 2);
  if (x < 1e-4 && total * x < 600) low = 1;
  if (y < 1e-4 && total * y < 600) low = 0;
  double log_x = pwt_log_f64(x), psi = digamma(total);
  if (low) return -x / a * by_series(a, b, x, log_x - digamma(a + 1) + psi, 1);
  return x / b * by_series(b, a, y, log_x - digamma(a) + psi, 0);
}

Tensor *pwt_kernel__dirichlet_grad(Tensor *x, Tensor *alpha, Tensor *total) {
  DType kind = (DType)x->dtype;
  if (kind != PWT_FLOAT32 && kind != PWT_FLOAT64)
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"_dirichlet_grad_cpu\" not implemented for '%t'", kind);
  if (!pwt_same_sizes(x, alpha) || !pwt_same_sizes(x, total))
    return pwt_fail(PWT_RUNTIME_ERROR, "_dirichlet_grad: x %z, alpha and total differ in size", x->sizes, (int)x->ndim);
  Tensor *points = pwt_raw_contiguous_as(x, PWT_FLOAT64), *shapes = pwt_raw_contiguous_as(alpha, PWT_FLOAT64);
  Tensor *totals = pwt_raw_contiguous_as(total, PWT_FLOAT64), *result = pwt_new(x->ndim, x->sizes, PWT_FLOAT64);
  if (!points || !shapes || !totals || !result) return NULL;
  const double *from = pwt_data(points), *a = pwt_data(shapes), *t = pwt_data(totals);
  double *to = pwt_data(result);
  for (int64_t i = 0; i < x->numel && !pwt_on_meta; i++) to[i] = beta_gradient(from[i], a[i], t[i]);
  return pwt_raw_cast(result, kind);
}
