/* Reductions by Householder's reflections, and the decompositions built on them, for one type T: see spectral_buffers.h.
   Golub and Van Loan, Matrix Computations, 5.1 (reflections), 5.4.8 (bidiagonal), 7.4 (Hessenberg), 8.3.1 (tridiagonal). */
#include "spectral_vector.h"

/* H = 1 - tau v v^H with v[pivot] = 1 */
typedef struct {
  const T *v;
  int64_t start, count; /* where v lies in the vectors that it reflects */
  T tau;
} Reflection;

/* Makes v of x, so that H^H x is `beta` at the pivot and zero elsewhere; returns beta, which is real. */
static double reflection_of(int64_t n, T *x, int64_t pivot, T *tau) {
  T alpha = x[pivot];
  x[pivot] = NUMBER(0);
  double rest = PART(product_sum(n, x, x, true)), re = PART(alpha);
  double off = rest + SQUARE(alpha) - re * re;
  *tau = NUMBER(0);
  if (rest < PWT_NEGLIGIBLE && off < PWT_NEGLIGIBLE) {
    pwt_fill_bytes(x, 0, n * (int64_t)sizeof(T));
    x[pivot] = NUMBER(1);
    return re;
  }
  double beta = -__builtin_copysign(__builtin_sqrt(rest + SQUARE(alpha)), re);
#if IS_COMPLEX
  *tau = pwt_make_c128((beta - re) / beta, -__imag__ alpha / beta);
  T factor = pwt_div_c128(NUMBER(1), pwt_make_c128(re - beta, __imag__ alpha));
#else
  *tau = (beta - re) / beta;
  T factor = 1 / (alpha - beta);
#endif
  for (int64_t i = 0; i < n; i++) x[i] = TIMES(x[i], factor);
  x[pivot] = NUMBER(1);
  return beta;
}

typedef struct {
  T *rows;
  int64_t length; /* of a row */
  const Reflection *list;
  int64_t count;
  bool backwards; /* the last reflection first */
} RowReflections;

enum { REFLECTED_ROWS = 4 };

/* Each row r becomes r H1^T H2^T …; a few rows at a time, so that each v is read once for them. */
static void reflect_rows(void *context, int64_t begin, int64_t end) {
  const RowReflections *job = context;
  for (int64_t block = begin; block < end; block += REFLECTED_ROWS)
    for (int64_t k = 0; k < job->count; k++) {
      const Reflection *h = job->list + (job->backwards ? job->count - 1 - k : k);
      for (int64_t r = block; r < end && r < block + REFLECTED_ROWS; r++) {
        T *row = job->rows + r * job->length + h->start;
        T sum = TIMES(h->tau, product_sum(h->count, h->v, row, true));
        add_multiple(h->count, SCALED(sum, -1), h->v, row, false);
      }
    }
}

static void reflect_all(T *rows, int64_t count, int64_t length, const Reflection *list, int64_t reflections, bool backwards) {
  RowReflections job = {rows, length, list, reflections, backwards};
  pwt_parallel_for(count, PWT_MAX(pwt_grain(1 << 18, reflections * length), REFLECTED_ROWS), reflect_rows, &job);
}

/* Rows of a real matrix in rows of `to`; what is beyond it is of the unit matrix. */
static void widened(T *to, int64_t rows, int64_t length, const double *from, int64_t n) {
  pwt_fill_bytes(to, 0, rows * length * (int64_t)sizeof(T));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) to[i * length + j] = NUMBER(from[i * n + j]);
  for (int64_t i = n; i < rows; i++) to[i * length + i] = NUMBER(1);
}

static void unit(double *to, int64_t n) {
  pwt_fill_bytes(to, 0, n * n * 8);
  for (int64_t i = 0; i < n; i++) to[i * n + i] = 1;
}

/* Scales the matrix so that its largest part is near 1; returns by what. */
static double normalised(T *a, int64_t count) {
  double largest = 0, *parts = (double *)a;
  int64_t n = count * (int64_t)(sizeof(T) / 8);
  for (int64_t i = 0; i < n; i++) largest = PWT_MAX(largest, __builtin_fabs(parts[i]));
  double scale = pwt_power_of_two_near(largest);
  if (scale != 1)
    for (int64_t i = 0; i < n; i++) parts[i] *= scale;
  return scale;
}

static void *carve(char **work, int64_t bytes) {
  void *at = *work;
  *work += (bytes + 63) & ~(int64_t)63;
  return at;
}

