/* Discrete Fourier transforms of batches of rows, in double, below tensors. Real and imaginary parts lie apart and the
   rows of a batch lie interleaved, element k of row b at [k * batch + b], so that loops over them are vector code. */
#pragma once
#include "base.h"

#define FFT_LARGEST_RADIX 31 /* a length with a larger prime factor goes by Bluestein's way */

typedef struct {
  double *re, *im;
} Parts;

typedef struct FftPlan {
  int64_t n, length; /* of the transform; of the arrays that it works in */
  int count;
  int radices[64];
  Parts roots;           /* exp(-2 pi i k / n) */
  struct FftPlan *inner; /* Bluestein: the convolution's, with `chirp` of n elements and `filter`, the transform of its conjugate */
  Parts chirp, filter;
  struct FftPlan *columns, *lines; /* a long length as a matrix: first along its columns, then along its lines */
  Parts low, high;                 /* roots k and k << shift: their products are all roots */
  int shift;
  int64_t work; /* how many doubles pwt_fft_run needs beside its arrays */
} FftPlan;

#define FFT_APART 136 /* doubles between arrays, so that equal places of them do not meet in one cache line set */
#define FFT_LONG 8192 /* longer ones are transformed as matrices, one at a time */
#define FFT_LINES 8

/* The plan in scratch memory, or NULL with a recorded MemoryError. */
FftPlan *pwt_fft_plan(int64_t n);
/* sum over j of x[j] exp(-2 pi i jk / n) for a batch; both are arrays of length * batch, and the result is in the one returned.
   Of a plan with `columns` the batch is 1. The other direction is the same with real and imaginary parts exchanged. */
Parts pwt_fft_run(const FftPlan *plan, int64_t batch, Parts x, Parts spare, double *work);
/* exp(-2 pi i k / n), 0 <= k < n */
void pwt_fft_root(int64_t k, int64_t n, double *re, double *im);
/* The first `count` of these, by products of two short tables. */
bool pwt_fft_roots(Parts *to, int64_t count, int64_t n);
