/* Implicit QR iterations on tridiagonal and bidiagonal matrices; rotations applied to vectors in panels. */
#include "spectral_buffers.h"

#include "base/parallel.h"

enum { PANEL = 32 };
#define EPSILON 2.220446049250313e-16

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static void rotate_panel(const Rotations *r, double *columns, int64_t width) {
  for (int64_t k = 0; k < r->count; k++) {
    double *a = columns + r->list[k].row * r->n, *b = a + r->n;
    double c = r->list[k].c, s = r->list[k].s;
    if (width == PANEL) {
      pair cc = {c, c}, ss = {s, s};
      for (int j = 0; j < PANEL; j += 2) {
        pair x = *(pair *)(a + j), y = *(pair *)(b + j);
        *(pair *)(a + j) = cc * x + ss * y;
        *(pair *)(b + j) = cc * y - ss * x;
      }
      continue;
    }
    for (int64_t j = 0; j < width; j++) {
      double x = a[j], y = b[j];
      a[j] = c * x + s * y;
      b[j] = c * y - s * x;
    }
  }
}

static void rotate_panels(void *context, int64_t begin, int64_t end) {
  const Rotations *r = context;
  for (int64_t p = begin; p < end; p++) rotate_panel(r, r->rows + p * PANEL, PWT_MIN(PANEL, r->n - p * PANEL));
}

void pwt_rotations_apply(Rotations *r) {
  if (r->rows && r->count) pwt_parallel_for((r->n + PANEL - 1) / PANEL, pwt_grain(2048, r->count), rotate_panels, r);
  r->count = 0;
}

double pwt_power_of_two_near(double largest) {
  union { double value; uint64_t bits; } u = {largest};
  int64_t exponent = (int64_t)(u.bits >> 52 & 2047);
  if (largest == 0) return 1;
  u.bits = (uint64_t)PWT_MIN(PWT_MAX(2046 - exponent, 1), 2045) << 52;
  return u.value;
}

static bool negligible(double e, double a, double b) {
  return __builtin_fabs(e) <= EPSILON * (__builtin_fabs(a) + __builtin_fabs(b)) || __builtin_fabs(e) < 1e-140;
}

/* Takes what has converged off the end, and the last block that has not off the rest: it lies from the result to *high. Negative: there is none. */
static int64_t last_block(const double *d, double *e, int64_t *high) {
  while (*high > 0 && negligible(e[*high - 1], d[*high - 1], d[*high])) e[--*high] = 0;
  int64_t low = *high - 1;
  while (low > 0 && !negligible(e[low - 1], d[low - 1], d[low])) low--;
  if (low > 0) e[low - 1] = 0;
  return low;
}

static void swap_rows(double *rows, int64_t n, int64_t i, int64_t k) {
  for (int64_t j = 0; rows && j < n; j++) {
    double kept = rows[i * n + j];
    rows[i * n + j] = rows[k * n + j];
    rows[k * n + j] = kept;
  }
}

/* By selection, so that each row moves at most once. */
static void sort_values(int64_t n, double *d, bool descending, double *one, double *other) {
  for (int64_t i = 0; i < n; i++) {
    int64_t best = i;
    for (int64_t k = i + 1; k < n; k++)
      if (descending ? d[k] > d[best] : d[k] < d[best]) best = k;
    if (best == i) continue;
    double kept = d[i];
    d[i] = d[best];
    d[best] = kept;
    swap_rows(one, n, i, best);
    swap_rows(other, n, i, best);
  }
}

