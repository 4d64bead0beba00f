/* flip, roll, rot90, repeat, repeat_interleave, tile, tril, triu, diag, diag_embed, meshgrid. */
#include "ops.h"

Tensor *pwt_kernel_flip(Tensor *self, IntList dims) {
  uint32_t mask;
  if (!pwt_dim_mask(dims, self->ndim, false, &mask)) return NULL;
  Tensor *source = pwt_raw_contiguous(self), *result = pwt_new(self->ndim, self->sizes, (DType)self->dtype);
  if (!source || !result || self->numel == 0 || pwt_on_meta) return result;
  int64_t position[PWT_MAX_DIMS] = {0}, steps[PWT_MAX_DIMS], at = 0;
  for (int d = 0; d < self->ndim; d++) {
    bool reversed = mask >> d & 1;
    int64_t stride = 1;
    for (int k = d + 1; k < self->ndim; k++) stride *= self->sizes[k];
    steps[d] = reversed ? -stride : stride;
    if (reversed) at += (self->sizes[d] - 1) * stride;
  }
  int item = pwt_itemsize[self->dtype];
  const char *from = pwt_data(source);
  char *to = pwt_data(result);
  for (int64_t i = 0; i < self->numel; i++) {
    pwt_copy_bytes(to + i * item, from + at * item, item);
    for (int d = self->ndim - 1; d >= 0; d--) {
      at += steps[d];
      if (++position[d] < self->sizes[d]) break;
      at -= self->sizes[d] * steps[d];
      position[d] = 0;
    }
  }
  return pwt_laid_out(result, (DType)self->dtype, self, NULL);
}

static Tensor *roll_one(Tensor *self, int64_t shift, int64_t dim) {
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  Tensor *source = pwt_raw_contiguous(self), *result = pwt_new(self->ndim, self->sizes, (DType)self->dtype);
  if (!source || !result || self->numel == 0 || pwt_on_meta) return result;
  int64_t size = self->sizes[d], start = (size - shift % size) % size, inner = pwt_itemsize[self->dtype], outer = 1;
  for (int i = d + 1; i < self->ndim; i++) inner *= self->sizes[i];
  for (int i = 0; i < d; i++) outer *= self->sizes[i];
  const char *from = pwt_data(source);
  char *to = pwt_data(result);
  for (int64_t o = 0; o < outer; o++, from += size * inner, to += size * inner) {
    pwt_copy_bytes(to, from + start * inner, (size - start) * inner);
    pwt_copy_bytes(to + (size - start) * inner, from, start * inner);
  }
  return result;
}

Tensor *pwt_kernel_roll(Tensor *self, IntList shifts, IntList dims) {
  if (shifts.count == 0) return pwt_fail(PWT_RUNTIME_ERROR, "`shifts` required");
  if (dims.count <= 0 && shifts.count == 1) {
    Tensor *flat = pwt_raw_contiguous(self);
    Tensor *line = flat ? pwt_alias(flat, 1, &self->numel, (const int64_t[]){1}, flat->offset) : NULL;
    Tensor *rolled = line ? roll_one(line, shifts.items[0], 0) : NULL;
    int64_t strides[PWT_MAX_DIMS];
    pwt_contiguous_strides(self->ndim, self->sizes, strides);
    return rolled ? pwt_alias(rolled, self->ndim, self->sizes, strides, 0) : NULL;
  }
  if (shifts.count != dims.count) return pwt_fail(PWT_RUNTIME_ERROR, "shifts and dimensions must align. shifts: %i, dims:%i", shifts.count, PWT_MAX(dims.count, 0));
  if (self->ndim == 0) return pwt_fail(PWT_INDEX_ERROR, "Dimension specified as %i but tensor has no dimensions", dims.items[0]);
  Tensor *result = self;
  for (int64_t i = 0; i < shifts.count && result; i++) result = roll_one(result, shifts.items[i], dims.items[i]);
  return result ? pwt_laid_out(result, (DType)self->dtype, self, NULL) : NULL;
}

