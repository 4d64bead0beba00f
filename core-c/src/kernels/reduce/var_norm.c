/* var, std, vector norms, logsumexp. float32 accumulates in double, so that squares do not overflow. */
#include "plan.h"

#include "base/lane_sum.h"
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

typedef struct {
  const Reduction *plan;
  void *out;
  double parameter;
} Job;

/* sum over the row of EXPRESSION in x, in double */
#define ROW_SUM(TOTAL, ROW, N, EXPRESSION) LANE_SUM(TOTAL, double, 4, 0, N, ({ const double x = (double)(ROW)[i]; EXPRESSION; }))

/* pow is long: one copy of it serves all loops. */
static __attribute__((noinline)) double power(double x, double exponent) {
  return pwt_pow_f64(x, exponent);
}

#define ROWS(S, T)                                                                                      \
  static void variance_##S(void *context, int64_t begin, int64_t end) {                                 \
    const Job *job = context;                                                                           \
    int64_t n = job->plan->length;                                                                      \
    for (int64_t row = begin; row < end; row++) {                                                       \
      const T *values = (const T *)pwt_data(job->plan->input) + row * n;                                \
      double total, squares, mean;                                                                      \
      ROW_SUM(total, values, n, x)                                                                      \
      mean = total / (double)n;                                                                         \
      ROW_SUM(squares, values, n, (x - mean) * (x - mean))                                              \
      double divisor = (double)n - job->parameter;                                                      \
      ((double *)job->out)[row] = n ? squares / (divisor > 0 ? divisor : 0) : mean;                     \
    }                                                                                                   \
  }                                                                                                     \
  static void norm_##S(void *context, int64_t begin, int64_t end) {                                     \
    const Job *job = context;                                                                           \
    int64_t n = job->plan->length;                                                                      \
    double p = job->parameter, infinity = __builtin_inf();                                              \
    for (int64_t row = begin; row < end; row++) {                                                       \
      const T *values = (const T *)pwt_data(job->plan->input) + row * n;                                \
      double total = 0;                                                                                 \
      if (p == 2) {                                                                                     \
        ROW_SUM(total, values, n, x *x)                                                                 \
        total = __builtin_sqrt(total);                                                                  \
      } else if (p == 1) {                                                                              \
        ROW_SUM(total, values, n, __builtin_fabs(x))                                                    \
      } else if (p == 0) {                                                                              \
        ROW_SUM(total, values, n, (x != 0))                                                             \
      } else if (p == infinity || p == -infinity) {                                                     \
        total = p > 0 ? 0 : infinity;                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                               \
          double x = __builtin_fabs((double)values[i]);                                                 \
          total = p > 0 ? pwt_maximum_f64(total, x) : pwt_minimum_f64(total, x);                        \
        }                                                                                               \
      } else {                                                                                          \
        ROW_SUM(total, values, n, power(__builtin_fabs(x), p))                                          \
        total = power(total, 1 / p);                                                                    \
      }                                                                                                 \
      ((double *)job->out)[row] = total;                                                                \
    }                                                                                                   \
  }
ROWS(f32, float)
ROWS(f64, double)

typedef void (*Body)(void *, int64_t, int64_t);

/* The reduction in double, of the plan's sizes; `dtype` is float32 or float64. */
static Tensor *reduce_rows(Tensor *self, uint32_t mask, bool keepdim, DType dtype, double parameter, Body single, Body wide, int64_t *length) {
  Reduction plan;
  if (!pwt_plan_reduced_rows(&plan, self, mask, keepdim, dtype)) return NULL;
  *length = plan.length;
  Tensor *result = pwt_new(plan.ndim, plan.sizes, PWT_FLOAT64);
  if (!result || result->numel == 0) return result;
  Job job = {&plan, pwt_data(result), parameter};
  pwt_parallel_for(plan.outer, pwt_grain(32768, plan.length), dtype == PWT_FLOAT32 ? single : wide, &job);
  return result;
}

static DType row_dtype(const Tensor *t) { return t->dtype == PWT_FLOAT64 ? PWT_FLOAT64 : PWT_FLOAT32; }

