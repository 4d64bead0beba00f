/* Eigenvalues and singular values of real matrices. */
#include "spectral_buffers.h"

#include "base/parallel.h"
#include "math.h"

#define T double
#define IS_COMPLEX 0
#define NAME(function) pwt_##function##_f64
#define SCHUR "schur_real.h"
#include "spectral_loops.h"
