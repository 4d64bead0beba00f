/* Special functions, compiled once, in double: a pointwise entry with `compute: double` converts float32 to and from it.
 * Arguments outside the domain give NaN. DLMF is the NIST Digital Library of Mathematical Functions. */
#pragma once
#include "base.h"

/* ---- Bessel and Airy functions (special_bessel.c) ---- */
double pwt_bessel_j0_f64(double x);
double pwt_bessel_j1_f64(double x);
double pwt_bessel_y0_f64(double x);
double pwt_bessel_y1_f64(double x);
double pwt_bessel_i0_f64(double x);
double pwt_bessel_i1_f64(double x);
double pwt_i0e_f64(double x); /* e^-|x| I0(x) */
double pwt_i1e_f64(double x);
double pwt_bessel_k0_f64(double x);
double pwt_bessel_k1_f64(double x);
double pwt_scaled_k0_f64(double x); /* e^x K0(x) */
double pwt_scaled_k1_f64(double x);
double pwt_spherical_j0_f64(double x);
double pwt_airy_ai_f64(double x);

/* ---- the gamma function's relatives (special_gamma.c) ---- */
double pwt_log_gamma_f64(double x);
double pwt_log_gamma_slope_f64(double x);
double pwt_zeta_f64(double s, double q);        /* Hurwitz */
double pwt_polygamma_f64(double x, double n);   /* the n-th derivative of digamma, n a whole number */
double pwt_gamma_p_f64(double a, double x);     /* incomplete, of the total: lower */
double pwt_gamma_q_f64(double a, double x);     /* and upper */

/* ---- relatives of erfc and log (special_erf.c, special_calls.c) ---- */
double pwt_erfcx_f64(double x);
double pwt_log_ndtr_f64(double x);
double pwt_entr_f64(double x);
double pwt_normal_inverse_f64(double p);
double pwt_x_log1p_f64(double x, double y);

/* ---- orthogonal polynomials of degree n, cut to a whole number; 0 below degree 0 (special_polynomials.c) ---- */
double pwt_chebyshev_t_f64(double x, double n);
double pwt_chebyshev_u_f64(double x, double n);
double pwt_chebyshev_v_f64(double x, double n);
double pwt_chebyshev_w_f64(double x, double n);
double pwt_hermite_h_f64(double x, double n);
double pwt_hermite_he_f64(double x, double n);
double pwt_laguerre_f64(double x, double n);
double pwt_legendre_f64(double x, double n);