static Rotations rotations_over(double *rows, int64_t n, char **work) {
  int64_t capacity = PWT_MAX(16 * n, 64);
  return (Rotations){rows, n, 0, capacity, carve(work, capacity * (int64_t)sizeof(Rotation))};
}

/* ---- Hermitian matrices ---- */
/* One row of the lower triangle in both of its roles: returns sum of row[c] v[c]; p[c] += conj(row[c]) factor. */
static T hermitian_row(int64_t n, const T *restrict row, const T *restrict v, T factor, T *restrict p) {
#if IS_COMPLEX
  pair straight = both(0), crossed = both(0);
  double re = __real__ factor, im = __imag__ factor;
  pair a = {re, -re}, b = {im, im};
  for (int64_t i = 0; i < 2 * n; i += 2) {
    pair x = at((const double *)row + i), y = at((const double *)v + i);
    straight += x * y, crossed += x * turned(y);
    *(pair *)((double *)p + i) += a * x + b * turned(x);
  }
  return pwt_make_c128(straight[0] - straight[1], crossed[0] + crossed[1]);
#else
  pair sums = both(0), others = both(0);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    pair x = at(row + i), y = at(row + i + 2);
    sums += x * at(v + i), others += y * at(v + i + 2);
    *(pair *)(p + i) += x * both(factor);
    *(pair *)(p + i + 2) += y * both(factor);
  }
  double sum = total(sums + others);
  for (; i < n; i++) sum += row[i] * v[i], p[i] += row[i] * factor;
  return sum;
#endif
}

/* The lower triangle to tridiagonal form, last row first; row i keeps the vector of its reflection, of length i. */
static void tridiagonalise(int64_t n, T *a, double *d, double *e, Reflection *list, T *v, T *w) {
  for (int64_t i = n - 1; i > 0 && !pwt_breathe(); i--) {
    T *row = a + i * n, tau;
    d[i] = PART(row[i]);
    for (int64_t c = 0; c < i; c++) row[c] = CONJ(row[c]);
    e[i - 1] = reflection_of(i, row, i - 1, &tau);
    list[i - 1] = (Reflection){row, 0, i, tau};
    if (SQUARE(tau) == 0) continue;
    pwt_copy_bytes(v, row, i * (int64_t)sizeof(T));
    pwt_fill_bytes(w, 0, i * (int64_t)sizeof(T));
    for (int64_t r = 0; r < i; r++) {
      T sum = hermitian_row(r, a + r * n, v, v[r], w);
      w[r] += sum + SCALED(v[r], PART(a[r * n + r]));
    }
    for (int64_t r = 0; r < i; r++) w[r] = TIMES(tau, w[r]);
    T half = SCALED(TIMES(tau, product_sum(i, w, v, true)), -0.5);
    add_multiple(i, half, v, w, false);
    for (int64_t r = 0; r < i; r++) {
      add_multiple(r + 1, SCALED(v[r], -1), w, a + r * n, true);
      add_multiple(r + 1, SCALED(w[r], -1), v, a + r * n, true);
    }
  }
  if (n) d[0] = PART(a[0]);
}

bool NAME(eigh)(int64_t n, T *a, bool upper, double *values, T *rows, void *work) {
  char *free = work;
  for (int64_t i = 0; upper && i < n; i++)
    for (int64_t j = i; j < n; j++) a[j * n + i] = CONJ(a[i * n + j]);
  for (int64_t i = 0; i < n; i++) {
    a[i * n + i] = NUMBER(PART(a[i * n + i]));
    for (int64_t j = i + 1; j < n; j++) a[i * n + j] = NUMBER(0);
  }
  double scale = normalised(a, n * n), *e = carve(&free, n * 8);
  Reflection *list = carve(&free, n * (int64_t)sizeof *list);
  T *v = carve(&free, n * (int64_t)sizeof(T)), *w = carve(&free, n * (int64_t)sizeof(T));
  double *turns = carve(&free, n * n * 8);
  Rotations rotations = rotations_over(rows ? turns : NULL, n, &free);
  tridiagonalise(n, a, values, e, list, v, w);
  if (pwt_failed()) return true;
  if (rows) unit(turns, n);
  if (!pwt_tridiagonal_qr(n, values, e, &rotations)) return false;
  for (int64_t i = 0; i < n; i++) values[i] /= scale;
  if (rows) {
    widened(rows, n, n, turns, n);
    reflect_all(rows, n, n, list, PWT_MAX(n - 1, 0), false);
  }
  return true;
}

