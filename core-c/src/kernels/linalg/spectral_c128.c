/* Eigenvalues and singular values of complex matrices. */
#include "spectral_buffers.h"

#include "base/parallel.h"
#include "math.h"

#define T complex128
#define IS_COMPLEX 1
#define NAME(function) pwt_##function##_c128
#define SCHUR "schur_complex.h"
#include "spectral_loops.h"
