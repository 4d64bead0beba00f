/* Factorizations of factor.h for real or complex matrices: the including file defines T, REAL_FIELD, FN and the arithmetic. */

enum { BLOCK = 32 };

static inline void FN(axpy)(int64_t n, T alpha, const T *restrict x, T *restrict y) {
  for (int64_t i = 0; i < n; i++) y[i] += MUL(alpha, x[i]);
}

/* Four sums, so that none waits for the other. */
static T FN(dot_conj)(int64_t n, const T *x, const T *y) {
  T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += MUL(x[i], CONJ(y[i])), s1 += MUL(x[i + 1], CONJ(y[i + 1]));
    s2 += MUL(x[i + 2], CONJ(y[i + 2])), s3 += MUL(x[i + 3], CONJ(y[i + 3]));
  }
  for (; i < n; i++) s0 += MUL(x[i], CONJ(y[i]));
  return (s0 + s1) + (s2 + s3);
}

typedef struct {
  const T *data;
  int64_t row, col;
  bool conj;
} FN(Operand);

static inline T FN(at)(FN(Operand) o, int64_t i, int64_t j) {
  T v = o.data[i * o.row + j * o.col];
  return o.conj ? CONJ(v) : v;
}

/* C += sign * A B. Complex products are real ones: A as it lies, of m × 2k numbers, times B with each element as a 2 × 2 matrix. */
static void FN(add_product)(int64_t m, int64_t n, int64_t k, double sign, FN(Operand) a, FN(Operand) b, T *c, int64_t ldc) {
  if (m < 1 || n < 1 || k < 1 || pwt_breathe()) return;
  int64_t field = REAL_FIELD ? 1 : 2, space = pwt_gemm_workspace_f64(m, field * n, field * k);
  T *left = pwt_alloc(m * k * (int64_t)sizeof(T));
  double *right = REAL_FIELD ? NULL : pwt_alloc(4 * k * n * 8);
  void *work = space ? pwt_alloc(space) : NULL;
  if (left && (REAL_FIELD || right) && (!space || work)) {
    for (int64_t i = 0; i < m; i++)
      for (int64_t p = 0; p < k; p++) left[i * k + p] = sign * FN(at)(a, i, p);
    if (REAL_FIELD) {
      pwt_gemm_f64(m, n, k, (const double *)left, k, 1, (const double *)b.data, b.row, b.col, (double *)c, ldc, true, work);
    } else {
      for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < n; j++) {
          T v = FN(at)(b, p, j);
          double *at = right + 4 * p * n + 2 * j;
          at[0] = RE(v), at[1] = IM(v), at[2 * n] = -IM(v), at[2 * n + 1] = RE(v);
        }
      pwt_gemm_f64(m, 2 * n, 2 * k, (const double *)left, 2 * k, 1, right, 2 * n, 1, (double *)c, 2 * ldc, true, work);
    }
  }
  pwt_free(left), pwt_free(right), pwt_free(work);
}

/* ---- triangles ---- */
static void FN(solve_triangle)(bool upper, bool unit, int64_t n, int64_t columns, FN(Operand) a, T *b, int64_t ldb) {
  for (int64_t done = 0; done < n; done += BLOCK) {
    int64_t size = PWT_MIN(BLOCK, n - done), first = upper ? n - done - size : done, rest = n - done - size;
    for (int64_t s = 0; s < size; s++) {
      if (pwt_breathe()) return;
      int64_t i = upper ? first + size - 1 - s : first + s;
      for (int64_t j = upper ? i + 1 : first; j < (upper ? first + size : i); j++) FN(axpy)(columns, -FN(at)(a, i, j), b + j * ldb, b + i * ldb);
      if (unit) continue;
      T d = FN(at)(a, i, i);
      for (int64_t c = 0; c < columns; c++) b[i * ldb + c] = DIV(b[i * ldb + c], d);
    }
    int64_t to = upper ? 0 : first + size;
    FN(Operand) left = {a.data + to * a.row + first * a.col, a.row, a.col, a.conj}, right = {b + first * ldb, ldb, 1, false};
    FN(add_product)(rest, columns, size, -1, left, right, b + to * ldb, ldb);
  }
}

