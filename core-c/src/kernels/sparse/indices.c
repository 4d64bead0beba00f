/* Indices of sparse tensors: numbered in row-major order and back, merged, paired, compressed by row. */
#include "ops.h"

static bool is_whole(DType dtype) { return dtype == PWT_INT64 || dtype == PWT_INT32; }

static Tensor *wide(Tensor *indices) {
  if (!is_whole((DType)indices->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "indices must be int32 or int64, not %t", indices->dtype);
  return pwt_raw_contiguous_as(indices, PWT_INT64);
}

/* Indices [dims, n] to their places in a row-major tensor of these sizes; those outside of it are refused. */
Tensor *pwt_kernel__sparse_flat(Tensor *indices, IntList sizes) {
  Tensor *all = wide(indices);
  if (!all) return NULL;
  if (all->ndim != 2 || all->sizes[0] != sizes.count)
    return pwt_fail(PWT_RUNTIME_ERROR, "indices must be sparse_dim x nnz, but got: %z", all->sizes, (int)all->ndim);
  int64_t n = all->sizes[1], whole = 1;
  for (int64_t d = 0; d < sizes.count; d++)
    if (!pwt_multiply(whole, PWT_MAX(sizes.items[d], 1), &whole)) return pwt_fail(PWT_RUNTIME_ERROR, "the size %z overflows 64 bits", sizes.items, (int)sizes.count);
  Tensor *result = pwt_new_zeros(1, &n, PWT_INT64);
  if (!result) return NULL;
  int64_t *flat = pwt_data(result);
  const int64_t *from = pwt_data(all);
  for (int64_t d = 0; d < sizes.count; d++, from += n) {
    int64_t size = sizes.items[d];
    for (int64_t i = 0; i < n; i++) {
      if (from[i] < 0) return pwt_fail(PWT_RUNTIME_ERROR, "found negative index %i for dim %i", from[i], d);
      if (from[i] >= size)
        return pwt_fail(PWT_RUNTIME_ERROR, "size is inconsistent with indices: for dim %i, size is %i but found index %i", d, size, from[i]);
      flat[i] = flat[i] * size + from[i];
    }
  }
  return result;
}

Tensor *pwt_kernel__sparse_unflat(Tensor *flat, IntList sizes) {
  Tensor *all = wide(flat);
  int64_t n = flat->numel, shape[2] = {sizes.count, n};
  Tensor *result = pwt_new(2, shape, PWT_INT64), *rest = all ? pwt_raw_clone(all) : NULL;
  if (!result || !rest) return NULL;
  int64_t *left = pwt_data(rest), *to = (int64_t *)pwt_data(result) + sizes.count * n;
  for (int64_t d = sizes.count - 1; d >= 0; d--) {
    int64_t size = PWT_MAX(sizes.items[d], 1);
    to -= n;
    for (int64_t i = 0; i < n; i++) {
      to[i] = left[i] % size;
      left[i] /= size;
    }
  }
  return result;
}

/* Two lists of places merged in their order: where each goes, equal heads together; and what stands there then. */
Tensors3 pwt_kernel__sparse_merge(Tensor *a, Tensor *b) {
  Tensor *first = wide(a), *second = wide(b);
  int64_t n = a->numel, m = b->numel, most = n + m;
  Tensors3 all = {{pwt_new(1, &n, PWT_INT64), pwt_new(1, &m, PWT_INT64), pwt_new(1, &most, PWT_INT64)}};
  if (!first || !second || pwt_failed()) return (Tensors3){0};
  const int64_t *x = pwt_data(first), *y = pwt_data(second);
  int64_t *x_to = pwt_data(all.r[0]), *y_to = pwt_data(all.r[1]), *merged = pwt_data(all.r[2]), count = 0;
  for (int64_t i = 0, k = 0; i < n || k < m; count++) {
    bool takes_x = k >= m || (i < n && x[i] <= y[k]), takes_y = i >= n || (k < m && y[k] <= x[i]);
    merged[count] = takes_x ? x[i] : y[k];
    if (takes_x) x_to[i++] = count;
    if (takes_y) y_to[k++] = count;
  }
  all.r[2] = pwt_narrow(all.r[2], 0, 0, count);
  return all;
}

static bool check_starts(const int64_t *starts, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    if (starts[i] > starts[i + 1] || starts[i] < 0) {
      pwt_fail(PWT_RUNTIME_ERROR, "the compressed indices must not decrease");
      return false;
    }
  return true;
}

/* For each key all positions from starts[key] to starts[key + 1]: pairs of the key's place and a position. */
Tensors2 pwt_kernel__sparse_pairs(Tensor *keys, Tensor *starts) {
  Tensor *of = wide(keys), *at = wide(starts);
  if (!of || !at) return (Tensors2){0};
  const int64_t *key = pwt_data(of), *start = pwt_data(at);
  int64_t n = of->numel, rows = at->numel - 1, count = 0;
  if (!check_starts(start, rows)) return (Tensors2){0};
  for (int64_t i = 0; i < n; i++) {
    if (key[i] < 0 || key[i] >= rows) {
      pwt_fail(PWT_INDEX_ERROR, "index %i is out of bounds for dimension with size %i", key[i], rows);
      return (Tensors2){0};
    }
    count += start[key[i] + 1] - start[key[i]];
  }
  Tensors2 pairs = {{pwt_new(1, &count, PWT_INT64), pwt_new(1, &count, PWT_INT64)}};
  if (pwt_failed()) return (Tensors2){0};
  int64_t *left = pwt_data(pairs.r[0]), *right = pwt_data(pairs.r[1]);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = start[key[i]]; k < start[key[i] + 1]; k++) {
      *left++ = i;
      *right++ = k;
    }
  return pairs;
}

