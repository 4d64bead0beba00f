/* Orthogonal polynomials: Chebyshev's, Hermite's, Laguerre's and Legendre's. */
#include "special.h"

#include "special_calls.h"
#include "vmath_bits.h"

/* The recurrences of DLMF table 18.9.1; between -1 and 1 Chebyshev polynomials of high degree by their trigonometric forms
   (18.5.1 to 18.5.4), and outside by the hyperbolic ones where the degree is so high that steps would take long. */
#define MANY_STEPS 100000.0

/* A degree as int64; one that is none is negative, as in torch. */
static double whole(double n) { return n >= 0x1p63 ? -1 : __builtin_trunc(n); }
static bool is_odd(double n) { return pwt_call_fmod(n, 2) != 0; }

/* p(k + 1) = (a x + b) p(k) - p(k - 1) from p(0) = 1 and p(1) */
static double chebyshev_steps(double x, double first, double n) {
  double before = 1, value = first;
  if (n == 0) return 1;
  for (double k = 1; k < n && value - value == 0; k++) {
    double next = 2 * x * value - before;
    before = value;
    value = next;
  }
  return value;
}

/* kind t, u, v or w; below -1 by the parity (18.6.1), v and w trading places */
static double chebyshev(double x, double n, char kind) {
  n = whole(n);
  if (x != x || n != n) return PWT_NAN_F64;
  if (n < 0) return 0;
  if (x < -1 && n > 8) {
    char other = kind == 'v' ? 'w' : kind == 'w' ? 'v' : kind;
    double value = chebyshev(-x, n, other);
    return is_odd(n) ? -value : value;
  }
  if (pwt_abs_f64(x) == 1) {
    double sign = x < 0 && is_odd(n) ? -1 : 1;
    if (kind == 't') return sign;
    if (kind == 'u') return sign * (n + 1);
    return (kind == 'v') == (x > 0) ? sign : sign * (2 * n + 1);
  }
  bool inside = pwt_abs_f64(x) < 1;
  if (inside ? n > 8 : n > MANY_STEPS) {
    double angle = inside ? pwt_call_acos(x) : pwt_call_acosh(x), half = 0.5 * angle;
    double (*even)(double) = inside ? pwt_call_cos : pwt_call_cosh, (*odd)(double) = inside ? pwt_call_sin : pwt_call_sinh;
    if (kind == 't') return even(n * angle);
    if (kind == 'u') return odd((n + 1) * angle) / odd(angle);
    return kind == 'v' ? even((n + 0.5) * angle) / even(half) : odd((n + 0.5) * angle) / odd(half);
  }
  double first = kind == 't' ? x : kind == 'u' ? 2 * x : kind == 'v' ? 2 * x - 1 : 2 * x + 1;
  return chebyshev_steps(x, first, n);
}

double pwt_chebyshev_t_f64(double x, double n) { return chebyshev(x, n, 't'); }
double pwt_chebyshev_u_f64(double x, double n) { return chebyshev(x, n, 'u'); }
double pwt_chebyshev_v_f64(double x, double n) { return chebyshev(x, n, 'v'); }
double pwt_chebyshev_w_f64(double x, double n) { return chebyshev(x, n, 'w'); }

#define HERMITE_LIMIT 512 /* degrees that double can hold away from 0; torch, too, gives NaN above */

static double hermite(double x, double n, double factor) {
  n = whole(n);
  if (x != x || n != n) return PWT_NAN_F64;
  if (n < 0) return 0;
  if (n > HERMITE_LIMIT) return PWT_NAN_F64;
  double before = 0, value = 1;
  for (double k = 0; k < n; k++) {
    double next = factor * (x * value - k * before);
    before = value;
    value = next;
  }
  return value;
}

double pwt_hermite_h_f64(double x, double n) { return hermite(x, n, 2); }
double pwt_hermite_he_f64(double x, double n) { return hermite(x, n, 1); }

double pwt_laguerre_f64(double x, double n) {
  n = whole(n);
  if (x != x || n != n) return PWT_NAN_F64;
  if (n < 0) return 0;
  if (x == 0) return 1;
  if (n > 1e7 && pwt_abs_f64(x) < 1e3) { /* Szego, 8.22.4, whose error is of order n^(-3/4) */
    double root = 2 * __builtin_sqrt((n + 0.5) * pwt_abs_f64(x));
    return pwt_call_exp(x / 2) * (x > 0 ? pwt_bessel_j0_f64(root) : pwt_bessel_i0_f64(root));
  }
  double before = 0, value = 1;
  for (double k = 0; k < n && value - value == 0; k++) {
    double next = ((2 * k + 1 - x) * value - k * before) / (k + 1);
    before = value;
    value = next;
  }
  return value;
}

/* At high degree by Hilb's formula (G. Szego, Orthogonal Polynomials, 8.21.17), whose error is of order n^(-3/2). */
static double legendre_high(double x, double n) {
  double a = pwt_abs_f64(x), sign = x < 0 && is_odd(n) ? -1 : 1;
  if (a < 1) {
    double angle = pwt_call_acos(a);
    return sign * __builtin_sqrt(angle / pwt_call_sin(angle)) * pwt_bessel_j0_f64((n + 0.5) * angle);
  }
  double angle = pwt_call_acosh(a);
  return sign * __builtin_sqrt(angle / pwt_call_sinh(angle)) * pwt_bessel_i0_f64((n + 0.5) * angle);
}

double pwt_legendre_f64(double x, double n) {
  n = whole(n);
  if (x != x || n != n) return PWT_NAN_F64;
  if (n < 0) return 0;
  if (pwt_abs_f64(x) == 1) return x < 0 && is_odd(n) ? -1 : 1;
  if (n > 1e7) return legendre_high(x, n);
  double before = 0, value = 1;
  for (double k = 0; k < n && value - value == 0; k++) {
    double next = ((2 * k + 1) * x * value - k * before) / (k + 1);
    before = value;
    value = next;
  }
  return value;
}
