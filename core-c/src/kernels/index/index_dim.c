/* index_select, index_add, index_copy, index_fill, index_reduce: a vector of indices along one dimension. */
#include "math.h"
#include "ops.h"

typedef struct {
  int dim;
  int64_t *rows;             /* checked, non-negative */
  int64_t count;             /* how many */
  int64_t outer, size, inner; /* of self */
} Rows;

/* The index as int64, checked against the dimension; NULL after an error. */
static bool read_rows(Rows *r, Tensor *self, int64_t dim, Tensor *index, const char *name, bool negative) {
  r->dim = pwt_wrap_dim(dim, self->ndim);
  if (r->dim < 0) return false;
  if (index->dtype != PWT_INT64 && index->dtype != PWT_INT32) {
    pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected dtype int32/int64 for index but got: %t", name, index->dtype);
    return false;
  }
  if (index->ndim > 1) {
    pwt_fail(PWT_INDEX_ERROR, "%s(): Index is supposed to be a vector, but got dim: %d with type: %t", name, (int)index->ndim, index->dtype);
    return false;
  }
  if (!self->ndim && index->numel != 1 && pwt_same_text(name, "index_select")) {
    pwt_fail(PWT_RUNTIME_ERROR, "index_select(): Index to scalar can have only 1 value, got %i value(s)", index->numel);
    return false;
  }
  Tensor *wide = pwt_raw_contiguous_as(index, PWT_INT64);
  if (!wide) return false;
  r->count = wide->numel;
  r->size = self->ndim ? self->sizes[r->dim] : 1;
  r->outer = r->inner = 1;
  for (int i = 0; i < r->dim; i++) r->outer *= self->sizes[i];
  for (int i = r->dim + 1; i < self->ndim; i++) r->inner *= self->sizes[i];
  r->rows = pwt_data(wide);
  if (negative && !(wide = pwt_raw_clone(wide))) return false;
  r->rows = pwt_data(wide);
  if (pwt_on_meta) r->outer = 0; /* nothing is moved */
  for (int64_t i = 0; i < r->count && !pwt_on_meta; i++) {
    if (negative && r->rows[i] < 0) r->rows[i] += r->size;
    if (r->rows[i] < 0 || r->rows[i] >= r->size) {
      pwt_fail(PWT_INDEX_ERROR, "%s(): index %i is out of bounds for dimension %d with size %i", name, r->rows[i], r->dim, r->size);
      return false;
    }
  }
  return true;
}

#define SELECT(BYTES, T)                                                                             \
  if (bytes == BYTES) {                                                                              \
    for (int64_t i = 0; i < count; i++) ((T *)to)[i] = ((const T *)from)[rows[i]];                   \
    return;                                                                                          \
  }
static void select_items(char *restrict to, const char *restrict from, const int64_t *restrict rows, int64_t count, int64_t bytes) {
  SELECT(4, uint32_t)
  SELECT(8, uint64_t)
  SELECT(2, uint16_t)
  SELECT(1, uint8_t)
  for (int64_t i = 0; i < count; i++, to += bytes) pwt_copy_bytes(to, from + rows[i] * bytes, bytes);
}

/* one row of `bytes`; most rows of a last dimension are single numbers */
static inline void copy_row(char *to, const char *from, int64_t bytes) {
  if (bytes == 4) *(uint32_t *)to = *(const uint32_t *)from;
  else if (bytes == 8) *(uint64_t *)to = *(const uint64_t *)from;
  else pwt_copy_bytes(to, from, bytes);
}

Tensor *pwt_kernel_index_select(Tensor *self, int64_t dim, Tensor *index) {
  Rows r;
  int64_t sizes[PWT_MAX_DIMS];
  if (!read_rows(&r, self, dim, index, "index_select", false)) return NULL;
  Tensor *source = pwt_raw_contiguous(self);
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  if (self->ndim) sizes[r.dim] = r.count;
  Tensor *result = pwt_new(self->ndim, sizes, (DType)self->dtype);
  if (!result || !source) return NULL;
  int64_t bytes = r.inner * pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  const char *from = pwt_data(source);
  for (int64_t o = 0; o < r.outer; o++, from += r.size * bytes, to += r.count * bytes) select_items(to, from, r.rows, r.count, bytes);
  return result;
}