/* In double: the root of a variance may fit where the variance does not. */
static Tensor *wide_variance(Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  uint32_t mask;
  int64_t length;
  if (!pwt_is_differentiable((DType)self->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "std and var only support floating point and complex dtypes");
  if (!pwt_dim_mask(dim, self->ndim, true, &mask)) return NULL;
  double minus = correction.kind == SCALAR_NONE ? 1 : correction.re;
  DType dtype = pwt_real_dtype((DType)self->dtype);
  Tensor *parts[] = {self, NULL}, *total = NULL;
  if (dtype != self->dtype) {
    Tensor *both = pwt_alias_same(self); /* without history: the gradient is that of the whole */
    parts[0] = pwt_real(both), parts[1] = pwt_imag(both);
  }
  for (int i = 0; i < 2 && parts[i]; i++) {
    Tensor *variance = reduce_rows(parts[i], mask, keepdim, row_dtype(parts[i]), minus, variance_f32, variance_f64, &length);
    total = total ? pwt_add(total, variance, pwt_scalar_int(1)) : variance;
  }
  return total;
}

Tensor *pwt_kernel__var(Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  Tensor *variance = wide_variance(self, dim, correction, keepdim);
  return variance ? pwt_raw_cast(variance, pwt_real_dtype((DType)self->dtype)) : NULL;
}

Tensor *pwt_kernel__std(Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  Tensor *variance = wide_variance(self, dim, correction, keepdim);
  if (!variance) return NULL;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *result = pwt_raw_cast(pwt_sqrt(variance), pwt_real_dtype((DType)self->dtype));
  pwt_grad_enabled = recording;
  return result;
}

Tensors2 pwt_kernel_var_mean(Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  return (Tensors2){{pwt__var(self, dim, correction, keepdim), pwt_mean(self, dim, keepdim, PWT_NO_DTYPE)}};
}

Tensors2 pwt_kernel_std_mean(Tensor *self, IntList dim, Scalar correction, bool keepdim) {
  return (Tensors2){{pwt__std(self, dim, correction, keepdim), pwt_mean(self, dim, keepdim, PWT_NO_DTYPE)}};
}

bool pwt_check_order(Scalar p) {
  return p.kind != SCALAR_COMPLEX || pwt_fail(PWT_RUNTIME_ERROR, "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
}

Tensor *pwt_kernel__norm(Tensor *self, double p, IntList dim, bool keepdim, DType dtype) {
  uint32_t mask;
  int64_t length;
  Tensor *input = dtype == PWT_NO_DTYPE ? self : pwt_raw_cast(self, dtype);
  if (!input || !pwt_dim_mask(dim, self->ndim, true, &mask)) return NULL;
  if (!pwt_is_differentiable((DType)input->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %t", input->dtype);
  DType result = pwt_real_dtype((DType)input->dtype);
  if (pwt_is_complex((DType)input->dtype)) {
    bool recording = pwt_grad_enabled;
    pwt_grad_enabled = false;
    input = pwt_abs(input);
    pwt_grad_enabled = recording;
  }
  if (!input) return NULL;
  return pwt_raw_cast(reduce_rows(input, mask, keepdim, row_dtype(input), p, norm_f32, norm_f64, &length), result);
}

bool pwt_check_nanmean(Tensor *self, DType dtype) {
  if (dtype != PWT_NO_DTYPE && !pwt_is_differentiable(dtype)) {
    pwt_fail(PWT_RUNTIME_ERROR, "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: %t", dtype);
    return false;
  }
  if (pwt_is_differentiable((DType)self->dtype)) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "nanmean(): expected input to have floating point or complex dtype but got %t", self->dtype);
  return false;
}

Tensor *pwt_kernel_logsumexp(Tensor *self, IntList dim, bool keepdim) {
  if (dim.count == 0 && self->ndim && !keepdim) return pwt_fail(PWT_RUNTIME_ERROR, "logsumexp(): at least one dimension is needed for a tensor of %d dimensions, but dim is empty", (int)self->ndim);
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *x = self->dtype <= PWT_INT64 ? pwt_raw_cast(self, pwt_default_dtype) : self, *result = NULL;
  if (x && x->numel == 0) {
    result = pwt_log(pwt_sum(pwt_exp(x), dim, keepdim, PWT_NO_DTYPE));
  } else if (x) {
    Tensor *top = pwt_amax(pwt_real(x), dim, true);
    Tensor *zero = pwt_from_scalar(pwt_scalar_int(0));
    top = pwt_where(pwt_isfinite(top), top, zero);
    result = pwt_log(pwt_sum(pwt_exp(pwt_sub(x, top, pwt_scalar_int(1))), dim, keepdim, PWT_NO_DTYPE));
    if (result) result = pwt_add(result, keepdim ? top : pwt_reshape(top, pwt_sizes_of(result)), pwt_scalar_int(1));
  }
  pwt_grad_enabled = recording;
  return result;
}
