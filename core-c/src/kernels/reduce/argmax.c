/* argmax, argmin, max and min along a dimension: the first of equal elements; NaN precedes all others. */
#include "plan.h"

#include "base/parallel.h"
#include "ops.h"

typedef struct {
  const Reduction *plan;
  void *values;
  int64_t *indices;
  bool largest;
} Job;

#define FIND(S, T)                                                                            \
  static void find_##S(void *context, int64_t begin, int64_t end) {                           \
    const Job *job = context;                                                                 \
    int64_t n = job->plan->length;                                                            \
    for (int64_t row = begin; row < end; row++) {                                             \
      const T *x = (const T *)pwt_data(job->plan->input) + row * n;                           \
      T best = x[0];                                                                          \
      int64_t at = 0;                                                                         \
      for (int64_t i = 1; i < n && best == best; i++)                                         \
        if (x[i] != x[i] || (job->largest ? x[i] > best : x[i] < best)) best = x[i], at = i;  \
      ((T *)job->values)[row] = best;                                                         \
      job->indices[row] = at;                                                                 \
    }                                                                                         \
  }
FIND(i32, int32_t)
FIND(i64, int64_t)
FIND(f32, float)
FIND(f64, double)

static Tensors2 find(Tensor *self, IntList dim, bool keepdim, bool largest, const char *name) {
  static void (*const bodies[CT_COUNT])(void *, int64_t, int64_t) = {[CT_I32] = find_i32, [CT_I64] = find_i64, [CT_F32] = find_f32, [CT_F64] = find_f64};
  uint32_t mask;
  Reduction plan;
  Tensors2 none = {{NULL, NULL}};
  if (pwt_is_complex((DType)self->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "%s(): does not support complex input", name), none;
  if (!pwt_dim_mask(dim, self->ndim, true, &mask) || !pwt_check_reducible(self, mask, dim.count <= 0, name)) return none;
  ComputeType compute = pwt_compute_type[self->dtype];
  DType dtype = pwt_dtype_of_compute[compute];
  if (!pwt_plan_reduced_rows(&plan, self, mask, keepdim, dtype)) return none;
  Tensor *values = pwt_new(plan.ndim, plan.sizes, dtype), *indices = pwt_new(plan.ndim, plan.sizes, PWT_INT64);
  if (!values || !indices) return none;
  Job job = {&plan, pwt_data(values), pwt_data(indices), largest};
  if (indices->numel) pwt_parallel_for(plan.outer, pwt_grain(65536, plan.length), bodies[compute], &job);
  return (Tensors2){{pwt_raw_cast(values, (DType)self->dtype), indices}};
}

Tensors2 pwt_kernel_max_dim(Tensor *self, int64_t dim, bool keepdim) { return find(self, (IntList){&dim, 1}, keepdim, true, "max"); }
Tensors2 pwt_kernel_min_dim(Tensor *self, int64_t dim, bool keepdim) { return find(self, (IntList){&dim, 1}, keepdim, false, "min"); }

static Tensor *position(Tensor *self, OptInt dim, bool keepdim, bool largest, const char *name) {
  if (self->dtype == PWT_BOOL) return pwt_fail(PWT_RUNTIME_ERROR, "%s(): does not support bool input", name);
  return find(self, dim.given ? (IntList){&dim.value, 1} : (IntList){NULL, -1}, keepdim, largest, name).r[1];
}

Tensor *pwt_kernel_argmax(Tensor *self, OptInt dim, bool keepdim) { return position(self, dim, keepdim, true, "argmax"); }
Tensor *pwt_kernel_argmin(Tensor *self, OptInt dim, bool keepdim) { return position(self, dim, keepdim, false, "argmin"); }
