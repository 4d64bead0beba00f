/* Non-inline copies of vmath's double functions, for code where speed does not matter. */
#pragma once
double pwt_call_exp(double x);
double pwt_call_log(double x);
double pwt_call_log1p(double x);
double pwt_call_expm1(double x);
double pwt_call_sin(double x);
double pwt_call_cos(double x);
double pwt_call_acos(double x);
double pwt_call_acosh(double x);
double pwt_call_sinh(double x);
double pwt_call_cosh(double x);
double pwt_call_erfc(double x);
double pwt_call_lgamma(double x);
double pwt_call_digamma(double x);
double pwt_call_lgamma1p(double x); /* ln gamma(1 + x), 0 <= x */
double pwt_call_erfcx(double x);    /* for x >= 0 */
double pwt_call_pow(double x, double y);
double pwt_call_fmod(double x, double y);
