/* Stockham's self-sorting transform in radices 4, 2, 3, 5 and odd primes up to 31 (Van Loan, "Computational Frameworks for the Fast
   Fourier Transform", 1992, 1.7 and 2.4), and Bluestein's convolution (1970) for other lengths. */
#include "loops.h"

#include "call.h"
#include "math.h"

void pwt_fft_root(int64_t k, int64_t n, double *re, double *im) {
  int64_t quadrant = 4 * k / n, rest = 4 * k % n;
  bool near = 2 * rest <= n; /* the angle within a quadrant is brought below pi / 4 */
  double angle = 1.5707963267948966 * (double)(near ? rest : n - rest) / (double)n;
  double c = pwt_cos_f64(angle), s = pwt_sin_f64(angle);
  if (!near) {
    double swap = c;
    c = s, s = swap;
  }
  *re = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
  *im = quadrant == 0 ? -s : quadrant == 1 ? -c : quadrant == 2 ? s : c;
}

static bool parts_new(Parts *p, int64_t n) {
  p->re = pwt_scratch_items(n, 8);
  p->im = p->re ? pwt_scratch_items(n, 8) : NULL;
  return p->im != NULL;
}

static int short_tables(Parts *low, Parts *high, int64_t count, int64_t n) {
  int shift = 0;
  while (1ll << 2 * shift < count) shift++;
  int64_t step = 1ll << shift;
  if (!parts_new(low, step) || !parts_new(high, count / step + 1)) return -1;
  for (int64_t k = 0; k < step && k < count; k++) pwt_fft_root(k, n, low->re + k, low->im + k);
  for (int64_t k = 0; k * step < count; k++) pwt_fft_root(k * step, n, high->re + k, high->im + k);
  return shift;
}

bool pwt_fft_roots(Parts *to, int64_t count, int64_t n) {
  Parts low, high;
  int shift = short_tables(&low, &high, count, n);
  if (shift < 0 || !parts_new(to, count)) return false;
  int64_t mask = (1ll << shift) - 1;
  for (int64_t k = 0; k < count; k++) {
    double a = low.re[k & mask], b = low.im[k & mask], c = high.re[k >> shift], d = high.im[k >> shift];
    to->re[k] = a * c - b * d;
    to->im[k] = a * d + b * c;
  }
  return true;
}

static FftPlan *plan_of(int64_t n, bool may_be_matrix);

static FftPlan *bluestein(FftPlan *plan) {
  int64_t n = plan->n, m = 1;
  while (m < 2 * n - 1) m *= 2;
  if (m / 4 * 3 >= 2 * n - 1) m = m / 4 * 3;
  Parts roots, spare;
  plan->inner = pwt_fft_plan(m);
  plan->length = m;
  if (plan->inner) plan->work = plan->inner->work;
  if (!plan->inner || !parts_new(&plan->chirp, n) || !parts_new(&plan->filter, m) || !parts_new(&spare, m) || !pwt_fft_roots(&roots, 2 * n, 2 * n))
    return NULL;
  int64_t square = 0; /* j * j modulo 2 n */
  for (int64_t j = 0; j < n; j++) {
    plan->chirp.re[j] = roots.re[square], plan->chirp.im[j] = roots.im[square];
    square = (square + 2 * j + 1) % (2 * n);
  }
  pwt_fill_bytes(plan->filter.re, 0, m * 8);
  pwt_fill_bytes(plan->filter.im, 0, m * 8);
  double scale = 1 / (double)m;
  for (int64_t j = 0; j < n; j++) {
    int64_t mirrored = j ? m - j : 0;
    plan->filter.re[j] = plan->filter.re[mirrored] = plan->chirp.re[j] * scale;
    plan->filter.im[j] = plan->filter.im[mirrored] = -plan->chirp.im[j] * scale;
  }
  double *work = pwt_scratch_items(plan->work, 8);
  if (!work) return NULL;
  plan->filter = pwt_fft_run(plan->inner, 1, plan->filter, spare, work);
  return plan;
}

