/* Factorizations of single matrices and solves with their factors, in double and in complex double.

   Matrices are row-major; a leading dimension is the distance of rows in elements. Factors, pivots and signs are those of
   LAPACK (Anderson et al., LAPACK Users' Guide, 3rd ed.); the blocked algorithms are those of Golub and Van Loan, Matrix
   Computations, 4th ed. An allocation failure is recorded, the results are then undefined. */
#pragma once
#include "call.h"

typedef struct {
  /* P L U in place, pivots from 1; returns 0 or the number of the first pivot that is zero. Alg. 3.4.1 in blocks. */
  int64_t (*lu)(int64_t m, int64_t n, void *a, int64_t lda, int32_t *pivots, bool pivot);
  /* B := A^-1 B, or A^-H B, from lu. */
  void (*lu_solve)(bool adjoint, int64_t n, int64_t columns, const void *lu, int64_t lda, const int32_t *pivots, void *b, int64_t ldb);
  /* B := A^-1 B or A^-H B for a triangular A. */
  void (*solve_triangular)(bool upper, bool unit, bool adjoint, int64_t n, int64_t columns, const void *a, int64_t lda, void *b, int64_t ldb);
  /* L of A = L L^H in place of the lower triangle; zeros above. 0, or the order of the minor that is not positive. Alg. 4.2.1 */
  int64_t (*cholesky)(int64_t n, void *a, int64_t lda);
  /* R above, Householder vectors below the diagonal. Alg. 5.2.2 */
  void (*qr)(int64_t m, int64_t n, void *a, int64_t lda, void *tau);
  /* With column pivoting: column j of A P is column order[j] of A. Alg. 5.4.1 */
  void (*pivoted_qr)(int64_t m, int64_t n, void *a, int64_t lda, void *tau, int64_t *order);
  /* C := Q C or Q^H C for the product Q of k reflectors; C is m × n. By blocks I - V T V^H (Schreiber and Van Loan, 1989). */
  void (*reflect)(bool adjoint, int64_t m, int64_t k, const void *v, int64_t ldv, const void *tau, int64_t n, void *c, int64_t ldc);
  /* L D L^T (or L^H) in place of the lower triangle, by Bunch and Kaufman; returns 0 or the first block of D that is singular. */
  int64_t (*ldl)(bool hermitian, int64_t n, void *a, int64_t lda, int32_t *pivots);
  void (*ldl_solve)(bool hermitian, int64_t n, int64_t columns, const void *ld, int64_t lda, const int32_t *pivots, void *b, int64_t ldb);
} Factors;

extern const Factors pwt_factors_f64, pwt_factors_c128;

static inline DType pwt_factor_dtype(DType dtype) { return pwt_is_complex(dtype) ? PWT_COMPLEX128 : PWT_FLOAT64; }
static inline const Factors *pwt_factors_of(DType dtype) { return pwt_is_complex(dtype) ? &pwt_factors_c128 : &pwt_factors_f64; }

/* ---- tensors of matrices, below autograd (factor.c) ---- */
typedef struct {
  Tensor *tensor; /* contiguous, of pwt_factor_dtype */
  int64_t count, m, n, bytes; /* of matrices, rows, columns, bytes of one */
} Matrices;

/* A copy (or the tensor itself, where `shared`, if it has the layout) of matrices or of their adjoints. */
bool pwt_matrices(Matrices *to, Tensor *from, bool adjoint, bool shared);
bool pwt_new_matrices(Matrices *to, const Tensor *batch_of, int64_t m, int64_t n, DType dtype);
static inline void *pwt_matrix(const Matrices *m, int64_t i) { return (char *)pwt_data(m->tensor) + i * m->bytes; }
Tensor *pwt_from_matrices(Tensor *t, bool adjoint, DType dtype);
Tensor *pwt_batch_zeros(const Tensor *matrices, int64_t last, DType dtype); /* of the batch's sizes, and `last` where not negative */
Tensor *pwt_expand_batch(Tensor *t, int tail, int ndim, const int64_t *batch); /* all but the last `tail` dimensions */
bool pwt_solves_vector(const Tensor *a, const Tensor *b);
void pwt_keep_triangle(const Matrices *m, bool upper);

/* torch's refusals */
bool pwt_check_matrices(Tensor *t, const char *function, const char *name);
bool pwt_check_square(Tensor *t, const char *function, const char *name);
bool pwt_check_factorable(Tensor *t, const char *function, bool low_precision); /* floating point or complex */
bool pwt_check_factor_kernel(Tensor *t, const char *kernel);
bool pwt_check_equation(Tensor *b, Tensor *a, const char *function); /* A X = B of older functions */
