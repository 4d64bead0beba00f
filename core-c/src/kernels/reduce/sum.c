/* sum and mean. The order depends on sizes alone: blocks of 512 elements in 4 vectors, block sums added pairwise. */
#include "plan.h"

#include "base/parallel.h"
#include "ops.h"

static bool plan_layout(Reduction *plan, Tensor *self, uint32_t mask, bool keepdim, DType dtype, bool rows) {
  int n = self->ndim, first = n, last = -1, kept = 0;
  int64_t order_sizes[PWT_MAX_DIMS], order_strides[PWT_MAX_DIMS];
  plan->dtype = dtype;
  plan->ndim = 0;
  plan->length = 1;
  for (int i = 0; i < n; i++) {
    if (mask >> i & 1) {
      first = PWT_MIN(first, i);
      last = i;
      plan->length *= self->sizes[i];
      if (keepdim) plan->sizes[plan->ndim++] = 1;
    } else {
      plan->sizes[plan->ndim++] = self->sizes[i];
      order_sizes[kept] = self->sizes[i];
      order_strides[kept++] = self->strides[i];
    }
  }
  bool together = true;
  for (int i = first; i <= last; i++) together &= mask >> i & 1;
  plan->outer = plan->inner = 1;
  if (together && (self->contiguous || self->numel == 0) && !(rows && last >= 0 && last < n - 1)) {
    for (int i = 0; i < PWT_MIN(first, n); i++) plan->outer *= self->sizes[i];
    for (int i = last + 1; i < n && last >= 0; i++) plan->inner *= self->sizes[i];
    plan->input = pwt_raw_contiguous_as(self, dtype);
    return plan->input;
  }
  for (int i = 0; i < kept; i++) plan->outer *= order_sizes[i];
  for (int i = 0; i < n; i++) {
    if (!(mask >> i & 1)) continue;
    order_sizes[kept] = self->sizes[i];
    order_strides[kept++] = self->strides[i];
  }
  plan->input = pwt_raw_contiguous_as(pwt_alias(self, n, order_sizes, order_strides, self->offset), dtype);
  return plan->input;
}

bool pwt_plan_reduction(Reduction *plan, Tensor *self, uint32_t mask, bool keepdim, DType dtype) {
  return plan_layout(plan, self, mask, keepdim, dtype, false);
}

bool pwt_plan_reduced_rows(Reduction *plan, Tensor *self, uint32_t mask, bool keepdim, DType dtype) {
  return plan_layout(plan, self, mask, keepdim, dtype, true);
}