static FftPlan *matrix(FftPlan *plan) {
  int64_t columns = 1;
  for (int i = 0; columns * columns < plan->n; i++) columns *= plan->radices[i];
  int64_t lines = plan->n / columns;
  plan->columns = plan_of(columns, false);
  plan->lines = plan_of(lines, false);
  plan->work = 4 * (PWT_MAX(columns, lines) * FFT_LINES + FFT_APART);
  plan->shift = short_tables(&plan->low, &plan->high, plan->n, plan->n);
  return plan->columns && plan->lines && plan->shift >= 0 ? plan : NULL;
}

static FftPlan *plan_of(int64_t n, bool may_be_matrix) {
  FftPlan *plan = pwt_scratch(sizeof *plan);
  if (!plan) return NULL;
  *plan = (FftPlan){.n = n, .length = n};
  int64_t rest = n;
  for (int radix = 4; radix <= FFT_LARGEST_RADIX && rest > 1; radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2)
    while (rest % radix == 0) plan->radices[plan->count++] = radix, rest /= radix;
  if (rest > 1) return bluestein(plan);
  if (may_be_matrix && n > FFT_LONG) return matrix(plan);
  return pwt_fft_roots(&plan->roots, n, n) ? plan : NULL;
}

FftPlan *pwt_fft_plan(int64_t n) { return plan_of(n, true); }

/* One pass over sequences of r * m elements, each a run of s: butterflies of radix r, turned, and sorted towards their place. */
typedef struct {
  int64_t m, s, step; /* step: of the roots' table for this length */
  Parts roots;
} Pass;

static void pass4(const Pass *pass, Parts x, Parts y) {
  int64_t m = pass->m, s = pass->s, jump = m * s;
  for (int64_t p = 0; p < m; p++) {
    const double *restrict xr = x.re + p * s, *restrict xi = x.im + p * s, *wr = pass->roots.re, *wi = pass->roots.im;
    double *restrict yr = y.re + 4 * p * s, *restrict yi = y.im + 4 * p * s;
    int64_t k = p * pass->step;
    double r1 = wr[k], i1 = wi[k], r2 = wr[2 * k], i2 = wi[2 * k], r3 = wr[3 * k], i3 = wi[3 * k];
    for (int64_t q = 0; q < s; q++) {
      double ar = xr[q] + xr[q + 2 * jump], ai = xi[q] + xi[q + 2 * jump], br = xr[q] - xr[q + 2 * jump], bi = xi[q] - xi[q + 2 * jump];
      double cr = xr[q + jump] + xr[q + 3 * jump], ci = xi[q + jump] + xi[q + 3 * jump];
      double dr = xi[q + jump] - xi[q + 3 * jump], di = xr[q + 3 * jump] - xr[q + jump]; /* -i times the difference */
      double er = br + dr, ei = bi + di, fr = ar - cr, fi = ai - ci, gr = br - dr, gi = bi - di;
      yr[q] = ar + cr, yi[q] = ai + ci;
      yr[q + s] = er * r1 - ei * i1, yi[q + s] = er * i1 + ei * r1;
      yr[q + 2 * s] = fr * r2 - fi * i2, yi[q + 2 * s] = fr * i2 + fi * r2;
      yr[q + 3 * s] = gr * r3 - gi * i3, yi[q + 3 * s] = gr * i3 + gi * r3;
    }
  }
}

