/* Adafactor (Shazeer and Stern, 2018, algorithms 4 and 5), computed in double. */
#include "call.h"
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, share, eps1, eps2, d, weight_decay, sign;
  double count;
} AdafactorOptions;

static double epsilon_of(DType dtype) {
  if (dtype == PWT_FLOAT64) return 0x1p-52;
  if (dtype == PWT_FLOAT16) return 0x1p-10;
  if (dtype == PWT_BFLOAT16) return 0x1p-7;
  return 0x1p-23;
}

static double at_least(double x, double least) { return x < least ? least : x; }

static double root_mean_square(const double *x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
  return __builtin_sqrt(sum / n);
}

/* Adds the squares of a row to its columns' sums and returns their sum, over four lanes. */
static double add_squares(double *restrict col_sums, const double *restrict grads, int64_t n) {
  double lanes[4] = {0};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) {
      const double square = grads[i + k] * grads[i + k];
      col_sums[i + k] += square;
      lanes[k] += square;
    }
  for (; i < n; i++) {
    col_sums[i] += grads[i] * grads[i];
    lanes[0] += grads[i] * grads[i];
  }
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static void divide_by_root(double *restrict updates, const double *restrict grads, const double *restrict col_vars, int64_t n,
                           double scale, double least, double sign) {
  for (int64_t i = 0; i < n; i++) updates[i] = sign * grads[i] / __builtin_sqrt(at_least(scale * col_vars[i], least));
}

/* `updates` holds the columns' sums first. */
static void update_matrix(double *updates, const double *grads, double *row_vars, double *col_vars, int64_t rows, int64_t cols,
                          const AdafactorOptions *o) {
  double mean = 0;
  for (int64_t col = 0; col < cols; col++) updates[col] = 0;
  for (int64_t row = 0; row < rows; row++) {
    row_vars[row] += o->share * (add_squares(updates, grads + row * cols, cols) / cols - row_vars[row]);
    mean += row_vars[row];
  }
  for (int64_t col = 0; col < cols; col++) col_vars[col] += o->share * (updates[col] / rows - col_vars[col]);
  mean = at_least(mean / rows, o->eps1);
  for (int64_t row = 0; row < rows; row++)
    divide_by_root(updates + row * cols, grads + row * cols, col_vars, cols, row_vars[row] / mean, o->eps1 * o->eps1, o->sign);
}

/* A vector's variances are not factored. */
static void update_vector(double *updates, const double *grads, double *vars, int64_t n, const AdafactorOptions *o) {
  for (int64_t i = 0; i < n; i++) {
    vars[i] += o->share * (grads[i] * grads[i] - vars[i]);
    updates[i] = o->sign * grads[i] / __builtin_sqrt(at_least(vars[i], o->eps1 * o->eps1));
  }
}

static void update_params(double *params, const double *updates, int64_t n, const AdafactorOptions *o) {
  double rate = 1 / __builtin_sqrt(o->count), size = root_mean_square(params, n), excess = root_mean_square(updates, n) / o->d;
  if (o->lr < rate) rate = o->lr;
  rate *= size > o->eps2 ? size : o->eps2;
  if (excess > 1) rate /= excess;
  double shrink = 1 - o->lr * o->weight_decay;
  for (int64_t i = 0; i < n; i++) params[i] = shrink * params[i] - rate * updates[i];
}

/* A gradient's sizes with the last or the one before it replaced by 1. */
static bool is_factor_of(const Tensor *grad, const Tensor *vars, int dim) {
  bool fits = vars && vars->ndim == grad->ndim && pwt_is_floating(vars->dtype);
  for (int k = 0; fits && k < grad->ndim; k++) fits = vars->sizes[k] == (k == dim ? 1 : grad->sizes[k]);
  return fits && !pwt_overlaps_itself(vars);
}

static bool check_factors(const Tensor *grad, const Tensor *row_vars, const Tensor *col_vars) {
  int ndim = grad->ndim;
  bool fits = ndim > 1 ? is_factor_of(grad, row_vars, ndim - 1) && is_factor_of(grad, col_vars, ndim - 2) : is_factor_of(grad, row_vars, -1);
  if (!fits) pwt_fail(PWT_RUNTIME_ERROR, "the variances in the optimizer state do not fit a gradient of size %z", grad->sizes, ndim);
  return fits;
}

static bool update(Tensor *param, Tensor *row_vars, Tensor *col_vars, const AdafactorOptions *o) {
  Tensor *grad = pwt_gradient_of(param);
  Tensor *written[3] = {param, row_vars, col_vars}, *work[3];
  int count = col_vars ? 3 : 2;
  for (int k = 0; k < count; k++) {
    work[k] = pwt_raw_contiguous_as(written[k], PWT_FLOAT64);
    if (!work[k]) return false;
  }
  int64_t n = grad->numel;
  Tensor *dense = pwt_raw_contiguous_as(grad, PWT_FLOAT64);
  double *updates = pwt_scratch_items(n, sizeof(double));
  if (!dense || !updates) return false;
  const double *grads = pwt_data(dense);
  double *rows = pwt_data(work[1]);
  if (grad->ndim > 1) {
    int64_t height = grad->sizes[grad->ndim - 2], width = grad->sizes[grad->ndim - 1], size = height * width;
    double *cols = pwt_data(work[2]);
    for (int64_t k = 0; size && k < n / size; k++)
      update_matrix(updates + k * size, grads + k * size, rows + k * height, cols + k * width, height, width, o);
  } else update_vector(updates, grads, rows, n, o);
  if (n) update_params(pwt_data(work[0]), updates, n, o);
  for (int k = 0; k < count; k++) {
    if (work[k] != written[k]) pwt_raw_copy(written[k], work[k]);
    pwt_bump_version(written[k]);
  }
  return !pwt_failed();
}

/* `row_vars` holds a vector's variances as they are, `col_vars` NULL for it. */
bool pwt_kernel__adafactor_step(TensorList params, TensorList row_vars, TensorList col_vars, TensorList steps, double lr,
                                double beta2_decay, OptFloat eps1, double eps2, double d, double weight_decay, bool maximize) {
  AdafactorOptions options = {lr, 0, eps1.value, eps2, d, weight_decay, maximize ? -1 : 1, 0};
  Step step = {.tensor_lists = 1, .number_lists = 1, .tensors = {params}, .numbers = {steps}};
  if (row_vars.count != params.count || col_vars.count != params.count) {
    pwt_fail(PWT_VALUE_ERROR, "%i parameters with %i tensors of an optimizer state", params.count, row_vars.count);
    return false;
  }
  if (!pwt_check_step(&step)) return false;
  for (int64_t i = 0; i < params.count; i++) {
    const Tensor *grad = pwt_gradient_of(params.items[i]);
    if (!grad) continue;
    if (!check_factors(grad, row_vars.items[i], col_vars.items[i])) return false;
    /* As in torch, the first parameter's dtype decides for all. */
    if (!eps1.given) options.eps1 = epsilon_of(params.items[i]->dtype), eps1.given = true;
  }
  for (int64_t i = 0; i < params.count; i++) {
    if (!pwt_gradient_of(params.items[i])) continue;
    if (!pwt_load_numbers(&step, i, &options.count)) return false;
    options.count++;
    options.share = pwt_step_power(options.count, beta2_decay);
    int64_t mark = pwt_scope_open();
    bool done = update(params.items[i], row_vars.items[i], col_vars.items[i], &options);
    pwt_scope_close(mark);
    if (!done) return false;
    pwt_store_numbers(&step, i, &options.count);
  }
  return true;
}
