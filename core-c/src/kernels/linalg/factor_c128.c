/* Factorizations of complex matrices. Pivots are chosen by |re| + |im|, as in LAPACK. */
#include "factor.h"

#include "base/parallel.h"
#include "math.h"
#include "matmul/gemm.h"

#define T complex128
#define REAL_FIELD 0
#define FN(name) name##_c128
#define MUL(a, b) pwt_mul_c128(a, b)
#define DIV(a, b) pwt_div_c128(a, b)
#define CONJ(a) pwt_conj_c128(a)
#define RE(a) (__real__(a))
#define IM(a) (__imag__(a))
#define MAKE(re, im) pwt_make_c128(re, im)
#define SIZE(a) (pwt_abs_f64(__real__(a)) + pwt_abs_f64(__imag__(a)))

#include "factor_field.h"