static void FN(solve_triangular)(bool upper, bool unit, bool adjoint, int64_t n, int64_t columns, const void *a, int64_t lda, void *b, int64_t ldb) {
  FN(Operand) o = {a, adjoint ? 1 : lda, adjoint ? lda : 1, adjoint};
  FN(solve_triangle)(adjoint ? !upper : upper, unit, n, columns, o, b, ldb);
}

static int64_t FN(cholesky)(int64_t n, void *matrix, int64_t lda) {
  T *a = matrix;
  for (int64_t first = 0; first < n; first += BLOCK) {
    int64_t end = PWT_MIN(first + BLOCK, n);
    FN(Operand) left = {a + first * lda, lda, 1, false}, right = {a + first * lda, 1, lda, true};
    FN(add_product)(n - first, end - first, first, -1, left, right, a + first * lda + first, lda);
    for (int64_t i = first; i < n; i++) {
      if (i % 64 == 0 && pwt_breathe()) return 0;
      T *row = a + i * lda;
      for (int64_t j = first; j < end && j <= i; j++) {
        const T *other = a + j * lda;
        T rest = row[j] - FN(dot_conj)(j - first, row + first, other + first);
        if (j < i) {
          row[j] = rest / RE(other[j]);
        } else {
          if (!(RE(rest) > 0)) return j + 1;
          row[j] = __builtin_sqrt(RE(rest));
        }
      }
    }
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++) a[i * lda + j] = 0;
  return 0;
}

/* ---- LU ---- */
static void FN(swap)(int64_t n, T *x, T *y) {
  for (int64_t i = 0; i < n; i++) {
    T kept = x[i];
    x[i] = y[i], y[i] = kept;
  }
}

static int64_t FN(lu)(int64_t m, int64_t n, void *matrix, int64_t lda, int32_t *pivots, bool pivot) {
  T *a = matrix;
  int64_t k = PWT_MIN(m, n), info = 0;
  for (int64_t first = 0; first < k; first += BLOCK) {
    int64_t end = PWT_MIN(first + BLOCK, k);
    for (int64_t j = first; j < end; j++) {
      if (pwt_breathe()) return 0;
      int64_t best = j;
      for (int64_t i = j + 1; pivot && i < m; i++)
        if (SIZE(a[i * lda + j]) > SIZE(a[best * lda + j])) best = i;
      pivots[j] = (int32_t)best + 1;
      if (best != j) FN(swap)(n, a + j * lda, a + best * lda);
      T d = a[j * lda + j];
      if (d == 0) {
        if (!info) info = j + 1;
        continue;
      }
      for (int64_t i = j + 1; i < m; i++) {
        T *row = a + i * lda;
        row[j] = DIV(row[j], d);
        FN(axpy)(end - j - 1, -row[j], a + j * lda + j + 1, row + j + 1);
      }
    }
    if (end == n) continue;
    FN(Operand) corner = {a + first * lda + first, lda, 1, false}, left = {a + end * lda + first, lda, 1, false};
    FN(solve_triangle)(false, true, end - first, n - end, corner, a + first * lda + end, lda);
    FN(Operand) right = {a + first * lda + end, lda, 1, false};
    FN(add_product)(m - end, n - end, end - first, -1, left, right, a + end * lda + end, lda);
  }
  return info;
}

