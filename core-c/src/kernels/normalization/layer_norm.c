/* layer_norm, group_norm, rms_norm and their gradients. */
#include "base/lane_sum.h"
#include "base/parallel.h"
#include "ops.h"

static const Tensors3 none = {{NULL, NULL, NULL}};
static Tensor *number(double value) { return pwt_from_scalar(pwt_scalar_float(value)); }
static const Scalar one = {SCALAR_INT, 1, 1, 0};

typedef struct {
  const void *input, *grad, *weight, *bias;
  void *output, *mean, *rstd;
  int64_t length;
  double eps;
} Job;

#define ROW_SUM(TOTAL, EXPRESSION) LANE_SUM(TOTAL, double, 4, 0, n, EXPRESSION)

#define ROWS(S, T)                                                                                             \
  static void normalise_##S(void *context, int64_t begin, int64_t end) {                                       \
    const Job *job = context;                                                                                  \
    int64_t n = job->length;                                                                                   \
    const T *restrict w = job->weight, *restrict b = job->bias;                                                \
    for (int64_t row = begin; row < end; row++) {                                                              \
      const T *restrict x = (const T *)job->input + row * n;                                                   \
      T *restrict y = (T *)job->output + row * n;                                                              \
      double total, squares;                                                                                   \
      ROW_SUM(total, (double)x[i])                                                                             \
      T mean = (T)(total / (double)n);                                                                         \
      ROW_SUM(squares, ((double)x[i] - (double)mean) * ((double)x[i] - (double)mean))                          \
      T rstd = (T)(1 / __builtin_sqrt(squares / (double)n + job->eps));                                        \
      for (int64_t i = 0; i < n; i++) y[i] = (x[i] - mean) * rstd;                                             \
      if (w) for (int64_t i = 0; i < n; i++) y[i] *= w[i];                                                     \
      if (b) for (int64_t i = 0; i < n; i++) y[i] += b[i];                                                     \
      ((T *)job->mean)[row] = mean;                                                                            \
      ((T *)job->rstd)[row] = rstd;                                                                            \
    }                                                                                                          \
  }                                                                                                            \
  static void to_input_##S(void *context, int64_t begin, int64_t end) {                                        \
    const Job *job = context;                                                                                  \
    int64_t n = job->length;                                                                                   \
    const T *restrict w = job->weight;                                                                         \
    for (int64_t row = begin; row < end; row++) {                                                              \
      const T *restrict x = (const T *)job->input + row * n, *restrict g = (const T *)job->grad + row * n;     \
      T *restrict out = (T *)job->output + row * n;                                                            \
      T mean = ((const T *)job->mean)[row], rstd = ((const T *)job->rstd)[row];                                \
      double sum, dot;                                                                                         \
      ROW_SUM(sum, (double)(w ? g[i] * w[i] : g[i]))                                                           \
      ROW_SUM(dot, (double)(w ? g[i] * w[i] : g[i]) * (double)((x[i] - mean) * rstd))                          \
      T a = (T)(sum / (double)n), c = (T)(dot / (double)n);                                                    \
      for (int64_t i = 0; i < n; i++) out[i] = rstd * ((w ? g[i] * w[i] : g[i]) - a - (x[i] - mean) * rstd * c); \
    }                                                                                                          \
  }                                                                                                            \
  static void to_affine_##S(const Job *job, int64_t rows, T *restrict weight, T *restrict bias) {              \
    int64_t n = job->length;                                                                                   \
    for (int64_t row = 0; row < rows; row++) {                                                                 \
      const T *restrict x = (const T *)job->input + row * n, *restrict g = (const T *)job->grad + row * n;     \
      T mean = ((const T *)job->mean)[row], rstd = ((const T *)job->rstd)[row];                                \
      for (int64_t i = 0; i < n; i++) weight[i] += g[i] * (x[i] - mean) * rstd;                                \
      for (int64_t i = 0; i < n; i++) bias[i] += g[i];                                                         \
    }                                                                                                          \
  }
ROWS(f32, float)
ROWS(f64, double)

