/* unique along a dimension: slices in lexicographic order. */
#include "ops.h"

typedef struct {
  ComputeType type;
  const char *data; /* [count, length] */
  int64_t count, length;
} Slices;

/* As torch orders numbers here: a NaN is neither below nor above anything. */
#define COMPARE(T)                                                        \
  {                                                                       \
    const T *x = (const T *)s->data + a * n, *y = (const T *)s->data + b * n; \
    for (int64_t i = 0; i < n; i++)                                       \
      if (x[i] < y[i] || x[i] > y[i]) return x[i] < y[i] ? -1 : 1;        \
    return 0;                                                             \
  }

static int compare(const Slices *s, int64_t a, int64_t b) {
  int64_t n = s->length;
  switch (s->type) {
    case CT_F32: COMPARE(float)
    case CT_F64: COMPARE(double)
    case CT_I64: COMPARE(int64_t)
    default: COMPARE(int32_t)
  }
}

#define EQUAL(T)                                                          \
  {                                                                       \
    const T *x = (const T *)s->data + a * n, *y = (const T *)s->data + b * n; \
    for (int64_t i = 0; i < n; i++)                                       \
      if (!(x[i] == y[i])) return false;                                  \
    return true;                                                          \
  }

static bool equal(const Slices *s, int64_t a, int64_t b) {
  int64_t n = s->length;
  switch (s->type) {
    case CT_F32: EQUAL(float)
    case CT_F64: EQUAL(double)
    case CT_I64: EQUAL(int64_t)
    default: EQUAL(int32_t)
  }
}

static void merge(const Slices *s, const int64_t *from, int64_t *to, int64_t start, int64_t middle, int64_t end) {
  int64_t left = start, right = middle;
  for (int64_t i = start; i < end; i++) {
    bool take_left = left < middle && (right == end || compare(s, from[left], from[right]) <= 0);
    to[i] = take_left ? from[left++] : from[right++];
  }
}

/* Merges from the bottom up; the result is in `order`. */
static void sort_slices(const Slices *s, int64_t *order, int64_t *spare) {
  int64_t *from = order, *to = spare;
  for (int64_t width = 1; width < s->count; width *= 2) {
    for (int64_t start = 0; start < s->count; start += 2 * width)
      merge(s, from, to, start, PWT_MIN(start + width, s->count), PWT_MIN(start + 2 * width, s->count));
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != order) pwt_copy_bytes(order, from, 8 * s->count);
}

static bool check_unique_dim(Tensor *self, int64_t dim, int *wrapped) {
  if (self->ndim == 0) return pwt_fail(PWT_INDEX_ERROR, "Dimension specified as %i but tensor has no dimensions", dim);
  *wrapped = pwt_wrap_dim(dim, self->ndim);
  if (*wrapped < 0) return false;
  int empty = 0;
  for (int i = 0; i < self->ndim; i++) empty += self->sizes[i] == 0;
  if (empty && self->sizes[*wrapped])
    return pwt_fail(PWT_RUNTIME_ERROR, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  if (empty > 1) return pwt_fail(PWT_RUNTIME_ERROR, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
  if (pwt_is_complex((DType)self->dtype))
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"unique_dim\" not implemented for '%t'", (DType)self->dtype);
  return true;
}

Tensors3 pwt_kernel__unique_dim(Tensor *self, int64_t dim, bool consecutive, bool return_inverse, bool return_counts) {
  Tensors3 none = {0};
  int d;
  if (!check_unique_dim(self, dim, &d)) return none;
  int64_t count = self->sizes[d], nothing = 0;
  ComputeType type = (ComputeType)pwt_compute_type[self->dtype];
  Tensor *slices = pwt_raw_contiguous_as(pwt_raw_movedim(self, d, 0), (DType)pwt_dtype_of_compute[type]);
  int64_t *order = pwt_scratch(8 * count), *spare = pwt_scratch(8 * count), *counts = pwt_scratch(8 * count);
  Tensor *first = pwt_new(1, &count, PWT_INT64), *inverse = pwt_new(1, return_inverse ? &count : &nothing, PWT_INT64);
  if (pwt_failed()) return none;
  Slices s = {type, pwt_data(slices), count, count ? self->numel / count : 0};
  for (int64_t i = 0; i < count; i++) order[i] = i;
  if (!consecutive) sort_slices(&s, order, spare);
  int64_t runs = 0, *representative = pwt_data(first), *run_of = pwt_data(inverse);
  for (int64_t i = 0; i < count; i++) {
    if (i == 0 || !equal(&s, order[i - 1], order[i])) {
      representative[runs] = order[i];
      counts[runs++] = 0;
    }
    counts[runs - 1]++;
    if (return_inverse) run_of[order[i]] = runs - 1;
  }
  int64_t one = 1;
  Tensor *output = pwt_kernel_index_select(self, d, pwt_alias(first, 1, &runs, &one, 0));
  Tensor *run_counts = pwt_new(1, return_counts ? &runs : &nothing, PWT_INT64);
  if (return_counts && run_counts) pwt_copy_bytes(pwt_data(run_counts), counts, 8 * runs);
  return (Tensors3){{output, inverse, run_counts}};
}
