/* Complex elementary functions in double; the inverse ones after W. Kahan, "Branch cuts for complex elementary functions" (1987). */
#include "math.h"

typedef complex128 Z;

static Z make(double re, double im) { return pwt_make_c128(re, im); }
static Z times_i(Z z) { return make(-__imag__ z, __real__ z); }
static Z over_i(Z z) { return make(__imag__ z, -__real__ z); }

/* one copy of each long real function serves all */
#define REAL(NAME) static __attribute__((noinline)) double NAME(double x) { return pwt_##NAME##_f64(x); }
REAL(sin)
REAL(cos)
REAL(sinh)
REAL(cosh)
REAL(asinh)
REAL(log1p)
REAL(exp)
static __attribute__((noinline)) double angle_of(double y, double x) { return pwt_atan2_f64(y, x); }
static __attribute__((noinline)) Z root(Z z) { return pwt_sqrt_c128(z); }
static __attribute__((noinline)) Z exponential(Z z) { return pwt_exp_c128(z); }
static __attribute__((noinline)) Z logarithm(Z z) { return pwt_log_c128(z); }

static bool is_finite(double x) { return __builtin_fabs(x) < PWT_INF_F64; }
static bool is_infinite(double x) { return __builtin_fabs(x) == PWT_INF_F64; }
static Z swapped(Z z) { return make(__imag__ z, __real__ z); }
static double of_sign(double magnitude, double sign) { return __builtin_copysign(magnitude, sign); }

#define NOT_A_NUMBER PWT_NAN_F64
#define PI 3.141592653589793

/* ---- where a part is infinite or NaN each function has the value that C's Annex G gives it; where a magnitude overflows on the way,
   it is taken in two factors ---- */

Z pwt_exp_far_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  if (!is_finite(y)) {
    if (x == -PWT_INF_F64) return make(0, of_sign(0, y));
    return make(x == PWT_INF_F64 ? x : NOT_A_NUMBER, NOT_A_NUMBER);
  }
  double root = exp(0.5 * x);
  return make(root * cos(y) * root, root * sin(y) * root);
}

Z pwt_log_near_c128(double x, double y, double angle) {
  pwt_pair_f64 xx = pwt_product_f64(x, x), yy = pwt_product_f64(y, y), larger = xx.high > yy.high ? xx : yy, smaller = xx.high > yy.high ? yy : xx;
  return make(0.5 * log1p(((larger.high - 1) + smaller.high) + (larger.low + smaller.low)), angle);
}

Z pwt_sqrt_far_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  if (is_infinite(y)) return make(PWT_INF_F64, y);
  if (x == PWT_INF_F64) return make(x, y == y ? of_sign(0, y) : y);
  if (x == -PWT_INF_F64) return make(y == y ? 0 : y, of_sign(PWT_INF_F64, y));
  if (x != x || y != y) return make(NOT_A_NUMBER, NOT_A_NUMBER);
  Z half = root(make(0.25 * x, 0.25 * y));
  return make(2 * __real__ half, 2 * __imag__ half);
}

Z pwt_sinh_c128(Z z) {
  double x = __real__ z, y = __imag__ z, root = exp(0.5 * __builtin_fabs(x));
  if (y == 0) return make(sinh(x), y);
  if (!is_finite(y)) return make(x == 0 ? x : is_infinite(x) ? PWT_INF_F64 : NOT_A_NUMBER, NOT_A_NUMBER);
  if (root > 1e150) return make(of_sign(0.5 * root, x) * cos(y) * root, 0.5 * root * sin(y) * root);
  return make(sinh(x) * cos(y), cosh(x) * sin(y));
}

Z pwt_cosh_c128(Z z) {
  double x = __real__ z, y = __imag__ z, root = exp(0.5 * __builtin_fabs(x));
  if (y == 0) return make(cosh(x), x != x ? y : of_sign(1, x) * y);
  if (!is_finite(y)) return make(is_infinite(x) ? PWT_INF_F64 : NOT_A_NUMBER, x == 0 ? 0 : NOT_A_NUMBER);
  if (root > 1e150) return make(0.5 * root * cos(y) * root, of_sign(0.5 * root, x) * sin(y) * root);
  return make(cosh(x) * cos(y), sinh(x) * sin(y));
}

Z pwt_sin_far_c128(Z z) { return swapped(pwt_sinh_c128(swapped(z))); }
Z pwt_cos_far_c128(Z z) { return pwt_cosh_c128(times_i(z)); }

