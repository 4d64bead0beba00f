/* The complex Schur form: QR steps with Wilkinson's shift. A part of spectral_loops.h. */
#define IMAGINARY(a) (__imag__(a))

static complex128 substituted(const complex128 *row, const complex128 *x, int64_t from, int64_t to) {
  return from > to ? NUMBER(0) : product_sum(to - from + 1, row + from, x + from, false);
}

static void add_schur_vector(int64_t n, complex128 factor, const complex128 *z, complex128 *row) { add_multiple(n, factor, z, row, false); }

/* a' = c a + s b, b' = c b - conj(s) a */
static void turn_rows(int64_t count, double c, complex128 s, complex128 *restrict a, complex128 *restrict b) {
  pair cc = both(c), re = both(__real__ s), forth = {-__imag__ s, __imag__ s};
  for (int64_t j = 0; j < count; j++) {
    pair x = at((const double *)(a + j)), y = at((const double *)(b + j));
    *(pair *)(a + j) = cc * x + (re * y + forth * turned(y));
    *(pair *)(b + j) = cc * y - (re * x - forth * turned(x));
  }
}

/* c and s that turn (x, y) into (r, 0) */
static complex128 complex_rotation(complex128 x, complex128 y, double *c, complex128 *s) {
  double scale = pwt_power_of_two_near(PWT_MAX(c_size(x), c_size(y)));
  x = c_scaled(x, scale), y = c_scaled(y, scale);
  double xx = c_square(x), yy = c_square(y);
  *c = 1, *s = NUMBER(0);
  if (yy < PWT_NEGLIGIBLE) return c_scaled(x, 1 / scale);
  double length = __builtin_sqrt(xx + yy), size = __builtin_sqrt(xx);
  complex128 phase = size == 0 ? NUMBER(1) : c_scaled(x, 1 / size);
  *c = size / length;
  *s = c_scaled(c_times(phase, pwt_conj_c128(y)), 1 / length);
  return c_scaled(phase, length / scale);
}

/* The eigenvalue of the trailing 2 × 2 block that is nearer its last element */
static complex128 shift_of(const complex128 *end, int64_t n) {
  complex128 half = c_scaled(end[-n - 1] - end[0], 0.5), bc = c_times(end[-1], end[-n]);
  complex128 root = pwt_sqrt_c128(c_times(half, half) + bc);
  if (__real__ half * __real__ root + __imag__ half * __imag__ root < 0) root = c_scaled(root, -1);
  complex128 whole = half + root;
  return c_size(whole) == 0 ? end[0] : end[0] - pwt_div_c128(bc, whole);
}

static void single_step(int64_t n, complex128 *a, int64_t low, int64_t high, complex128 shift, complex128 *z) {
  int64_t right = z ? n - 1 : high, top = z ? 0 : low;
  complex128 x = a[low * n + low] - shift, y = a[(low + 1) * n + low], s;
  for (int64_t k = low; k < high; k++) {
    double c;
    complex128 r = complex_rotation(x, y, &c, &s);
    if (k > low) a[k * n + k - 1] = r, a[(k + 1) * n + k - 1] = NUMBER(0);
    turn_rows(right - k + 1, c, s, a + k * n + k, a + (k + 1) * n + k);
    complex128 back = pwt_conj_c128(s);
    for (int64_t i = top; i <= PWT_MIN(k + 2, high); i++) turn_rows(1, c, back, a + i * n + k, a + i * n + k + 1);
    if (z) turn_rows(n, c, back, z + k * n, z + (k + 1) * n);
    if (k + 1 < high) x = a[(k + 1) * n + k], y = a[(k + 2) * n + k];
  }
}

static bool schur(int64_t n, complex128 *a, complex128 *values, complex128 *z) {
  int64_t high = n - 1, steps = 0;
  while (high >= 0) {
    int64_t low = high;
    for (; low > 0; low--) {
      double under = c_size(a[low * n + low - 1]), near = c_size(a[low * n + low]) + c_size(a[(low - 1) * n + low - 1]);
      if (under <= 2.220446049250313e-16 * near || under < 1e-140) break;
    }
    if (low > 0) a[low * n + low - 1] = NUMBER(0);
    if (low == high) {
      values[high] = a[high * n + high];
      high--, steps = 0;
      continue;
    }
    if (steps++ == 300) return false;
    if (pwt_breathe()) return true;
    complex128 shift = shift_of(a + high * n + high, n);
    if (steps % 10 == 0) shift = a[high * n + high] + NUMBER(0.75 * c_size(a[high * n + high - 1])); /* against cycles */
    single_step(n, a, low, high, shift, z);
  }
  return true;
}
