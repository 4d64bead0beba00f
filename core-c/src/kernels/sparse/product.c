/* A sparse matrix times a dense one, and the products of rows that are its gradient. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

#define GRAIN 16384

typedef struct {
  const int64_t *rows, *cols;
  const void *values, *a, *b;
  void *result;
  int64_t n, width;
} Work;

/* What of the sorted rows is below `row`. */
static int64_t place_of(const int64_t *rows, int64_t n, int64_t row) {
  int64_t low = 0;
  while (n > 0) {
    int64_t half = n / 2;
    if (rows[low + half] < row) low += half + 1, n -= half + 1;
    else n = half;
  }
  return low;
}

/* SUM_ROWS: into rows [begin, end) of the result, all entries of these rows in their order. DOT_ROWS: entries [begin, end). */
#define REAL_MUL(a, b) ((a) * (b))
#define SPARSE_LOOPS(SUFFIX, TYPE, MUL)                                                                      \
  static void add_##SUFFIX(const Work *w, int64_t from, int64_t to) {                                     \
    const TYPE *values = w->values;                                                                       \
    for (int64_t k = from; k < to; k++) {                                                                 \
      const TYPE value = values[k], *restrict row = (const TYPE *)w->a + w->cols[k] * w->width;           \
      TYPE *restrict sum = (TYPE *)w->result + w->rows[k] * w->width;                                     \
      for (int64_t c = 0; c < w->width; c++) sum[c] += MUL(value, row[c]);                                \
    }                                                                                                     \
  }                                                                                                       \
  static void sum_rows_##SUFFIX(void *context, int64_t begin, int64_t end) {                              \
    const Work *w = context;                                                                              \
    add_##SUFFIX(w, place_of(w->rows, w->n, begin), place_of(w->rows, w->n, end));                        \
  }                                                                                                       \
  static void dot_rows_##SUFFIX(void *context, int64_t begin, int64_t end) {                              \
    const Work *w = context;                                                                              \
    TYPE *result = w->result;                                                                             \
    for (int64_t k = begin; k < end; k++) {                                                               \
      const TYPE *a = (const TYPE *)w->a + w->rows[k] * w->width, *b = (const TYPE *)w->b + w->cols[k] * w->width; \
      TYPE sum = 0;                                                                                       \
      for (int64_t c = 0; c < w->width; c++) sum += MUL(a[c], b[c]);                                         \
      result[k] = sum;                                                                                    \
    }                                                                                                     \
  }
SPARSE_LOOPS(f32, float, REAL_MUL)
SPARSE_LOOPS(f64, double, REAL_MUL)
SPARSE_LOOPS(c64, complex64, pwt_mul_c64)
SPARSE_LOOPS(c128, complex128, pwt_mul_c128)

typedef struct {
  void (*add)(const Work *w, int64_t from, int64_t to);
  void (*sum_rows)(void *context, int64_t begin, int64_t end);
  void (*dot_rows)(void *context, int64_t begin, int64_t end);
} Loops;

static const Loops loops[CT_COUNT] = {
    [CT_F32] = {add_f32, sum_rows_f32, dot_rows_f32},
    [CT_F64] = {add_f64, sum_rows_f64, dot_rows_f64},
    [CT_C64] = {add_c64, sum_rows_c64, dot_rows_c64},
    [CT_C128] = {add_c128, sum_rows_c128, dot_rows_c128},
};

/* The indices as int64, all below `size`. */
static const int64_t *checked(Tensor *indices, int64_t n, int64_t size) {
  if (indices->dtype != PWT_INT64 && indices->dtype != PWT_INT32)
    return pwt_fail(PWT_RUNTIME_ERROR, "indices must be int32 or int64, not %t", indices->dtype);
  Tensor *all = pwt_raw_contiguous_as(indices, PWT_INT64);
  if (!all) return NULL;
  if (all->ndim != 1 || all->numel != n) return pwt_fail(PWT_RUNTIME_ERROR, "%i indices for %i values", all->numel, n);
  const int64_t *items = pwt_data(all);
  for (int64_t i = 0; i < n; i++)
    if (items[i] < 0 || items[i] >= size) return pwt_fail(PWT_INDEX_ERROR, "index %i is out of bounds for dimension with size %i", items[i], size);
  return items;
}

static ComputeType type_of(const Tensor *a, const Tensor *b) {
  ComputeType type = (ComputeType)pwt_compute_type[a->dtype];
  if (a->dtype != b->dtype) pwt_fail(PWT_RUNTIME_ERROR, "expected both matrices to have the same dtype, but got %t and %t", a->dtype, b->dtype);
  else if (!loops[type].add) pwt_fail(PWT_NOT_IMPLEMENTED, "sparse products are not implemented for '%t'", a->dtype);
  return type;
}

Tensor *pwt_kernel__spmm(Tensor *rows, Tensor *cols, Tensor *values, Tensor *dense, int64_t count) {
  ComputeType type = type_of(values, dense);
  if (values->ndim != 1 || dense->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "values must be a vector and the matrix 2-D, not %z and %z", values->sizes, (int)values->ndim, dense->sizes, (int)dense->ndim);
  DType dtype = (DType)pwt_dtype_of_compute[type];
  int64_t shape[2] = {count, dense->sizes[1]}, n = values->numel;
  Tensor *v = pwt_raw_contiguous_as(values, dtype), *d = pwt_raw_contiguous_as(dense, dtype), *result = pwt_new_zeros(2, shape, dtype);
  const int64_t *row = checked(rows, n, count), *col = checked(cols, n, dense->sizes[0]);
  if (pwt_failed()) return NULL;
  Work w = {row, col, pwt_data(v), pwt_data(d), NULL, pwt_data(result), n, dense->sizes[1]};
  bool sorted = true;
  for (int64_t k = 1; k < n && sorted; k++) sorted = row[k - 1] <= row[k];
  int64_t work = count ? n * w.width / count + 1 : 1; /* of a row, on average */
  if (sorted) pwt_parallel_for(count, GRAIN / work, loops[type].sum_rows, &w);
  else loops[type].add(&w, 0, n);
  return pwt_raw_cast(result, (DType)values->dtype);
}

Tensor *pwt_kernel__sampled_dot(Tensor *a, Tensor *b, Tensor *rows, Tensor *cols) {
  ComputeType type = type_of(a, b);
  if (a->ndim != 2 || b->ndim != 2 || a->sizes[1] != b->sizes[1])
    return pwt_fail(PWT_RUNTIME_ERROR, "matrices with rows of one length are needed, not %z and %z", a->sizes, (int)a->ndim, b->sizes, (int)b->ndim);
  DType dtype = (DType)pwt_dtype_of_compute[type];
  int64_t n = rows->numel;
  Tensor *x = pwt_raw_contiguous_as(a, dtype), *y = pwt_raw_contiguous_as(b, dtype), *result = pwt_new(1, &n, dtype);
  const int64_t *row = checked(rows, n, a->sizes[0]), *col = checked(cols, n, b->sizes[0]);
  if (pwt_failed()) return NULL;
  Work w = {row, col, NULL, pwt_data(x), pwt_data(y), pwt_data(result), n, a->sizes[1]};
  pwt_parallel_for(n, GRAIN / (w.width + 1), loops[type].dot_rows, &w);
  return pwt_raw_cast(result, (DType)a->dtype);
}
