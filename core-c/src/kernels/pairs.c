/* Loops over pairs, of classes or of rows, whose composition would hold all pairs at once. */
#include "../base/parallel.h"
#include "math.h"
#include "ops.h"

/* Labels up to the first -1 count; a row's loss is the sum of margins of all other classes to each of them, over the
   number of classes. Where `out` is given the gradient times `scale` is added to it. */
static void margin_row(const double *x, const int64_t *labels, int64_t classes, bool *is_label, double *loss, double *out, double scale) {
  int64_t count = 0;
  pwt_fill_bytes(is_label, 0, classes);
  for (; count < classes && labels[count] >= 0; count++) is_label[labels[count]] = true;
  double total = 0, share = 1 / (double)classes;
  for (int64_t k = 0; k < count; k++)
    for (int64_t c = 0; c < classes; c++) {
      double gap = 1 - x[labels[k]] + x[c];
      if (is_label[c] || !(gap > 0)) continue;
      total += gap;
      if (out) out[c] += share * scale, out[labels[k]] -= share * scale;
    }
  if (loss) *loss = total * share;
}

static Tensor *margins(Tensor *grad, Tensor *self, Tensor *target) {
  int64_t rows = self->sizes[0], classes = self->sizes[1];
  if (self->dtype != PWT_FLOAT32 && self->dtype != PWT_FLOAT64) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"multilabel_margin_loss\" not implemented for '%t'", self->dtype);
  if (target->dtype != PWT_INT64) return pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type Long but found %t", target->dtype);
  Tensor *x = pwt_raw_contiguous_as(self, PWT_FLOAT64), *labels = pwt_raw_contiguous(target), *g = pwt_raw_contiguous_as(grad, PWT_FLOAT64);
  Tensor *result = grad ? pwt_new_zeros(2, self->sizes, PWT_FLOAT64) : pwt_new(1, &rows, PWT_FLOAT64);
  bool *is_label = pwt_scratch_items(classes, 1);
  if (!x || !labels || !result || !is_label || pwt_failed()) return NULL;
  const int64_t *at = pwt_data(labels);
  for (int64_t i = 0; i < labels->numel; i++)
    if (at[i] < -1 || at[i] >= classes) return pwt_fail(PWT_RUNTIME_ERROR, "multilabel_margin_loss: argument #3 target out of range: %i with %i classes", at[i], classes);
  for (int64_t r = 0; r < rows; r++) {
    double *to = pwt_data(result);
    const double *row = (const double *)pwt_data(x) + r * classes;
    if (grad) margin_row(row, at + r * classes, classes, is_label, NULL, to + r * classes, ((const double *)pwt_data(g))[r]);
    else margin_row(row, at + r * classes, classes, is_label, to + r, NULL, 0);
  }
  return pwt_raw_cast(result, (DType)self->dtype);
}

Tensor *pwt_kernel__multilabel_margins(Tensor *self, Tensor *target) { return margins(NULL, self, target); }

Tensor *pwt_kernel__multilabel_margins_backward(Tensor *grad, Tensor *self, Tensor *target) { return margins(grad, self, target); }

/* ---- pdist ---- */
static __attribute__((noinline)) double power(double x, double p) { return p == 0 ? x != 0 : p == 1 ? x : p == 2 ? x * x : pwt_pow_f64(x, p); }

typedef double pair __attribute__((vector_size(16), aligned(8)));

static double euclidean(const double *a, const double *b, int64_t n) {
  pair even = {0}, odd = {0};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    pair x = *(const pair *)(a + i) - *(const pair *)(b + i), y = *(const pair *)(a + i + 2) - *(const pair *)(b + i + 2);
    even += x * x, odd += y * y;
  }
  double total = (even[0] + odd[0]) + (even[1] + odd[1]);
  for (; i < n; i++) total += (a[i] - b[i]) * (a[i] - b[i]);
  return __builtin_sqrt(total);
}

static double distance(const double *a, const double *b, int64_t n, double p) {
  if (p == 2) return euclidean(a, b, n);
  double total = 0;
  for (int64_t i = 0; i < n; i++) {
    double gap = __builtin_fabs(a[i] - b[i]);
    if (p == __builtin_inf()) total = gap > total || gap != gap ? gap : total;
    else total += power(gap, p);
  }
  return p == 0 || p == 1 || p == __builtin_inf() ? total : power(total, 1 / p);
}

typedef struct {
  const double *rows;
  double *to, p;
  int64_t n, m;
} Job;

static void fill_rows(void *context, int64_t begin, int64_t end) {
  const Job *j = context;
  for (int64_t i = begin; i < end; i++) {
    double *to = j->to + i * j->n - i * (i + 1) / 2;
    for (int64_t k = i + 1; k < j->n; k++) *to++ = distance(j->rows + i * j->m, j->rows + k * j->m, j->m, j->p);
  }
}

Tensor *pwt_kernel__pdist(Tensor *self, double p) {
  if (self->dtype != PWT_FLOAT32 && self->dtype != PWT_FLOAT64) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"pdist\" not implemented for '%t'", self->dtype);
  int64_t n = self->sizes[0], m = self->sizes[1], pairs = n * (n - 1) / 2;
  Tensor *x = pwt_raw_contiguous_as(self, PWT_FLOAT64), *result = pwt_new(1, &pairs, PWT_FLOAT64);
  if (!x || !result) return NULL;
  Job j = {.rows = pwt_data(x), .to = pwt_data(result), .n = n, .m = m, .p = p};
  pwt_parallel_for(n, pwt_grain(32768, n * m), fill_rows, &j);
  return pwt_raw_cast(result, (DType)self->dtype);
}

/* The slope of a distance by one difference; 0 between equal rows. */
static double slope(double gap, double distance, double p, bool single) {
  if (single) gap = (double)(float)gap; /* so that the largest equals the distance at p = inf */
  double size = __builtin_fabs(gap), sign = (gap > 0) - (gap < 0);
  if (p == 0 || distance == 0) return 0;
  if (p == 1) return sign;
  if (p == 2) return gap / distance;
  if (p == __builtin_inf()) return size == distance ? sign : 0;
  return size == 0 ? 0 : sign * power(size / distance, p - 1);
}

Tensor *pwt_kernel__pdist_backward(Tensor *grad, Tensor *self, double p, Tensor *distances) {
  int64_t n = self->sizes[0], m = self->sizes[1];
  Tensor *x = pwt_raw_contiguous_as(self, PWT_FLOAT64), *g = pwt_raw_contiguous_as(grad, PWT_FLOAT64), *d = pwt_raw_contiguous_as(distances, PWT_FLOAT64);
  Tensor *result = pwt_new_zeros(2, self->sizes, PWT_FLOAT64);
  if (!x || !g || !d || !result) return NULL;
  const double *rows = pwt_data(x), *from = pwt_data(g), *found = pwt_data(d);
  double *to = pwt_data(result);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = i + 1; k < n; k++, from++, found++)
      for (int64_t c = 0; c < m; c++) {
        double part = *from * slope(rows[i * m + c] - rows[k * m + c], *found, p, self->dtype == PWT_FLOAT32);
        to[i * m + c] += part, to[k * m + c] -= part;
      }
  return pwt_raw_cast(result, (DType)self->dtype);
}