Tensor *pwt_kernel_roll_backward(Tensor *self, IntList shifts, IntList dims) {
  int64_t back[PWT_MAX_DIMS];
  for (int64_t i = 0; i < shifts.count; i++) back[i] = -shifts.items[i];
  return pwt_roll(self, (IntList){back, shifts.count}, dims);
}

Tensor *pwt_kernel_rot90(Tensor *self, int64_t k, IntList dims) {
  if (dims.count != 2) return pwt_fail(PWT_RUNTIME_ERROR, "expected total rotation dims == 2, but got dims = %i", dims.count);
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "expected total dims >= 2, but got total dims = %d", (int)self->ndim);
  int64_t a = pwt_wrap_dim(dims.items[0], self->ndim), b = a < 0 ? a : pwt_wrap_dim(dims.items[1], self->ndim);
  if (b < 0) return NULL;
  if (a == b) return pwt_fail(PWT_RUNTIME_ERROR, "expected rotation dims to be different, but got dim0 = %i and dim1 = %i", dims.items[0], dims.items[1]);
  IntList first = {&a, 1}, second = {&b, 1};
  switch (((k % 4) + 4) % 4) {
    case 1: return pwt_transpose(pwt_flip(self, second), a, b);
    case 2: return pwt_flip(pwt_flip(self, first), second);
    case 3: return pwt_transpose(pwt_flip(self, first), a, b);
    default: return pwt_clone(self, 0);
  }
}