Z pwt_tanh_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  if (!is_finite(y) || y == 0) {
    if (is_infinite(x)) return make(of_sign(1, x), of_sign(0, y));
    if (y != 0) return make(x == 0 ? x : NOT_A_NUMBER, NOT_A_NUMBER);
    if (x != x) return z;
  }
  double s = sin(y), c = cos(y);
  if (__builtin_fabs(x) > 22) {
    double tail = 4 * exp(-2 * __builtin_fabs(x));
    return make(of_sign(1, x), tail == 0 ? of_sign(0, s * c) : tail * s * c);
  }
  double h = sinh(x), divisor = h * h + c * c;
  return make(h * __builtin_sqrt(1 + h * h) / divisor, s * c / divisor);
}

Z pwt_tan_c128(Z z) { return over_i(pwt_tanh_c128(times_i(z))); }

/* the angle of an infinite number in the right half-plane */
static double infinite_angle(double x, double y) { return !is_infinite(y) ? 0 : is_infinite(x) ? 0.25 * PI : 0.5 * PI; }

static bool is_far(double x, double y) { return !(__builtin_fabs(x) < 1e300 && __builtin_fabs(y) < 1e300); }

Z pwt_asinh_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  if (!is_far(x, y)) return over_i(pwt_asin_c128(times_i(z)));
  if (x != x || y != y) {
    if (is_infinite(x) || is_infinite(y)) return make(of_sign(PWT_INF_F64, x), NOT_A_NUMBER);
    return make(NOT_A_NUMBER, y == 0 ? y : NOT_A_NUMBER);
  }
  if (is_infinite(x) || is_infinite(y)) return make(of_sign(PWT_INF_F64, x), of_sign(infinite_angle(x, y), y));
  Z w = logarithm(make(0.25 * __builtin_fabs(x), 0.25 * y)); /* ln 2z, z the square root of z² + 1 */
  return make(of_sign(__real__ w + 3 * 0.6931471805599453, x), __imag__ w);
}

Z pwt_asin_c128(Z z) {
  if (is_far(__real__ z, __imag__ z)) return over_i(pwt_asinh_c128(times_i(z)));
  Z a = root(make(1 - __real__ z, -__imag__ z)), b = root(make(1 + __real__ z, __imag__ z));
  double re = angle_of(__real__ z, __real__ a * __real__ b - __imag__ a * __imag__ b);
  return make(re, asinh(__real__ a * __imag__ b - __imag__ a * __real__ b));
}

/* acos and acosh of what is far away are the angle and the logarithm of 2z */
static Z far_angle_and_log(Z z) {
  double x = __real__ z, y = __imag__ z;
  if (x != x || y != y) {
    double log = is_infinite(x) || is_infinite(y) ? PWT_INF_F64 : NOT_A_NUMBER;
    return make(x == 0 ? 0.5 * PI : NOT_A_NUMBER, log);
  }
  if (is_infinite(x) || is_infinite(y)) {
    double angle = infinite_angle(x, y);
    return make(x == -PWT_INF_F64 ? PI - angle : angle, PWT_INF_F64);
  }
  Z w = logarithm(make(0.25 * x, 0.25 * __builtin_fabs(y)));
  return make(__imag__ w, __real__ w + 3 * 0.6931471805599453);
}

Z pwt_acos_c128(Z z) {
  if (is_far(__real__ z, __imag__ z)) {
    Z w = far_angle_and_log(z);
    return make(__real__ w, of_sign(__imag__ w, -__imag__ z));
  }
  Z a = root(make(1 - __real__ z, -__imag__ z)), b = root(make(1 + __real__ z, __imag__ z));
  return make(2 * angle_of(__real__ a, __real__ b), asinh(__real__ b * __imag__ a - __imag__ b * __real__ a));
}

Z pwt_acosh_c128(Z z) {
  if (is_far(__real__ z, __imag__ z)) {
    Z w = far_angle_and_log(z);
    return make(__imag__ w, of_sign(__real__ w, __imag__ z));
  }
  Z a = root(make(__real__ z - 1, __imag__ z)), b = root(make(__real__ z + 1, __imag__ z));
  return make(asinh(__real__ a * __real__ b + __imag__ a * __imag__ b), 2 * angle_of(__imag__ a, __real__ b));
}