Tensor *pwt_kernel_index_select_backward(Tensor *grad, IntList sizes, int64_t dim, Tensor *index) {
  Tensor *zeros = pwt_new_zeros((int)sizes.count, sizes.items, pwt_dtype_of(grad));
  return pwt_index_add(zeros, dim, index, grad, pwt_scalar_int(1));
}

/* source as [outer, count, inner], contiguous and of self's dtype or of what it computes in; NULL after torch's error */
static Tensor *read_source(const Rows *r, Tensor *self, Tensor *source, DType dtype, const char *name) {
  if (source->dtype != self->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "%s(): self (%t) and source (%t) must have the same scalar type", name, self->dtype, source->dtype);
  bool copies = pwt_same_text(name, "index_copy_"); /* it alone takes a number for a vector of one, and a vector for numbers */
  bool fits = source->ndim == self->ndim || (copies && source->ndim <= 1 && self->ndim <= 1);
  if (self->ndim == 0 && source->ndim) fits = fits && source->sizes[0] == r->count;
  for (int i = 0; i < self->ndim && fits && source->ndim; i++) fits = i == r->dim ? source->sizes[i] == r->count : source->sizes[i] == self->sizes[i];
  if (source->ndim == 0) fits = fits && r->count == 1;
  if (!fits) /* torch's kinds of error: index_copy alone takes a wrong number for an index */
    return pwt_fail(copies && (source->ndim != self->ndim || source->ndim == 0 || source->sizes[r->dim] != r->count) ? PWT_INDEX_ERROR : PWT_RUNTIME_ERROR, "%s(): Number of indices (%i) should be equal to source.size(dim), and the other sizes of source %z to those of self %z", name, r->count,
                    source->sizes, (int)source->ndim, self->sizes, (int)self->ndim);
  return pwt_raw_contiguous_as(source, dtype);
}

#define ADD_ROWS(T, ALPHA)                                                              \
  {                                                                                     \
    T *to = pwt_data(result);                                                           \
    const T *from = pwt_data(values), scale = ALPHA;                                    \
    for (int64_t o = 0; o < r.outer; o++, to += r.size * r.inner)                       \
      for (int64_t i = 0; i < r.count; i++, from += r.inner) {                          \
        T *restrict row = to + r.rows[i] * r.inner;                                     \
        for (int64_t k = 0; k < r.inner; k++) row[k] += from[k] * scale;                \
      }                                                                                 \
    break;                                                                              \
  }

Tensor *pwt_kernel_index_add(Tensor *self, int64_t dim, Tensor *index, Tensor *source, Scalar alpha) {
  Rows r;
  if (!read_rows(&r, self, dim, index, "index_add", false)) return NULL;
  if (!pwt_is_complex((DType)self->dtype) && alpha.im != 0) return pwt_fail(PWT_RUNTIME_ERROR, "value cannot be converted to type %t without overflow", self->dtype);
  if (self->dtype == PWT_BOOL) alpha = pwt_scalar_int(alpha.kind == SCALAR_FLOAT ? alpha.re != 0 : pwt_scalar_as_int(alpha) != 0);
  ComputeType compute = self->dtype == PWT_BOOL ? CT_I32 : pwt_compute_type[self->dtype];
  DType dtype = pwt_dtype_of_compute[compute];
  if (pwt_is_complex(dtype) && (alpha.re != 1 || alpha.im != 0)) {
    bool recording = pwt_grad_enabled;
    pwt_grad_enabled = false;
    source = pwt_mul(source, pwt_from_scalar(alpha));
    pwt_grad_enabled = recording;
    alpha = pwt_scalar_int(1);
  }
  Tensor *values = source ? read_source(&r, self, source, dtype, "index_add_") : NULL, *result = pwt_new(self->ndim, self->sizes, dtype);
  if (!values || !result) return NULL;
  pwt_raw_copy(result, self);
  if (pwt_is_complex(dtype)) r.inner *= 2; /* a complex number adds as its two parts */
  switch (compute) {
    case CT_I32: ADD_ROWS(int32_t, (int32_t)pwt_scalar_as_int(alpha))
    case CT_I64: ADD_ROWS(int64_t, pwt_scalar_as_int(alpha))
    case CT_F32:
    case CT_C64: ADD_ROWS(float, (float)alpha.re)
    default: ADD_ROWS(double, alpha.re)
  }
  return pwt_raw_cast(result, (DType)self->dtype);
}

