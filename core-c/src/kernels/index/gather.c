/* gather, scatter, scatter_add, scatter_reduce, take, put: one index per element. */
#include "math.h"
#include "ops.h"

/* Walks the index row by row along `dim`: for each line it gives offsets into self, the index and the source. */
typedef struct {
  int dim, ndim;
  int64_t sizes[PWT_MAX_DIMS]; /* of the index */
  int64_t *index;              /* contiguous, checked */
  int64_t size;                /* of self along dim */
} Lines;

static bool read_lines(Lines *w, Tensor *self, int64_t dim, Tensor *index, Tensor *source, const char *name) {
  w->dim = pwt_wrap_dim(dim, self->ndim);
  if (w->dim < 0) return false;
  if (index->numel && index->dtype != PWT_INT64 && index->dtype != PWT_INT32) {
    pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected dtype int32/int64 for index", name);
    return false;
  }
  w->ndim = PWT_MAX((int)self->ndim, 1);
  int index_dims = PWT_MAX((int)index->ndim, 1);
  if (index->numel && (index_dims != w->ndim || (source && PWT_MAX((int)source->ndim, 1) != w->ndim))) {
    pwt_fail(PWT_RUNTIME_ERROR, index_dims != w->ndim ? "Index tensor must have the same number of dimensions as %s tensor" : "Index tensor must have the same number of dimensions as src tensor",
             source ? "self" : "input");
    return false;
  }
  for (int i = 0; i < w->ndim && index->numel; i++) {
    w->sizes[i] = index->ndim ? index->sizes[i] : 1;
    int64_t have = self->ndim ? self->sizes[i] : 1, from = source && source->ndim ? source->sizes[i] : source ? 1 : INT64_MAX;
    if ((i != w->dim && w->sizes[i] > have) || w->sizes[i] > from) {
      if (source) pwt_fail(PWT_RUNTIME_ERROR, "Expected index %z to be no larger than self %z apart from dimension %d and to be no larger size than src %z", index->sizes,
                           (int)index->ndim, self->sizes, (int)self->ndim, w->dim, source->sizes, (int)source->ndim);
      else pwt_fail(PWT_RUNTIME_ERROR, "Size does not match at dimension %d expected index %z to be no larger than self %z apart from dimension %d", i, index->sizes,
                    (int)index->ndim, self->sizes, (int)self->ndim, w->dim);
      return false;
    }
  }
  w->size = self->ndim ? self->sizes[w->dim] : 1;
  Tensor *wide = pwt_raw_contiguous_as(index, PWT_INT64);
  if (!wide) return false;
  w->index = pwt_data(wide);
  for (int64_t i = 0; i < wide->numel && !pwt_on_meta; i++)
    if (w->index[i] < 0 || w->index[i] >= w->size) {
      pwt_fail(PWT_RUNTIME_ERROR, "index %i is out of bounds for dimension %d with size %i", w->index[i], w->dim, w->size);
      return false;
    }
  return true;
}

/* Calls BODY for every element of the index with `at` (in self, contiguous), `from` (in source's own strides) and `i`. */
#define EACH_ELEMENT(W, SELF, SOURCE, BODY)                                                              \
  {                                                                                                      \
    int64_t position[PWT_MAX_DIMS] = {0}, strides[PWT_MAX_DIMS], step = 1, i = 0;                        \
    int last = (W).ndim - 1;                                                                             \
    for (int d = last; d >= 0; d--) {                                                                    \
      strides[d] = step;                                                                                 \
      step *= (SELF)->ndim ? (SELF)->sizes[d] : 1;                                                       \
    }                                                                                                    \
    int64_t along = strides[(W).dim], beside = (W).dim == last ? 0 : 1, width = (W).sizes[last];         \
    int64_t forward = (SOURCE) && (SOURCE)->ndim ? (SOURCE)->strides[last] : 0;                          \
    for (int64_t lines = pwt_on_meta ? 0 : pwt_product((W).sizes, last); lines > 0; lines--) {           \
      int64_t start = 0, from = 0;                                                                       \
      for (int d = 0; d < last; d++) {                                                                   \
        if (d != (W).dim) start += position[d] * strides[d];                                             \
        if ((SOURCE) && (SOURCE)->ndim) from += position[d] * (SOURCE)->strides[d];                      \
      }                                                                                                  \
      for (int64_t j = 0; j < width; j++, i++, start += beside, from += forward) {                       \
        int64_t at = start + (W).index[i] * along;                                                       \
        BODY;                                                                                            \
      }                                                                                                  \
      for (int d = last - 1; d >= 0; d--) {                                                              \
        if (++position[d] < (W).sizes[d]) break;                                                         \
        position[d] = 0;                                                                                 \
      }                                                                                                  \
    }                                                                                                    \
  }

