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

Z pwt_sinh_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  return y == 0 ? make(sinh(x), y) : make(sinh(x) * cos(y), cosh(x) * sin(y));
}

Z pwt_cosh_c128(Z z) {
  double x = __real__ z, y = __imag__ z;
  return y == 0 ? make(cosh(x), x * y) : make(cosh(x) * cos(y), sinh(x) * sin(y));
}

Z pwt_tanh_c128(Z z) {
  double x = __real__ z, y = __imag__ z, s = sin(y), c = cos(y);
  if (__builtin_fabs(x) > 22) {
    double tail = 4 * exp(-2 * __builtin_fabs(x));
    return make(__builtin_copysign(1, x), tail == 0 ? __builtin_copysign(0, s * c) : tail * s * c);
  }
  double h = sinh(x), divisor = h * h + c * c;
  return make(h * __builtin_sqrt(1 + h * h) / divisor, s * c / divisor);
}

Z pwt_tan_c128(Z z) { return over_i(pwt_tanh_c128(times_i(z))); }

Z pwt_asin_c128(Z z) {
  Z a = root(make(1 - __real__ z, -__imag__ z)), b = root(make(1 + __real__ z, __imag__ z));
  double re = angle_of(__real__ z, __real__ a * __real__ b - __imag__ a * __imag__ b);
  return make(re, asinh(__real__ a * __imag__ b - __imag__ a * __real__ b));
}

Z pwt_acos_c128(Z z) {
  Z a = root(make(1 - __real__ z, -__imag__ z)), b = root(make(1 + __real__ z, __imag__ z));
  return make(2 * angle_of(__real__ a, __real__ b), asinh(__real__ b * __imag__ a - __imag__ b * __real__ a));
}

Z pwt_acosh_c128(Z z) {
  Z a = root(make(__real__ z - 1, __imag__ z)), b = root(make(__real__ z + 1, __imag__ z));
  return make(asinh(__real__ a * __real__ b + __imag__ a * __imag__ b), 2 * angle_of(__imag__ a, __real__ b));
}

Z pwt_asinh_c128(Z z) { return over_i(pwt_asin_c128(times_i(z))); }

Z pwt_atanh_c128(Z z) {
  double x = __real__ z, y = __imag__ z, a = __builtin_fabs(x);
  double m = PWT_MAX(a, __builtin_fabs(y));
  if (m > 1e150) { /* 1/z + i pi/2; squares would overflow */
    double re = m == __builtin_inf() ? 0 : __real__ pwt_div_c128(make(1, 0), z);
    return make(__builtin_copysign(re, x), __builtin_copysign(1.5707963267948966, y));
  }
  double re = 0.25 * log1p(4 * a / ((1 - a) * (1 - a) + y * y));
  return make(__builtin_copysign(re, x), 0.5 * angle_of(2 * y, (1 - a) * (1 + a) - y * y));
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
  if (__builtin_fabs(x) + __builtin_fabs(y) > 0.5) return logarithm(make(1 + x, y));
  return make(0.5 * log1p(x * (2 + x) + y * y), angle_of(y, 1 + x));
}

Z pwt_sigmoid_c128(Z z) {
  Z e = exponential(make(-__real__ z, -__imag__ z));
  return pwt_div_c128(make(1, 0), make(1 + __real__ e, __imag__ e));
}

Z pwt_silu_c128(Z z) { return pwt_mul_c128(z, pwt_sigmoid_c128(z)); }

Z pwt_sinc_c128(Z z) {
  if (__real__ z == 0 && __imag__ z == 0) return make(1, 0);
  double x = 3.141592653589793 * __real__ z, y = 3.141592653589793 * __imag__ z;
  return pwt_div_c128(make(sin(x) * cosh(y), cos(x) * sinh(y)), make(x, y));
}

Z pwt_logaddexp_c128(Z a, Z b) {
  Z high = __real__ a >= __real__ b || __real__ a != __real__ a ? a : b, low = high == a ? b : a;
  double top = __real__ high;
  if (top == __builtin_inf() || top == -__builtin_inf()) {
    if (__real__ low != top || top < 0) return high;
    Z sum = exponential(high), other = exponential(low);
    return logarithm(make(__real__ sum + __real__ other, __imag__ sum + __imag__ other));
  }
  Z rest = pwt_log1p_c128(exponential(make(__real__ low - top, __imag__ low - __imag__ high)));
  return make(top + __real__ rest, __imag__ high + __imag__ rest);
}

Z pwt_pow_c128(Z a, Z b) {
  if (b == 0) return make(1, 0);
  if (a == 0 && __real__ b != 0) return make(0, 0);
  if (b == 1) return a;
  if (b == 2) return pwt_mul_c128(a, a);
  return exponential(pwt_mul_c128(b, logarithm(a)));
}
