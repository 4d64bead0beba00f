/* Bessel and Airy functions. */
#include "special.h"

#include "special_calls.h"
#include "special_tables.h"
#include "vmath_bits.h"

/* Clenshaw's recurrence (C. W. Clenshaw, 1955): the sum of c[k] T_k(t). */
static double clenshaw(double t, const double *c, int count) {
  double b = 0, before = 0, twice = 2 * t;
  for (int k = count - 1; k > 0; k--) {
    double next = twice * b - before + c[k];
    before = b;
    b = next;
  }
  return t * b - before + c[0];
}
#define SERIES(t, table) clenshaw(t, table, sizeof table / sizeof *table)

#define TWO_OVER_PI 0.6366197723675814
#define ROOT_1_PI 0.5641895835477563

/* DLMF 10.17.3 and 10.17.4 with cos(x - pi/4) sqrt(2) = cos x + sin x, so that no digit of x is lost. */
static double wave(double x, const double *p, int p_count, const double *q, int q_count, double even, double odd) {
  double u = 8 / x, w = u * u, t = 2 * w - 1;
  return ROOT_1_PI / __builtin_sqrt(x) * (clenshaw(t, p, p_count) * even + u * clenshaw(t, q, q_count) * odd);
}
#define WAVE(x, p, q, even, odd) wave(x, p, sizeof p / sizeof *p, q, sizeof q / sizeof *q, even, odd)

double pwt_bessel_j0_f64(double x) {
  x = pwt_abs_f64(x);
  if (x <= 8) return SERIES(x * x / 32 - 1, J0_SMALL);
  double s = pwt_call_sin(x), c = pwt_call_cos(x);
  return WAVE(x, P0, Q0, c + s, c - s);
}

double pwt_bessel_j1_f64(double x) {
  double a = pwt_abs_f64(x);
  if (a <= 8) return x * SERIES(a * a / 32 - 1, J1_SMALL);
  double s = pwt_call_sin(a), c = pwt_call_cos(a), value = WAVE(a, P1, Q1, s - c, s + c);
  return x < 0 ? -value : value;
}

double pwt_bessel_y0_f64(double x) {
  if (x == 0) return -PWT_INF_F64;
  if (!(x > 0)) return PWT_NAN_F64;
  if (x <= 8) return SERIES(x * x / 32 - 1, Y0_SMALL) + TWO_OVER_PI * pwt_call_log(x) * pwt_bessel_j0_f64(x);
  double s = pwt_call_sin(x), c = pwt_call_cos(x);
  return WAVE(x, P0, Q0, s - c, s + c);
}

double pwt_bessel_y1_f64(double x) {
  if (x == 0) return -PWT_INF_F64;
  if (!(x > 0)) return PWT_NAN_F64;
  if (x <= 8) {
    double series = x * SERIES(x * x / 32 - 1, Y1_SMALL);
    return series + TWO_OVER_PI * (pwt_call_log(x) * pwt_bessel_j1_f64(x) - 1 / x);
  }
  double s = pwt_call_sin(x), c = pwt_call_cos(x);
  return WAVE(x, P1, Q1, -(s + c), s - c);
}

/* ---- modified: e^-x times the function up to 8, the same times sqrt(x) above (DLMF 10.40) ---- */
double pwt_i0e_f64(double x) {
  x = pwt_abs_f64(x);
  return x <= 8 ? SERIES(x / 4 - 1, I0_SMALL) : SERIES(16 / x - 1, I0_LARGE) / __builtin_sqrt(x);
}

double pwt_i1e_f64(double x) {
  double a = pwt_abs_f64(x);
  if (a <= 8) return x * SERIES(a / 4 - 1, I1_SMALL);
  return pwt_copysign_f64(SERIES(16 / a - 1, I1_LARGE) / __builtin_sqrt(a), x);
}

/* e^a in halves, because the product may be finite where e^a is not; torch has NaN at infinity, and so is 0 inf. */
static double unscaled(double scaled, double a) {
  double half = pwt_call_exp(0.5 * a);
  return scaled * half * half;
}

double pwt_bessel_i0_f64(double x) { return unscaled(pwt_i0e_f64(x), pwt_abs_f64(x)); }
double pwt_bessel_i1_f64(double x) { return unscaled(pwt_i1e_f64(x), pwt_abs_f64(x)); }

/* DLMF 10.31.1 and 10.31.2: what is left beside ln(x/2) times I is even. */
static double k_small(double x, bool first) {
  double z = x * x / 2 - 1, log = pwt_call_log(0.5 * x);
  return first ? SERIES(z, K1_SMALL) / x + log * pwt_bessel_i1_f64(x) : SERIES(z, K0_SMALL) - log * pwt_bessel_i0_f64(x);
}

static double k_scaled_large(double x, bool first) {
  double t = 4 / x - 1;
  return (first ? SERIES(t, K1_LARGE) : SERIES(t, K0_LARGE)) / __builtin_sqrt(x);
}

static double k_of(double x, bool first, bool scaled) {
  if (x == 0) return PWT_INF_F64;
  if (!(x > 0)) return PWT_NAN_F64;
  if (x <= 2) return k_small(x, first) * (scaled ? pwt_call_exp(x) : 1);
  double value = k_scaled_large(x, first);
  return scaled ? value : unscaled(value, -x);
}

double pwt_bessel_k0_f64(double x) { return k_of(x, false, false); }
double pwt_bessel_k1_f64(double x) { return k_of(x, true, false); }
double pwt_scaled_k0_f64(double x) { return k_of(x, false, true); }
double pwt_scaled_k1_f64(double x) { return k_of(x, true, true); }

double pwt_spherical_j0_f64(double x) {
  if (pwt_abs_f64(x) == PWT_INF_F64) return 0;
  return x == 0 ? 1 : pwt_call_sin(x) / x;
}

/* Ai: DLMF 9.7.5 above 2, 9.7.9 below -4. */
double pwt_airy_ai_f64(double x) {
  double a = pwt_abs_f64(x);
  if (a == PWT_INF_F64 || x != x) return PWT_NAN_F64;
  if (x <= 2 && x >= -4) return SERIES((x + 1) / 3, AIRY_NEAR);
  double zeta = a * __builtin_sqrt(a) / 1.5, fourth = __builtin_sqrt(__builtin_sqrt(a));
  if (x > 0) {
    double u = 1.8856180831641267 / zeta; /* 2/3 2^(3/2) */
    return unscaled(SERIES(2 * u - 1, AIRY_DECAY) * (0.5 * ROOT_1_PI) / fourth, -zeta);
  }
  double u = (16.0 / 3.0) / zeta, t = 2 * u * u - 1, s = pwt_call_sin(zeta), c = pwt_call_cos(zeta);
  double p = SERIES(t, AIRY_P), q = u * SERIES(t, AIRY_Q);
  return ROOT_1_PI * 0.7071067811865476 / fourth * (p * (c + s) + q * (s - c));
}
