/* amax, amin, aminmax, max, min, prod, all, any. */
#include "plan.h"

#include "base/parallel.h"
#include "math.h"
#include "ops.h"

#define GRAIN 65536
#define LANES 8

typedef struct {
  const Reduction *plan;
  void *out;
} Job;

/* One job per operation and compute type: rows with eight partial results, columns one row after the other. */
#define JOB(NAME, S, T, START, COMBINE)                                                             \
  static void NAME##_##S(void *context, int64_t begin, int64_t end) {                               \
    const Job *job = context;                                                                       \
    int64_t n = job->plan->length, inner = job->plan->inner;                                        \
    const T *x = (const T *)pwt_data(job->plan->input) + begin * n * inner;                         \
    T *restrict out = (T *)job->out + begin * inner;                                                \
    for (int64_t row = begin; row < end; row++, x += n * inner, out += inner) {                     \
      if (inner > 1) {                                                                              \
        for (int64_t c = 0; c < inner; c++) out[c] = START;                                         \
        for (int64_t i = 0; i < n; i++)                                                             \
          for (int64_t c = 0; c < inner; c++) {                                                     \
            T a = out[c], b = x[i * inner + c];                                                     \
            out[c] = COMBINE;                                                                       \
          }                                                                                         \
        continue;                                                                                   \
      }                                                                                             \
      T lanes[LANES];                                                                               \
      for (int k = 0; k < LANES; k++) lanes[k] = START;                                             \
      int64_t i = 0;                                                                                \
      for (; i + LANES <= n; i += LANES)                                                            \
        for (int k = 0; k < LANES; k++) {                                                           \
          T a = lanes[k], b = x[i + k];                                                             \
          lanes[k] = COMBINE;                                                                       \
        }                                                                                           \
      for (int k = 0; i < n; i++, k++) {                                                            \
        T a = lanes[k], b = x[i];                                                                   \
        lanes[k] = COMBINE;                                                                         \
      }                                                                                             \
      for (int width = LANES / 2; width; width /= 2)                                                \
        for (int k = 0; k < width; k++) {                                                           \
          T a = lanes[k], b = lanes[k + width];                                                     \
          lanes[k] = COMBINE;                                                                       \
        }                                                                                           \
      *out = lanes[0];                                                                              \
    }                                                                                               \
  }

#define FLOOR_F32 -__builtin_inff()
#define FLOOR_F64 -__builtin_inf()
JOB(largest, f32, float, FLOOR_F32, pwt_maximum_f32(a, b))
JOB(largest, f64, double, FLOOR_F64, pwt_maximum_f64(a, b))
JOB(largest, i32, int32_t, INT32_MIN, pwt_maximum_i32(a, b))
JOB(largest, i64, int64_t, INT64_MIN, pwt_maximum_i64(a, b))
JOB(smallest, f32, float, __builtin_inff(), pwt_minimum_f32(a, b))
JOB(smallest, f64, double, __builtin_inf(), pwt_minimum_f64(a, b))
JOB(smallest, i32, int32_t, INT32_MAX, pwt_minimum_i32(a, b))
JOB(smallest, i64, int64_t, INT64_MAX, pwt_minimum_i64(a, b))
JOB(product, f32, float, 1, a * b)
JOB(product, f64, double, 1, a * b)
JOB(product, i64, int64_t, 1, (int64_t)((uint64_t)a * (uint64_t)b))
JOB(product, c64, complex64, 1, pwt_mul_c64(a, b))
JOB(product, c128, complex128, 1, pwt_mul_c128(a, b))
JOB(some, bool, uint8_t, 0, (a | b) != 0)
JOB(every, bool, uint8_t, 1, (a != 0) & (b != 0))

typedef void (*Body)(void *, int64_t, int64_t);
static const Body largest[CT_COUNT] = {[CT_I32] = largest_i32, [CT_I64] = largest_i64, [CT_F32] = largest_f32, [CT_F64] = largest_f64};
static const Body smallest[CT_COUNT] = {[CT_I32] = smallest_i32, [CT_I64] = smallest_i64, [CT_F32] = smallest_f32, [CT_F64] = smallest_f64};
static const Body products[CT_COUNT] = {[CT_I64] = product_i64, [CT_F32] = product_f32, [CT_F64] = product_f64, [CT_C64] = product_c64, [CT_C128] = product_c128};

static Tensor *run(Tensor *self, uint32_t mask, bool keepdim, DType dtype, Body body) {
  Reduction plan;
  if (!pwt_plan_reduction(&plan, self, mask, keepdim, dtype)) return NULL;
  Tensor *result = pwt_new(plan.ndim, plan.sizes, dtype);
  if (!result || result->numel == 0) return result;
  Job job = {&plan, pwt_data(result)};
  pwt_parallel_for(plan.outer, pwt_grain(GRAIN, plan.length * plan.inner), body, &job);
  return result;
}

