/* batch_norm over [N, C, ...] and its gradient. */
#include "base/lane_sum.h"
#include "base/parallel.h"
#include "ops.h"

static const Tensors3 none = {{NULL, NULL, NULL}};
static const Scalar one = {SCALAR_INT, 1, 1, 0};

typedef struct {
  const void *input, *grad, *weight, *bias, *running_mean, *running_var;
  void *output, *mean, *rstd, *variance, *to_weight, *to_bias;
  int64_t batch, channels, inner;
  double eps;
  bool training;
} Job;

/* TOTAL = sum of EXPRESSION over a channel's elements, in double, by rows of `inner` */
#define CHANNEL_SUM(TOTAL, EXPRESSION)                                                   \
  {                                                                                      \
    TOTAL = 0;                                                                           \
    for (int64_t b = 0; b < job->batch; b++) {                                           \
      double row;                                                                        \
      LANE_SUM(row, double, 4, (b * job->channels + c) * job->inner, job->inner, EXPRESSION) \
      TOTAL += row;                                                                      \
    }                                                                                    \
  }

#define CHANNELS(S, T)                                                                                 \
  static void forward_##S(void *context, int64_t begin, int64_t end) {                                 \
    const Job *job = context;                                                                          \
    const T *restrict x = job->input;                                                                  \
    T *restrict y = job->output;                                                                       \
    double count = (double)(job->batch * job->inner);                                                  \
    for (int64_t c = begin; c < end; c++) {                                                            \
      T mean, rstd;                                                                                    \
      if (job->training) {                                                                             \
        double total, squares;                                                                         \
        CHANNEL_SUM(total, (double)x[i])                                                               \
        double centre = total / count;                                                                 \
        CHANNEL_SUM(squares, ((double)x[i] - centre) * ((double)x[i] - centre))                        \
        mean = (T)centre;                                                                              \
        rstd = (T)(1 / __builtin_sqrt(squares / count + job->eps));                                    \
        ((double *)job->variance)[c] = squares;                                                        \
      } else {                                                                                         \
        mean = ((const T *)job->running_mean)[c];                                                      \
        rstd = (T)(1 / __builtin_sqrt((double)((const T *)job->running_var)[c] + job->eps));           \
      }                                                                                                \
      T scale = job->weight ? rstd * ((const T *)job->weight)[c] : rstd;                               \
      T shift = (job->bias ? ((const T *)job->bias)[c] : 0) - mean * scale;                            \
      for (int64_t b = 0; b < job->batch; b++) {                                                       \
        int64_t base = (b * job->channels + c) * job->inner;                                           \
        for (int64_t i = base; i < base + job->inner; i++) y[i] = x[i] * scale + shift;                \
      }                                                                                                \
      ((T *)job->mean)[c] = mean;                                                                      \
      ((T *)job->rstd)[c] = rstd;                                                                      \
    }                                                                                                  \
  }                                                                                                    \
  static void backward_##S(void *context, int64_t begin, int64_t end) {                                \
    const Job *job = context;                                                                          \
    const T *restrict x = job->input, *restrict g = job->grad;                                         \
    T *restrict out = job->output;                                                                     \
    double count = (double)(job->batch * job->inner);                                                  \
    for (int64_t c = begin; c < end; c++) {                                                            \
      T mean = ((const T *)job->mean)[c], rstd = ((const T *)job->rstd)[c];                            \
      T w = job->weight ? ((const T *)job->weight)[c] : 1;                                             \
      double sum, dot;                                                                                 \
      CHANNEL_SUM(sum, (double)g[i])                                                                   \
      CHANNEL_SUM(dot, (double)g[i] * (double)(x[i] - mean))                                           \
      if (job->to_weight) ((T *)job->to_weight)[c] = (T)(dot * (double)rstd);                          \
      if (job->to_bias) ((T *)job->to_bias)[c] = (T)sum;                                               \
      if (!out) continue;                                                                              \
      T a = job->training ? (T)(sum / count) : 0, k = job->training ? (T)(dot / count) * rstd * rstd : 0, scale = rstd * w; \
      for (int64_t b = 0; b < job->batch; b++) {                                                       \
        int64_t base = (b * job->channels + c) * job->inner;                                           \
        for (int64_t i = base; i < base + job->inner; i++) out[i] = (g[i] - a - (x[i] - mean) * k) * scale; \
      }                                                                                                \
    }                                                                                                  \
  }