Tensor *pwt_kernel_index_copy(Tensor *self, int64_t dim, Tensor *index, Tensor *source) {
  Rows r;
  if (index->dtype != PWT_INT64) return pwt_fail(PWT_RUNTIME_ERROR, "index_copy_(): Expected a long tensor for index, but got %t", index->dtype);
  if (!read_rows(&r, self, dim, index, "index_copy", false)) return NULL;
  Tensor *values = read_source(&r, self, source, (DType)self->dtype, "index_copy_"), *result = pwt_new(self->ndim, self->sizes, (DType)self->dtype);
  if (!values || !result) return NULL;
  pwt_raw_copy(result, self);
  int64_t bytes = r.inner * pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  const char *from = pwt_data(values);
  for (int64_t o = 0; o < r.outer; o++, to += r.size * bytes)
    for (int64_t i = 0; i < r.count; i++, from += bytes) copy_row(to + r.rows[i] * bytes, from, bytes);
  return result;
}

Tensor *pwt_kernel_index_fill(Tensor *self, int64_t dim, Tensor *index, Tensor *value) {
  Rows r;
  if (value->ndim)
    return pwt_fail(PWT_RUNTIME_ERROR, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).", (int)value->ndim);
  if (index->dtype != PWT_INT64) return pwt_fail(PWT_INDEX_ERROR, "index_fill_(): Expected dtype int64 for index.");
  if (!read_rows(&r, self, dim, index, "index_fill", true) || (!pwt_is_meta(value) && !pwt_check_fits(pwt_item(value), (DType)self->dtype))) return NULL;
  Tensor *result = pwt_new(self->ndim, self->sizes, (DType)self->dtype), *item = pwt_raw_cast(value, (DType)self->dtype);
  if (!result || !item) return NULL;
  pwt_raw_copy(result, self);
  int size = pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  for (int64_t o = 0; o < r.outer; o++, to += r.size * r.inner * size)
    for (int64_t i = 0; i < r.count; i++)
      for (int64_t k = 0; k < r.inner; k++) copy_row(to + (r.rows[i] * r.inner + k) * size, pwt_data(item), size);
  return result;
}

#define COMBINE(T, VALUE)                                                              \
  {                                                                                    \
    T *to = pwt_data(result);                                                          \
    const T *from = pwt_data(values);                                                  \
    for (int64_t o = 0; o < r.outer; o++, to += r.size * r.inner)                      \
      for (int64_t i = 0; i < r.count; i++, from += r.inner) {                         \
        T *restrict row = to + r.rows[i] * r.inner;                                    \
        for (int64_t k = 0; k < r.inner; k++) row[k] = VALUE;                          \
      }                                                                                \
    break;                                                                             \
  }
