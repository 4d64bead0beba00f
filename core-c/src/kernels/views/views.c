/* view, reshape, transpose, permute, select, slice, split, chunk, unbind, movedim, expand and other views. */
#include "ops.h"

static Tensor *view_of(Tensor *self, int ndim, const int64_t *sizes, const int64_t *strides, int64_t offset) {
  return pwt_alias(self, ndim, sizes, strides, offset);
}

Tensor *pwt_kernel__alias(Tensor *self) { return pwt_alias_same(self); }

Tensor *pwt_kernel_detach(Tensor *self) {
  Tensor *result = pwt_alias_same(self);
  if (result) result->flags &= (uint8_t)~TENSOR_REQUIRES_GRAD;
  return result;
}

Tensor *pwt_kernel_as_strided(Tensor *self, IntList size, IntList stride, OptInt storage_offset) {
  int64_t offset = storage_offset.given ? storage_offset.value : self->offset, last = 0;
  if (size.count != stride.count)
    return pwt_fail(PWT_RUNTIME_ERROR, "mismatch in length of strides and shape: %i sizes, %i strides", size.count, stride.count);
  if (size.count > PWT_MAX_DIMS)
    return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %i", PWT_MAX_DIMS, size.count);
  for (int i = 0; i < size.count; i++) {
    if (stride.items[i] < 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "as_strided: Negative strides are not supported at the moment, got strides: %z", stride.items, (int)stride.count);
    if (size.items[i] < 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "Trying to create tensor with negative dimension %i: %z", size.items[i], size.items, (int)size.count);
    int64_t reach;
    if (!pwt_multiply(size.items[i] - 1, stride.items[i], &reach) || __builtin_add_overflow(last, reach, &last)) last = INT64_MAX / 32;
    last = PWT_MIN(last, INT64_MAX / 32); /* still counts in bytes */
  }
  int item = pwt_itemsize[self->dtype];
  bool empty = false;
  for (int i = 0; i < size.count; i++) empty |= size.items[i] == 0;
  if (offset < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Tensor: invalid storage offset %i", offset);
  if (!empty && (offset > INT32_MAX * 16ll || (last + offset + 1) * item > self->storage->bytes))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "setStorage: sizes %z, strides %z, storage offset %i, and itemsize %d requiring a storage size of %i are out of bounds for storage of size %i",
                    size.items, (int)size.count, stride.items, (int)stride.count, offset, item, (last + offset + 1) * item, self->storage->bytes);
  return view_of(self, (int)size.count, size.items, stride.items, offset);
}

static Tensor *reshaped_alias(Tensor *self, int ndim, const int64_t *sizes) {
  int64_t strides[PWT_MAX_DIMS];
  if (!pwt_view_strides(self, ndim, sizes, strides)) return NULL;
  return view_of(self, ndim, sizes, strides, self->offset);
}

