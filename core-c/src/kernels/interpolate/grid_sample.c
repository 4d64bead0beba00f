/* grid_sample in two and three dimensions. Each axis gives up to four taps; a sample is a sum over their products. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

enum { LINEAR, NEAREST, CUBIC };
enum { ZEROS, BORDER, REFLECTION };
enum { MAX_TAPS = 16 };

typedef struct {
  const void *input, *grid, *grad;
  void *output, *to_input, *to_grid;
  int64_t channels, in[3], out[3];
  int dims, mode, padding;
  bool corners, single;
} Job;

typedef struct { /* one axis of one sample: which elements (-1: outside, 0), how much of each, and that by the grid's coordinate */
  int count;
  int64_t at[4];
  double weight[4], slope[4];
} Axis;

typedef struct {
  int count;
  int64_t at[MAX_TAPS];
  double weight[MAX_TAPS], slope[3][MAX_TAPS];
} Taps;

/* As if computed in the tensors' own precision: which element is nearest depends on it. */
static inline double rounded(const Job *j, double x) { return j->single ? (double)(float)x : x; }

static double unnormalized(const Job *j, double x, int64_t size) {
  double n = (double)size;
  x = rounded(j, x + 1);
  if (j->dims == 2) x = rounded(j, x * rounded(j, (j->corners ? n - 1 : n) / 2));
  else if (j->corners) return rounded(j, rounded(j, x / 2) * (n - 1));
  else return rounded(j, rounded(j, rounded(j, x * n) - 1) / 2);
  return j->corners ? x : rounded(j, x - 0.5);
}

static double reflected(const Job *j, double x, int64_t size, double *slope) {
  double low = j->corners ? 0 : -0.5, span = j->corners ? (double)size - 1 : (double)size;
  if (span <= 0) return *slope = 0, 0;
  x = rounded(j, x - low);
  if (x < 0) x = -x, *slope = -*slope;
  double flips = __builtin_floor(rounded(j, x / span)), extra = x - __builtin_floor(x / span) * span;
  bool odd = flips - 2 * __builtin_floor(flips / 2) != 0;
  if (odd) *slope = -*slope;
  return rounded(j, odd ? rounded(j, span - extra) + low : extra + low);
}

/* The place that the padding moves x to; *slope is multiplied by its derivative. NaN goes to one of the borders, as in torch. */
static double padded(const Job *j, double x, int64_t size, double *slope) {
  if (j->padding == ZEROS) return x;
  if (j->padding == REFLECTION) x = reflected(j, x, size, slope);
  if (x != x) return *slope = 0, j->dims == 2 ? 0 : (double)size - 1;
  if (x <= 0) return *slope = 0, 0;
  if (x >= (double)size - 1) return *slope = 0, (double)size - 1;
  return x;
}

static bool finite(double x) { return x - x == 0; }

static int64_t inside(double x, int64_t size) { return x >= 0 && x < (double)size ? (int64_t)x : -1; }

/* Keys, 1981, with a = -0.75 */
static void cubic_axis(const Job *j, Axis *a, double x, int64_t size, double scale) {
  const double k = -0.75;
  double first = __builtin_floor(x), t = x - first, s = 1 - t, unused = 1;
  double weight[] = {((k * (t + 1) - 5 * k) * (t + 1) + 8 * k) * (t + 1) - 4 * k, ((k + 2) * t - (k + 3)) * t * t + 1, ((k + 2) * s - (k + 3)) * s * s + 1,
                     ((k * (s + 1) - 5 * k) * (s + 1) + 8 * k) * (s + 1) - 4 * k};
  double slope[] = {(3 * k * (t + 1) - 10 * k) * (t + 1) + 8 * k, (3 * (k + 2) * t - 2 * (k + 3)) * t, -(3 * (k + 2) * s - 2 * (k + 3)) * s,
                    -((3 * k * (s + 1) - 10 * k) * (s + 1) + 8 * k)};
  a->count = 4;
  for (int i = 0; i < 4; i++) {
    a->at[i] = finite(x) ? inside(padded(j, first + i - 1, size, &unused), size) : 0; /* where the weights are NaN */
    a->weight[i] = weight[i], a->slope[i] = slope[i] * scale;
  }
}

static void fill_axis(const Job *j, Axis *a, double x, int64_t size) {
  double scale = (j->corners ? (double)size - 1 : (double)size) / 2;
  x = unnormalized(j, x, size);
  if (j->mode == CUBIC) return cubic_axis(j, a, x, size, scale);
  x = padded(j, x, size, &scale);
  if (j->mode == NEAREST) {
    *a = (Axis){1, {inside(__builtin_rint(x), size)}, {1}, {0}};
    return;
  }
  double first = __builtin_floor(x), t = x - first;
  *a = (Axis){2, {inside(first, size), inside(first + 1, size)}, {1 - t, t}, {-scale, scale}};
  if (j->dims == 2 && !finite(x)) a->at[0] = a->at[1] = 0;
}