static void FN(lu_solve)(bool adjoint, int64_t n, int64_t columns, const void *lu, int64_t lda, const int32_t *pivots, void *right, int64_t ldb) {
  T *b = right;
  for (int64_t i = 0; !adjoint && i < n; i++)
    if (pivots[i] - 1 != i) FN(swap)(columns, b + i * ldb, b + (pivots[i] - 1) * ldb);
  FN(solve_triangular)(adjoint, !adjoint, adjoint, n, columns, lu, lda, b, ldb);
  FN(solve_triangular)(!adjoint, adjoint, adjoint, n, columns, lu, lda, b, ldb);
  for (int64_t i = n - 1; adjoint && i >= 0; i--)
    if (pivots[i] - 1 != i) FN(swap)(columns, b + i * ldb, b + (pivots[i] - 1) * ldb);
}

/* ---- Householder ---- */
static double FN(norm)(int64_t n, const T *x, int64_t step) {
  double largest = 0, sum = 0;
  for (int64_t i = 0; i < n; i++) {
    double size = SIZE(x[i * step]);
    if (size > largest || size != size) largest = size; /* NaN stays */
  }
  if (largest == 0 || !(largest < __builtin_inf())) return largest;
  double scale = 1 / largest;
  if (!(scale < __builtin_inf())) return largest;
  for (int64_t i = 0; i < n; i++) {
    double re = RE(x[i * step]) * scale, im = IM(x[i * step]) * scale;
    sum += re * re + im * im;
  }
  return largest * __builtin_sqrt(sum);
}

/* The reflector that sends the column x of n to a multiple of the first unit vector; x[0] becomes that multiple. Alg. 5.1.1,
   with LAPACK's real multiple of the sign that cancels nothing. */
static T FN(reflector)(int64_t n, T *x, int64_t step) {
  double rest = FN(norm)(n - 1, x + step, step);
  T alpha = x[0];
  if (rest == 0 && IM(alpha) == 0) return 0;
  double beta = -__builtin_copysign(pwt_hypot_f64(pwt_hypot_f64(RE(alpha), IM(alpha)), rest), RE(alpha));
  T tau = MAKE((beta - RE(alpha)) / beta, -IM(alpha) / beta);
  T divisor = alpha - beta;
  for (int64_t i = 1; i < n; i++) x[i * step] = DIV(x[i * step], divisor);
  x[0] = beta;
  return tau;
}

/* C -= tau v (v^H C) for the column v of m with v[0] = 1 understood */
static void FN(apply_one)(int64_t m, const T *v, int64_t step, T tau, int64_t n, T *c, int64_t ldc, T *w) {
  if (tau == 0 || n < 1) return;
  for (int64_t j = 0; j < n; j++) w[j] = c[j];
  for (int64_t i = 1; i < m; i++) FN(axpy)(n, CONJ(v[i * step]), c + i * ldc, w);
  for (int64_t j = 0; j < n; j++) w[j] = -MUL(tau, w[j]), c[j] += w[j];
  for (int64_t i = 1; i < m; i++) FN(axpy)(n, v[i * step], w, c + i * ldc);
}

/* Q = I - V T V^H for a block of reflectors (Schreiber and Van Loan, 1989). */
static void FN(apply_block)(bool adjoint, int64_t m, int64_t k, const T *v, int64_t ldv, const T *tau, int64_t n, T *c, int64_t ldc) {
  T *unit = pwt_alloc((m * k + k * k + 2 * k * n) * (int64_t)sizeof(T));
  if (!unit) return;
  T *t = unit + m * k, *w = t + k * k, *tw = w + k * n;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < k; j++) unit[i * k + j] = i > j ? v[i * ldv + j] : (T)(i == j);
  FN(Operand) columns = {unit, k, 1, false}, rows = {unit, 1, k, true};
  for (int64_t i = 0; i < k * k; i++) t[i] = 0;
  FN(add_product)(k, k, m, 1, rows, columns, t, k);
  for (int64_t j = 0; j < k; j++) { /* column j of T from V^H v_j above it */
    for (int64_t i = 0; i < j; i++) {
      T sum = 0;
      for (int64_t p = i; p < j; p++) sum += MUL(t[i * k + p], t[p * k + j]);
      t[i * k + j] = -MUL(tau[j], sum);
    }
    t[j * k + j] = tau[j];
    for (int64_t i = j + 1; i < k; i++) t[i * k + j] = 0;
  }
  for (int64_t i = 0; i < 2 * k * n; i++) w[i] = 0;
  FN(add_product)(k, n, m, 1, rows, (FN(Operand)){c, ldc, 1, false}, w, n);
  FN(add_product)(k, n, k, 1, (FN(Operand)){t, adjoint ? 1 : k, adjoint ? k : 1, adjoint}, (FN(Operand)){w, n, 1, false}, tw, n);
  FN(add_product)(m, n, k, -1, columns, (FN(Operand)){tw, n, 1, false}, c, ldc);
  pwt_free(unit);
}