Tensor *pwt_kernel_view(Tensor *self, IntList size) {
  int64_t sizes[PWT_MAX_DIMS];
  if (!pwt_infer_size(size, self->numel, sizes)) return NULL;
  Tensor *result = reshaped_alias(self, (int)size.count, sizes);
  if (!result)
    pwt_fail(PWT_RUNTIME_ERROR, "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
  return result;
}

Tensor *pwt_kernel__unsafe_view(Tensor *self, IntList size) { return pwt_kernel_view(self, size); }

Tensor *pwt_kernel_reshape(Tensor *self, IntList shape) {
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  if (!pwt_infer_size(shape, self->numel, sizes)) return NULL;
  IntList full = {sizes, shape.count};
  if (pwt_view_strides(self, (int)shape.count, sizes, strides)) return pwt_view(self, full);
  return pwt__unsafe_view(pwt_clone(self, 0), full);
}

Tensor *pwt_kernel_contiguous(Tensor *self) { return self->contiguous ? self : pwt_clone(self, 0); }

Tensor *pwt_kernel_transpose(Tensor *self, int64_t dim0, int64_t dim1) {
  int a = pwt_wrap_dim(dim0, self->ndim), b = pwt_wrap_dim(dim1, self->ndim);
  if (a < 0 || b < 0) return NULL;
  Tensor *result = pwt_alias_same(self);
  if (!result || self->ndim == 0) return result;
  result->sizes[a] = self->sizes[b], result->strides[a] = self->strides[b];
  result->sizes[b] = self->sizes[a], result->strides[b] = self->strides[a];
  result->contiguous = pwt_compute_contiguous(result);
  return result;
}

Tensor *pwt_kernel_t(Tensor *self) {
  if (self->ndim > 2)
    return pwt_fail(PWT_RUNTIME_ERROR, "t() expects a tensor with <= 2 dimensions, but self is %dD", (int)self->ndim);
  return pwt_kernel_transpose(self, 0, self->ndim < 2 ? 0 : 1);
}

Tensor *pwt_kernel_T(Tensor *self) {
  int64_t dims[PWT_MAX_DIMS];
  for (int i = 0; i < self->ndim; i++) dims[i] = self->ndim - 1 - i;
  return pwt_permute(self, (IntList){dims, self->ndim});
}

Tensor *pwt_kernel_mT(Tensor *self) {
  if (self->ndim == 1) return pwt_fail(PWT_RUNTIME_ERROR, "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
  return self->ndim ? pwt_transpose(self, -2, -1) : self;
}

Tensor *pwt_kernel_permute(Tensor *self, IntList dims) {
  if (dims.count != self->ndim)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "permute: input.dim() = %d is not equal to len(dims) = %i",
                    (int)self->ndim, dims.count);
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  uint32_t seen = 0;
  for (int i = 0; i < self->ndim; i++) {
    int d = pwt_wrap_dim(dims.items[i], self->ndim);
    if (d < 0) return NULL;
    if (seen >> d & 1) return pwt_fail(PWT_RUNTIME_ERROR, "permute(): duplicate dims are not allowed.");
    seen |= 1u << d;
    sizes[i] = self->sizes[d];
    strides[i] = self->strides[d];
  }
  return view_of(self, self->ndim, sizes, strides, self->offset);
}

Tensor *pwt_kernel_permute_backward(Tensor *grad, IntList dims) {
  int64_t inverse[PWT_MAX_DIMS];
  for (int i = 0; i < dims.count; i++) inverse[dims.items[i] < 0 ? dims.items[i] + dims.count : dims.items[i]] = i;
  return pwt_permute(grad, (IntList){inverse, dims.count});
}

Tensor *pwt_kernel_movedim(Tensor *self, IntList source, IntList destination) {
  int n = self->ndim;
  int64_t order[PWT_MAX_DIMS];
  uint32_t from_seen = 0, to_seen = 0;
  if (source.count != destination.count)
    return pwt_fail(PWT_RUNTIME_ERROR, "movedim: Invalid source or destination dims: source (%z dims) should contain the same number of dims as destination (%z dims)",
                    source.items, (int)source.count, destination.items, (int)destination.count);
  for (int i = 0; i < n; i++) order[i] = -1;
  for (int i = 0; i < source.count; i++) {
    int from = pwt_wrap_dim(source.items[i], n), to = pwt_wrap_dim(destination.items[i], n);
    if (from < 0 || to < 0) return NULL;
    if (from_seen >> from & 1) return pwt_fail(PWT_RUNTIME_ERROR, "movedim: repeated dim in `source` (%z)", source.items, (int)source.count);
    if (to_seen >> to & 1) return pwt_fail(PWT_RUNTIME_ERROR, "movedim: repeated dim in `destination` (%z)", destination.items, (int)destination.count);
    from_seen |= 1u << from;
    to_seen |= 1u << to;
    if (n) order[to] = from;
  }
  for (int i = 0, next = 0; i < n; i++) {
    if (order[i] >= 0) continue;
    while (from_seen >> next & 1) next++;
    order[i] = next++;
  }
  return pwt_permute(self, (IntList){order, n});
}

Tensor *pwt_kernel_expand(Tensor *self, IntList size, bool implicit) {
  (void)implicit;
  int64_t sizes[PWT_MAX_DIMS];
  int lead = (int)size.count - self->ndim;
  if (size.count > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %i", PWT_MAX_DIMS, size.count);
  if (lead < 0)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "expand(torch.%sTensor{%z}, size=%z): the number of sizes provided (%i) must be greater or equal to the number of dimensions in the tensor (%d)",
                    pwt_dtype_message_name(self->dtype), self->sizes, (int)self->ndim, size.items, (int)size.count, size.count, (int)self->ndim);
  for (int i = 0; i < size.count; i++) {
    int64_t have = i < lead ? 1 : self->sizes[i - lead], want = size.items[i];
    if (want == -1 && i < lead)
      return pwt_fail(PWT_RUNTIME_ERROR, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension %d", i);
    if (want == -1) want = have;
    if (want < 0) return pwt_fail(PWT_RUNTIME_ERROR, "The expanded size of the tensor (%i) isn't allowed at dimension %d", want, i);
    if (have != 1 && have != want)
      return pwt_fail(PWT_RUNTIME_ERROR,
                      "The expanded size of the tensor (%i) must match the existing size (%i) at non-singleton dimension %d.  Target sizes: %z.  Tensor sizes: %z",
                      want, have, i, size.items, (int)size.count, self->sizes, (int)self->ndim);
    sizes[i] = want;
  }
  return pwt_raw_expand(self, (int)size.count, sizes);
}

Tensor *pwt_kernel_sum_to_size(Tensor *self, IntList size) {
  bool fits = size.count <= self->ndim;
  for (int i = 0; i < size.count && fits; i++) {
    int64_t have = self->sizes[self->ndim - size.count + i];
    fits = size.items[i] == have || size.items[i] == 1;
  }
  if (!fits)
    return pwt_fail(PWT_RUNTIME_ERROR, "size {%z} is not expandable to size {%z}.", size.items, (int)size.count, self->sizes, (int)self->ndim);
  return size.count ? pwt_sum_to(self, (int)size.count, size.items) : pwt_sum(self, (IntList){NULL, -1}, false, PWT_NO_DTYPE);
}

Tensor *pwt_kernel_squeeze(Tensor *self, IntList dim) {
  uint32_t mask;
  if (!pwt_dim_mask(dim, self->ndim, false, &mask)) return NULL;
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (self->sizes[i] == 1 && (mask >> i & 1)) continue;
    sizes[n] = self->sizes[i];
    strides[n++] = self->strides[i];
  }
  return view_of(self, n, sizes, strides, self->offset);
}

Tensor *pwt_kernel_unsqueeze(Tensor *self, int64_t dim) {
  int at = pwt_wrap_dim(dim, self->ndim + 1);
  if (at < 0) return NULL;
  int64_t sizes[PWT_MAX_DIMS + 1], strides[PWT_MAX_DIMS + 1];
  for (int i = 0; i <= self->ndim; i++) {
    int d = i - (i > at);
    sizes[i] = i == at ? 1 : self->sizes[d];
    strides[i] = i != at ? self->strides[d] : at < self->ndim ? self->sizes[at] * self->strides[at] : 1;
  }
  return view_of(self, self->ndim + 1, sizes, strides, self->offset);
}

Tensor *pwt_kernel_flatten(Tensor *self, int64_t start_dim, int64_t end_dim) {
  int start = pwt_wrap_dim(start_dim, self->ndim), end = pwt_wrap_dim(end_dim, self->ndim);
  if (start < 0 || end < 0) return NULL;
  if (start > end) return pwt_fail(PWT_RUNTIME_ERROR, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self->ndim == 0) return pwt_reshape(self, (IntList){(const int64_t[]){1}, 1});
  if (start == end) return self;
  int64_t sizes[PWT_MAX_DIMS], joined = 1;
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (i < start || i > end) sizes[n++] = self->sizes[i];
    else joined *= self->sizes[i];
    if (i == end) sizes[n++] = joined;
  }
  return pwt_reshape(self, (IntList){sizes, n});
}