static bool check_shape(Tensor *input, IntList shape, Tensor *weight, Tensor *bias) {
  bool fits = shape.count <= input->ndim;
  if (shape.count < 1) {
    pwt_fail(PWT_RUNTIME_ERROR, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = %z", shape.items, (int)shape.count);
    return false;
  }
  for (int i = 0; i < 2; i++) {
    Tensor *t = i ? bias : weight;
    bool same = !t || t->ndim == shape.count;
    for (int k = 0; t && k < shape.count && same; k++) same = t->sizes[k] == shape.items[k];
    if (!same) {
      pwt_fail(PWT_RUNTIME_ERROR, "Expected %s to be of same shape as normalized_shape, but got %s of shape %z and normalized_shape = %z", i ? "bias" : "weight", i ? "bias" : "weight",
               t->sizes, (int)t->ndim, shape.items, (int)shape.count);
      return false;
    }
  }
  for (int i = 0; i < shape.count && fits; i++) fits = input->sizes[input->ndim - shape.count + i] == shape.items[i];
  if (!fits)
    pwt_fail(PWT_RUNTIME_ERROR, "Given normalized_shape=%z, expected input with shape [*, %l], but got input of size%z", shape.items, (int)shape.count, shape.items, (int)shape.count, input->sizes, (int)input->ndim);
  return fits;
}

Tensors3 pwt_kernel_native_layer_norm(Tensor *input, IntList normalized_shape, Tensor *weight, Tensor *bias, double eps) {
  if (!check_shape(input, normalized_shape, weight, bias)) return none;
  if (!pwt_is_floating((DType)input->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"LayerNormKernelImpl\" not implemented for '%t'", input->dtype), none;
  if ((weight && weight->dtype != input->dtype) || (bias && bias->dtype != input->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type %t but found %t", input->dtype, weight && weight->dtype != input->dtype ? weight->dtype : bias->dtype), none;
  DType dtype = input->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32;
  int64_t length = pwt_product(normalized_shape.items, (int)normalized_shape.count), sizes[PWT_MAX_DIMS];
  for (int i = 0; i < input->ndim; i++) sizes[i] = i < input->ndim - normalized_shape.count ? input->sizes[i] : 1;
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *y = pwt_new(input->ndim, input->sizes, dtype);
  Tensor *mean = pwt_new(input->ndim, sizes, dtype), *rstd = pwt_new(input->ndim, sizes, dtype);
  Tensor *w = pwt_raw_contiguous_as(weight, dtype), *b = pwt_raw_contiguous_as(bias, dtype);
  if (!x || !y || !mean || !rstd || pwt_failed()) return none;
  Job job = {pwt_data(x), NULL, w ? pwt_data(w) : NULL, b ? pwt_data(b) : NULL, pwt_data(y), pwt_data(mean), pwt_data(rstd), length, eps};
  if (length) pwt_parallel_for(mean->numel, pwt_grain(16384, length), dtype == PWT_FLOAT32 ? normalise_f32 : normalise_f64, &job);
  return (Tensors3){{pwt_raw_cast(y, (DType)input->dtype), mean, rstd}};
}

/* Sums over all dimensions but the normalised ones. */
static Tensor *sum_outer(Tensor *t, IntList shape) {
  int64_t dims[PWT_MAX_DIMS];
  int n = t ? t->ndim - (int)shape.count : 0;
  for (int i = 0; i < n; i++) dims[i] = i;
  return n ? pwt_sum(t, (IntList){dims, n}, false, PWT_NO_DTYPE) : t;
}

/* From operators, so that it can be differentiated again. */
static Tensors3 differentiable(Tensor *grad, Tensor *input, IntList shape, Tensor *weight, double eps, int64_t wanted) {
  int64_t dims[PWT_MAX_DIMS];
  for (int i = 0; i < shape.count; i++) dims[i] = input->ndim - shape.count + i;
  IntList inner = {dims, shape.count};
  Tensor *centred = pwt_sub(input, pwt_mean(input, inner, true, PWT_NO_DTYPE), one);
  Tensor *rstd = pwt_rsqrt(pwt_add(pwt_mean(pwt_mul(centred, centred), inner, true, PWT_NO_DTYPE), number(eps), one));
  Tensor *normal = pwt_mul(centred, rstd), *scaled = weight ? pwt_mul(grad, weight) : grad;
  Tensor *rest = pwt_sub(pwt_sub(scaled, pwt_mean(scaled, inner, true, PWT_NO_DTYPE), one), pwt_mul(normal, pwt_mean(pwt_mul(scaled, normal), inner, true, PWT_NO_DTYPE)), one);
  return (Tensors3){{wanted & 1 ? pwt_mul(rest, rstd) : NULL, wanted & 2 ? sum_outer(pwt_mul(grad, normal), shape) : NULL, wanted & 4 ? sum_outer(grad, shape) : NULL}};
}

Tensors3 pwt_kernel_layer_norm_backward(Tensor *grad, Tensor *input, IntList shape, Tensor *mean, Tensor *rstd, Tensor *weight, Tensor *bias, double eps, int64_t wanted) {
  if (!grad) return none;
  if (pwt_grad_enabled) return differentiable(grad, input, shape, weight, eps, wanted);
  DType dtype = (DType)mean->dtype;
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *g = pwt_raw_contiguous_as(grad, dtype), *w = pwt_raw_contiguous_as(weight, dtype);
  Tensor *out = NULL, *to_weight = NULL, *to_bias = NULL;
  if (!x || !g) return none;
  Job job = {pwt_data(x), pwt_data(g), w ? pwt_data(w) : NULL, NULL, NULL, pwt_data(mean), pwt_data(rstd), pwt_product(shape.items, (int)shape.count), eps};
  if (wanted & 1) {
    out = pwt_new(input->ndim, input->sizes, dtype);
    if (!out) return none;
    job.output = pwt_data(out);
    if (job.length) pwt_parallel_for(mean->numel, pwt_grain(16384, job.length), dtype == PWT_FLOAT32 ? to_input_f32 : to_input_f64, &job);
    out = pwt_raw_cast(out, (DType)input->dtype);
  }
  if (wanted & 6) {
    to_weight = pwt_new_zeros((int)shape.count, shape.items, dtype);
    to_bias = pwt_new_zeros((int)shape.count, shape.items, dtype);
    if (!to_weight || !to_bias) return none;
    int64_t rows = pwt_on_meta ? 0 : mean->numel;
    if (dtype == PWT_FLOAT32) to_affine_f32(&job, rows, pwt_data(to_weight), pwt_data(to_bias));
    else to_affine_f64(&job, rows, pwt_data(to_weight), pwt_data(to_bias));
    DType affine = weight ? (DType)weight->dtype : bias ? (DType)bias->dtype : dtype;
    to_weight = pwt_raw_cast(to_weight, affine);
    to_bias = pwt_raw_cast(to_bias, affine);
  }
  return (Tensors3){{out, to_weight, to_bias}};
}

Tensor *pwt_kernel_layer_norm(Tensor *input, IntList normalized_shape, Tensor *weight, Tensor *bias, double eps, bool cudnn_enable) {
  (void)cudnn_enable;
  return pwt_native_layer_norm(input, normalized_shape, weight, bias, eps).r[0];
}

Tensor *pwt_kernel_rms_norm(Tensor *input, IntList normalized_shape, Tensor *weight, OptFloat eps) {
  static const double epsilons[PWT_DTYPES] = {[PWT_FLOAT16] = 1.1920928955078125e-07, [PWT_BFLOAT16] = 1.1920928955078125e-07,
                                              [PWT_FLOAT32] = 1.1920928955078125e-07, [PWT_FLOAT64] = 2.220446049250313e-16};
  if (!check_shape(input, normalized_shape, weight, NULL)) return NULL;
  int64_t dims[PWT_MAX_DIMS];
  for (int i = 0; i < normalized_shape.count; i++) dims[i] = input->ndim - normalized_shape.count + i;
  bool half = input->dtype == PWT_FLOAT16 || input->dtype == PWT_BFLOAT16;
  Tensor *x = half ? pwt__to_dtype(input, PWT_FLOAT32) : input;
  Tensor *square = pwt_mean(pwt_mul(x, x), (IntList){dims, normalized_shape.count}, true, PWT_NO_DTYPE);
  Tensor *y = pwt_mul(x, pwt_rsqrt(pwt_add(square, number(eps.given ? eps.value : epsilons[input->dtype]), one)));
  if (weight) y = pwt_mul(y, weight);
  return y && y->dtype != input->dtype ? pwt__to_dtype(y, (DType)input->dtype) : y;
}

Tensor *pwt_kernel_group_norm(Tensor *input, int64_t num_groups, Tensor *weight, Tensor *bias, double eps, bool cudnn_enabled) {
  (void)cudnn_enabled;
  if (input->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "Expected at least 2 dimensions for input tensor but received %d", (int)input->ndim);
  int64_t channels = input->sizes[1];
  if (num_groups <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "Expected num groups to be greater than 0, got %i", num_groups);
  if (channels % num_groups)
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected number of channels in input to be divisible by num_groups, but got input of shape %z and num_groups=%i", input->sizes, (int)input->ndim, num_groups);
  for (int i = 0; i < 2; i++) {
    Tensor *t = i ? bias : weight;
    if (t && (t->ndim != 1 || t->numel != channels))
      return pwt_fail(PWT_RUNTIME_ERROR, "Expected %s to be a vector of size equal to the number of channels in input, but got %s of shape %z and input of shape %z", i ? "bias" : "weight",
                      i ? "bias" : "weight", t->sizes, (int)t->ndim, input->sizes, (int)input->ndim);
    if (t && t->dtype != input->dtype && !(pwt_itemsize[input->dtype] == 2 && pwt_is_floating((DType)input->dtype) && t->dtype == PWT_FLOAT32))
      return pwt_fail(PWT_RUNTIME_ERROR, "mixed dtype (CPU): expect parameter to have scalar type of %t", pwt_itemsize[input->dtype] == 2 ? PWT_FLOAT32 : input->dtype);
  }
  if ((weight && weight->dtype != input->dtype) || (bias && bias->dtype != input->dtype))
    return pwt__to_dtype(pwt_group_norm(pwt__to_dtype(input, PWT_FLOAT32), num_groups, weight ? pwt__to_dtype(weight, PWT_FLOAT32) : NULL, bias ? pwt__to_dtype(bias, PWT_FLOAT32) : NULL, eps, false),
                         (DType)input->dtype);
  int64_t groups = input->sizes[0] * num_groups, length = groups ? input->numel / groups : 0, affine[PWT_MAX_DIMS];
  for (int i = 0; i < input->ndim; i++) affine[i] = i == 1 ? channels : 1;
  IntList per_channel = {affine, input->ndim};
  Tensor *rows = pwt_reshape(input, (IntList){(const int64_t[]){groups, length}, 2});
  Tensor *y = pwt_reshape(pwt_native_layer_norm(rows, (IntList){&length, 1}, NULL, NULL, eps).r[0], pwt_sizes_of(input));
  if (weight) y = pwt_mul(y, pwt_reshape(weight, per_channel));
  return bias ? pwt_add(y, pwt_reshape(bias, per_channel), one) : y;
}
