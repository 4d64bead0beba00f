/* Non-inline copies of vmath's double functions, each compiled once. */
#include "special_calls.h"

#include "special.h"
#include "vmath.h"

double pwt_call_exp(double x) { return pwt_exp_f64(x); }
double pwt_call_log(double x) { return pwt_log_f64(x); }
double pwt_call_log1p(double x) { return pwt_log1p_f64(x); }
double pwt_call_expm1(double x) { return pwt_expm1_f64(x); }
double pwt_call_sin(double x) { return pwt_sin_f64(x); }
double pwt_call_cos(double x) { return pwt_cos_f64(x); }
double pwt_call_acos(double x) { return pwt_acos_f64(x); }
double pwt_call_acosh(double x) { return pwt_acosh_f64(x); }
double pwt_call_sinh(double x) { return pwt_sinh_f64(x); }
double pwt_call_cosh(double x) { return pwt_cosh_f64(x); }
double pwt_call_erfc(double x) { return pwt_erfc_f64(x); }
double pwt_call_lgamma(double x) { return pwt_lgamma_f64(x); }
double pwt_call_digamma(double x) { return pwt_digamma_f64(x); }
double pwt_call_lgamma1p(double x) { return x > 1 ? pwt_call_lgamma(1 + x) : pwt_lgamma_near_two_f64(x) - pwt_call_log1p(x); }
double pwt_call_erfcx(double x) { return pwt_erfcx_times_f64(x, (pwt_exp_parts_f64){0, 0}, 1); }
double pwt_call_pow(double x, double y) { return pwt_pow_f64(x, y); }
double pwt_call_fmod(double x, double y) { return pwt_fmod_f64(x, y); }

double pwt_normal_inverse_f64(double p) { return pwt_ndtri_f64(p); }
double pwt_log_gamma_f64(double x) { return pwt_call_lgamma(x); }
double pwt_log_gamma_slope_f64(double x) { return pwt_call_digamma(x); }