/* ---- singular values ---- */
/* A = H1 H2 … B (G1 G2 …)^H; the rows of `lefts` and what is right of a's diagonal keep the vectors. */
static void bidiagonalise(int64_t m, int64_t n, T *a, double *d, double *e, T *lefts, Reflection *left, Reflection *right, T *w) {
  for (int64_t k = 0; k < n && !pwt_breathe(); k++) {
    T *v = lefts + k * m, tau;
    for (int64_t i = k; i < m; i++) v[i] = a[i * n + k];
    d[k] = reflection_of(m - k, v + k, 0, &tau);
    left[k] = (Reflection){v + k, k, m - k, tau};
    int64_t rest = n - k - 1;
    if (!rest) continue;
    pwt_fill_bytes(w, 0, rest * (int64_t)sizeof(T));
    for (int64_t i = k; i < m; i++) add_multiple(rest, CONJ(v[i]), a + i * n + k + 1, w, false);
    T *row = a + k * n + k + 1, step = SCALED(CONJ(tau), -1);
    for (int64_t i = k; i < m; i++) add_multiple(rest, TIMES(step, v[i]), w, a + i * n + k + 1, false);
    for (int64_t c = 0; c < rest; c++) row[c] = CONJ(row[c]);
    e[k] = reflection_of(rest, row, 0, &tau);
    right[k] = (Reflection){row, k + 1, rest, tau};
    for (int64_t i = k + 1; i < m; i++) {
      T sum = TIMES(tau, product_sum(rest, a + i * n + k + 1, row, false));
      add_multiple(rest, SCALED(sum, -1), row, a + i * n + k + 1, true);
    }
  }
}

bool NAME(svd)(int64_t m, int64_t n, T *a, double *values, T *left, int64_t left_count, T *right, void *work) {
  char *free = work;
  double scale = normalised(a, m * n), *e = carve(&free, n * 8);
  Reflection *lefts = carve(&free, n * (int64_t)sizeof *lefts), *rights = carve(&free, n * (int64_t)sizeof *rights);
  T *vectors = carve(&free, m * n * (int64_t)sizeof(T)), *w = carve(&free, n * (int64_t)sizeof(T));
  double *turns = carve(&free, n * n * 8), *others = carve(&free, n * n * 8);
  Rotations to_left = rotations_over(left ? turns : NULL, n, &free), to_right = rotations_over(right ? others : NULL, n, &free);
  bidiagonalise(m, n, a, values, e, vectors, lefts, rights, w);
  if (pwt_failed()) return true;
  if (left) unit(turns, n);
  if (right) unit(others, n);
  if (!pwt_bidiagonal_qr(n, values, e, &to_left, &to_right)) return false;
  for (int64_t i = 0; i < n; i++) values[i] /= scale;
  if (left) {
    widened(left, left_count, m, turns, n);
    reflect_all(left, left_count, m, lefts, n, true);
  }
  if (right) {
    widened(right, n, n, others, n);
    reflect_all(right, n, n, rights, PWT_MAX(n - 1, 0), true);
  }
  return true;
}

/* ---- square matrices ---- */
static void exchange(int64_t n, T *a, int64_t *places, int64_t i, int64_t k) {
  if (i == k) return;
  int64_t place = places[i];
  places[i] = places[k];
  places[k] = place;
  for (int64_t j = 0; j < n; j++) {
    T kept = a[i * n + j];
    a[i * n + j] = a[k * n + j];
    a[k * n + j] = kept;
  }
  for (int64_t j = 0; j < n; j++) {
    T kept = a[j * n + i];
    a[j * n + i] = a[j * n + k];
    a[j * n + k] = kept;
  }
}

/* The sum of sizes of row or column i between low and high, its diagonal element left out. */
static double off_diagonal(int64_t n, const T *a, int64_t i, int64_t low, int64_t high, bool column) {
  double sum = 0;
  for (int64_t j = low; j <= high; j++)
    if (j != i) sum += SIZE(a[column ? j * n + i : i * n + j]);
  return sum;
}

/* Parlett and Reinsch (1969): eigenvalues that stand alone are moved to the corners, then rows and columns are scaled by
   powers of two until their sums are alike. */
