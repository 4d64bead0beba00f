/* Eigenvalues and singular values of one matrix on plain buffers, in double and complex double.

   Matrices are row-major. Vectors come as rows, so that a transformation of two vectors runs over contiguous memory.
   A matrix may hold any finite numbers: it is scaled by a power of two first, so that nothing overflows on the way.
   Each function returns false where its iteration does not converge. `work` is aligned to 64 bytes and holds what
   pwt_spectral_workspace says. */
#pragma once
#include "base.h"

/* Real rotations of neighbouring rows: (a, b) becomes (c a + s b, c b - s a). They are collected and applied to a panel
   of columns at a time, which stays in the first-level cache. */
typedef struct {
  double c, s;
  int64_t row;
} Rotation;

typedef struct {
  double *rows; /* n × n; NULL: vectors are not wanted */
  int64_t n, count, capacity;
  Rotation *list;
} Rotations;

void pwt_rotations_apply(Rotations *rotations);
static inline void pwt_rotate_later(Rotations *to, int64_t row, double c, double s) {
  if (!to->rows) return;
  to->list[to->count++] = (Rotation){c, s, row};
  if (to->count == to->capacity) pwt_rotations_apply(to);
}

/* Eigenvalues d of the symmetric tridiagonal matrix with off-diagonal e, ascending; the rows of `vectors` turn along. */
bool pwt_tridiagonal_qr(int64_t n, double *d, double *e, Rotations *vectors);
/* Singular values d of the upper bidiagonal matrix, descending; left and right vectors turn along. */
bool pwt_bidiagonal_qr(int64_t n, double *d, double *e, Rotations *left, Rotations *right);

/* c and s that turn (x, z) into (r, 0). What is negligible beside a matrix scaled to 1 counts as zero. */
#define PWT_NEGLIGIBLE 1e-280
static inline double pwt_rotation_of(double x, double z, double *c, double *s) {
  double square = x * x + z * z;
  *c = 1, *s = 0;
  if (z == 0 || square < PWT_NEGLIGIBLE) return x;
  double r = __builtin_copysign(__builtin_sqrt(square), x);
  *c = x / r, *s = z / r;
  return r;
}

/* 2 to the power that brings `largest` near 1; 1 for 0. */
double pwt_power_of_two_near(double largest);

int64_t pwt_spectral_workspace(int64_t m, int64_t n, int64_t itemsize);

#define PWT_SPECTRAL(S, T)                                                                                              \
  /* Of the Hermitian matrix in a's lower or upper triangle; `rows` n × n or NULL. Destroys a. */                       \
  bool pwt_eigh_##S(int64_t n, T *a, bool upper, double *values, T *rows, void *work);                                  \
  /* m >= n. `left` is [left_count, m], left_count n or m, or NULL; `right` n × n or NULL: the vectors, not conjugated. */ \
  bool pwt_svd_##S(int64_t m, int64_t n, T *a, double *values, T *left, int64_t left_count, T *right, void *work);      \
  /* Of a square matrix; `rows` n × n or NULL. Destroys a. */                                                           \
  bool pwt_eig_##S(int64_t n, T *a, complex128 *values, complex128 *rows, void *work);
PWT_SPECTRAL(f64, double)
PWT_SPECTRAL(c128, complex128)