#define COMBINE_AS(T, S, OF, ROUNDED)                              \
  switch (how) {                                                   \
    case 0: COMBINE(T, ROUNDED((OF)row[k] * (OF)from[k]))          \
    case 1: COMBINE(T, ROUNDED((OF)row[k] + (OF)from[k]))          \
    case 2: COMBINE(T, pwt_maximum_##S(row[k], from[k]))           \
    default: COMBINE(T, pwt_minimum_##S(row[k], from[k]))          \
  }
#define AS_IS(x) (x)
#define AS_HALF(x) pwt_half_to_float(pwt_float_to_half(x))
#define AS_BFLOAT16(x) pwt_bfloat16_to_float(pwt_float_to_bfloat16(x))

static const char *const reductions[] = {"prod", "mean", "amax", "amin"};

Tensor *pwt_kernel_index_reduce(Tensor *self, int64_t dim, Tensor *index, Tensor *source, const char *reduce, bool include_self) {
  int how = 0;
  while (how < 4 && !pwt_same_text(reduce, reductions[how])) how++;
  if (how == 4) return pwt_fail(PWT_RUNTIME_ERROR, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got %s.", reduce);
  if (pwt_is_complex((DType)self->dtype) || self->dtype == PWT_BOOL) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"index_reduce\" not implemented for '%t'", self->dtype);
  Rows r;
  if (!read_rows(&r, self, dim, index, "index_reduce", false)) return NULL;
  bool floating = pwt_is_floating((DType)self->dtype);
  DType dtype = floating ? PWT_FLOAT64 : PWT_INT64;
  Tensor *values = read_source(&r, self, source, dtype, "index_reduce"), *result = pwt_new(self->ndim, self->sizes, dtype);
  int64_t *counts = pwt_scratch_items(r.size, 8), size = pwt_itemsize[dtype];
  if (!values || !result || !counts) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(result, (DType)self->dtype);
  pwt_raw_copy(result, self);
  pwt_fill_bytes(counts, 0, r.size * 8);
  char first[16], *data = pwt_data(result);
  pwt_scalar_store(pwt_scalar_float(how == 0 ? 1 : how == 1 ? 0 : how == 2 ? -__builtin_inf() : __builtin_inf()), dtype, first);
  for (int64_t i = 0; i < r.count; i++)
    if (counts[r.rows[i]]++ == 0 && !include_self)
      for (int64_t o = 0; o < r.outer; o++)
        for (int64_t k = 0; k < r.inner; k++) copy_row(data + ((o * r.size + r.rows[i]) * r.inner + k) * size, first, size);
  if (self->dtype == PWT_FLOAT16) COMBINE_AS(double, f64, float, AS_HALF) /* each step rounds, as in torch */
  else if (self->dtype == PWT_BFLOAT16) COMBINE_AS(double, f64, float, AS_BFLOAT16)
  else if (floating) COMBINE_AS(double, f64, double, AS_IS)
  else COMBINE_AS(int64_t, i64, int64_t, AS_IS)
  if (how != 1) return pwt_raw_cast(result, (DType)self->dtype);
  int64_t shape[PWT_MAX_DIMS];
  for (int i = 0; i < self->ndim; i++) shape[i] = i == r.dim ? r.size : 1;
  Tensor *n = pwt_new(self->ndim, shape, PWT_INT64);
  if (!n) return NULL;
  int64_t *each = pwt_data(n);
  for (int64_t i = 0; i < r.size; i++) each[i] = PWT_MAX(counts[i] + include_self, 1);
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  result = pwt_raw_cast(result, (DType)self->dtype);
  result = floating ? pwt_div(result, n) : pwt_raw_cast(pwt_floor_divide(result, n), (DType)self->dtype);
  pwt_grad_enabled = recording;
  return result;
}

Tensors2 pwt_kernel_index_reduce_backward(Tensor *grad, Tensor *self, int64_t dim, Tensor *index, Tensor *source, const char *reduce, bool include_self, Tensor *result) {
  int64_t sizes[PWT_MAX_DIMS];
  int ndim = PWT_MAX((int)source->ndim, 1), d = pwt_wrap_dim(dim, self->ndim);
  for (int i = 0; i < ndim; i++) sizes[i] = i == d ? index->numel : 1;
  Tensor *along = pwt_reshape(index, (IntList){sizes, ndim});
  if (source->ndim) along = pwt_expand(along, pwt_sizes_of(source), false);
  return pwt_scatter_reduce_backward(grad, self, d, along, source, reduce, include_self, result);
}