static void FN(reflect)(bool adjoint, int64_t m, int64_t k, const void *vectors, int64_t ldv, const void *factors, int64_t n, void *target, int64_t ldc) {
  const T *v = vectors, *tau = factors;
  T *c = target;
  if (n < 1) return;
  bool blocks = k > 8 && n > 4;
  T *w = blocks ? NULL : pwt_alloc(n * (int64_t)sizeof(T));
  if (!blocks && !w) return;
  int64_t size = blocks ? BLOCK : 1, parts = (k + size - 1) / size;
  for (int64_t s = 0; s < parts && !pwt_breathe(); s++) {
    int64_t first = (adjoint ? s : parts - 1 - s) * size;
    const T *at = v + first * ldv + first;
    if (blocks) FN(apply_block)(adjoint, m - first, PWT_MIN(size, k - first), at, ldv, tau + first, n, c + first * ldc, ldc);
    else FN(apply_one)(m - first, at, ldv, adjoint ? CONJ(tau[first]) : tau[first], n, c + first * ldc, ldc, w);
  }
  pwt_free(w);
}

static void FN(qr)(int64_t m, int64_t n, void *matrix, int64_t lda, void *factors) {
  T *a = matrix, *tau = factors, w[BLOCK];
  int64_t k = PWT_MIN(m, n);
  for (int64_t first = 0; first < k; first += BLOCK) {
    int64_t end = PWT_MIN(first + BLOCK, k);
    for (int64_t j = first; j < end; j++) {
      if (pwt_breathe()) return;
      T *at = a + j * lda + j;
      tau[j] = FN(reflector)(m - j, at, lda);
      FN(apply_one)(m - j, at, lda, CONJ(tau[j]), end - j - 1, at + 1, lda, w);
    }
    if (end < n) FN(apply_block)(true, m - first, end - first, a + first * lda + first, lda, tau + first, n - end, a + first * lda + end, lda);
  }
}

/* Norms of the columns that are left shrink by what each step removes; where little of one is left it is computed again. */
static void FN(pivoted_qr)(int64_t m, int64_t n, void *matrix, int64_t lda, void *factors, int64_t *order) {
  T *a = matrix, *tau = factors, *w = pwt_alloc((n + 1) * (int64_t)sizeof(T));
  double *norms = pwt_alloc((2 * n + 1) * 8), *whole = norms + n;
  for (int64_t j = 0; w && norms && j < n; j++) order[j] = j, norms[j] = whole[j] = FN(norm)(m, a + j, lda);
  for (int64_t k = 0; w && norms && k < PWT_MIN(m, n) && !pwt_breathe(); k++) {
    int64_t best = k;
    for (int64_t j = k + 1; j < n; j++)
      if (norms[j] > norms[best]) best = j;
    if (best != k) {
      for (int64_t i = 0; i < m; i++) FN(swap)(1, a + i * lda + k, a + i * lda + best);
      int64_t kept = order[k];
      order[k] = order[best], order[best] = kept;
      norms[best] = norms[k], whole[best] = whole[k];
    }
    T *at = a + k * lda + k;
    tau[k] = FN(reflector)(m - k, at, lda);
    FN(apply_one)(m - k, at, lda, CONJ(tau[k]), n - k - 1, at + 1, lda, w);
    for (int64_t j = k + 1; j < n; j++) {
      T *column = a + k * lda + j;
      if (!(norms[j] > 0)) continue;
      double part = pwt_hypot_f64(RE(*column), IM(*column)) / norms[j], left = (1 + part) * (1 - part), of_whole = norms[j] / whole[j];
      if (left * of_whole * of_whole > 1.5e-8) norms[j] *= __builtin_sqrt(left);
      else norms[j] = whole[j] = FN(norm)(m - k - 1, column + lda, lda);
    }
  }
  pwt_free(w), pwt_free(norms);
}