Tensor *pwt_kernel_unflatten(Tensor *self, int64_t dim, IntList sizes) {
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  if (!self->ndim) return pwt_fail(PWT_RUNTIME_ERROR, "unflatten got an unexpected error:\nDimension specified as %d but tensor has no dimensions", d);
  if (sizes.count == 0) return pwt_fail(PWT_RUNTIME_ERROR, "unflatten: sizes must be non-empty");
  if (self->ndim - 1 + sizes.count > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions", PWT_MAX_DIMS);
  int64_t inside[PWT_MAX_DIMS], all[PWT_MAX_DIMS], known = 1;
  int n = 0, unknown = -1;
  for (int i = 0; i < sizes.count; i++) {
    inside[i] = sizes.items[i];
    if (inside[i] == -1 && unknown < 0) unknown = i;
    else known *= inside[i];
  }
  int64_t have = self->ndim ? self->sizes[d] : 1;
  if (unknown >= 0 && known > 0 && have % known == 0) inside[unknown] = have / known, known = have;
  if (known != have)
    return pwt_fail(PWT_RUNTIME_ERROR, "unflatten: Provided sizes %z don't multiply up to the size of dim %d (%i) in the input tensor", sizes.items,
                    (int)sizes.count, d, have);
  for (int i = 0; i < self->ndim; i++) {
    if (i != d) all[n++] = self->sizes[i];
    else for (int k = 0; k < sizes.count; k++) all[n++] = inside[k];
  }
  return pwt_view(self, (IntList){all, n});
}

Tensor *pwt_kernel_select(Tensor *self, int64_t dim, int64_t index) {
  if (self->ndim == 0) return pwt_fail(PWT_INDEX_ERROR, "select() cannot be applied to a 0-dim tensor.");
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  int64_t size = self->sizes[d];
  if (index < -size || index >= size)
    return pwt_fail(PWT_INDEX_ERROR, "select(): index %i out of range for tensor of size %z at dimension %d", index, self->sizes, (int)self->ndim, d);
  if (index < 0) index += size;
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  for (int i = 0, n = 0; i < self->ndim; i++) {
    if (i == d) continue;
    sizes[n] = self->sizes[i];
    strides[n++] = self->strides[i];
  }
  return view_of(self, self->ndim - 1, sizes, strides, self->offset + index * self->strides[d]);
}

Tensor *pwt_kernel_slice(Tensor *self, int64_t dim, OptInt start, OptInt end, int64_t step) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "slice() cannot be applied to a 0-dim tensor.");
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  if (step <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "slice step must be positive");
  int64_t size = self->sizes[d], from = start.given ? start.value : 0, to = end.given ? end.value : size;
  if (from < 0) from += size;
  if (to < 0) to += size;
  from = PWT_MIN(PWT_MAX(from, 0), size);
  to = PWT_MIN(PWT_MAX(to, from), size);
  Tensor *result = pwt_alias_same(self);
  if (!result) return NULL;
  int64_t length = to > from ? (to - from - 1) / step + 1 : 0;
  result->offset += from * self->strides[d];
  result->sizes[d] = length;
  result->strides[d] = step > INT64_MAX / PWT_MAX(self->strides[d], 1) ? self->strides[d] : self->strides[d] * step;
  result->numel = pwt_product(result->sizes, result->ndim);
  result->contiguous = pwt_compute_contiguous(result);
  return result;
}