bool pwt_check_reducible(Tensor *self, uint32_t mask, bool all, const char *name) {
  if (self->numel) return true;
  if (all) {
    bool finds_index = name[0] == 'a' && name[1] == 'r';
    pwt_fail(finds_index ? PWT_INDEX_ERROR : PWT_RUNTIME_ERROR,
             "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.", name);
    return false;
  }
  for (int i = 0; i < self->ndim; i++)
    if ((mask >> i & 1) && self->sizes[i] == 0) {
      pwt_fail(PWT_INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.", name, i);
      return false;
    }
  return true;
}

Tensor *pwt_restore_dims(Tensor *grad, IntList sizes, IntList dim, bool keepdim) {
  uint32_t mask;
  if (!grad || !pwt_dim_mask(dim, (int)sizes.count, true, &mask)) return NULL;
  if (keepdim || sizes.count == 0 || grad->ndim == sizes.count) return grad;
  int64_t full[PWT_MAX_DIMS];
  for (int i = 0, k = 0; i < sizes.count; i++) full[i] = mask >> i & 1 ? 1 : grad->sizes[k++];
  return pwt_reshape(grad, (IntList){full, sizes.count});
}

#define BLOCK 512
#define GRAIN 65536

typedef struct {
  const Reduction *plan;
  void *out;
  int64_t pieces; /* a row is summed in this many pieces, each into a slot of its own */
} Job;

/* Adds block sums like a binary counter: equal-sized sums meet, so the error grows with log(length). */
#define SUM_FUNCTIONS(S, T, LANES)                                                                          \
  static T sum_block_##S(const T *restrict x, int64_t n) {                                                  \
    T lanes[LANES] = {0};                                                                                   \
    int64_t i = 0;                                                                                          \
    for (; i + LANES <= n; i += LANES)                                                                      \
      for (int k = 0; k < LANES; k++) lanes[k] += x[i + k];                                                 \
    for (int k = 0; i < n; i++, k++) lanes[k] += x[i];                                                      \
    for (int width = LANES / 2; width; width /= 2)                                                          \
      for (int k = 0; k < width; k++) lanes[k] += lanes[k + width];                                         \
    return lanes[0];                                                                                        \
  }                                                                                                         \
  static T sum_row_##S(const T *x, int64_t n) {                                                             \
    T levels[48];                                                                                           \
    uint64_t count = 0;                                                                                     \
    int depth = 0;                                                                                          \
    for (int64_t i = 0; i < n; i += BLOCK) {                                                                \
      T sum = sum_block_##S(x + i, PWT_MIN(BLOCK, n - i));                                                  \
      for (uint64_t c = count++; c & 1; c >>= 1) sum = levels[--depth] + sum;                               \
      levels[depth++] = sum;                                                                                \
    }                                                                                                       \
    T total = depth ? levels[--depth] : 0;                                                                  \
    while (depth) total = levels[--depth] + total;                                                          \
    return total;                                                                                           \
  }                                                                                                         \
  static void sum_columns_##S(const T *x, int64_t rows, int64_t stride, int64_t columns, T *restrict out) { \
    if (rows <= 32) {                                                                                       \
      for (int64_t c = 0; c < columns; c++) out[c] = rows ? x[c] : 0;                                       \
      for (int64_t r = 1; r < rows; r++) {                                                                  \
        const T *restrict row = x + r * stride;                                                             \
        for (int64_t c = 0; c < columns; c++) out[c] += row[c];                                             \
      }                                                                                                     \
      return;                                                                                               \
    }                                                                                                       \
    int64_t half = (rows / 2 + 31) / 32 * 32;                                                               \
    T upper[64];                                                                                            \
    sum_columns_##S(x, half, stride, columns, out);                                                         \
    sum_columns_##S(x + half * stride, rows - half, stride, columns, upper);                                \
    for (int64_t c = 0; c < columns; c++) out[c] += upper[c];                                               \
  }                                                                                                         \
  static void sum_rows_job_##S(void *context, int64_t begin, int64_t end) {                                 \
    const Job *job = context;                                                                               \
    int64_t n = job->plan->length;                                                                          \
    for (int64_t i = begin; i < end; i++) {                                                                 \
      int64_t row = i / job->pieces, start = i % job->pieces * GRAIN;                                       \
      const T *x = (const T *)pwt_data(job->plan->input) + row * n;                                         \
      ((T *)job->out)[i] = sum_row_##S(x + start, job->pieces == 1 ? n : PWT_MIN(GRAIN, n - start));        \
    }                                                                                                       \
  }                                                                                                         \
  static void sum_columns_job_##S(void *context, int64_t begin, int64_t end) {                              \
    const Job *job = context;                                                                               \
    const Reduction *p = job->plan;                                                                         \
    int64_t strips = (p->inner + 63) / 64;                                                                  \
    for (int64_t i = begin; i < end; i++) {                                                                 \
      int64_t outer = i / strips, column = i % strips * 64;                                                 \
      const T *x = (const T *)pwt_data(p->input) + outer * p->length * p->inner + column;                   \
      sum_columns_##S(x, p->length, p->inner, PWT_MIN(64, p->inner - column), (T *)job->out + outer * p->inner + column); \
    }                                                                                                       \
  }

SUM_FUNCTIONS(f32, float, 16)
SUM_FUNCTIONS(f64, double, 8)
SUM_FUNCTIONS(i64, int64_t, 8)
SUM_FUNCTIONS(c64, complex64, 4)
SUM_FUNCTIONS(c128, complex128, 4)

typedef struct {
  void (*rows)(void *, int64_t, int64_t);
  void (*columns)(void *, int64_t, int64_t);
} SumKernel;
static const SumKernel kernels[CT_COUNT] = {[CT_I64] = {sum_rows_job_i64, sum_columns_job_i64},
                                            [CT_F32] = {sum_rows_job_f32, sum_columns_job_f32},
                                            [CT_F64] = {sum_rows_job_f64, sum_columns_job_f64},
                                            [CT_C64] = {sum_rows_job_c64, sum_columns_job_c64},
                                            [CT_C128] = {sum_rows_job_c128, sum_columns_job_c128}};