/* ---- symmetric indefinite (Bunch and Kaufman, 1977), with LAPACK's pivots: negative for both rows of a 2 × 2 block ---- */
#define A(i, j) a[(i) * lda + (j)]
#define TURN(x) (hermitian ? CONJ(x) : (x))

static inline double FN(diagonal_size)(bool hermitian, T x) { return hermitian ? pwt_abs_f64(RE(x)) : SIZE(x); }

/* The row that pivots column k, and whether it does so in a 2 × 2 block. */
static int64_t FN(ldl_pivot)(bool hermitian, int64_t n, const T *a, int64_t lda, int64_t k, bool *pair, bool *singular) {
  const double alpha = 0.6403882032022076; /* (1 + sqrt 17) / 8 */
  int64_t r = k;
  double diagonal = FN(diagonal_size)(hermitian, A(k, k)), column = 0, row = 0;
  *pair = false;
  for (int64_t i = k + 1; i < n; i++)
    if (SIZE(A(i, k)) > column) column = SIZE(A(i, k)), r = i;
  *singular = !(PWT_MAX(diagonal, column) > 0);
  if (*singular || !(diagonal < alpha * column)) return k;
  for (int64_t j = k; j < r; j++) row = PWT_MAX(row, SIZE(A(r, j)));
  for (int64_t i = r + 1; i < n; i++) row = PWT_MAX(row, SIZE(A(i, r)));
  if (diagonal >= alpha * column * (column / row)) return k;
  *pair = !(FN(diagonal_size)(hermitian, A(r, r)) >= alpha * row);
  return r;
}

static void FN(ldl_swap)(bool hermitian, int64_t n, T *a, int64_t lda, int64_t k, int64_t q, int64_t p) {
  for (int64_t i = p + 1; i < n; i++) FN(swap)(1, &A(i, q), &A(i, p));
  for (int64_t j = q + 1; j < p; j++) {
    T kept = TURN(A(j, q));
    A(j, q) = TURN(A(p, j)), A(p, j) = kept;
  }
  A(p, q) = TURN(A(p, q));
  FN(swap)(1, &A(q, q), &A(p, p));
  if (q > k) FN(swap)(1, &A(q, k), &A(p, k));
}

typedef struct {
  T first, second, below, above; /* the block over |below|, and what the solutions are divided by */
  T divisor;
} FN(Block);

static FN(Block) FN(block_of)(bool hermitian, const T *a, int64_t lda, int64_t k) {
  T b = A(k + 1, k);
  double size = pwt_hypot_f64(RE(b), IM(b));
  FN(Block) d = {A(k, k) / size, A(k + 1, k + 1) / size, b / size, TURN(b) / size, 0};
  d.divisor = (MUL(d.first, d.second) - MUL(d.below, d.above)) * size;
  return d;
}