Tensor *pwt_kernel_narrow(Tensor *self, int64_t dim, int64_t start, int64_t length) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "narrow() cannot be applied to a 0-dim tensor.");
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return NULL;
  int64_t size = self->sizes[d];
  if (length < 0) return pwt_fail(PWT_RUNTIME_ERROR, "narrow(): length must be non-negative.");
  if (start < -size || start > size)
    return pwt_fail(PWT_INDEX_ERROR, "start out of range (expected to be in range of [%i, %i], but got %i)", -size, size, start);
  if (start < 0) start += size;
  if (length > size - start) return pwt_fail(PWT_RUNTIME_ERROR, "start (%i) + length (%i) exceeds dimension size (%i).", start, length, size);
  return pwt_slice(self, d, (OptInt){true, start}, (OptInt){true, start + length}, 1);
}

Tensor *pwt_kernel_diagonal(Tensor *self, int64_t offset, int64_t dim1, int64_t dim2) {
  int a = pwt_wrap_dim(dim1, self->ndim), b = pwt_wrap_dim(dim2, self->ndim);
  if (a < 0 || b < 0) return NULL;
  if (a == b) return pwt_fail(PWT_RUNTIME_ERROR, "diagonal dimensions cannot be identical %i, %i", dim1, dim2);
  int64_t rows = self->sizes[a], columns = self->sizes[b], start = self->offset;
  int64_t length = offset >= 0 ? PWT_MIN(rows, columns - offset) : PWT_MIN(rows + offset, columns);
  length = PWT_MAX(length, 0);
  if (length) start += offset >= 0 ? offset * self->strides[b] : -offset * self->strides[a];
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (i == a || i == b) continue;
    sizes[n] = self->sizes[i];
    strides[n++] = self->strides[i];
  }
  sizes[n] = length;
  strides[n++] = self->strides[a] + self->strides[b];
  return view_of(self, n, sizes, strides, start);
}

