/* pdist: distances between all rows of one matrix, without a buffer for all pairs. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

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
  if (pwt_on_meta) n = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = i + 1; k < n; k++, from++, found++)
      for (int64_t c = 0; c < m; c++) {
        double part = *from * slope(rows[i * m + c] - rows[k * m + c], *found, p, self->dtype == PWT_FLOAT32);
        to[i * m + c] += part, to[k * m + c] -= part;
      }
  return pwt_raw_cast(result, (DType)self->dtype);
}