Tensor *pwt_kernel_gather(Tensor *self, int64_t dim, Tensor *index, bool sparse_grad) {
  (void)sparse_grad;
  Lines w;
  if (!read_lines(&w, self, dim, index, NULL, "gather")) return NULL;
  Tensor *source = pwt_raw_contiguous(self), *result = pwt_new(index->ndim, index->sizes, (DType)self->dtype);
  if (!source || !result || index->numel == 0) return result;
  const char *from_data = pwt_data(source);
  char *to = pwt_data(result);
  int item = pwt_itemsize[self->dtype];
  if (item == 4) EACH_ELEMENT(w, self, (Tensor *)NULL, ((uint32_t *)to)[i] = ((const uint32_t *)from_data)[at])
  else if (item == 8) EACH_ELEMENT(w, self, (Tensor *)NULL, ((uint64_t *)to)[i] = ((const uint64_t *)from_data)[at])
  else EACH_ELEMENT(w, self, (Tensor *)NULL, pwt_copy_bytes(to + i * item, from_data + at * item, item))
  return result;
}

Tensor *pwt_kernel_gather_backward(Tensor *grad, IntList sizes, int64_t dim, Tensor *index) {
  return pwt_scatter_add(pwt_new_zeros((int)sizes.count, sizes.items, pwt_dtype_of(grad)), dim, index, grad);
}

/* A contiguous copy of self, into which a scatter writes. */
static Tensor *writable(Tensor *self, DType dtype) {
  Tensor *result = pwt_new(self->ndim, self->sizes, dtype);
  pwt_raw_copy(result, self);
  return result;
}

Tensor *pwt_kernel_scatter(Tensor *self, int64_t dim, Tensor *index, Tensor *src) {
  Lines w;
  if (src->dtype != self->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "scatter(): Expected self.dtype to be equal to src.dtype");
  if (!read_lines(&w, self, dim, index, src, "scatter")) return NULL;
  Tensor *result = writable(self, (DType)self->dtype);
  if (!result || index->numel == 0) return result;
  int item = pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  const char *values = pwt_data(src);
  EACH_ELEMENT(w, self, src, pwt_copy_bytes(to + at * item, values + from * item, item))
  return result;
}

Tensor *pwt_kernel_scatter_value(Tensor *self, int64_t dim, Tensor *index, Scalar value) {
  Lines w;
  char bytes[16];
  if (!read_lines(&w, self, dim, index, NULL, "scatter") || !pwt_check_fits(value, (DType)self->dtype)) return NULL;
  Tensor *result = writable(self, (DType)self->dtype);
  if (!result || index->numel == 0) return result;
  int item = pwt_itemsize[self->dtype];
  char *to = pwt_data(result);
  pwt_scalar_store(value, (DType)self->dtype, bytes);
  EACH_ELEMENT(w, self, (Tensor *)NULL, pwt_copy_bytes(to + at * item, bytes, item))
  return result;
}

Tensor *pwt_kernel_gather_shaped(Tensor *self, int64_t dim, Tensor *index, IntList sizes) {
  Tensor *values = pwt_gather(self, dim, index, false);
  if (!values) return NULL;
  bool same = values->ndim == sizes.count;
  for (int i = 0; i < values->ndim && same; i++) same = values->sizes[i] == sizes.items[i];
  if (same) return values;
  if (values->ndim != sizes.count) return pwt_reshape(values, sizes); /* numbers and vectors of one element */
  /* the index covered a corner of the source: the rest got no gradient */
  Tensor *whole = pwt_new_zeros((int)sizes.count, sizes.items, (DType)values->dtype), *corner = whole;
  for (int i = 0; i < sizes.count && corner; i++) corner = pwt_narrow(corner, i, 0, values->sizes[i]);
  pwt_copy__(corner, values, false);
  return whole;
}