Tensor *pwt_kernel_repeat(Tensor *self, IntList repeats) {
  int n = (int)repeats.count, lead = n - self->ndim;
  if (lead < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  if (n > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %d", PWT_MAX_DIMS, n);
  int64_t one[PWT_MAX_DIMS];
  for (int i = 0; i < n; i++) {
    if (repeats.items[i] < 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "Trying to create tensor with negative dimension %i: %z", repeats.items[i], repeats.items, n);
    one[i] = i < lead ? 1 : self->sizes[i - lead];
  }
  /* one dimension after the other: [.., size, ..] -> [.., repeats, size, ..] -> [.., repeats * size, ..] */
  Tensor *result = pwt_reshape(self, (IntList){one, n});
  for (int d = n - 1; d >= 0 && result; d--) {
    if (repeats.items[d] == 1) continue;
    int64_t wide[PWT_MAX_DIMS + 1];
    if (n + 1 > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "repeat: a tensor may have at most %d dimensions here", PWT_MAX_DIMS - 1);
    for (int i = 0; i <= n; i++) wide[i] = i < d ? result->sizes[i] : i == d ? repeats.items[d] : result->sizes[i - 1];
    int64_t joined[PWT_MAX_DIMS];
    pwt_copy_bytes(joined, result->sizes, n * 8);
    joined[d] *= repeats.items[d];
    result = pwt_reshape(pwt_expand(pwt_unsqueeze(result, d), (IntList){wide, n + 1}, false), (IntList){joined, n});
  }
  return result && result->storage == self->storage ? pwt_clone(result, 0) : result;
}

Tensor *pwt_kernel_tile(Tensor *self, IntList dims) {
  int missing = PWT_MAX(self->ndim - (int)dims.count, 0);
  int64_t all[PWT_MAX_DIMS];
  if (missing + dims.count > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions", PWT_MAX_DIMS);
  for (int i = 0; i < missing; i++) all[i] = 1;
  for (int i = 0; i < dims.count; i++) all[missing + i] = dims.items[i];
  return pwt_repeat(self, (IntList){all, missing + dims.count});
}

static Tensor *flattened(Tensor *self, OptInt dim, int64_t *d) {
  *d = dim.given ? dim.value : 0;
  return dim.given ? self : pwt_reshape(self, (IntList){(const int64_t[]){-1}, 1});
}

Tensor *pwt_kernel_repeat_interleave(Tensor *self, int64_t repeats, OptInt dim, OptInt output_size) {
  int64_t d;
  if (repeats < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Repeats must be non-negative");
  Tensor *x = flattened(self, dim, &d);
  if (!x) return NULL;
  int at = pwt_wrap_dim(d, x->ndim);
  if (at < 0) return NULL;
  if (x->ndim == 0) return pwt_fail(PWT_INDEX_ERROR, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  if (output_size.given && output_size.value != x->sizes[at] * repeats)
    return pwt_fail(PWT_RUNTIME_ERROR, "repeat_interleave: Invalid output_size, expected %i but got %i", x->sizes[at] * repeats, output_size.value);
  int64_t wide[PWT_MAX_DIMS + 1], joined[PWT_MAX_DIMS];
  for (int i = 0; i <= x->ndim; i++) wide[i] = i <= at ? x->sizes[i] : i == at + 1 ? repeats : x->sizes[i - 1];
  pwt_copy_bytes(joined, x->sizes, x->ndim * 8);
  joined[at] *= repeats;
  return pwt_clone(pwt_reshape(pwt_expand(pwt_unsqueeze(x, at + 1), (IntList){wide, x->ndim + 1}, false), (IntList){joined, x->ndim}), 0);
}

Tensor *pwt_kernel_repeat_interleave_places(Tensor *repeats, OptInt output_size) {
  if (repeats->ndim != 1) return pwt_fail(PWT_RUNTIME_ERROR, "repeat_interleave only accept 1D vector as repeat");
  if (repeats->dtype != PWT_INT64 && repeats->dtype != PWT_INT32) return pwt_fail(PWT_RUNTIME_ERROR, "repeats has to be Long or Int tensor");
  if (pwt_on_meta) {
    if (!output_size.given) return pwt_fail(PWT_RUNTIME_ERROR, "cannot repeat_interleave a meta tensor without output_size");
    return pwt_new(1, &output_size.value, (DType)repeats->dtype);
  }
  Tensor *wide = pwt_raw_contiguous_as(repeats, PWT_INT64);
  if (!wide) return NULL;
  const int64_t *times = pwt_data(wide);
  int64_t total = 0;
  for (int64_t i = 0; i < wide->numel; i++) {
    if (times[i] < 0) return pwt_fail(PWT_RUNTIME_ERROR, "repeats can not be negative");
    total += times[i];
  }
  if (output_size.given && output_size.value != total)
    return pwt_fail(PWT_RUNTIME_ERROR, "allocated size does not match required size: output_size %i, sum of repeats %i", output_size.value, total);
  Tensor *places = pwt_new(1, &total, PWT_INT64);
  if (!places) return NULL;
  int64_t *to = pwt_data(places);
  for (int64_t i = 0; i < wide->numel; i++)
    for (int64_t k = 0; k < times[i]; k++) *to++ = i;
  return pwt_raw_cast(places, (DType)repeats->dtype);
}

Tensor *pwt_kernel_repeat_interleave_tensor(Tensor *self, Tensor *repeats, OptInt dim, OptInt output_size) {
  int64_t d;
  Tensor *x = flattened(self, dim, &d);
  if (!x) return NULL;
  int at = pwt_wrap_dim(d, x->ndim);
  if (at < 0) return NULL;
  int64_t size = x->ndim ? x->sizes[at] : 1;
  if (repeats->ndim == 0 || (repeats->ndim == 1 && repeats->sizes[0] == 1)) repeats = pwt_expand(pwt_reshape(repeats, (IntList){(const int64_t[]){1}, 1}), (IntList){&size, 1}, false);
  if (!repeats) return NULL;
  if (repeats->ndim != 1) return pwt_fail(PWT_RUNTIME_ERROR, "repeats must be 0-dim or 1-dim tensor");
  if (repeats->sizes[0] != size)
    return pwt_fail(PWT_RUNTIME_ERROR, "repeats must have the same size as input along dim, but got repeats.size(0) = %i and input.size(%d) = %i", repeats->sizes[0], at, size);
  return pwt_index_select(x, at, pwt_repeat_interleave_places(repeats, output_size));
}

static Tensor *triangle(Tensor *self, int64_t diagonal, bool upper, const char *name) {
  if (self->ndim < 2) return pwt_fail(PWT_RUNTIME_ERROR, "%s: input tensor must have at least 2 dimensions", name);
  Tensor *result = pwt_new(self->ndim, self->sizes, (DType)self->dtype);
  if (!result || self->numel == 0 || pwt_on_meta) return result;
  pwt_raw_copy(result, self);
  int64_t rows = self->sizes[self->ndim - 2], columns = self->sizes[self->ndim - 1], item = pwt_itemsize[self->dtype];
  char *row = pwt_data(result);
  diagonal = PWT_MIN(PWT_MAX(diagonal, -rows), columns);
  for (int64_t i = 0; i < self->numel / columns; i++, row += columns * item) {
    int64_t edge = i % rows + diagonal + (upper ? 0 : 1); /* upper keeps from here on, lower keeps what is before */
    edge = PWT_MIN(PWT_MAX(edge, 0), columns);
    if (upper) pwt_fill_bytes(row, 0, edge * item);
    else pwt_fill_bytes(row + edge * item, 0, (columns - edge) * item);
  }
  return result;
}

Tensor *pwt_kernel_tril(Tensor *self, int64_t diagonal) { return triangle(self, diagonal, false, "tril"); }
Tensor *pwt_kernel_triu(Tensor *self, int64_t diagonal) { return triangle(self, diagonal, true, "triu"); }

Tensor *pwt_kernel_diag_embed(Tensor *self, int64_t offset, int64_t dim1, int64_t dim2) {
  int n = self->ndim + 1, a = pwt_wrap_dim(dim1, n), b = pwt_wrap_dim(dim2, n);
  if (a < 0 || b < 0) return NULL;
  if (a == b) return pwt_fail(PWT_RUNTIME_ERROR, "diagonal dimensions cannot be identical %i, %i", dim1, dim2);
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "diag_embed: input tensor must have at least 1 dimension");
  int64_t sizes[PWT_MAX_DIMS + 1], side = self->sizes[self->ndim - 1] + (offset < 0 ? -offset : offset);
  for (int i = 0, k = 0; i < n; i++) sizes[i] = i == a || i == b ? side : self->sizes[k++];
  Tensor *result = pwt_new_zeros(n, sizes, (DType)self->dtype);
  if (result) pwt_raw_copy(pwt_kernel_diagonal(result, offset, dim1, dim2), self);
  return result;
}

Tensor *pwt_kernel_diag(Tensor *self, int64_t diagonal) {
  if (self->ndim == 1) return pwt_diag_embed(self, diagonal, -2, -1);
  if (self->ndim == 2) return pwt_clone(pwt_diagonal(self, diagonal, 0, 1), 0);
  return pwt_fail(PWT_RUNTIME_ERROR, "diag(): Supports 1D or 2D tensors. Got %dD", (int)self->ndim);
}

bool pwt_check_matrix(Tensor *self) {
  if (self->ndim == 2 && self->dtype != PWT_BOOL) return true;
  if (self->ndim == 2) pwt_fail(PWT_NOT_IMPLEMENTED, "\"trace\" not implemented for 'Bool'");
  else pwt_fail(PWT_RUNTIME_ERROR, "trace: expected a matrix, but got tensor with dim %d", (int)self->ndim);
  return false;
}

TensorList pwt_kernel_meshgrid(TensorList tensors, const char *indexing) {
  TensorList none = {NULL, 0};
  int n = (int)tensors.count;
  bool swap = indexing && pwt_same_text(indexing, "xy");
  if (n == 0) return pwt_fail(PWT_RUNTIME_ERROR, "meshgrid expects a non-empty TensorList"), none;
  if (n > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %d", PWT_MAX_DIMS, n), none;
  if (indexing && !swap && !pwt_same_text(indexing, "ij"))
    return pwt_fail(PWT_RUNTIME_ERROR, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %s", indexing), none;
  swap = swap && n >= 2;
  TensorList grids = pwt_list_new(n);
  int64_t sizes[PWT_MAX_DIMS];
  for (int i = 0; i < n; i++) {
    Tensor *t = tensors.items[i];
    if (t->ndim > 1) return pwt_fail(PWT_RUNTIME_ERROR, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: %dD", (int)t->ndim), none;
    if (t->dtype != tensors.items[0]->dtype) return pwt_fail(PWT_RUNTIME_ERROR, "torch.meshgrid expects all tensors to have the same dtype"), none;
    sizes[swap && i < 2 ? 1 - i : i] = t->numel;
  }
  for (int i = 0; i < n; i++) {
    int64_t one[PWT_MAX_DIMS];
    int at = swap && i < 2 ? 1 - i : i;
    for (int k = 0; k < n; k++) one[k] = k == at ? tensors.items[i]->numel : 1;
    grids.items[i] = pwt_expand(pwt_view(tensors.items[i], (IntList){one, n}), (IntList){sizes, n}, false);
  }
  return grids;
}

TensorList pwt_kernel_broadcast_tensors(TensorList tensors) {
  int ndim = 0;
  int64_t sizes[PWT_MAX_DIMS];
  TensorList list = pwt_list_new(tensors.count);
  for (int64_t i = 0; i < list.count; i++)
    if (!pwt_broadcast_sizes(&ndim, sizes, tensors.items[i])) return list;
  for (int64_t i = 0; i < list.count; i++) list.items[i] = pwt_expand(tensors.items[i], (IntList){sizes, ndim}, false);
  return list;
}

/* The edge of a triangle is i + shift in row i, held within 0 and col: 0 up to row `empty`, col from row `full` on, sloped between. */
Tensor *pwt_kernel__tri_indices(int64_t row, int64_t col, int64_t offset, bool upper) {
  if (row < 0 || col < 0) return pwt_fail(PWT_RUNTIME_ERROR, "%s must be non-negative, got %i", row < 0 ? "row" : "col", PWT_MIN(row, col));
  int64_t shift = PWT_MAX(PWT_MIN(upper || offset == INT64_MAX ? offset : offset + 1, col), -row);
  uint64_t empty = shift < 0 ? 0 - (uint64_t)shift : 0, full = PWT_MIN((uint64_t)row, (uint64_t)col - (uint64_t)shift);
  uint64_t sloped = full - empty, whole = upper ? empty : (uint64_t)row - full;
  uint64_t first = (uint64_t)PWT_MAX(shift, 0), last = first + sloped - 1;
  if (upper) first = (uint64_t)col - first, last = (uint64_t)col - last;
  if ((double)sloped * ((double)first + (double)last) / 2 + (double)whole * (double)col > 0xffffffff && !pwt_on_meta)
    return pwt_fail(PWT_MEMORY_ERROR, "not enough memory: the indices of a triangle of %i rows and %i columns do not fit into 4 GiB", row, col);
  int64_t sizes[2] = {2, sloped ? (int64_t)(sloped * (first + last) / 2) : 0};
  sizes[1] += (int64_t)(whole * (uint64_t)col);
  Tensor *result = pwt_new(2, sizes, PWT_INT64);
  if (!result || sizes[1] == 0 || pwt_on_meta) return result;
  int64_t *rows = pwt_data(result), *columns = rows + sizes[1];
  for (int64_t i = upper ? 0 : (int64_t)empty; i < (upper ? (int64_t)full : row); i++) {
    int64_t edge = PWT_MIN(PWT_MAX(i + shift, 0), col);
    for (int64_t k = upper ? edge : 0; k < (upper ? col : edge); k++) *rows++ = i, *columns++ = k;
  }
  return result;
}

bool pwt_check_least_dims(Tensor *self, int least) {
  if (self->ndim >= least) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "Input must be >= %d-d.", least);
  return false;
}