Tensor *pwt_kernel_unfold(Tensor *self, int64_t dimension, int64_t size, int64_t step) {
  int d = pwt_wrap_dim(dimension, self->ndim);
  if (d < 0) return NULL;
  int64_t have = self->ndim ? self->sizes[d] : 1, stride = self->ndim ? self->strides[d] : 1;
  if (size < 0) return pwt_fail(PWT_RUNTIME_ERROR, "size is %i but must be >= 0", size);
  if (size > have) return pwt_fail(PWT_RUNTIME_ERROR, "maximum size for tensor at dimension %d is %i but size is %i", d, have, size);
  if (step <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "step is %i but must be > 0", step);
  int64_t sizes[PWT_MAX_DIMS + 1], strides[PWT_MAX_DIMS + 1];
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  pwt_copy_bytes(strides, self->strides, self->ndim * 8);
  sizes[self->ndim] = size;
  strides[self->ndim] = stride;
  if (self->ndim) {
    sizes[d] = (have - size) / step + 1;
    strides[d] = step * stride;
  }
  return view_of(self, self->ndim + 1, sizes, strides, self->offset);
}

static TensorList pieces(Tensor *self, int dim, int64_t count, const int64_t *starts, const int64_t *lengths) {
  TensorList list = pwt_list_new(count);
  for (int64_t i = 0; i < list.count; i++) {
    Tensor *t = pwt_alias_same(self);
    if (!t) return list;
    t->offset += starts[i] * self->strides[dim];
    t->sizes[dim] = lengths[i];
    t->numel = pwt_product(t->sizes, t->ndim);
    t->contiguous = pwt_compute_contiguous(t);
    list.items[i] = t;
  }
  return list;
}

static const TensorList no_tensors = {NULL, 0};

TensorList pwt_kernel_split(Tensor *self, int64_t split_size, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "split expects at least a 1-dimensional tensor"), no_tensors;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return no_tensors;
  int64_t size = self->sizes[d];
  if (split_size < 0) return pwt_fail(PWT_RUNTIME_ERROR, "split expects split_size be non-negative, but got split_size=%i", split_size), no_tensors;
  if (split_size == 0 && size != 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "split_size can only be 0 if dimension size is 0, but got dimension size of %i", size), no_tensors;
  int64_t count = split_size ? PWT_MAX(size / split_size + (size % split_size != 0), 1) : 1;
  int64_t *starts = pwt_scratch_items(count, 16), *lengths = starts + count;
  if (!starts) return no_tensors;
  for (int64_t i = 0; i < count; i++) {
    starts[i] = i * split_size;
    lengths[i] = PWT_MIN(split_size, size - starts[i]);
  }
  return pieces(self, d, count, starts, lengths);
}

TensorList pwt_kernel_split_sizes(Tensor *self, IntList split_size, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "split expects at least a 1-dimensional tensor"), no_tensors;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return no_tensors;
  int64_t *starts = pwt_scratch_items(split_size.count, 8), total = 0;
  if (!starts) return no_tensors;
  for (int64_t i = 0; i < split_size.count; i++) {
    if (split_size.items[i] < 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%z", split_size.items,
                      (int)split_size.count), no_tensors;
    starts[i] = total;
    total += split_size.items[i];
  }
  if (total != self->sizes[d])
    return pwt_fail(PWT_RUNTIME_ERROR, "split_with_sizes expects split_sizes to sum exactly to %i (input tensor's size at dimension %d), but got split_sizes=%z",
                    self->sizes[d], d, split_size.items, (int)split_size.count), no_tensors;
  return pieces(self, d, split_size.count, starts, split_size.items);
}

