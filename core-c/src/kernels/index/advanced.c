/* index, index_put: indexing by tensors. The indexed dimensions become the broadcast shape of the indices, where the first stood if they
   are neighbours, else in front. */
#include "ops.h"

typedef struct {
  int64_t places;       /* how many positions the indices name */
  int64_t *at;          /* for each the offset into `self`, in elements of the indexed dimensions */
  int indexed;          /* how many dimensions are indexed */
  int front;            /* dimensions of the result before the broadcast shape */
  int shape_ndim, kept; /* of the broadcast shape; of the dimensions that are not indexed */
  int64_t shape[PWT_MAX_DIMS], sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS]; /* sizes and strides: the kept dimensions */
  int ndim;
  int64_t result[PWT_MAX_DIMS];
} Plan;

static bool make_plan(Plan *p, Tensor *self, TensorList indices) {
  *p = (Plan){0};
  int first = -1, last = -1;
  bool have_shape = false;
  if (indices.count > self->ndim) {
    pwt_fail(PWT_INDEX_ERROR, "too many indices for tensor of dimension %d (got %i)", (int)self->ndim, indices.count);
    return false;
  }
  for (int i = 0; i < self->ndim; i++) {
    Tensor *index = i < indices.count ? indices.items[i] : NULL;
    if (!index) {
      p->sizes[p->kept] = self->sizes[i];
      p->strides[p->kept++] = self->strides[i];
      continue;
    }
    if (index->dtype < PWT_UINT8 || index->dtype > PWT_INT64) {
      pwt_fail(PWT_INDEX_ERROR, "tensors used as indices must be long, int, byte or bool tensors");
      return false;
    }
    if (first < 0) first = i;
    last = i;
    p->indexed++;
    if (!have_shape) {
      p->shape_ndim = index->ndim;
      pwt_copy_bytes(p->shape, index->sizes, index->ndim * 8);
      have_shape = true;
    } else if (!pwt_broadcast_sizes(&p->shape_ndim, p->shape, index)) {
      pwt_clear_error();
      pwt_fail(PWT_INDEX_ERROR, "shape mismatch: indexing tensors could not be broadcast together with shapes %z, %z", p->shape, p->shape_ndim, index->sizes, (int)index->ndim);
      return false;
    }
  }
  p->front = p->indexed && last - first + 1 == p->indexed ? first : 0;
  p->places = pwt_product(p->shape, p->shape_ndim);
  p->at = pwt_on_meta ? NULL : pwt_scratch_items(p->places, 8);
  if (pwt_failed()) return false;
  if (p->at) pwt_fill_bytes(p->at, 0, p->places * 8);
  for (int i = 0; p->at && i < indices.count; i++) {
    if (!indices.items[i]) continue;
    Tensor *index = pwt_raw_contiguous_as(pwt_raw_expand(indices.items[i], p->shape_ndim, p->shape), PWT_INT64);
    if (!index) return false;
    const int64_t *values = pwt_data(index);
    int64_t size = self->sizes[i];
    for (int64_t k = 0; k < p->places; k++) {
      int64_t v = values[k];
      if (v < -size || v >= size) {
        pwt_fail(PWT_INDEX_ERROR, "index %i is out of bounds for dimension %d with size %i", v, i, size);
        return false;
      }
      p->at[k] += (v < 0 ? v + size : v) * self->strides[i];
    }
  }
  for (int i = 0; i < p->front; i++) p->result[p->ndim++] = p->sizes[i];
  if (p->ndim + p->shape_ndim + p->kept - p->front > PWT_MAX_DIMS) {
    pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions", PWT_MAX_DIMS);
    return false;
  }
  for (int i = 0; i < p->shape_ndim; i++) p->result[p->ndim++] = p->shape[i];
  for (int i = p->front; i < p->kept; i++) p->result[p->ndim++] = p->sizes[i];
  return true;
}

/* Calls BODY for each element of the result, in order, with its offset `at` in self. */
#define EACH(P, BODY)                                                                                       \
  {                                                                                                         \
    int64_t before = pwt_product((P)->sizes, (P)->front), after = pwt_product((P)->sizes + (P)->front, (P)->kept - (P)->front); \
    int64_t outer[PWT_MAX_DIMS] = {0}, base = 0, i = 0;                                                     \
    for (int64_t b = 0; b < before; b++) {                                                                  \
      for (int64_t k = 0; k < (P)->places; k++) {                                                           \
        int64_t inner[PWT_MAX_DIMS] = {0}, at = base + (P)->at[k];                                          \
        for (int64_t a = 0; a < after; a++, i++) {                                                          \
          BODY;                                                                                             \
          for (int d = (P)->kept - 1; d >= (P)->front; d--) {                                               \
            at += (P)->strides[d];                                                                          \
            if (++inner[d] < (P)->sizes[d]) break;                                                          \
            at -= (P)->sizes[d] * (P)->strides[d];                                                          \
            inner[d] = 0;                                                                                   \
          }                                                                                                 \
        }                                                                                                   \
      }                                                                                                     \
      for (int d = (P)->front - 1; d >= 0; d--) {                                                           \
        base += (P)->strides[d];                                                                            \
        if (++outer[d] < (P)->sizes[d]) break;                                                              \
        base -= (P)->sizes[d] * (P)->strides[d];                                                            \
        outer[d] = 0;                                                                                       \
      }                                                                                                     \
    }                                                                                                       \
  }

