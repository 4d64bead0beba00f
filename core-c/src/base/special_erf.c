/* erfcx, log_ndtr, entr, x log1p(y). */
#include "special.h"

#include "special_calls.h"
#include "vmath_bits.h"

/* e^(x^2) erfc(x): vmath's for 0 <= x, DLMF 7.12.1 where that ends, 7.4.2 below 0. */
double pwt_erfcx_f64(double x) {
  double a = pwt_abs_f64(x), value;
  if (a > 26) {
    double r = 0.5 / (a * a);
    value = 0.5641895835477563 / a * (1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r))));
  } else if (a < 0.5) {
    return pwt_call_erfc(x) * pwt_call_exp(a * a);
  } else {
    value = pwt_call_erfcx(a);
  }
  if (!(x < 0)) return value;
  if (x < -26.7) return PWT_INF_F64; /* beyond double */
  double high = (double)(float)a, rest = (a - high) * (a + high);
  double bell = pwt_call_exp(high * high);
  if (bell == PWT_INF_F64) return bell;
  return 2 * (bell + bell * pwt_call_expm1(rest)) - value;
}

double pwt_log_ndtr_f64(double x) {
  double a = x * 0.7071067811865476;
  if (x < -1) return pwt_call_log(0.5 * pwt_erfcx_f64(-a)) - 0.5 * x * x;
  return pwt_call_log1p(-0.5 * pwt_call_erfc(a));
}

double pwt_entr_f64(double x) { return x > 0 ? -x * pwt_call_log(x) : x == 0 ? 0 : x != x ? x : -PWT_INF_F64; }

/* x ln(1 + y), 0 where x is 0 and y is no NaN. */
double pwt_x_log1p_f64(double x, double y) { return x == 0 && y == y ? 0 : x * pwt_call_log1p(y); }