Z pwt_atanh_c128(Z z) {
  double x = __real__ z, y = __imag__ z, a = __builtin_fabs(x);
  double m = PWT_MAX(a, __builtin_fabs(y));
  if (x != x || y != y) {
    double re = is_infinite(x) || is_infinite(y) || x == 0 ? of_sign(0, x) : NOT_A_NUMBER;
    return make(re, is_infinite(y) ? of_sign(0.5 * PI, y) : NOT_A_NUMBER);
  }
  if (m > 1e150) { /* 1/z + i pi/2; squares would overflow */
    double re = m == PWT_INF_F64 ? 0 : __real__ pwt_div_c128(make(1, 0), z);
    return make(of_sign(re, x), of_sign(0.5 * PI, y));
  }
  double re = 0.25 * log1p(4 * a / ((1 - a) * (1 - a) + y * y));
  return make(of_sign(re, x), 0.5 * angle_of(2 * y, (1 - a) * (1 + a) - y * y));
}

Z pwt_atan_c128(Z z) { return over_i(pwt_atanh_c128(times_i(z))); }

Z pwt_exp2_c128(Z z) { return exponential(make(__real__ z * 0.6931471805599453, __imag__ z * 0.6931471805599453)); }

Z pwt_expm1_c128(Z z) {
  double x = __real__ z, y = __imag__ z, half = sin(0.5 * y), e = pwt_expm1_f64(x);
  return y == 0 ? make(e, y) : make(e * cos(y) - 2 * half * half, (e + 1) * sin(y));
}

static Z scaled_logarithm(Z z, double factor) {
  Z w = logarithm(z);
  return make(__real__ w * factor, __imag__ w * factor);
}

Z pwt_log2_c128(Z z) { return scaled_logarithm(z, 1.4426950408889634); }
Z pwt_log10_c128(Z z) { return scaled_logarithm(z, 0.4342944819032518); }

Z pwt_log1p_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  if (x == 0 && y == 0) return z;
  if (__builtin_fabs(x) + __builtin_fabs(y) > 0.5) return logarithm(make(1 + x, y));
  return make(0.5 * log1p(x * (2 + x) + y * y), angle_of(y, 1 + x));
}

Z pwt_sigmoid_c128(Z z) {
  Z e = exponential(make(-__real__ z, -__imag__ z));
  return pwt_div_c128(make(1, 0), make(1 + __real__ e, __imag__ e));
}

Z pwt_silu_c128(Z z) {
  Z e = exponential(make(-__real__ z, -__imag__ z));
  return pwt_div_c128(z, make(1 + __real__ e, __imag__ e));
}

Z pwt_sinc_c128(Z z) {
  if (__real__ z == 0 && __imag__ z == 0) return make(1, 0);
  Z product = make(PI * __real__ z, PI * __imag__ z);
  return pwt_div_c128(pwt_sin_c128(product), product);
}

Z pwt_logaddexp_c128(Z a, Z b) {
  if (a != a || b != b) return make(NOT_A_NUMBER, NOT_A_NUMBER);
  bool first = __real__ a >= __real__ b;
  Z high = first ? a : b, low = first ? b : a;
  double top = __real__ high;
  if (top == __builtin_inf() || top == -__builtin_inf()) {
    if (__real__ low != top) return high;
    if (top < 0) return b;
    Z sum = exponential(high), other = exponential(low);
    return logarithm(make(__real__ sum + __real__ other, __imag__ sum + __imag__ other));
  }
  Z rest = pwt_log1p_c128(exponential(make(__real__ low - top, __imag__ low - __imag__ high)));
  return make(top + __real__ rest, __imag__ high + __imag__ rest);
}

/* An infinite number times one that is not 0 is infinite, though both parts of the plain product may be NaN. */
static Z infinite_product(Z a, Z b) {
  Z product = pwt_mul_c128(a, b);
  double parts[4] = {__real__ a, __imag__ a, __real__ b, __imag__ b};
  if (__real__ product == __real__ product || __imag__ product == __imag__ product) return product;
  bool infinite[2] = {is_infinite(parts[0]) || is_infinite(parts[1]), is_infinite(parts[2]) || is_infinite(parts[3])};
  if (!infinite[0] && !infinite[1]) return product;
  for (int i = 0; i < 4; i++) {
    if (infinite[i / 2]) parts[i] = of_sign(is_infinite(parts[i]), parts[i]);
    else if (parts[i] != parts[i]) parts[i] = of_sign(0, parts[i]);
  }
  return make(PWT_INF_F64 * (parts[0] * parts[2] - parts[1] * parts[3]), PWT_INF_F64 * (parts[0] * parts[3] + parts[1] * parts[2]));
}

Z pwt_pow_c128(Z a, Z b) {
  if (b == 0) return make(1, 0);
  if (a == 0 && __real__ b > 0) return make(0, 0);
  if (b == 1) return a;
  if (b == 2) return pwt_mul_c128(a, a);
  return exponential(infinite_product(b, logarithm(a)));
}