TensorList pwt_kernel_chunk(Tensor *self, int64_t chunks, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "chunk expects at least a 1-dimensional tensor"), no_tensors;
  if (chunks <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "chunk expects `chunks` to be greater than 0, got: %i", chunks), no_tensors;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return no_tensors;
  int64_t size = self->sizes[d], each = size / chunks + (size % chunks != 0);
  if (each) return pwt_split(self, each, d);
  int64_t *zeros = pwt_scratch_items(chunks, 8);
  if (!zeros) return no_tensors;
  pwt_fill_bytes(zeros, 0, chunks * 8);
  return pwt_split_sizes(self, (IntList){zeros, chunks}, d);
}

TensorList pwt_kernel_tensor_split_indices(Tensor *self, IntList indices, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"), no_tensors;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return no_tensors;
  TensorList list = pwt_list_new(indices.count + 1);
  OptInt from = {true, 0};
  for (int64_t i = 0; i < list.count; i++) {
    OptInt to = i < indices.count ? (OptInt){true, indices.items[i]} : (OptInt){true, self->sizes[d]};
    list.items[i] = pwt_slice(self, d, from, to, 1);
    from = to;
  }
  return list;
}

TensorList pwt_kernel_tensor_split(Tensor *self, int64_t sections, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_RUNTIME_ERROR, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"), no_tensors;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return no_tensors;
  if (sections <= 0) return pwt_fail(PWT_RUNTIME_ERROR, "number of sections must be larger than 0, got %i", sections), no_tensors;
  int64_t *indices = pwt_scratch_items(sections, 8), small = self->sizes[d] / sections, larger = self->sizes[d] % sections;
  if (!indices) return no_tensors;
  for (int64_t i = 1; i < sections; i++) indices[i - 1] = i * small + PWT_MIN(i, larger);
  return pwt_tensor_split_indices(self, (IntList){indices, sections - 1}, d);
}

TensorList pwt_kernel_unbind(Tensor *self, int64_t dim) {
  if (self->ndim == 0) return pwt_fail(PWT_INDEX_ERROR, "Dimension specified as 0 but tensor has no dimensions"), no_tensors;
  int d = pwt_wrap_dim(dim, self->ndim);
  if (d < 0) return no_tensors;
  TensorList list = pwt_list_new(self->sizes[d]);
  for (int64_t i = 0; i < list.count; i++) list.items[i] = pwt_kernel_select(self, d, i);
  return list;
}

Tensor *pwt_kernel_view_dtype(Tensor *self, DType dtype) {
  int have = pwt_itemsize[self->dtype], want = pwt_itemsize[dtype];
  Tensor *result = pwt_alias_same(self);
  if (!result) return NULL;
  result->dtype = (uint8_t)dtype;
  if (have == want) return result;
  int last = self->ndim - 1;
  if (last < 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "self.dim() cannot be 0 to view %t as %t (different element sizes)", self->dtype, dtype);
  if (self->strides[last] != 1 && self->numel)
    return pwt_fail(PWT_RUNTIME_ERROR, "self.stride(-1) must be 1 to view %t as %t (different element sizes), but got %i", self->dtype, dtype, self->strides[last]);
  for (int i = 0; i < last; i++) {
    if (want > have && self->strides[i] % (want / have))
      return pwt_fail(PWT_RUNTIME_ERROR, "self.stride(%d) must be divisible by %d to view %t as %t (different element sizes), but got %i", i, want / have,
                      self->dtype, dtype, self->strides[i]);
    result->strides[i] = self->strides[i] * have / want;
  }
  if (want > have && (self->sizes[last] % (want / have) || self->offset % (want / have)))
    return pwt_fail(PWT_RUNTIME_ERROR, "self.size(-1) must be divisible by %d to view %t as %t (different element sizes), but got %i", want / have, self->dtype,
                    dtype, self->sizes[last]);
  result->sizes[last] = self->sizes[last] * have / want;
  result->offset = self->offset * have / want;
  result->numel = pwt_product(result->sizes, result->ndim);
  result->contiguous = pwt_compute_contiguous(result);
  return result;
}