Tensor *pwt_kernel_index(Tensor *self, TensorList indices) {
  Plan plan, *p = &plan;
  if (!make_plan(p, self, indices)) return NULL;
  Tensor *result = pwt_new(p->ndim, p->result, (DType)self->dtype);
  if (!result || result->numel == 0 || pwt_on_meta) return result;
  char *to = pwt_data(result);
  const char *from = pwt_data(self);
  switch (pwt_itemsize[self->dtype]) {
    case 1: EACH(p, to[i] = from[at]) break;
    case 2: EACH(p, ((uint16_t *)to)[i] = ((const uint16_t *)from)[at]) break;
    case 4: EACH(p, ((uint32_t *)to)[i] = ((const uint32_t *)from)[at]) break;
    case 8: EACH(p, ((uint64_t *)to)[i] = ((const uint64_t *)from)[at]) break;
    default: EACH(p, pwt_copy_bytes(to + i * 16, from + at * 16, 16))
  }
  return result;
}

Tensor *pwt_kernel_index_backward(Tensor *grad, IntList sizes, TensorList indices) {
  return pwt_index_put(pwt_new_zeros((int)sizes.count, sizes.items, pwt_dtype_of(grad)), indices, grad, true);
}

#define ACCUMULATE(T)                         \
  {                                           \
    T *to = pwt_data(result);                 \
    const T *from = pwt_data(source);         \
    EACH(p, to[at] += from[i])                \
    break;                                    \
  }

Tensor *pwt_kernel_index_put(Tensor *self, TensorList indices, Tensor *values, bool accumulate) {
  Plan plan, *p = &plan;
  if (values->dtype != self->dtype)
    return pwt_fail(PWT_RUNTIME_ERROR, "Index put requires the source and destination dtypes match, got %t for the destination and %t for the source.", self->dtype, values->dtype);
  ComputeType compute = self->dtype == PWT_BOOL ? CT_I32 : pwt_compute_type[self->dtype];
  DType dtype = accumulate ? pwt_dtype_of_compute[compute] : (DType)self->dtype;
  Tensor *result = pwt_new(self->ndim, self->sizes, dtype);
  if (!result) return NULL;
  pwt_raw_copy(result, self);
  if (!make_plan(p, result, indices)) return NULL;
  bool fits = values->ndim <= p->ndim;
  for (int i = 0; i < values->ndim && fits; i++) {
    int64_t want = p->result[p->ndim - values->ndim + i];
    fits = values->sizes[i] == 1 || values->sizes[i] == want;
  }
  if (!fits)
    return pwt_fail(PWT_RUNTIME_ERROR, "shape mismatch: value tensor of shape %z cannot be broadcast to indexing result of shape %z", values->sizes, (int)values->ndim, p->result, p->ndim);
  if (pwt_on_meta || pwt_product(p->result, p->ndim) == 0) return pwt_raw_cast(result, (DType)self->dtype);
  Tensor *source = pwt_raw_contiguous_as(pwt_raw_expand(values, p->ndim, p->result), dtype);
  if (!source) return NULL;
  if (accumulate) {
    switch (compute) {
      case CT_I32: ACCUMULATE(int32_t)
      case CT_I64: ACCUMULATE(int64_t)
      case CT_F32: ACCUMULATE(float)
      case CT_F64: ACCUMULATE(double)
      case CT_C64: ACCUMULATE(complex64)
      default: ACCUMULATE(complex128)
    }
    return pwt_raw_cast(result, (DType)self->dtype);
  }
  char *to = pwt_data(result);
  const char *from = pwt_data(source);
  int item = pwt_itemsize[self->dtype];
  EACH(p, pwt_copy_bytes(to + at * item, from + i * item, item))
  return result;
}

/* Writes to memory that several elements of self share, in the order of the places: where each is in that memory is in `at`. */
Tensor *pwt_kernel__put_shared(Tensor *self, Tensor *at, Tensor *values, bool accumulate) {
  int64_t reach = pwt_reach(self);
  Tensor *copy = pwt_new_strided(self->ndim, self->sizes, self->strides, (DType)self->dtype);
  pwt_raw_copy(copy, self);
  Tensor *memory = copy ? pwt_alias(copy, 1, &reach, (const int64_t[]){1}, 0) : NULL;
  Tensor *written = memory ? pwt_kernel_index_put(memory, (TensorList){&at, 1}, values, accumulate) : NULL;
  return written ? pwt_alias(written, self->ndim, self->sizes, self->strides, 0) : NULL;
}

Tensor *pwt_kernel_zeros_like_scalar(Tensor *self) { return pwt_full_scalar(pwt_scalar_int(0), (DType)self->dtype); }