CHANNELS(f32, float)
CHANNELS(f64, double)

static int64_t channels_of(const Tensor *input) { return input->ndim > 1 ? input->sizes[1] : 0; }

static bool check_channels(Tensor *t, int64_t channels, const char *name) {
  if (!t || (t->ndim == 1 && t->numel == channels)) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s should contain %i elements not %i", name, channels, t->numel);
  return false;
}

static void update_running(Tensor *running, Tensor *latest, double momentum) {
  if (!running || pwt_on_meta) return;
  Tensor *old = pwt_raw_cast(running, PWT_FLOAT64), *now = pwt_raw_cast(latest, PWT_FLOAT64);
  Tensor *mixed = pwt_new(1, &running->numel, PWT_FLOAT64);
  if (!old || !now || !mixed) return;
  old = pwt_raw_contiguous(old);
  double *to = pwt_data(mixed);
  const double *a = pwt_data(old), *b = pwt_data(now);
  for (int64_t i = 0; i < running->numel; i++) to[i] = momentum * b[i] + (1 - momentum) * a[i];
  pwt_raw_copy(running, mixed);
  pwt_bump_version(running);
}

Tensors3 pwt_kernel_native_batch_norm(Tensor *input, Tensor *weight, Tensor *bias, Tensor *running_mean, Tensor *running_var, bool training, double momentum, double eps) {
  if (input->ndim < 2 && (input->ndim == 0 || input->numel)) return pwt_fail(PWT_RUNTIME_ERROR, "batch_norm: expected an input of at least 2 dimensions, got %d", (int)input->ndim), none;
  if (!pwt_is_floating((DType)input->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"batch_norm\" not implemented for '%t'", input->dtype), none;
  int64_t channels = channels_of(input);
  if (!check_channels(running_mean, channels, "running_mean") || !check_channels(running_var, channels, "running_var") || !check_channels(weight, channels, "weight") ||
      !check_channels(bias, channels, "bias"))
    return none;
  Tensor *parameters[] = {weight, bias, running_mean, running_var};
  for (int i = 0; i < 4; i++) {
    DType wide = pwt_itemsize[input->dtype] == 2 ? PWT_FLOAT32 : (DType)input->dtype;
    if (parameters[i] && parameters[i]->dtype != input->dtype && parameters[i]->dtype != wide)
      return pwt_fail(PWT_RUNTIME_ERROR, "mixed dtype (CPU): expect parameter to have scalar type of %t", wide), none;
  }
  if (!training && (!running_mean || !running_var)) return pwt_fail(PWT_RUNTIME_ERROR, "running_mean must be defined in evaluation mode"), none;
  DType dtype = input->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *y = pwt_new(input->ndim, input->sizes, dtype);
  Tensor *mean = pwt_new(1, &channels, dtype), *rstd = pwt_new(1, &channels, dtype), *squares = pwt_new(1, &channels, PWT_FLOAT64);
  Tensor *w = pwt_raw_contiguous_as(weight, dtype), *b = pwt_raw_contiguous_as(bias, dtype);
  Tensor *rm = pwt_raw_contiguous_as(running_mean, dtype), *rv = pwt_raw_contiguous_as(running_var, dtype);
  if (!x || !y || !mean || !rstd || !squares || pwt_failed()) return none;
  Job job = {.input = pwt_data(x), .weight = w ? pwt_data(w) : NULL, .bias = b ? pwt_data(b) : NULL, .running_mean = rm ? pwt_data(rm) : NULL,
             .running_var = rv ? pwt_data(rv) : NULL, .output = pwt_data(y), .mean = pwt_data(mean), .rstd = pwt_data(rstd), .variance = pwt_data(squares),
             .batch = input->sizes[0], .channels = channels, .eps = eps, .training = training};
  job.inner = pwt_product(input->sizes + 2, input->ndim - 2);
  pwt_parallel_for(channels, pwt_grain(16384, job.batch * job.inner), dtype == PWT_FLOAT32 ? forward_f32 : forward_f64, &job);
  if (training && job.batch * job.inner > 0 && !pwt_on_meta) { /* an empty batch leaves the running statistics */
    double unbiased = (double)(job.batch * job.inner - 1), *values = pwt_data(squares);
    for (int64_t i = 0; i < channels; i++) values[i] /= unbiased;
    update_running(running_mean, mean, momentum);
    update_running(running_var, squares, momentum);
  }
  return (Tensors3){{pwt_laid_out(y, (DType)input->dtype, input, NULL), mean, rstd}};
}

static Tensors3 differentiable(Tensor *grad, Tensor *input, Tensor *mean, Tensor *rstd, Tensor *weight, bool training, double eps, int64_t wanted) {
  int64_t dims[PWT_MAX_DIMS], shape[PWT_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < input->ndim; i++) {
    shape[i] = i == 1 ? input->sizes[1] : 1;
    if (i != 1) dims[n++] = i;
  }
  IntList others = {dims, n}, channel = {shape, input->ndim};
  Tensor *centre = training ? pwt_mean(input, others, true, PWT_NO_DTYPE) : pwt_reshape(mean, channel);
  Tensor *centred = pwt_sub(input, centre, one);
  Tensor *scale = training ? pwt_rsqrt(pwt_add(pwt_mean(pwt_mul(centred, centred), others, true, PWT_NO_DTYPE), pwt_from_scalar(pwt_scalar_float(eps)), one)) : pwt_reshape(rstd, channel);
  Tensor *normal = pwt_mul(centred, scale), *scaled = weight ? pwt_mul(grad, pwt_reshape(weight, channel)) : grad, *rest = scaled;
  if (training)
    rest = pwt_sub(pwt_sub(scaled, pwt_mean(scaled, others, true, PWT_NO_DTYPE), one), pwt_mul(normal, pwt_mean(pwt_mul(scaled, normal), others, true, PWT_NO_DTYPE)), one);
  return (Tensors3){{wanted & 1 ? pwt_mul(rest, scale) : NULL, wanted & 2 ? pwt_sum(pwt_mul(grad, normal), others, false, PWT_NO_DTYPE) : NULL,
                     wanted & 4 ? pwt_sum(grad, others, false, PWT_NO_DTYPE) : NULL}};
}

Tensors3 pwt_kernel_batch_norm_backward(Tensor *grad, Tensor *input, Tensor *mean, Tensor *rstd, Tensor *weight, Tensor *bias, bool training, double eps, int64_t wanted) {
  (void)bias;
  if (!grad) return none;
  if (pwt_grad_enabled) return differentiable(grad, input, mean, rstd, weight, training, eps, wanted);
  DType dtype = (DType)mean->dtype;
  int64_t channels = channels_of(input);
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *g = pwt_raw_contiguous_as(grad, dtype), *w = pwt_raw_contiguous_as(weight, dtype);
  Tensor *out = wanted & 1 ? pwt_new(input->ndim, input->sizes, dtype) : NULL;
  Tensor *to_weight = pwt_new(1, &channels, dtype), *to_bias = pwt_new(1, &channels, dtype);
  if (!x || !g || !to_weight || !to_bias || pwt_failed()) return none;
  Job job = {.input = pwt_data(x), .grad = pwt_data(g), .weight = w ? pwt_data(w) : NULL, .output = out ? pwt_data(out) : NULL, .mean = pwt_data(mean), .rstd = pwt_data(rstd),
             .to_weight = pwt_data(to_weight), .to_bias = pwt_data(to_bias), .batch = input->sizes[0], .channels = channels, .eps = eps, .training = training};
  job.inner = pwt_product(input->sizes + 2, input->ndim - 2);
  pwt_parallel_for(channels, pwt_grain(16384, job.batch * job.inner), dtype == PWT_FLOAT32 ? backward_f32 : backward_f64, &job);
  DType affine = weight ? (DType)weight->dtype : dtype;
  return (Tensors3){{pwt_raw_cast(out, (DType)input->dtype), pwt_raw_cast(to_weight, affine), pwt_raw_cast(to_bias, affine)}};
}