/* The sum in the compute dtype, of the plan's result sizes. */
static Tensor *sum_planned(const Reduction *plan) {
  const SumKernel *kernel = &kernels[pwt_compute_type[plan->dtype]];
  Tensor *result = pwt_new(plan->ndim, plan->sizes, plan->dtype);
  if (!result || result->numel == 0) return result;
  Job job = {plan, pwt_data(result), 1};
  if (plan->inner > 1) {
    int64_t strips = plan->outer * ((plan->inner + 63) / 64);
    pwt_parallel_for(strips, pwt_grain(GRAIN, plan->length * 64), kernel->columns, &job);
    return result;
  }
  job.pieces = PWT_MAX((plan->length + GRAIN - 1) / GRAIN, 1);
  if (job.pieces == 1) {
    pwt_parallel_for(plan->outer, pwt_grain(GRAIN, plan->length), kernel->rows, &job);
    return result;
  }
  if (pwt_on_meta) return result;
  Tensor *partial = pwt_new(2, (const int64_t[]){plan->outer, job.pieces}, plan->dtype);
  if (!partial) return NULL;
  job.out = pwt_data(partial);
  pwt_parallel_for(plan->outer * job.pieces, 1, kernel->rows, &job);
  Reduction rest = *plan;
  rest.input = partial;
  rest.length = job.pieces;
  job = (Job){&rest, pwt_data(result), 1};
  kernel->rows(&job, 0, plan->outer);
  return result;
}

static DType accumulate_dtype(DType d) {
  return d <= PWT_INT64 || pwt_is_wide_unsigned(d) ? PWT_INT64 : d == PWT_FLOAT16 || d == PWT_BFLOAT16 ? PWT_FLOAT32 : d;
}

Tensor *pwt_kernel_sum(Tensor *self, IntList dim, bool keepdim, DType dtype) {
  uint32_t mask;
  Reduction plan;
  DType result = dtype != PWT_NO_DTYPE ? dtype : self->dtype <= PWT_INT64 || pwt_is_wide_unsigned((DType)self->dtype) ? PWT_INT64 : (DType)self->dtype;
  if (!pwt_dim_mask(dim, self->ndim, true, &mask)) return NULL;
  if (pwt_is_wide_unsigned((DType)self->dtype)) self = pwt_raw_cast(self, PWT_INT64);
  if (!self) return NULL;
  Tensor *input = dtype == PWT_BOOL ? pwt_raw_cast(self, PWT_BOOL) : self;
  if (!input || !pwt_plan_reduction(&plan, input, mask, keepdim, accumulate_dtype(result))) return NULL;
  return pwt_raw_cast(sum_planned(&plan), result);
}

Tensor *pwt_kernel_sum_backward(Tensor *grad, IntList sizes, IntList dim, bool keepdim) {
  return pwt_expand(pwt_restore_dims(grad, sizes, dim, keepdim), sizes, false);
}

Tensor *pwt_kernel_mean(Tensor *self, IntList dim, bool keepdim, DType dtype) {
  DType result = dtype != PWT_NO_DTYPE ? dtype : (DType)self->dtype;
  if (!pwt_is_differentiable(result))
    return pwt_fail(PWT_RUNTIME_ERROR, "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: %t", result);
  uint32_t mask;
  Reduction plan;
  if (!pwt_dim_mask(dim, self->ndim, true, &mask) || !pwt_plan_reduction(&plan, self, mask, keepdim, accumulate_dtype(result))) return NULL;
  Tensor *total = sum_planned(&plan);
  Tensor *count = pwt_from_scalar(pwt_scalar_int(plan.length));
  if (!total || !count) return NULL;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *mean = pwt_div(total, count);
  pwt_grad_enabled = recording;
  return pwt_raw_cast(mean, result);
}

Tensor *pwt_kernel_mean_backward(Tensor *grad, IntList sizes, IntList dim, bool keepdim) {
  uint32_t mask;
  int64_t count = 1;
  if (!pwt_dim_mask(dim, (int)sizes.count, true, &mask)) return NULL;
  for (int i = 0; i < sizes.count; i++)
    if (mask >> i & 1) count *= sizes.items[i];
  return pwt_div(pwt_kernel_sum_backward(grad, sizes, dim, keepdim), pwt_from_scalar(pwt_scalar_int(count)));
}
