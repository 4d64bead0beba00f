/* Elementary functions (exp, log, sin, tanh, …): branch-free, so that clang vectorizes a plain loop over them, and
 * with the same bits in WebAssembly and natively (compile with -ffp-contract=off).
 * core-c/tools/vmath_fits.py derives the polynomials' coefficients; tests/core/vmath_sweep.c measures the errors. */
#ifndef PWT_VMATH_H
#define PWT_VMATH_H

#include "vmath_erf.h"
#include "vmath_f32.h"
#include "vmath_f64.h"
#include "vmath_gamma.h"
#include "vmath_int.h"
#include "vmath_mod.h"
#include "vmath_pow.h"

#define REAL float
#define WORD uint32_t
#define FN(name) pwt_##name##_f32
#define NORMAL_LIMIT 15
#include "vmath_generic.h"
#undef REAL
#undef WORD
#undef FN
#undef NORMAL_LIMIT

#define REAL double
#define WORD uint64_t
#define FN(name) pwt_##name##_f64
#define NORMAL_LIMIT 39
#include "vmath_generic.h"
#undef REAL
#undef WORD
#undef FN
#undef NORMAL_LIMIT

#include "vmath_wide.h"

#include "vmath_block.h"

#endif