#define REDUCE(T, S, MUL)                                                                                       \
  {                                                                                                             \
    T *to = pwt_data(result);                                                                                   \
    const T *values = pwt_data(source);                                                                         \
    switch (how) {                                                                                              \
      case BY_SUM: EACH_ELEMENT(w, self, source, to[at] += values[from]) break;                                 \
      case BY_PROD: EACH_ELEMENT(w, self, source, to[at] = MUL(to[at], values[from])) break;                    \
      case BY_MAX: EACH_ELEMENT(w, self, source, to[at] = pwt_maximum_##S(to[at], values[from])) break;         \
      default: EACH_ELEMENT(w, self, source, to[at] = pwt_minimum_##S(to[at], values[from])) break;             \
    }                                                                                                           \
    break;                                                                                                      \
  }
#define REDUCE_COMPLEX(T, MUL)                                                                 \
  {                                                                                            \
    T *to = pwt_data(result);                                                                  \
    const T *values = pwt_data(source);                                                        \
    if (how == BY_SUM) EACH_ELEMENT(w, self, source, to[at] += values[from])                   \
    else EACH_ELEMENT(w, self, source, to[at] = MUL(to[at], values[from]))                     \
    break;                                                                                     \
  }
#define TIMES(a, b) ((a) * (b))
typedef enum { BY_SUM, BY_PROD, BY_MAX, BY_MIN, BY_MEAN } How;

static Tensor *reduce_into(Tensor *self, int64_t dim, Tensor *index, Tensor *src, How how, bool include_self, const char *name) {
  Lines w;
  if (src->dtype != self->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected self.dtype to be equal to src.dtype", name);
  if (!read_lines(&w, self, dim, index, src, name)) return NULL;
  ComputeType compute = self->dtype == PWT_BOOL ? CT_I32 : pwt_compute_type[self->dtype];
  DType dtype = pwt_dtype_of_compute[compute];
  Tensor *result = writable(self, dtype), *source = pwt_raw_cast(src, dtype);
  if (!result || !source || index->numel == 0) return pwt_raw_cast(result, (DType)self->dtype);
  if (!include_self) {
    static const double none[] = {[BY_SUM] = 0, [BY_PROD] = 1, [BY_MEAN] = 0};
    Scalar start = pwt_scalar_float(how == BY_MAX ? -__builtin_inf() : how == BY_MIN ? __builtin_inf() : none[how]);
    char item[16];
    int size = pwt_itemsize[dtype];
    char *to = pwt_data(result);
    pwt_scalar_store(start, dtype, item);
    EACH_ELEMENT(w, self, (Tensor *)NULL, pwt_copy_bytes(to + at * size, item, size))
  }
  switch (compute) {
    case CT_I32: REDUCE(int32_t, i32, TIMES)
    case CT_I64: REDUCE(int64_t, i64, TIMES)
    case CT_F32: REDUCE(float, f32, TIMES)
    case CT_F64: REDUCE(double, f64, TIMES)
    case CT_C64: REDUCE_COMPLEX(complex64, pwt_mul_c64)
    default: REDUCE_COMPLEX(complex128, pwt_mul_c128)
  }
  return pwt_raw_cast(result, (DType)self->dtype);
}

Tensor *pwt_kernel_scatter_add(Tensor *self, int64_t dim, Tensor *index, Tensor *src) { return reduce_into(self, dim, index, src, BY_SUM, true, "scatter_add"); }

static bool reduction(const char *name, bool old, How *how) {
  static const struct { const char *name; How how; bool old; } known[] = {{"sum", BY_SUM, false}, {"prod", BY_PROD, false}, {"amax", BY_MAX, false}, {"amin", BY_MIN, false},
                                                                          {"mean", BY_MEAN, false}, {"add", BY_SUM, true}, {"multiply", BY_PROD, true}};
  for (int i = 0; i < 7; i++)
    if (known[i].old == old && pwt_same_text(name, known[i].name)) {
      *how = known[i].how;
      return true;
    }
  if (old) pwt_fail(PWT_RUNTIME_ERROR, "reduce argument must be either add or multiply.");
  else pwt_fail(PWT_RUNTIME_ERROR, "reduce argument must be either sum, prod, mean, amax or amin, got %s", name);
  return false;
}

/* how many elements each position received */
static Tensor *counts(Tensor *self, int64_t dim, Tensor *index, bool include_self) {
  DType dtype = self->dtype <= PWT_INT64 ? PWT_INT64 : self->dtype == PWT_COMPLEX64 ? PWT_FLOAT32 : self->dtype == PWT_COMPLEX128 ? PWT_FLOAT64 : (DType)self->dtype;
  Tensor *start = pwt_new(self->ndim, self->sizes, dtype), *ones = pwt_new(index->ndim, index->sizes, dtype);
  pwt_raw_fill(start, pwt_scalar_int(include_self));
  pwt_raw_fill(ones, pwt_scalar_int(1));
  return start && ones ? reduce_into(start, dim, index, ones, BY_SUM, true, "scatter_reduce") : NULL;
}

Tensor *pwt_kernel_scatter_reduce(Tensor *self, int64_t dim, Tensor *index, Tensor *src, const char *reduce, bool include_self) {
  How how;
  if (!reduction(reduce, false, &how)) return NULL;
  Tensor *result = reduce_into(self, dim, index, src, how == BY_MEAN ? BY_SUM : how, include_self, "scatter_reduce");
  if (how != BY_MEAN || !result) return result;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *n = pwt_clamp_min(counts(self, dim, index, include_self), pwt_from_scalar(pwt_scalar_int(1)));
  result = self->dtype <= PWT_INT64 ? pwt_raw_cast(pwt_floor_divide(result, n), (DType)self->dtype) : pwt_div(result, n);
  pwt_grad_enabled = recording;
  return result;
}

Tensors2 pwt_kernel_scatter_reduce_backward(Tensor *grad, Tensor *self, int64_t dim, Tensor *index, Tensor *src, const char *reduce, bool include_self, Tensor *result) {
  How how;
  Tensor *to_self = NULL, *to_src = NULL;
  if (!reduction(reduce, false, &how)) return (Tensors2){{NULL, NULL}};
  if (how == BY_SUM) {
    to_self = grad;
    to_src = pwt_gather_shaped(grad, dim, index, pwt_sizes_of(src));
  } else if (how == BY_MEAN) {
    Tensor *n = pwt_clamp_min(counts(self, dim, index, include_self), pwt_from_scalar(pwt_scalar_int(1)));
    to_self = pwt_div(grad, n);
    to_src = pwt_gather_shaped(pwt_div(grad, n), dim, index, pwt_sizes_of(src));
  } else if (how == BY_PROD) {
    Tensor *one = pwt_from_scalar(pwt_scalar_int(1)), *zero = pwt_from_scalar(pwt_scalar_int(0));
    IntList shape = pwt_sizes_of(src);
    /* a factor of zero is replaced by one where the product of the others is the gradient */
    Tensor *mine = pwt_masked_fill(self, pwt_eq(self, zero), one);
    to_self = pwt_div(pwt_mul(grad, pwt_scatter_reduce(mine, dim, index, src, reduce, include_self)), mine);
    Tensor *is_zero = pwt_eq(src, zero);
    Tensor *zeros = pwt_gather_shaped(pwt_scatter_add(pwt_zeros_like(self), dim, index, pwt__to_dtype(is_zero, (DType)self->dtype)), dim, index, shape);
    Tensor *only = pwt_logical_and(is_zero, pwt_eq(zeros, one));
    Tensor *others = pwt_scatter_reduce(self, dim, index, pwt_masked_fill(src, only, one), reduce, include_self);
    to_src = pwt_where(only, pwt_gather_shaped(pwt_mul(grad, others), dim, index, shape),
                       pwt_div(pwt_gather_shaped(pwt_mul(grad, result), dim, index, shape), pwt_masked_fill(src, is_zero, one)));
  } else {
    /* ties share the gradient equally */
    Tensor *value = pwt_gather_shaped(result, dim, index, pwt_sizes_of(src));
    Tensor *mine = pwt__to_dtype(pwt_eq(self, result), (DType)self->dtype), *theirs = pwt__to_dtype(pwt_eq(src, value), (DType)src->dtype);
    Tensor *n = pwt_scatter_add(include_self ? mine : pwt_zeros_like(self), dim, index, theirs);
    Tensor *share = pwt_div(grad, pwt_clamp_min(n, pwt_from_scalar(pwt_scalar_int(1))));
    to_self = pwt_mul(mine, share);
    to_src = pwt_mul(theirs, pwt_gather_shaped(share, dim, index, pwt_sizes_of(src)));
  }
  if (!include_self) to_self = pwt_scatter_value(to_self, dim, index, pwt_scalar_int(0));
  return (Tensors2){{to_self, to_src}};
}

static Tensor *reduce_by_old_name(Tensor *self, int64_t dim, Tensor *index, Tensor *src, const char *name) {
  How how;
  if (!reduction(name, true, &how)) return NULL;
  return how == BY_SUM ? pwt_scatter_add(self, dim, index, src) : pwt_scatter_reduce(self, dim, index, src, "prod", true);
}

Tensor *pwt_kernel_scatter_by(Tensor *self, int64_t dim, Tensor *index, Tensor *src, const char *reduce) {
  return reduce_by_old_name(self, dim, index, src, reduce);
}

Tensor *pwt_kernel_scatter_value_reduce(Tensor *self, int64_t dim, Tensor *index, Scalar value, const char *reduce) {
  Tensor *source = pwt_new(index->ndim, index->sizes, (DType)self->dtype);
  pwt_raw_fill(source, value);
  return source ? reduce_by_old_name(self, dim, index, source, reduce) : NULL;
}

static Tensor *flat(Tensor *t) { return pwt_reshape(t, (IntList){(const int64_t[]){-1}, 1}); }

/* The index with negative positions wrapped, after torch's IndexError for those outside. */
static Tensor *wrapped(Tensor *index, int64_t size, const char *name) {
  if (index->dtype != PWT_INT64) return pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected a long tensor for index, but got %t", name, index->dtype);
  Tensor *copy = writable(index, PWT_INT64);
  int64_t *values = copy ? pwt_data(copy) : NULL;
  for (int64_t i = 0; values && i < copy->numel && !pwt_on_meta; i++) {
    if (values[i] < -size || values[i] >= size) return pwt_fail(PWT_INDEX_ERROR, "out of range: tried to access index %i on a tensor of %i elements.", values[i], size);
    if (values[i] < 0) values[i] += size;
  }
  return copy;
}

Tensor *pwt_kernel_take_along_dim(Tensor *self, Tensor *indices, OptInt dim) {
  if (!dim.given) return pwt_gather(flat(self), 0, flat(indices), false);
  if (indices->dtype != PWT_INT64) return pwt_fail(PWT_RUNTIME_ERROR, "torch.take_along_dim(): dtype of indices should be Long but got %t", indices->dtype);
  if (self->ndim != indices->ndim)
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.take_along_dim(): input and indices should have the same number of dimensions, but got %d dimensions for input, and %d dimensions for indices",
                    (int)self->ndim, (int)indices->ndim);
  int d = pwt_wrap_dim(dim.value, self->ndim), ndim = self->ndim;
  if (d < 0) return NULL;
  if (!ndim) return pwt_fail(PWT_INDEX_ERROR, "Dimension specified as %d but tensor has no dimensions", d);
  indices = wrapped(indices, self->sizes[d], "torch.take_along_dim");
  if (!indices) return NULL;
  int64_t sizes[PWT_MAX_DIMS], own[PWT_MAX_DIMS];
  pwt_copy_bytes(own, self->sizes, ndim * 8);
  own[d] = indices->sizes[d];
  pwt_copy_bytes(sizes, own, ndim * 8);
  if (!pwt_broadcast_sizes(&ndim, sizes, indices)) return NULL;
  Tensor *index = pwt_expand(indices, (IntList){sizes, ndim}, false);
  sizes[d] = self->sizes[d];
  return pwt_gather(pwt_expand(self, (IntList){sizes, ndim}, false), d, index, false);
}

Tensor *pwt_kernel_take(Tensor *self, Tensor *index) {
  Tensor *places = wrapped(index, self->numel, "take");
  return pwt_reshape(pwt_gather(flat(self), 0, flat(places), false), pwt_sizes_of(index));
}

Tensor *pwt_kernel_put(Tensor *self, Tensor *index, Tensor *source, bool accumulate) {
  if (index->numel != source->numel)
    return pwt_fail(PWT_RUNTIME_ERROR, "put_(): Expected source and index to have the same number of elements, but got source.numel() = %i, index.numel() = %i", source->numel, index->numel);
  Tensor *places = flat(wrapped(index, self->numel, "put_"));
  Tensor *result = accumulate ? pwt_scatter_add(flat(self), 0, places, flat(source)) : pwt_scatter(flat(self), 0, places, flat(source));
  return pwt_reshape(result, pwt_sizes_of(self));
}
