/* The real Schur form: Francis' double-shift QR (Golub and Van Loan, 7.5). A part of spectral_loops.h. */
#define IMAGINARY(a) 0.0

static complex128 substituted(const double *row, const complex128 *x, int64_t from, int64_t to) {
  pair sum = both(0);
  for (int64_t c = from; c <= to; c++) sum += both(row[c]) * at((const double *)(x + c));
  return from_pair(sum);
}

static void add_schur_vector(int64_t n, complex128 factor, const double *z, complex128 *row) {
  pair f = at((const double *)&factor);
  for (int64_t j = 0; j < n; j++) *(pair *)(row + j) += f * both(z[j]);
}

/* Three (or two) neighbouring rows or columns, reflected: H = 1 - v (b v)' */
typedef struct {
  double v[3], b;
  int count;
} Small;

/* Makes (x, y, z) a multiple of the first unit vector, which is returned. */
static double small_reflection(Small *h, double x, double y, double z) {
  double size = __builtin_fabs(x) + __builtin_fabs(y) + __builtin_fabs(z);
  h->b = 0;
  if (size == 0) return 0;
  x /= size, y /= size, z /= size;
  double rest = y * y + z * z;
  if (rest < PWT_NEGLIGIBLE) return x * size;
  double beta = -__builtin_copysign(__builtin_sqrt(x * x + rest), x);
  h->v[0] = 1, h->v[1] = y / (x - beta), h->v[2] = z / (x - beta);
  h->b = (beta - x) / beta;
  return beta * size;
}

static void reflect_three_rows(const Small *h, double *restrict a, int64_t n, int64_t count) {
  double v1 = h->v[1], v2 = h->v[2], b = h->b;
  double *restrict second = a + n, *restrict third = h->count == 3 ? a + 2 * n : NULL;
  if (b == 0) return;
  if (!third) {
    for (int64_t j = 0; j < count; j++) {
      double sum = b * (a[j] + v1 * second[j]);
      a[j] -= sum, second[j] -= sum * v1;
    }
    return;
  }
  for (int64_t j = 0; j < count; j++) {
    double sum = b * (a[j] + v1 * second[j] + v2 * third[j]);
    a[j] -= sum, second[j] -= sum * v1, third[j] -= sum * v2;
  }
}

static void reflect_columns(const Small *h, double *a, int64_t n, int64_t rows) {
  if (h->b == 0) return;
  for (int64_t i = 0; i < rows; i++, a += n) {
    double sum = a[0] + h->v[1] * a[1];
    if (h->count == 3) sum += h->v[2] * a[2];
    sum *= h->b;
    a[0] -= sum, a[1] -= sum * h->v[1];
    if (h->count == 3) a[2] -= sum * h->v[2];
  }
}

static void double_step(int64_t n, double *a, int64_t low, int64_t high, double sum, double product, double *z) {
  int64_t right = z ? n - 1 : high, top = z ? 0 : low;
  const double *h = a + low * n + low;
  double x = h[0] * h[0] + h[1] * h[n] - sum * h[0] + product, y = h[n] * (h[0] + h[n + 1] - sum), w = high - low > 1 ? h[n] * h[2 * n + 1] : 0;
  for (int64_t k = low; k < high; k++) {
    Small s = {.count = k + 1 < high ? 3 : 2};
    if (s.count == 2) w = 0;
    double beta = small_reflection(&s, x, y, w);
    int64_t left = k;
    if (k > low) {
      a[k * n + k - 1] = beta;
      a[(k + 1) * n + k - 1] = 0;
      if (s.count == 3) a[(k + 2) * n + k - 1] = 0;
    }
    reflect_three_rows(&s, a + k * n + left, n, right - left + 1);
    reflect_columns(&s, a + top * n + k, n, PWT_MIN(k + 3, high) - top + 1);
    if (z) reflect_three_rows(&s, z + k * n, n, n);
    if (k + 1 < high) {
      x = a[(k + 1) * n + k], y = a[(k + 2) * n + k];
      w = k + 2 < high ? a[(k + 3) * n + k] : 0;
    }
  }
}

/* The eigenvalues of the block at k, k + 1; one with real ones becomes triangular. */
static void split_block(int64_t n, double *a, int64_t k, complex128 *values, double *z) {
  double *first = a + k * n, *second = first + n;
  double half = (first[k] - second[k + 1]) / 2, bc = first[k + 1] * second[k], square = half * half + bc;
  if (square < 0) {
    double im = __builtin_sqrt(-square);
    values[k] = pwt_make_c128(second[k + 1] + half, im);
    values[k + 1] = pwt_make_c128(second[k + 1] + half, -im);
    return;
  }
  double root = half + __builtin_copysign(__builtin_sqrt(square), half), d = second[k + 1];
  double one = d + root, other = root == 0 ? one : d - bc / root, c, s;
  pwt_rotation_of(root, second[k], &c, &s);
  values[k] = pwt_make_c128(one, 0), values[k + 1] = pwt_make_c128(other, 0);
  if (!z) return;
  for (int64_t j = k; j < n; j++) {
    double x = first[j], y = second[j];
    first[j] = c * x + s * y, second[j] = c * y - s * x;
  }
  for (int64_t i = 0; i <= k + 1; i++) {
    double x = a[i * n + k], y = a[i * n + k + 1];
    a[i * n + k] = c * x + s * y, a[i * n + k + 1] = c * y - s * x;
  }
  for (int64_t j = 0; j < n; j++) {
    double x = z[k * n + j], y = z[(k + 1) * n + j];
    z[k * n + j] = c * x + s * y, z[(k + 1) * n + j] = c * y - s * x;
  }
  second[k] = 0, first[k] = one, second[k + 1] = other;
}

static bool schur(int64_t n, double *a, complex128 *values, double *z) {
  int64_t high = n - 1, steps = 0;
  while (high >= 0) {
    int64_t low = high;
    for (; low > 0; low--) {
      double under = __builtin_fabs(a[low * n + low - 1]), near = __builtin_fabs(a[low * n + low]) + __builtin_fabs(a[(low - 1) * n + low - 1]);
      if (under <= 2.220446049250313e-16 * near || under < 1e-140) break;
    }
    if (low > 0) a[low * n + low - 1] = 0;
    if (low >= high - 1) {
      if (low == high) values[high] = pwt_make_c128(a[high * n + high], 0);
      else split_block(n, a, low, values, z);
      high = low - 1;
      steps = 0;
      continue;
    }
    if (steps++ == 300) return false;
    if (pwt_breathe()) return true;
    const double *end = a + high * n + high;
    double sum = end[0] + end[-n - 1], product = end[0] * end[-n - 1] - end[-1] * end[-n];
    if (steps % 10 == 0) { /* an exceptional shift against cycles */
      sum = 1.5 * (__builtin_fabs(end[-1]) + __builtin_fabs(end[-n - 2]));
      product = sum * sum / 2.25;
    }
    double_step(n, a, low, high, sum, product, z);
  }
  return true;
}