static void fill_taps(const Job *j, Taps *t, const double *place, bool slopes) {
  Axis axes[3];
  int dims = j->dims;
  for (int d = 0; d < dims; d++) fill_axis(j, &axes[d], place[d], j->in[dims - 1 - d]); /* the grid holds x, y, z; `in` is depth, height, width */
  if (dims == 2) axes[2] = (Axis){1, {0}, {1}, {0}};
  t->count = 0;
  for (int z = 0; z < axes[2].count; z++)
    for (int y = 0; y < axes[1].count; y++)
      for (int x = 0; x < axes[0].count; x++) {
        if (axes[2].at[z] < 0 || axes[1].at[y] < 0 || axes[0].at[x] < 0) continue;
        int64_t rows = dims == 3 ? axes[2].at[z] * j->in[1] + axes[1].at[y] : axes[1].at[y];
        int n = t->count++;
        t->at[n] = rows * j->in[dims - 1] + axes[0].at[x];
        t->weight[n] = axes[0].weight[x] * axes[1].weight[y] * axes[2].weight[z];
        if (!slopes) continue;
        t->slope[0][n] = axes[0].slope[x] * axes[1].weight[y] * axes[2].weight[z];
        t->slope[1][n] = axes[0].weight[x] * axes[1].slope[y] * axes[2].weight[z];
        t->slope[2][n] = axes[0].weight[x] * axes[1].weight[y] * axes[2].slope[z];
      }
}

#define SAMPLES(S, T)                                                                                     \
  static void forward_##S(void *context, int64_t begin, int64_t end) {                                    \
    const Job *j = context;                                                                               \
    int64_t plane = pwt_product(j->in, j->dims), samples = pwt_product(j->out, j->dims);                  \
    for (int64_t i = begin; i < end; i++) {                                                               \
      Taps t;                                                                                             \
      double place[3];                                                                                    \
      for (int d = 0; d < j->dims; d++) place[d] = (double)((const T *)j->grid)[i * j->dims + d];         \
      fill_taps(j, &t, place, false);                                                                     \
      T weight[MAX_TAPS];                                                                                 \
      for (int k = 0; k < t.count; k++) weight[k] = (T)t.weight[k];                                       \
      const T *x = (const T *)j->input + i / samples * j->channels * plane;                               \
      T *y = (T *)j->output + i / samples * j->channels * samples + i % samples;                          \
      for (int64_t c = 0; c < j->channels; c++, x += plane, y += samples) {                               \
        T total = 0;                                                                                      \
        for (int k = 0; k < t.count; k++) total += x[t.at[k]] * weight[k];                                \
        *y = total;                                                                                       \
      }                                                                                                   \
    }                                                                                                     \
  }                                                                                                       \
  static void backward_##S(void *context, int64_t begin, int64_t end) {                                   \
    const Job *j = context;                                                                               \
    int64_t plane = pwt_product(j->in, j->dims), samples = pwt_product(j->out, j->dims);                  \
    for (int64_t i = begin * samples; i < end * samples; i++) {                                           \
      Taps t;                                                                                             \
      double place[3], total[3] = {0};                                                                    \
      for (int d = 0; d < j->dims; d++) place[d] = (double)((const T *)j->grid)[i * j->dims + d];         \
      fill_taps(j, &t, place, true);                                                                      \
      int64_t from = i / samples * j->channels * plane;                                                   \
      const T *g = (const T *)j->grad + i / samples * j->channels * samples + i % samples;                \
      for (int64_t c = 0; c < j->channels; c++, from += plane, g += samples) {                            \
        if (j->to_input)                                                                                  \
          for (int k = 0; k < t.count; k++) ((T *)j->to_input)[from + t.at[k]] += *g * (T)t.weight[k];    \
        if (j->to_grid)                                                                                   \
          for (int k = 0; k < t.count; k++) {                                                             \
            double part = (double)((const T *)j->input)[from + t.at[k]] * (double)*g;                     \
            for (int d = 0; d < j->dims; d++) total[d] += part * t.slope[d][k];                           \
          }                                                                                               \
      }                                                                                                   \
      for (int d = 0; d < j->dims && j->to_grid; d++) ((T *)j->to_grid)[i * j->dims + d] = (T)total[d];   \
    }                                                                                                     \
  }
SAMPLES(f32, float)
SAMPLES(f64, double)