static void balance(int64_t n, T *a, int64_t *low, int64_t *high, int64_t *places, double *scales) {
  int64_t first = 0, last = n - 1;
  for (int64_t i = 0; i < n; i++) places[i] = i, scales[i] = 1;
  for (int64_t i = last; i >= 0 && last >= 0; i--)
    if (off_diagonal(n, a, i, 0, last, false) == 0) {
      exchange(n, a, places, i, last);
      i = last--;
    }
  for (int64_t i = 0; i <= last; i++)
    if (off_diagonal(n, a, i, first, last, true) == 0) {
      exchange(n, a, places, i, first);
      i = first++;
    }
  *low = first, *high = last;
  bool changed = true;
  for (int round = 0; changed && round < 100; round++) {
    changed = false;
    for (int64_t i = first; i <= last; i++) {
      double column = off_diagonal(n, a, i, first, last, true), row = off_diagonal(n, a, i, first, last, false);
      if (column < 1e-140 || row < 1e-140) continue;
      if (i % 16 == 0 && pwt_breathe()) return;
      double root = __builtin_sqrt(row / column), factor = 1 / pwt_power_of_two_near(root);
      if (column * factor + row / factor >= 0.95 * (column + row) || scales[i] * factor > 1e100 || scales[i] * factor < 1e-100) continue;
      changed = true;
      scales[i] *= factor;
      for (int64_t j = 0; j < n; j++) a[i * n + j] = SCALED(a[i * n + j], 1 / factor);
      for (int64_t j = 0; j < n; j++) a[j * n + i] = SCALED(a[j * n + i], factor);
    }
  }
}

static int64_t hessenberg(int64_t n, T *a, int64_t low, int64_t high, T *vectors, Reflection *list, T *w) {
  int64_t count = 0;
  for (int64_t k = low; k + 1 < high && !pwt_breathe(); k++) {
    int64_t length = high - k, from = k + 1;
    T *v = vectors + k * n, tau;
    for (int64_t i = 0; i < length; i++) v[i] = a[(from + i) * n + k], a[(from + i) * n + k] = NUMBER(0);
    a[from * n + k] = NUMBER(reflection_of(length, v, 0, &tau));
    list[count++] = (Reflection){v, from, length, tau};
    pwt_fill_bytes(w, 0, n * (int64_t)sizeof(T));
    for (int64_t i = 0; i < length; i++) add_multiple(n - from, CONJ(v[i]), a + (from + i) * n + from, w, false);
    T step = SCALED(CONJ(tau), -1);
    for (int64_t i = 0; i < length; i++) add_multiple(n - from, TIMES(step, v[i]), w, a + (from + i) * n + from, false);
    for (int64_t r = 0; r <= high; r++) {
      T sum = TIMES(tau, product_sum(length, a + r * n + from, v, false));
      add_multiple(length, SCALED(sum, -1), v, a + r * n + from, true);
    }
  }
  return count;
}

#include SCHUR

/* An eigenvector of the quasi-triangular t for its k-th eigenvalue by substitution; returns its highest index. */
static int64_t triangular_vector(int64_t n, const T *t, const complex128 *values, int64_t k, complex128 *x) {
  complex128 value = values[k];
  int64_t top = k, i = k - 1;
  x[k] = pwt_make_c128(1, 0);
#if !IS_COMPLEX
  if (__imag__ value != 0) { /* the first of a pair */
    top = k + 1;
    x[top] = pwt_make_c128(__real__ value - t[k * n + k], __imag__ value);
    x[k] = pwt_make_c128(t[k * n + top], 0);
    double size = PWT_MAX(c_size(x[top]), c_size(x[k]));
    x[top] = c_scaled(x[top], 1 / size), x[k] = c_scaled(x[k], 1 / size);
  }
#endif
  for (; i >= 0; i--) {
    complex128 sum = substituted(t + i * n, x, i + 1, top);
    complex128 gap = pwt_make_c128(PART(t[i * n + i]) - __real__ value, IMAGINARY(t[i * n + i]) - __imag__ value);
    double size;
#if !IS_COMPLEX
    if (i > 0 && t[i * n + i - 1] != 0) { /* two at once, by Cramer's rule */
      const T *above = t + (i - 1) * n;
      complex128 first = substituted(above, x, i + 1, top), other = pwt_make_c128(above[i - 1] - __real__ value, -__imag__ value);
      double b = above[i], c = t[i * n + i - 1];
      complex128 whole = c_times(other, gap) - pwt_make_c128(b * c, 0);
      if (c_size(whole) < 1e-32) whole = pwt_make_c128(1e-32, 0);
      x[i] = pwt_div_c128(c_scaled(first, c) - c_times(other, sum), whole);
      x[i - 1] = pwt_div_c128(c_scaled(sum, b) - c_times(gap, first), whole);
      i--;
      size = PWT_MAX(c_size(x[i]), c_size(x[i + 1]));
    } else
#endif
    {
      if (c_size(gap) < 2.220446049250313e-16) gap = pwt_make_c128(2.220446049250313e-16, 0);
      x[i] = pwt_div_c128(c_scaled(sum, -1), gap);
      size = c_size(x[i]);
    }
    if (size > 1e100)
      for (int64_t j = i; j <= top; j++) x[j] = c_scaled(x[j], 1 / size);
  }
  return top;
}