Tensor *pwt_kernel__convert_indices_from_coo_to_csr(Tensor *self, int64_t size, bool out_int32) {
  Tensor *rows = wide(self);
  if (!rows) return NULL;
  if (self->ndim != 1) return pwt_fail(PWT_RUNTIME_ERROR, "Input is supposed to be a vector, but got %i dimensional tensor.", (int64_t)self->ndim);
  int64_t n = size + 1, last = 0;
  Tensor *result = pwt_new_zeros(1, &n, PWT_INT64);
  if (!result) return NULL;
  int64_t *start = pwt_data(result);
  const int64_t *row = pwt_data(rows);
  for (int64_t i = 0; i < rows->numel; i++) {
    if (row[i] < last || row[i] >= size) return pwt_fail(PWT_RUNTIME_ERROR, "row indices must be sorted and below %i, not %i", size, row[i]);
    last = row[i];
    start[last + 1]++;
  }
  for (int64_t i = 0; i < size; i++) start[i + 1] += start[i];
  return out_int32 ? pwt_raw_cast(result, PWT_INT32) : result;
}

Tensor *pwt_kernel__convert_indices_from_csr_to_coo(Tensor *crow_indices, Tensor *col_indices, bool out_int32, bool transpose) {
  Tensor *starts = wide(crow_indices), *cols = wide(col_indices);
  if (!starts || !cols) return NULL;
  if (starts->ndim != 1 || cols->ndim != 1 || starts->numel == 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "crow_indices and col_indices must be vectors, of sizes %z and %z", starts->sizes, (int)starts->ndim, cols->sizes, (int)cols->ndim);
  int64_t n = cols->numel, shape[2] = {2, n};
  Tensor *result = pwt_new(2, shape, PWT_INT64);
  if (!result) return NULL;
  const int64_t *start = pwt_data(starts);
  if (!check_starts(start, starts->numel - 1)) return NULL;
  if (start[0] != 0 || start[starts->numel - 1] != n) return pwt_fail(PWT_RUNTIME_ERROR, "`crow_indices[..., -1] == nnz` is not satisfied.");
  int64_t *to = (int64_t *)pwt_data(result) + (transpose ? n : 0);
  for (int64_t r = 0; r < starts->numel - 1; r++)
    for (int64_t k = start[r]; k < start[r + 1]; k++) to[k] = r;
  pwt_copy_bytes((int64_t *)pwt_data(result) + (transpose ? 0 : n), pwt_data(cols), n * 8);
  return out_int32 ? pwt_raw_cast(result, PWT_INT32) : result;
}