static void pass2(const Pass *pass, Parts x, Parts y) {
  int64_t m = pass->m, s = pass->s, jump = m * s;
  for (int64_t p = 0; p < m; p++) {
    const double *restrict xr = x.re + p * s, *restrict xi = x.im + p * s;
    double *restrict yr = y.re + 2 * p * s, *restrict yi = y.im + 2 * p * s;
    double r = pass->roots.re[p * pass->step], i = pass->roots.im[p * pass->step];
    for (int64_t q = 0; q < s; q++) {
      double br = xr[q] - xr[q + jump], bi = xi[q] - xi[q + jump];
      yr[q] = xr[q] + xr[q + jump], yi[q] = xi[q] + xi[q + jump];
      yr[q + s] = br * r - bi * i, yi[q + s] = br * i + bi * r;
    }
  }
}

/* An odd radix: sums and differences of the inputs j and radix - j meet cosines and sines. */
static inline __attribute__((always_inline)) void odd_pass(const int radix, const Pass *pass, Parts x, Parts y) {
  int64_t m = pass->m, s = pass->s, jump = m * s, turn = m * pass->step;
  enum { MOST = FFT_LARGEST_RADIX / 2 + 1 };
  double c[MOST * MOST], d[MOST * MOST];
  const int half = radix / 2;
  for (int j = 1; j <= half; j++)
    for (int k = 1; k <= half; k++) {
      int64_t at = j * k % radix * turn;
      c[j * MOST + k] = pass->roots.re[at], d[j * MOST + k] = -pass->roots.im[at];
    }
  for (int64_t p = 0; p < m; p++) {
    const double *restrict xr = x.re + p * s, *restrict xi = x.im + p * s, *wr = pass->roots.re, *wi = pass->roots.im;
    double *restrict yr = y.re + radix * p * s, *restrict yi = y.im + radix * p * s;
    for (int64_t q = 0; q < s; q++) {
      double sr[MOST], si[MOST], tr[MOST], ti[MOST], zr = xr[q], zi = xi[q];
      for (int k = 1; k <= half; k++) {
        int64_t a = q + k * jump, b = q + (radix - k) * jump;
        sr[k] = xr[a] + xr[b], si[k] = xi[a] + xi[b], tr[k] = xr[a] - xr[b], ti[k] = xi[a] - xi[b];
        zr += sr[k], zi += si[k];
      }
      yr[q] = zr, yi[q] = zi;
      for (int j = 1; j <= half; j++) {
        double er = xr[q], ei = xi[q], fr = 0, fi = 0;
        for (int k = 1; k <= half; k++) {
          er += c[j * MOST + k] * sr[k], ei += c[j * MOST + k] * si[k];
          fr += d[j * MOST + k] * ti[k], fi -= d[j * MOST + k] * tr[k];
        }
        int64_t k = j * p * pass->step, l = (radix - j) * p * pass->step;
        double ar = er + fr, ai = ei + fi, br = er - fr, bi = ei - fi;
        yr[q + j * s] = ar * wr[k] - ai * wi[k], yi[q + j * s] = ar * wi[k] + ai * wr[k];
        yr[q + (radix - j) * s] = br * wr[l] - bi * wi[l], yi[q + (radix - j) * s] = br * wi[l] + bi * wr[l];
      }
    }
  }
}

static void pass3(const Pass *pass, Parts x, Parts y) { odd_pass(3, pass, x, y); }
static void pass5(const Pass *pass, Parts x, Parts y) { odd_pass(5, pass, x, y); }
static void pass_odd(int radix, const Pass *pass, Parts x, Parts y) { odd_pass(radix, pass, x, y); }

/* x[k] times w[k] for every row of a batch */
static void turn(Parts x, Parts w, int64_t n, int64_t batch) {
  for (int64_t k = 0; k < n; k++)
    for (int64_t at = k * batch; at < (k + 1) * batch; at++) {
      double re = x.re[at], im = x.im[at];
      x.re[at] = re * w.re[k] - im * w.im[k];
      x.im[at] = re * w.im[k] + im * w.re[k];
    }
}

static Parts exchanged(Parts p) { return (Parts){p.im, p.re}; }

