/* zeta, polygamma, and the regularized incomplete gamma functions. */
#include "special.h"

#include "special_calls.h"
#include "special_tables.h"
#include "vmath_bits.h"

#define EPSILON 0x1p-53

/* B(2j) / (2j)! */
static const double bernoulli_ratios[] = {
    1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0, 1.0 / 47900160.0, -691.0 / 1307674368000.0, 1.0 / 74724249600.0,
    -3617.0 / 10670622842880000.0, 43867.0 / 5109094217170944000.0, -174611.0 / 802857662698291200000.0,
};

/* The Euler-Maclaurin sum (DLMF 25.11.5) for q > 0, s > 1: terms until they vanish or their argument exceeds s and 10. */
static double zeta_positive(double s, double q) {
  double sum = 0, limit = s > 10 ? s : 10, a = q;
  for (; a < limit; a += 1) {
    double term = pwt_call_pow(a, -s);
    if (term <= sum * EPSILON) return sum;
    sum += term;
  }
  double power = pwt_call_pow(a, -s);
  sum += a * power / (s - 1) + 0.5 * power;
  if (power == 0) return sum;
  double factor = s * power / a;
  for (int j = 0; j < (int)(sizeof bernoulli_ratios / sizeof *bernoulli_ratios); j++) {
    double term = factor * bernoulli_ratios[j];
    sum += term;
    if (pwt_abs_f64(term) <= pwt_abs_f64(sum) * EPSILON) break;
    factor *= (s + 2 * j + 1) / a * ((s + 2 * j + 2) / a);
  }
  return sum;
}

double pwt_zeta_f64(double s, double q) {
  if (s == 1) return PWT_INF_F64;
  if (q != q || (s != s && (q > 0 || q != __builtin_floor(q)))) return PWT_NAN_F64;
  if (s < 1) return PWT_NAN_F64;
  double below = __builtin_floor(q);
  if (q <= 0 && q == below) return PWT_INF_F64;
  if (s == PWT_INF_F64) return q > 1 ? PWT_NAN_F64 : q == 1 ? 1 : PWT_INF_F64; /* NaN: what torch's formula gives */
  if (q > 0) return zeta_positive(s, q);
  if (s != __builtin_floor(s)) return PWT_NAN_F64;
  /* the terms of q's negative arguments are those of 1 - part to -q, their sign that of (-1)^s */
  double part = q - below, others = zeta_positive(s, 1 - part) - zeta_positive(s, 1 - q);
  return zeta_positive(s, part) + (pwt_call_fmod(s, 2) == 0 ? others : -others);
}

/* DLMF 5.15.1 with 25.11.1: (-1)^(n + 1) n! zeta(n + 1, x) */
double pwt_polygamma_f64(double x, double n) {
  if (n == 0) return pwt_call_digamma(x);
  if (n == 1 && pwt_abs_f64(x) > 1e100) return x > 0 ? 1 / x : PWT_NAN_F64; /* its square would be no number */
  double value = pwt_zeta_f64(n + 1, x);
  if (n <= 170)
    for (double k = n; k > 1; k -= 1) value *= k;
  else
    value = pwt_copysign_f64(pwt_call_exp(pwt_call_lgamma(n + 1) + pwt_call_log(pwt_abs_f64(value))), value);
  return pwt_call_fmod(n, 2) == 0 ? -value : value;
}

/* ---- the incomplete gamma functions ---- */