/* Golub and Van Loan, Matrix Computations, algorithm 8.3.2, with Wilkinson's shift. */
static void tridiagonal_step(double *d, double *e, int64_t low, int64_t high, Rotations *vectors) {
  double half = (d[high - 1] - d[high]) / 2, last = e[high - 1], c, s;
  double x = d[low] - d[high] + last / (half + __builtin_copysign(__builtin_sqrt(half * half + last * last), half)) * last, z = e[low];
  for (int64_t k = low; k < high; k++) {
    double r = pwt_rotation_of(x, z, &c, &s);
    if (k > low) e[k - 1] = r;
    double a = d[k], b = d[k + 1], f = e[k], turn = s * (b - a) + 2 * c * f;
    d[k] = a + s * turn;
    d[k + 1] = b - s * turn;
    e[k] = x = c * turn - f;
    if (k + 1 < high) {
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
    pwt_rotate_later(vectors, k, c, s);
  }
}

bool pwt_tridiagonal_qr(int64_t n, double *d, double *e, Rotations *vectors) {
  int64_t steps = 0, high = n - 1;
  for (int64_t low; (low = last_block(d, e, &high)) >= 0;) {
    if (steps++ > 60 * n) return false;
    if (pwt_breathe()) return true;
    tridiagonal_step(d, e, low, high, vectors);
  }
  pwt_rotations_apply(vectors);
  sort_values(n, d, false, vectors->rows, NULL);
  return true;
}

/* Demmel and Kahan (1990): a sweep with shift zero, which a zero on the diagonal does not stop. */
static void zero_shift_sweep(double *d, double *e, int64_t low, int64_t high, Rotations *left, Rotations *right) {
  double c = 1, s = 0, old_c = 1, old_s = 0;
  for (int64_t k = low; k < high; k++) {
    double r = pwt_rotation_of(d[k] * c, e[k], &c, &s);
    pwt_rotate_later(right, k, c, s);
    if (k > low) e[k - 1] = old_s * r;
    d[k] = pwt_rotation_of(old_c * r, d[k + 1] * s, &old_c, &old_s);
    pwt_rotate_later(left, k, old_c, old_s);
  }
  double last = d[high] * c;
  e[high - 1] = last * old_s;
  d[high] = last * old_c;
}

/* Golub and Van Loan, algorithm 8.6.1: an implicit step on B' B. */
static void bidiagonal_step(double *d, double *e, int64_t low, int64_t high, Rotations *left, Rotations *right) {
  double before = high - 1 > low ? e[high - 2] : 0, c, s;
  double a = d[high - 1] * d[high - 1] + before * before, off = d[high - 1] * e[high - 1], b = d[high] * d[high] + e[high - 1] * e[high - 1];
  double half = (a - b) / 2, root = __builtin_copysign(__builtin_sqrt(half * half + off * off), half);
  double shift = half + root == 0 ? b : b - off / (half + root) * off;
  double x = d[low] - shift / d[low], z = e[low];
  for (int64_t k = low; k < high; k++) {
    double r = pwt_rotation_of(x, z, &c, &s);
    pwt_rotate_later(right, k, c, s);
    if (k > low) e[k - 1] = r;
    x = c * d[k] + s * e[k];
    e[k] = c * e[k] - s * d[k];
    z = s * d[k + 1];
    d[k + 1] *= c;
    d[k] = pwt_rotation_of(x, z, &c, &s);
    pwt_rotate_later(left, k, c, s);
    x = c * e[k] + s * d[k + 1];
    d[k + 1] = c * d[k + 1] - s * e[k];
    e[k] = x;
    if (k + 1 < high) {
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
  }
}

bool pwt_bidiagonal_qr(int64_t n, double *d, double *e, Rotations *left, Rotations *right) {
  int64_t steps = 0, high = n - 1;
  for (int64_t low; (low = last_block(d, e, &high)) >= 0;) {
    if (steps++ > 60 * n) return false;
    if (pwt_breathe()) return true;
    double least = __builtin_inf(), most = 0;
    for (int64_t k = low; k <= high; k++) {
      least = PWT_MIN(least, __builtin_fabs(d[k]));
      most = PWT_MAX(most, __builtin_fabs(d[k]));
      if (k < high) most = PWT_MAX(most, __builtin_fabs(e[k]));
    }
    if (least <= EPSILON * most || least < 1e-140) zero_shift_sweep(d, e, low, high, left, right);
    else bidiagonal_step(d, e, low, high, left, right);
  }
  pwt_rotations_apply(left);
  pwt_rotations_apply(right);
  for (int64_t i = 0; i < n; i++) {
    if (!(d[i] < 0)) {
      d[i] = __builtin_fabs(d[i]);
      continue;
    }
    d[i] = -d[i];
    for (int64_t j = 0; right->rows && j < n; j++) right->rows[i * n + j] = -right->rows[i * n + j];
  }
  sort_values(n, d, true, left->rows, right->rows);
  return true;
}