static Tensor *extreme(Tensor *self, IntList dim, bool keepdim, const Body *bodies, const char *name) {
  uint32_t mask;
  if (pwt_is_complex((DType)self->dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", name, self->dtype);
  if (!pwt_dim_mask(dim, self->ndim, true, &mask) || !pwt_check_reducible(self, mask, dim.count <= 0, name)) return NULL;
  ComputeType compute = pwt_compute_type[self->dtype];
  return pwt_raw_cast(run(self, mask, keepdim, pwt_dtype_of_compute[compute], bodies[compute]), (DType)self->dtype);
}

static const IntList all_dims = {NULL, -1};

Tensor *pwt_kernel_amax(Tensor *self, IntList dim, bool keepdim) { return extreme(self, dim, keepdim, largest, "amax"); }
Tensor *pwt_kernel_amin(Tensor *self, IntList dim, bool keepdim) { return extreme(self, dim, keepdim, smallest, "amin"); }
Tensor *pwt_kernel_max(Tensor *self) { return extreme(self, all_dims, false, largest, "max"); }
Tensor *pwt_kernel_min(Tensor *self) { return extreme(self, all_dims, false, smallest, "min"); }

Tensors2 pwt_kernel_aminmax(Tensor *self, OptInt dim, bool keepdim) {
  IntList dims = dim.given ? (IntList){&dim.value, 1} : all_dims;
  uint32_t mask;
  if (!pwt_dim_mask(dims, self->ndim, true, &mask)) return (Tensors2){{NULL, NULL}};
  if (self->numel == 0 && !dim.given)
    return pwt_fail(PWT_RUNTIME_ERROR, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."), (Tensors2){{NULL, NULL}};
  if (self->ndim && dim.given && self->sizes[pwt_wrap_dim(dim.value, self->ndim)] == 0)
    return pwt_fail(PWT_INDEX_ERROR, "aminmax: Expected reduction dim %i to have non-zero size.", dim.value), (Tensors2){{NULL, NULL}};
  return (Tensors2){{pwt_amin(self, dims, keepdim), pwt_amax(self, dims, keepdim)}};
}

static Tensor *product(Tensor *self, IntList dim, bool keepdim, DType dtype) {
  uint32_t mask;
  if (pwt_is_wide_unsigned((DType)self->dtype)) self = pwt_raw_cast(self, PWT_INT64);
  if (!self) return NULL;
  DType result = dtype != PWT_NO_DTYPE ? dtype : self->dtype <= PWT_INT64 ? PWT_INT64 : (DType)self->dtype;
  if (!pwt_dim_mask(dim, self->ndim, true, &mask)) return NULL;
  DType compute = result <= PWT_INT64 ? PWT_INT64 : pwt_dtype_of_compute[pwt_compute_type[result]];
  Tensor *input = dtype == PWT_BOOL ? pwt_raw_cast(self, PWT_BOOL) : self;
  return input ? pwt_raw_cast(run(input, mask, keepdim, compute, products[pwt_compute_type[compute]]), result) : NULL;
}

Tensor *pwt_kernel_prod(Tensor *self, DType dtype) { return product(self, all_dims, false, dtype); }
Tensor *pwt_kernel_prod_dim(Tensor *self, int64_t dim, bool keepdim, DType dtype) { return product(self, (IntList){&dim, 1}, keepdim, dtype); }

static Tensor *truth(Tensor *self, IntList dim, bool keepdim, Body body) {
  uint32_t mask;
  if (!pwt_dim_mask(dim, self->ndim, false, &mask)) return NULL;
  Tensor *bits = pwt_raw_cast(self, PWT_BOOL);
  Tensor *result = bits ? run(bits, mask, keepdim, PWT_BOOL, body) : NULL;
  return self->dtype == PWT_UINT8 ? pwt_raw_cast(result, PWT_UINT8) : result; /* torch answers uint8 for uint8 */
}

Tensor *pwt_kernel_any(Tensor *self) { return truth(self, all_dims, false, some_bool); }
Tensor *pwt_kernel_any_dims(Tensor *self, IntList dim, bool keepdim) { return truth(self, dim, keepdim, some_bool); }
Tensor *pwt_kernel_all(Tensor *self) { return truth(self, all_dims, false, every_bool); }
Tensor *pwt_kernel_all_dims(Tensor *self, IntList dim, bool keepdim) { return truth(self, dim, keepdim, every_bool); }