/* To length 1; of a complex one the largest part becomes real, as in LAPACK. */
static void normalise_vector(int64_t n, complex128 *row, bool turn) {
  double most = 0, sum = 0;
  int64_t largest = 0;
  for (int64_t i = 0; i < n; i++) most = PWT_MAX(most, c_size(row[i]));
  if (!(most > 0)) return;
  for (int64_t i = 0; i < n; i++) {
    row[i] = c_scaled(row[i], 1 / most);
    sum += c_square(row[i]);
    if (c_square(row[i]) > c_square(row[largest])) largest = i;
  }
  double length = 1 / __builtin_sqrt(sum), size = __builtin_sqrt(c_square(row[largest]));
  complex128 factor = turn ? c_scaled(pwt_conj_c128(row[largest]), length / size) : pwt_make_c128(length, 0);
  for (int64_t i = 0; i < n; i++) row[i] = turn ? c_times(row[i], factor) : c_scaled(row[i], length);
  if (turn) row[largest] = pwt_make_c128(__real__ row[largest], 0);
}

typedef struct {
  int64_t n;
  const T *t, *z; /* rows of z: the Schur vectors */
  const complex128 *values;
  const int64_t *places;
  const double *scales;
  complex128 *rows, *scratch; /* two rows for each */
} Vectors;

static void eigenvectors(void *context, int64_t begin, int64_t end) {
  const Vectors *s = context;
  int64_t n = s->n;
  for (int64_t k = begin; k < end; k++) {
    bool real = !IS_COMPLEX && __imag__ s->values[k] == 0;
    complex128 *x = s->scratch + k * n, *row = s->rows + k * n;
    if (!IS_COMPLEX && __imag__ s->values[k] < 0) continue;
    int64_t top = triangular_vector(n, s->t, s->values, k, x);
    pwt_fill_bytes(row, 0, n * 16);
    for (int64_t i = 0; i <= top; i++) add_schur_vector(n, x[i], s->z + i * n, row);
    pwt_move_bytes(x, row, n * 16);
    for (int64_t i = 0; i < n; i++) row[s->places[i]] = c_scaled(x[i], s->scales[i]);
    normalise_vector(n, row, !real);
    if (!IS_COMPLEX && !real)
      for (int64_t i = 0; i < n; i++) row[n + i] = pwt_conj_c128(row[i]);
  }
}

bool NAME(eig)(int64_t n, T *a, complex128 *values, complex128 *rows, void *work) {
  char *free = work;
  int64_t low, high, *places = carve(&free, n * 8);
  double *scales = carve(&free, n * 8), scale = normalised(a, n * n);
  Reflection *list = carve(&free, n * (int64_t)sizeof *list);
  T *vectors = carve(&free, n * n * (int64_t)sizeof(T)), *w = carve(&free, n * (int64_t)sizeof(T));
  T *z = carve(&free, n * n * (int64_t)sizeof(T));
  complex128 *scratch = carve(&free, (rows ? n * n : 0) * 16);
  balance(n, a, &low, &high, places, scales);
  int64_t count = hessenberg(n, a, low, high, vectors, list, w);
  if (pwt_failed()) return true;
  if (rows) {
    pwt_fill_bytes(z, 0, n * n * (int64_t)sizeof(T));
    for (int64_t i = 0; i < n; i++) z[i * n + i] = NUMBER(1);
    reflect_all(z, n, n, list, count, true);
  }
  if (!schur(n, a, values, rows ? z : NULL)) return false;
  if (rows) {
    Vectors job = {n, a, z, values, places, scales, rows, scratch};
    pwt_parallel_for(n, pwt_grain(1 << 16, n * n), eigenvectors, &job);
  }
  for (int64_t i = 0; i < n; i++) values[i] = c_scaled(values[i], 1 / scale);
  return true;
}