static bool check(Tensor *input, Tensor *grid, int64_t mode, int64_t padding, int dims) {
  if (input->dtype != grid->dtype)
    pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): expected input and grid to have same dtype, but input has %s and grid has %s", pwt_dtype_name((DType)input->dtype), pwt_dtype_name((DType)grid->dtype));
  else if (input->ndim != dims + 2 || grid->ndim != input->ndim)
    pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): expected %dD input and grid with the same number of dimensions, but got input with sizes %z and grid with sizes %z", dims + 2, input->sizes,
             (int)input->ndim, grid->sizes, (int)grid->ndim);
  else if (input->sizes[0] != grid->sizes[0])
    pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): expected grid and input to have same batch size, but got input with sizes %z and grid with sizes %z", input->sizes, (int)input->ndim, grid->sizes,
             (int)grid->ndim);
  else if (grid->sizes[grid->ndim - 1] != dims)
    pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): expected grid to have size %d in last dimension, but got grid with sizes %z", dims, grid->sizes, (int)grid->ndim);
  else if (!pwt_is_floating((DType)input->dtype)) pwt_fail(PWT_NOT_IMPLEMENTED, "\"grid_sampler_%dd_cpu\" not implemented for '%t'", dims, input->dtype);
  else if (mode < LINEAR || mode > CUBIC || padding < ZEROS || padding > REFLECTION) pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): unknown interpolation or padding mode");
  else if (mode == CUBIC && dims == 3) pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): bicubic interpolation only supports 4D input");
  for (int d = 2; d < input->ndim && !pwt_failed(); d++)
    if (input->sizes[d] == 0)
      pwt_fail(PWT_RUNTIME_ERROR, "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes %z with dimension %d being empty", input->sizes, (int)input->ndim, d);
  return !pwt_failed();
}

static Job job_of(Tensor *input, Tensor *grid, int64_t mode, int64_t padding, bool corners, DType dtype) {
  Job j = {.channels = input->sizes[1], .dims = input->ndim - 2, .mode = (int)mode, .padding = (int)padding, .corners = corners, .single = dtype == PWT_FLOAT32};
  for (int d = 0; d < j.dims; d++) j.in[d] = input->sizes[d + 2], j.out[d] = grid->sizes[d + 1];
  return j;
}

static Tensor *sampled(Tensor *input, Tensor *grid, int64_t mode, int64_t padding, bool corners, int dims) {
  if (!check(input, grid, mode, padding, dims)) return NULL;
  DType dtype = input->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Job j = job_of(input, grid, mode, padding, corners, dtype);
  int64_t sizes[] = {input->sizes[0], j.channels, j.out[0], j.out[1], j.out[2]};
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *places = pwt_raw_contiguous_as(grid, dtype), *result = pwt_new(dims + 2, sizes, dtype);
  if (!x || !places || !result) return NULL;
  j.input = pwt_data(x), j.grid = pwt_data(places), j.output = pwt_data(result);
  if (result->numel) pwt_parallel_for(sizes[0] * pwt_product(j.out, dims), pwt_grain(16384, 32 + j.channels * 4), dtype == PWT_FLOAT32 ? forward_f32 : forward_f64, &j);
  return pwt_raw_cast(result, (DType)input->dtype);
}

Tensor *pwt_kernel_grid_sampler_2d(Tensor *input, Tensor *grid, int64_t mode, int64_t padding, bool corners) { return sampled(input, grid, mode, padding, corners, 2); }

Tensor *pwt_kernel_grid_sampler_3d(Tensor *input, Tensor *grid, int64_t mode, int64_t padding, bool corners) { return sampled(input, grid, mode, padding, corners, 3); }

Tensors2 pwt_kernel__grid_sampler_backward(Tensor *grad, Tensor *input, Tensor *grid, int64_t mode, int64_t padding, bool corners, int64_t wanted) {
  Tensors2 none = {{NULL, NULL}};
  DType dtype = input->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Job j = job_of(input, grid, mode, padding, corners, dtype);
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *places = pwt_raw_contiguous_as(grid, dtype), *g = pwt_raw_contiguous_as(grad, dtype);
  Tensor *to_input = pwt_new_zeros(input->ndim, input->sizes, dtype), *to_grid = pwt_new_zeros(grid->ndim, grid->sizes, dtype);
  if (!x || !places || !g || !to_input || !to_grid) return none;
  j.input = pwt_data(x), j.grid = pwt_data(places), j.grad = pwt_data(g);
  j.to_input = wanted & 1 ? pwt_data(to_input) : NULL, j.to_grid = wanted & 2 ? pwt_data(to_grid) : NULL;
  if (g->numel) pwt_parallel_for(input->sizes[0], 1, dtype == PWT_FLOAT32 ? backward_f32 : backward_f64, &j);
  return (Tensors2){{pwt_raw_cast(to_input, (DType)input->dtype), pwt_raw_cast(to_grid, (DType)grid->dtype)}};
}

Tensor *pwt_kernel_grid_sampler(Tensor *input, Tensor *grid, int64_t mode, int64_t padding, bool corners) {
  return input->ndim == 5 ? pwt_grid_sampler_3d(input, grid, mode, padding, corners) : pwt_grid_sampler_2d(input, grid, mode, padding, corners);
}