/* m - ln(1 + m), without cancellation: ln(1 + m) = 2 atanh(r), r = m / (2 + m) */
static double log1p_excess(double m) {
  if (pwt_abs_f64(m) > 0.5) return m - pwt_call_log1p(m);
  double r = m / (2 + m), square = r * r, sum = 0;
  for (int k = 27; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
  return r * m - 2 * r * square * sum;
}

/* Gamma(a) over Stirling's approximation, a >= 10 */
static double gamma_star(double a) {
  double z = 1 / (a * a);
  return pwt_call_exp(PWT_POLYNOMIAL_F64(z, 1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360360.0) / a);
}

/* x^a e^-x / Gamma(a + 1) */
static double front(double a, double x) {
  if (a < 10) return pwt_call_exp(a * pwt_call_log(x) - x - pwt_call_lgamma(a + 1));
  return pwt_call_exp(-a * log1p_excess((x - a) / a)) * 0.3989422804014327 / (__builtin_sqrt(a) * gamma_star(a));
}

/* DLMF 8.11.4 */
static double lower_series(double a, double x) {
  double term = 1, sum = 1;
  for (double k = a + 1; term > sum * EPSILON; k += 1) {
    term *= x / k;
    sum += term;
  }
  return sum * front(a, x);
}

/* 1 - P from DLMF 8.7.1, which keeps a small Q: x < 1.5, a < 1.5 */
static double upper_series(double a, double x) {
  double log_gamma = pwt_call_lgamma1p(a);
  double log_power = a * pwt_call_log(x) - log_gamma, term = 1, sum = 0;
  for (double k = 1; k < 40; k += 1) {
    term *= -x / k;
    sum += term / (a + k);
    if (pwt_abs_f64(term) < EPSILON * pwt_abs_f64(sum)) break;
  }
  return -pwt_call_expm1(log_power) - pwt_call_exp(log_power) * a * sum;
}

/* DLMF 8.9.2 by the method of W. J. Lentz (1976) */
static double upper_fraction(double a, double x) {
  double b = x + 1 - a, c = 1e300, d = 1 / b, value = d;
  for (double k = 1; k < 1000; k += 1) {
    double numerator = k * (a - k);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    d = 1 / (pwt_abs_f64(d) < 1e-300 ? 1e-300 : d);
    c = pwt_abs_f64(c) < 1e-300 ? 1e-300 : c;
    double step = c * d;
    value *= step;
    if (pwt_abs_f64(step - 1) < 4 * EPSILON) break;
  }
  return value * a * front(a, x);
}

/* DLMF 8.12.3 and 8.12.4; the remainder's coefficients come by recurrence from those of eta / (lambda - 1) (N. M. Temme,
   "A set of algorithms for the incomplete gamma functions", 1994). */
static double uniform(double a, double x, bool lower) {
  double m = (x - a) / a, half_square = log1p_excess(m), eta = pwt_copysign_f64(__builtin_sqrt(2 * half_square), m);
  enum { COUNT = sizeof GAMMA_UNIFORM / sizeof *GAMMA_UNIFORM };
  double next = 0, after = 0, sum = 0, beta[COUNT];
  for (int n = COUNT - 1; n >= 1; n--) {
    double value = GAMMA_UNIFORM[n] + (n + 1) * after / a;
    after = next;
    next = value;
    beta[n - 1] = value;
  }
  for (int n = COUNT - 2; n >= 0; n--) sum = sum * eta + beta[n];
  double rest = pwt_call_exp(-a * half_square) * sum * 0.3989422804014327 / (__builtin_sqrt(a) * gamma_star(a));
  double argument = eta * __builtin_sqrt(0.5 * a);
  return lower ? 0.5 * pwt_call_erfc(-argument) - rest : 0.5 * pwt_call_erfc(argument) + rest;
}

static double incomplete(double a, double x, bool lower) {
  if (!(a >= 0) || !(x >= 0)) return PWT_NAN_F64;
  double none = lower ? 0 : 1, all = 1 - none;
  if (a == 0) return x > 0 ? all : PWT_NAN_F64;
  if (x == 0) return none;
  if (a == PWT_INF_F64) return x == a ? PWT_NAN_F64 : none;
  if (x == PWT_INF_F64) return all;
  if (a >= 25 && pwt_abs_f64(x - a) < 0.4 * a) return uniform(a, x, lower);
  if (!lower && x < 1.5 && a < 1.5) return upper_series(a, x);
  if (x <= a || x < 1.5) {
    double p = lower_series(a, x);
    return lower ? p : 1 - p;
  }
  double q = upper_fraction(a, x);
  return lower ? 1 - q : q;
}

double pwt_gamma_p_f64(double a, double x) { return incomplete(a, x, true); }
double pwt_gamma_q_f64(double a, double x) { return incomplete(a, x, false); }
