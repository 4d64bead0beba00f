/* multinomial, with and without replacement. */
#include "multinomial.h"
#include "sort/loops.h"

#define LARGEST_CLASSES (1 << 24)

static const char *const NO_MASS = "invalid multinomial distribution (sum of probabilities <= 0)";

static bool is_finite(double value) { return value - value == 0; }

static const void *row_of(DType dtype, const void *weights, int64_t row, int64_t classes) {
  return (const char *)weights + row * classes * pwt_itemsize[dtype];
}

/* ---- with replacement: a binary search in the running sums for each uniform ---- */

/* Running shares, added up in float32 unless the weights are float64. */
static bool running_shares(DType dtype, double *shares, int64_t classes) {
  bool single = dtype != PWT_FLOAT64;
  double sum = 0;
  for (int64_t i = 0; i < classes; i++) {
    if (!(shares[i] >= 0))
      return pwt_fail(PWT_RUNTIME_ERROR, "invalid multinomial distribution (encountering probability entry < 0)");
    if (!is_finite(shares[i]))
      return pwt_fail(PWT_RUNTIME_ERROR,
                      "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    sum += shares[i];
    if (single) sum = (float)sum;
    shares[i] = sum;
  }
  if (!(sum > 0)) return pwt_fail(PWT_RUNTIME_ERROR, NO_MASS);
  for (int64_t i = 0; i < classes; i++) shares[i] = single ? (float)(shares[i] / sum) : shares[i] / sum;
  shares[classes - 1] = 1;
  return true;
}

static int64_t first_not_below(const double *shares, int64_t classes, double share) {
  int64_t start = 0, end = classes;
  while (start < end) {
    int64_t middle = start + (end - start) / 2;
    if (shares[middle] < share) start = middle + 1;
    else end = middle;
  }
  return start;
}

static bool draw_with_replacement(PwtGenerator *g, DType dtype, const void *weights, int64_t rows, int64_t classes,
                                  int64_t *out, int64_t samples) {
  double *shares = pwt_alloc(classes * (int64_t)sizeof *shares);
  bool good = shares != NULL;
  for (int64_t row = 0; row < rows && good; row++) {
    pwt_convert(shares, PWT_FLOAT64, row_of(dtype, weights, row, classes), dtype, classes);
    good = running_shares(dtype, shares, classes);
    for (int64_t i = 0; i < samples && good; i++)
      out[row * samples + i] = first_not_below(shares, classes, pwt_random_uniform(g));
  }
  pwt_free(shares);
  return good;
}

/* ---- without, or a single sample: the greatest of weight / exponential (Efraimidis and Spirakis, "Weighted random
   sampling with a reservoir", 2006). The quotients have the dtype's precision, as torch's have. ---- */
static bool check_weights(DType dtype, const void *weights, int64_t rows, int64_t classes, double *row_buffer) {
  bool empty_row = false;
  for (int64_t row = 0; row < rows; row++) {
    pwt_convert(row_buffer, PWT_FLOAT64, row_of(dtype, weights, row, classes), dtype, classes);
    bool any = false;
    for (int64_t i = 0; i < classes; i++) {
      if (!(row_buffer[i] >= 0 && is_finite(row_buffer[i])))
        return pwt_fail(PWT_RUNTIME_ERROR, "probability tensor contains either `inf`, `nan` or element < 0");
      any |= row_buffer[i] > 0;
    }
    empty_row |= !any;
  }
  return !empty_row || pwt_fail(PWT_RUNTIME_ERROR, NO_MASS);
}

/* by_class: the weights lie in memory class by class, and the exponentials are drawn in that order. */
static bool draw_greatest(PwtGenerator *g, DType dtype, const void *weights, int64_t rows, int64_t classes,
                          int64_t *out, int64_t samples, bool by_class) {
  ComputeType type = dtype == PWT_FLOAT64 ? CT_F64 : CT_F32;
  int64_t doubles = classes * (int64_t)sizeof(double);
  char *memory = pwt_alloc(3 * doubles + pwt_sort_workspace(type, samples) + 16);
  if (!memory) return false;
  double *row_weights = (double *)memory, *quotients = (double *)(memory + doubles);
  void *drawn = memory + 2 * doubles, *workspace = memory + (3 * doubles + 15) / 16 * 16;
  double *all = by_class ? pwt_alloc(2 * rows * doubles) : NULL;
  bool good = check_weights(dtype, weights, rows, classes, row_weights) && (all || !by_class);
  if (good && all) {
    pwt_fill_exponential(g, dtype, all + rows * classes, rows * classes, 1);
    pwt_convert(all, PWT_FLOAT64, all + rows * classes, dtype, rows * classes);
  }
  for (int64_t row = 0; row < rows && good; row++) {
    if (all) {
      for (int64_t i = 0; i < classes; i++) quotients[i] = all[i * rows + row];
    } else {
      pwt_fill_exponential(g, dtype, drawn, classes, 1);
      pwt_convert(quotients, PWT_FLOAT64, drawn, dtype, classes);
    }
    pwt_convert(row_weights, PWT_FLOAT64, row_of(dtype, weights, row, classes), dtype, classes);
    for (int64_t i = 0; i < classes; i++) quotients[i] = row_weights[i] / quotients[i];
    pwt_convert(drawn, dtype, quotients, PWT_FLOAT64, classes);
    pwt_convert(quotients, type == CT_F64 ? PWT_FLOAT64 : PWT_FLOAT32, drawn, dtype, classes);
    if (samples == 1) out[row] = pwt_select_row(type, quotients, classes, 0, true);
    else pwt_topk_row(type, quotients, NULL, out + row * samples, classes, samples, true, workspace);
  }
  pwt_free(memory), pwt_free(all);
  return good;
}

bool pwt_sample_multinomial(PwtGenerator *g, DType dtype, const void *weights, int64_t rows, int64_t classes,
                            int64_t *out, int64_t samples, bool replacement, bool by_class) {
  if (!pwt_is_floating(dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "multinomial only supports floating-point dtypes for input, got: %t", dtype);
  if (samples <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "cannot sample n_sample <= 0 samples");
  if (!replacement && samples > classes)
    return pwt_fail(PWT_RUNTIME_ERROR, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  if (classes > LARGEST_CLASSES) return pwt_fail(PWT_RUNTIME_ERROR, "number of categories cannot exceed 2^24");
  if (rows == 0) return true;
  if (classes == 0) return pwt_fail(PWT_RUNTIME_ERROR, NO_MASS);
  if (replacement && samples > 1) return draw_with_replacement(g, dtype, weights, rows, classes, out, samples);
  return draw_greatest(g, dtype, weights, rows, classes, out, samples, by_class);
}