static Parts convolve(const FftPlan *plan, int64_t batch, Parts x, Parts spare, double *work) {
  int64_t n = plan->n, m = plan->length;
  turn(x, plan->chirp, n, batch);
  pwt_fill_bytes(x.re + n * batch, 0, (m - n) * batch * 8);
  pwt_fill_bytes(x.im + n * batch, 0, (m - n) * batch * 8);
  Parts spectrum = pwt_fft_run(plan->inner, batch, x, spare, work);
  turn(spectrum, plan->filter, m, batch);
  Parts result = exchanged(pwt_fft_run(plan->inner, batch, exchanged(spectrum), exchanged(spectrum.re == x.re ? spare : x), work));
  turn(result, plan->chirp, n, batch);
  return result;
}

/* Element (j, i) of a matrix of `lines` columns is x[j * lines + i], and (k, l) of its transform belongs at l * columns + k:
   Bailey's four steps (1990), a few columns or lines at a time. */
static Parts by_columns_and_lines(const FftPlan *plan, Parts x, Parts spare, double *work) {
  int64_t columns = plan->columns->n, lines = plan->lines->n, room = plan->work / 4, mask = (1ll << plan->shift) - 1;
  Parts a = {work, work + room}, b = {work + 2 * room, work + 3 * room};
  for (int64_t i = 0; i < lines; i += FFT_LINES) {
    int64_t batch = PWT_MIN(FFT_LINES, lines - i);
    for (int64_t j = 0; j < columns; j++)
      for (int64_t t = 0; t < batch; t++) a.re[j * batch + t] = x.re[j * lines + i + t], a.im[j * batch + t] = x.im[j * lines + i + t];
    Parts y = pwt_fft_run(plan->columns, batch, a, b, NULL);
    for (int64_t k = 0; k < columns; k++)
      for (int64_t t = 0; t < batch; t++) {
        int64_t root = k * (i + t), l = root & mask, h = root >> plan->shift;
        double c = plan->low.re[l] * plan->high.re[h] - plan->low.im[l] * plan->high.im[h];
        double s = plan->low.re[l] * plan->high.im[h] + plan->low.im[l] * plan->high.re[h];
        double re = y.re[k * batch + t], im = y.im[k * batch + t];
        spare.re[k * lines + i + t] = re * c - im * s;
        spare.im[k * lines + i + t] = re * s + im * c;
      }
  }
  for (int64_t k = 0; k < columns; k += FFT_LINES) {
    int64_t batch = PWT_MIN(FFT_LINES, columns - k);
    for (int64_t t = 0; t < batch; t++)
      for (int64_t i = 0; i < lines; i++) a.re[i * batch + t] = spare.re[(k + t) * lines + i], a.im[i * batch + t] = spare.im[(k + t) * lines + i];
    Parts y = pwt_fft_run(plan->lines, batch, a, b, NULL);
    for (int64_t l = 0; l < lines; l++)
      for (int64_t t = 0; t < batch; t++) x.re[l * columns + k + t] = y.re[l * batch + t], x.im[l * columns + k + t] = y.im[l * batch + t];
  }
  return x;
}

Parts pwt_fft_run(const FftPlan *plan, int64_t batch, Parts x, Parts spare, double *work) {
  if (plan->inner) return convolve(plan, batch, x, spare, work);
  if (plan->columns) return by_columns_and_lines(plan, x, spare, work);
  Pass pass = {plan->n, batch, 1, plan->roots};
  for (int i = 0; i < plan->count; i++) {
    int radix = plan->radices[i];
    pass.m /= radix;
    if (radix == 4) pass4(&pass, x, spare);
    else if (radix == 2) pass2(&pass, x, spare);
    else if (radix == 3) pass3(&pass, x, spare);
    else if (radix == 5) pass5(&pass, x, spare);
    else pass_odd(radix, &pass, x, spare);
    Parts swap = x;
    x = spare, spare = swap;
    pass.s *= radix;
    pass.step *= radix;
  }
  return x;
}
