/* Sums and multiples of contiguous vectors of one type T, IS_COMPLEX or not: a part of spectral_loops.h. */
#pragma once

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline pair at(const double *x) { return *(const pair *)x; }
static inline pair both(double x) { return (pair){x, x}; }
static inline double total(pair x) { return x[0] + x[1]; }

/* ---- complex numbers as pairs of doubles ---- */
static inline pair turned(pair x) { return __builtin_shufflevector(x, x, 1, 0); }
static inline complex128 from_pair(pair x) { return pwt_make_c128(x[0], x[1]); }

static inline complex128 c_times(complex128 a, complex128 b) { return pwt_mul_c128(a, b); }
static inline complex128 c_scaled(complex128 a, double b) { return pwt_make_c128(__real__ a * b, __imag__ a * b); }
static inline double c_size(complex128 a) { return __builtin_fabs(__real__ a) + __builtin_fabs(__imag__ a); }
static inline double c_square(complex128 a) { return __real__ a * __real__ a + __imag__ a * __imag__ a; }

#if IS_COMPLEX
#define TIMES(a, b) c_times(a, b)
#define SCALED(a, b) c_scaled(a, b)
#define CONJ(a) pwt_conj_c128(a)
#define PART(a) (__real__(a))
#define SIZE(a) c_size(a)
#define SQUARE(a) c_square(a)
#define NUMBER(re) pwt_make_c128(re, 0)

/* sum of conj(v) x, or of v x */
static inline T product_sum(int64_t n, const T *v, const T *x, bool conjugated) {
  const double *a = (const double *)v, *b = (const double *)x;
  pair straight = both(0), crossed = both(0), straight1 = both(0), crossed1 = both(0);
  int64_t i = 0;
  for (; i + 4 <= 2 * n; i += 4) {
    straight += at(a + i) * at(b + i), crossed += at(a + i) * turned(at(b + i));
    straight1 += at(a + i + 2) * at(b + i + 2), crossed1 += at(a + i + 2) * turned(at(b + i + 2));
  }
  if (i < 2 * n) straight += at(a + i) * at(b + i), crossed += at(a + i) * turned(at(b + i));
  straight += straight1, crossed += crossed1;
  return conjugated ? pwt_make_c128(straight[0] + straight[1], crossed[0] - crossed[1]) : pwt_make_c128(straight[0] - straight[1], crossed[0] + crossed[1]);
}

/* y += a x, or a conj(x) */
static inline void add_multiple(int64_t n, T a, const T *x, T *y, bool conjugated) {
  double re = __real__ a, im = __imag__ a;
  pair p = {re, conjugated ? -re : re}, q = {conjugated ? im : -im, im};
  for (int64_t i = 0; i < 2 * n; i += 2) {
    pair z = at((const double *)x + i);
    *(pair *)((double *)y + i) += p * z + q * turned(z);
  }
}

#else
#define TIMES(a, b) ((a) * (b))
#define SCALED(a, b) ((a) * (b))
#define CONJ(a) (a)
#define PART(a) (a)
#define SIZE(a) __builtin_fabs(a)
#define SQUARE(a) ((a) * (a))
#define NUMBER(re) (re)

static inline T product_sum(int64_t n, const T *v, const T *x, bool conjugated) {
  (void)conjugated;
  pair sums[4] = {both(0), both(0), both(0), both(0)};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 4; k++) sums[k] += at(v + i + 2 * k) * at(x + i + 2 * k);
  double rest = 0;
  for (; i < n; i++) rest += v[i] * x[i];
  return total((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

static inline void add_multiple(int64_t n, T a, const T *x, T *y, bool conjugated) {
  (void)conjugated;
  int64_t i = 0;
  for (; i + 2 <= n; i += 2) *(pair *)(y + i) += both(a) * at(x + i);
  if (i < n) y[i] += a * x[i];
}
#endif