static int64_t FN(ldl)(bool hermitian, int64_t n, void *matrix, int64_t lda, int32_t *pivots) {
  T *a = matrix, *l = pwt_alloc((2 * n + 1) * (int64_t)sizeof(T));
  int64_t info = 0;
  if (!l) return 0;
  for (int64_t k = 0; k < n;) {
    bool pair, singular;
    int64_t p = FN(ldl_pivot)(hermitian, n, a, lda, k, &pair, &singular), q = k + pair, end = q + 1;
    if (singular && !info) info = k + 1;
    if (p != q) FN(ldl_swap)(hermitian, n, a, lda, k, q, p);
    if (hermitian) {
      for (int64_t i = k; i < end; i++) A(i, i) = RE(A(i, i));
      A(p, p) = RE(A(p, p));
    }
    pivots[k] = pivots[q] = (int32_t)(pair ? -(p + 1) : p + 1);
    FN(Block) d = {0};
    if (pair) d = FN(block_of)(hermitian, a, lda, k);
    for (int64_t i = end; i < n && !singular; i++) {
      T x = A(i, k), y = pair ? A(i, q) : 0;
      l[2 * i] = pair ? DIV(MUL(x, d.second) - MUL(y, d.below), d.divisor) : DIV(x, A(k, k));
      l[2 * i + 1] = pair ? DIV(MUL(y, d.first) - MUL(x, d.above), d.divisor) : 0;
      for (int64_t j = end; j <= i; j++) A(i, j) -= MUL(x, TURN(l[2 * j])) + MUL(y, TURN(l[2 * j + 1]));
      if (hermitian) A(i, i) = RE(A(i, i));
    }
    for (int64_t i = end; i < n && !singular; i++) {
      A(i, k) = l[2 * i];
      if (pair) A(i, q) = l[2 * i + 1];
    }
    k = end;
  }
  pwt_free(l);
  return info;
}

static void FN(ldl_solve)(bool hermitian, int64_t n, int64_t columns, const void *factors, int64_t lda, const int32_t *pivots, void *right, int64_t ldb) {
  const T *a = factors;
  T *b = right;
  for (int64_t k = 0; k < n;) {
    bool pair = pivots[k] < 0 && k + 1 < n;
    int64_t q = k + pair, p = (pivots[k] < 0 ? -pivots[k] : pivots[k]) - 1;
    if (p != q) FN(swap)(columns, b + q * ldb, b + p * ldb);
    for (int64_t i = q + 1; i < n; i++)
      for (int64_t c = k; c <= q; c++) FN(axpy)(columns, -A(i, c), b + c * ldb, b + i * ldb);
    if (pair) {
      FN(Block) d = FN(block_of)(hermitian, a, lda, k);
      for (int64_t j = 0; j < columns; j++) { /* of [[first, above], [below, second]] */
        T x = b[k * ldb + j], y = b[q * ldb + j];
        b[k * ldb + j] = DIV(MUL(d.second, x) - MUL(d.above, y), d.divisor);
        b[q * ldb + j] = DIV(MUL(d.first, y) - MUL(d.below, x), d.divisor);
      }
    } else {
      for (int64_t j = 0; j < columns; j++) b[k * ldb + j] = DIV(b[k * ldb + j], A(k, k));
    }
    k = q + 1;
  }
  for (int64_t q = n - 1; q >= 0;) {
    bool pair = pivots[q] < 0 && q > 0;
    int64_t k = q - pair, p = (pivots[q] < 0 ? -pivots[q] : pivots[q]) - 1;
    for (int64_t i = q + 1; i < n; i++)
      for (int64_t c = k; c <= q; c++) FN(axpy)(columns, -TURN(A(i, c)), b + i * ldb, b + c * ldb);
    if (p != q) FN(swap)(columns, b + q * ldb, b + p * ldb);
    q = k - 1;
  }
}
#undef A
#undef TURN

const Factors FN(pwt_factors) = {
    .lu = FN(lu), .lu_solve = FN(lu_solve), .solve_triangular = FN(solve_triangular), .cholesky = FN(cholesky), .qr = FN(qr),
    .pivoted_qr = FN(pivoted_qr), .reflect = FN(reflect), .ldl = FN(ldl), .ldl_solve = FN(ldl_solve),
};
