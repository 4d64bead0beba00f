/* Factorizations of real matrices. */
#include "factor.h"

#include "base/parallel.h"
#include "math.h"
#include "matmul/gemm.h"

#define T double
#define REAL_FIELD 1
#define FN(name) name##_f64
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define CONJ(a) (a)
#define RE(a) (a)
#define IM(a) 0.0
#define MAKE(re, im) (re)
#define SIZE(a) pwt_abs_f64(a)

#include "factor_field.h"
