/* Storage, tensors and scopes: allocation, reference counts, overlap. */
#include "history.h"

#define INLINE_DATA 64 /* a storage's data follows it in the same block, */
#define APART 1024     /* but for that of so many bytes, which may be moved, */
#define LARGE 65536    /* and that of so many bytes stays where it is when it must not be moved any more */

#define MOST_SPARES 256

static Tensor *spare_tensors; /* linked through `storage` */
static int32_t spare_count;
static int64_t live;
PWT_PER_THREAD bool pwt_makes_meta;

int64_t pwt_live_tensors(void) { return live; }

/* ---- scopes ---- */
static PWT_PER_THREAD struct {
  Tensor **items;
  int64_t count, capacity;
} owned;

int64_t pwt_scope_open(void) { return owned.count; }

Tensor *pwt_own(Tensor *tensor) {
  if (!tensor) return NULL;
  if (owned.count == owned.capacity) {
    int64_t capacity = owned.capacity ? owned.capacity * 2 : 1024;
    Tensor **items = pwt_alloc_uncounted(capacity * (int64_t)sizeof *items);
    if (!items) {
      pwt_release(tensor);
      return NULL;
    }
    if (owned.count) pwt_copy_bytes(items, owned.items, owned.count * (int64_t)sizeof *items);
    pwt_free_uncounted(owned.items);
    owned.items = items;
    owned.capacity = capacity;
  }
  return owned.items[owned.count++] = tensor;
}

void pwt_scope_close(int64_t mark) {
  while (owned.count > mark) pwt_release(owned.items[--owned.count]);
}

Tensor *pwt_scope_keep(int64_t mark, Tensor *result) {
  pwt_retain(result);
  pwt_scope_close(mark);
  return pwt_own(result);
}

/* ---- storage ---- */
static Storage *storage_new(int64_t bytes, bool meta) {
  bool apart = meta || bytes >= APART;
  Storage *s = pwt_alloc(apart ? (int64_t)sizeof *s : INLINE_DATA + PWT_MAX(bytes, 1));
  if (!s) return NULL;
  *s = (Storage){.refs = 1, .bytes = bytes, .data = (char *)s + INLINE_DATA, .apart = apart && !meta};
  if (meta) {
    s->data = PWT_NOWHERE;
  } else if (apart && !pwt_alloc_movable(bytes, &s->data)) {
    pwt_free(s);
    return NULL;
  }
  return s;
}

void *pwt_lasting_data(Tensor *t) {
  Storage *s = t->storage;
  if (s->apart) pwt_stay(s->data, s->bytes < LARGE && pwt_alone);
  return pwt_data(t);
}

static void storage_release(Storage *s) {
  if (!s || --s->refs) return;
  if (s->apart) pwt_free(s->data);
  pwt_free(s);
}

/* ---- life and death ---- */
static Tensor *tensor_new(int ndim, DType dtype, uint8_t flags) {
  if (ndim > PWT_MAX_DIMS)
    return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %d", PWT_MAX_DIMS, ndim);
  Tensor *t = spare_tensors;
  if (t) {
    spare_tensors = (Tensor *)t->storage;
    spare_count--;
  } else {
    t = pwt_alloc(sizeof *t);
    if (!t) return NULL;
  }
  t->magic = PWT_TENSOR_MAGIC;
  t->refs = 1;
  t->dtype = (uint8_t)dtype;
  t->ndim = (uint8_t)ndim;
  t->flags = flags;
  t->contiguous = 1;
  t->storage = NULL;
  t->offset = 0;
  t->autograd = NULL;
  t->own_version = 0;
  live++;
  return t;
}

void pwt_release(Tensor *t) {
  if (!t || --t->refs) return;
  if (t->autograd) pwt_autograd_free(t);
  storage_release(t->storage);
  t->magic = 0;
  live--;
  if (spare_count == MOST_SPARES) {
    pwt_free(t);
    return;
  }
  t->storage = (Storage *)spare_tensors;
  spare_tensors = t;
  spare_count++;
}

void pwt_free_spare_tensors(void) {
  while (spare_tensors) {
    Tensor *next = (Tensor *)spare_tensors->storage;
    pwt_free(spare_tensors);
    spare_tensors = next;
  }
  spare_count = 0;
}

int64_t pwt_product(const int64_t *sizes, int ndim) {
  int64_t product = 1;
  for (int i = 0; i < ndim; i++) product *= sizes[i];
  return product;
}

/* numel, or -1 with a recorded error */
static int64_t checked_numel(int ndim, const int64_t *sizes, DType dtype, bool meta) {
  int64_t numel = 1;
  for (int i = 0; i < ndim; i++) {
    if (sizes[i] < 0) {
      pwt_fail(PWT_RUNTIME_ERROR, "Trying to create tensor with negative dimension %i: %z", sizes[i], sizes, ndim);
      return -1;
    }
    if (!pwt_multiply(numel, sizes[i], &numel)) numel = meta ? -1 : INT64_MAX / 32;
    if (numel < 0 && meta) break;
  }
  if (meta) {
    if (numel >= 0 && numel <= INT64_MAX / pwt_itemsize[dtype]) return numel;
    pwt_fail(PWT_RUNTIME_ERROR, "Storage size calculation overflowed with sizes=[%l]", sizes, ndim);
    return -1;
  }
  if (numel > 0xffff0000ll / pwt_itemsize[dtype]) {
    pwt_fail(PWT_MEMORY_ERROR, "not enough memory: a tensor of size %z and dtype %s does not fit into 4 GiB", sizes, ndim,
             pwt_dtype_name(dtype));
    return -1;
  }
  return numel;
}

void pwt_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides) {
  int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= PWT_MAX(sizes[i], 1);
  }
}

static inline uint8_t new_flags(bool meta) {
  return (uint8_t)((pwt_inference_enabled ? TENSOR_INFERENCE : 0) | (meta ? TENSOR_META : 0));
}

static inline Tensor *new_on(int ndim, const int64_t *sizes, DType dtype, bool meta) {
  int64_t numel = checked_numel(ndim, sizes, dtype, meta);
  if (numel < 0) return NULL;
  Tensor *t = tensor_new(ndim, dtype, new_flags(meta));
  if (!t) return NULL;
  int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; i--) {
    t->sizes[i] = sizes[i];
    t->strides[i] = stride;
    stride *= PWT_MAX(sizes[i], 1);
  }
  t->numel = numel;
  t->storage = storage_new(numel * pwt_itemsize[dtype], meta);
  if (!t->storage) {
    pwt_release(t);
    return NULL;
  }
  return pwt_own(t);
}

Tensor *pwt_new(int ndim, const int64_t *sizes, DType dtype) { return new_on(ndim, sizes, dtype, pwt_on_meta); }
Tensor *pwt_new_in_memory(int ndim, const int64_t *sizes, DType dtype) { return new_on(ndim, sizes, dtype, false); }

Tensor *pwt_new_zeros(int ndim, const int64_t *sizes, DType dtype) {
  Tensor *t = pwt_new(ndim, sizes, dtype);
  if (t && !pwt_is_meta(t)) pwt_fill_bytes(t->storage->data, 0, t->storage->bytes);
  return t;
}

bool pwt_compute_contiguous(const Tensor *t) {
  int64_t expected = 1;
  if (t->numel == 0) return true;
  for (int i = t->ndim - 1; i >= 0; i--) {
    if (t->sizes[i] == 1) continue;
    if (t->strides[i] != expected) return false;
    expected *= t->sizes[i];
  }
  return true;
}

Tensor *pwt_new_strided(int ndim, const int64_t *sizes, const int64_t *strides, DType dtype) {
  int64_t numel = checked_numel(ndim, sizes, dtype, pwt_on_meta);
  if (numel < 0) return NULL;
  int64_t last = 0;
  bool too_far = false;
  for (int i = 0; i < ndim; i++) {
    if (strides[i] < 0)
      return pwt_fail(PWT_RUNTIME_ERROR, "empty_strided: strides must not be negative, got %z", strides, ndim);
    double reach = (double)(sizes[i] - 1) * (double)strides[i];
    if ((too_far |= reach > 0x1p58)) break;
    last += (sizes[i] - 1) * strides[i];
  }
  if (numel && too_far)
    return pwt_fail(PWT_RUNTIME_ERROR, "Storage size calculation overflowed with sizes=%z and strides=%z", sizes, ndim, strides, ndim);
  if (numel && !pwt_on_meta && last + 1 > 0xffff0000ll / pwt_itemsize[dtype])
    return pwt_fail(PWT_MEMORY_ERROR, "not enough memory for sizes %z with strides %z", sizes, ndim, strides, ndim);
  Tensor *t = tensor_new(ndim, dtype, new_flags(pwt_on_meta));
  if (!t) return NULL;
  pwt_copy_bytes(t->sizes, sizes, ndim * 8);
  pwt_copy_bytes(t->strides, strides, ndim * 8);
  t->numel = numel;
  t->contiguous = pwt_compute_contiguous(t);
  t->storage = storage_new(numel ? (last + 1) * pwt_itemsize[dtype] : 0, pwt_on_meta);
  if (!t->storage) {
    pwt_release(t);
    return NULL;
  }
  return pwt_own(t);
}

/* True for layouts that fill their storage range without holes or overlap, in any order of dimensions. */
static bool dense_order(const Tensor *t, int *order) {
  for (int i = 0; i < t->ndim; i++) {
    int j = i;
    for (; j > 0; j--) {
      int64_t a = t->strides[order[j - 1]], b = t->strides[i];
      if (a > b || (a == b && t->sizes[order[j - 1]] >= t->sizes[i])) break;
      order[j] = order[j - 1];
    }
    order[j] = i;
  }
  int64_t expected = 1;
  for (int i = t->ndim - 1; i >= 0; i--) {
    int d = order[i];
    if (t->sizes[d] < 2) continue;
    if (t->strides[d] != expected) return false;
    expected *= t->sizes[d];
  }
  return true;
}

Tensor *pwt_new_like(const Tensor *like, DType dtype) {
  int order[PWT_MAX_DIMS];
  if (like->contiguous || like->numel == 0) return pwt_new(like->ndim, like->sizes, dtype);
  if (dense_order(like, order)) return pwt_new_strided(like->ndim, like->sizes, like->strides, dtype);
  /* torch keeps the order of strides of what is not dense, too */
  int64_t strides[PWT_MAX_DIMS], stride = 1;
  bool expanded = false;
  for (int i = 0; i < like->ndim; i++) expanded |= like->strides[i] == 0 && like->sizes[i] > 1;
  if (expanded) return pwt_new(like->ndim, like->sizes, dtype);
  for (int i = like->ndim - 1; i >= 0; i--) {
    strides[order[i]] = stride;
    stride *= PWT_MAX(like->sizes[order[i]], 1);
  }
  return pwt_new_strided(like->ndim, like->sizes, strides, dtype);
}

/* Channels last: the second dimension is the fastest, then the last one to the third. */
bool pwt_format_strides(MemoryFormat format, int ndim, const int64_t *sizes, int64_t *strides) {
  if (format == CONTIGUOUS_FORMAT) {
    pwt_contiguous_strides(ndim, sizes, strides);
    return true;
  }
  if (ndim != (int)format + 2) {
    pwt_fail(PWT_RUNTIME_ERROR, "required rank %d tensor to use channels_last%s format", (int)format + 2, format == CHANNELS_LAST_3D ? "_3d" : "");
    return false;
  }
  int64_t stride = sizes[1];
  strides[1] = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    if (d == 1) continue;
    strides[d] = stride;
    stride *= sizes[d];
  }
  return true;
}

Tensor *pwt_new_in_format(const Tensor *like, DType dtype, int64_t format) {
  int64_t strides[PWT_MAX_DIMS];
  if (format == PRESERVE_FORMAT) return pwt_new_like(like, dtype);
  if (format == CONTIGUOUS_FORMAT) return pwt_new(like->ndim, like->sizes, dtype);
  return pwt_format_strides((MemoryFormat)format, like->ndim, like->sizes, strides) ? pwt_new_strided(like->ndim, like->sizes, strides, dtype) : NULL;
}

#define KEPT_BY_ALIAS (TENSOR_UNTRACKED | TENSOR_INFERENCE | TENSOR_CONJ | TENSOR_NEG | TENSOR_META)

Tensor *pwt_alias(const Tensor *source, int ndim, const int64_t *sizes, const int64_t *strides, int64_t offset) {
  Tensor *t = tensor_new(ndim, source->dtype, source->flags & KEPT_BY_ALIAS);
  if (!t) return NULL;
  pwt_copy_bytes(t->sizes, sizes, ndim * 8);
  pwt_copy_bytes(t->strides, strides, ndim * 8);
  t->numel = pwt_product(sizes, ndim);
  t->offset = offset;
  t->contiguous = pwt_compute_contiguous(t);
  t->storage = source->storage;
  t->storage->refs++;
  return pwt_own(t);
}

Tensor *pwt_alias_same(const Tensor *source) {
  Tensor *t = tensor_new(source->ndim, source->dtype, source->flags & KEPT_BY_ALIAS);
  if (!t) return NULL;
  pwt_copy_bytes(t->sizes, source->sizes, source->ndim * 8);
  pwt_copy_bytes(t->strides, source->strides, source->ndim * 8);
  t->numel = source->numel;
  t->offset = source->offset;
  t->contiguous = source->contiguous;
  t->storage = source->storage;
  t->storage->refs++;
  return pwt_own(t);
}

Tensor *pwt_shape_of(const Tensor *t) {
  static const int64_t no_strides[PWT_MAX_DIMS];
  Tensor *one = pwt_new(0, NULL, (DType)t->dtype);
  return one ? pwt_alias(one, t->ndim, t->sizes, no_strides, 0) : NULL;
}

static Tensor *full_scalar_on(Scalar value, DType dtype, bool meta) {
  Tensor *t = new_on(0, NULL, dtype, meta);
  if (t && !meta) pwt_scalar_store(value, dtype, pwt_data(t));
  return t;
}

Tensor *pwt_full_scalar(Scalar value, DType dtype) { return full_scalar_on(value, dtype, pwt_on_meta); }

Tensor *pwt_from_scalar(Scalar value) {
  DType dtype = value.kind == SCALAR_FLOAT ? PWT_FLOAT64 : value.kind == SCALAR_COMPLEX ? PWT_COMPLEX128 : pwt_scalar_dtype(value);
  Tensor *t = full_scalar_on(value, dtype, false);
  if (t) t->flags |= TENSOR_NUMBER;
  return t;
}

Tensor *pwt_new_range(DType dtype, int64_t n) {
  Tensor *t = pwt_new(1, &n, PWT_INT64);
  if (!t) return NULL;
  int64_t *values = pwt_data(t);
  for (int64_t i = 0; i < n && !pwt_is_meta(t); i++) values[i] = i;
  return pwt_raw_cast(t, dtype);
}

/* ---- reading ---- */
bool pwt_same_sizes(const Tensor *a, const Tensor *b) {
  if (a->ndim != b->ndim) return false;
  for (int i = 0; i < a->ndim; i++)
    if (a->sizes[i] != b->sizes[i]) return false;
  return true;
}

Scalar pwt_item(const Tensor *t) {
  if (!pwt_is_meta(t)) return pwt_scalar_load(t->dtype, pwt_data(t));
  pwt_fail(PWT_RUNTIME_ERROR, "Tensor.item() cannot be called on meta tensors");
  return pwt_scalar_none();
}

void *pwt_no_meta(const char *name) {
  return pwt_fail(PWT_NOT_IMPLEMENTED, "aten::%s: attempted to run this operator with Meta tensors, but what it gives depends on values, which these have not got", name);
}

bool pwt_overlaps_itself(const Tensor *t) {
  for (int i = 0; i < t->ndim && !t->contiguous; i++)
    if (t->strides[i] == 0 && t->sizes[i] > 1) return true;
  return false;
}

int64_t pwt_reach(const Tensor *t) {
  int64_t last = 0;
  for (int i = 0; i < t->ndim; i++) last += (t->sizes[i] - 1) * t->strides[i];
  return t->numel ? last + 1 : 0;
}

bool pwt_shares_elements(const Tensor *t) {
  int order[PWT_MAX_DIMS];
  if (t->contiguous || t->numel < 2 || dense_order(t, order)) return false;
  int64_t last = 0; /* of the dimensions with smaller strides */
  for (int i = t->ndim - 1; i >= 0; i--) {
    int d = order[i];
    if (t->sizes[d] < 2) continue;
    if (t->strides[d] <= last) return true;
    last += (t->sizes[d] - 1) * t->strides[d];
  }
  return false;
}

static void byte_range(const Tensor *t, int64_t *first, int64_t *end) {
  *first = t->offset * pwt_itemsize[t->dtype];
  *end = *first + pwt_reach(t) * pwt_itemsize[t->dtype];
}

bool pwt_share_memory(const Tensor *a, const Tensor *b) {
  if (a->storage != b->storage || a->numel == 0 || b->numel == 0) return false;
  int64_t a_first, a_end, b_first, b_end;
  byte_range(a, &a_first, &a_end);
  byte_range(b, &b_first, &b_end);
  return a_first < b_end && b_first < a_end;
}

static bool share_dense_memory(const Tensor *a, const Tensor *b) {
  int order[PWT_MAX_DIMS];
  return pwt_share_memory(a, b) && dense_order(a, order) && dense_order(b, order);
}

static bool refuse_overlap(void) {
  pwt_fail(PWT_RUNTIME_ERROR,
           "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
           "Please clone() the tensor before performing the operation.");
  return false;
}

bool pwt_check_partial_overlap(const Tensor *out, const Tensor *in) {
  if (!share_dense_memory(out, in)) return true;
  bool same = out->offset == in->offset && out->dtype == in->dtype && pwt_same_sizes(out, in);
  for (int i = 0; i < out->ndim && same; i++) same = out->sizes[i] < 2 || out->strides[i] == in->strides[i];
  return same || refuse_overlap();
}

bool pwt_check_no_overlap(const Tensor *out, const Tensor *in) { return !share_dense_memory(out, in) || refuse_overlap(); }

bool pwt_resize(Tensor *t, int ndim, const int64_t *sizes) {
  int64_t numel = checked_numel(ndim, sizes, t->dtype, pwt_is_meta(t));
  if (numel < 0) return false;
  if (ndim > PWT_MAX_DIMS) {
    pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %d", PWT_MAX_DIMS, ndim);
    return false;
  }
  bool same = t->ndim == ndim;
  for (int i = 0; i < ndim && same; i++) same = t->sizes[i] == sizes[i];
  if (same) return true; /* whatever its strides */
  int64_t bytes = (t->offset + numel) * pwt_itemsize[t->dtype];
  Storage *s = t->storage;
  if (bytes > s->bytes && pwt_is_meta(t)) {
    s->bytes = bytes;
  } else if (bytes > s->bytes) {
    void *data = s->data;
    if (!pwt_alloc_movable(bytes, &s->data)) {
      s->data = data;
      return false;
    }
    pwt_copy_bytes(s->data, data, s->bytes);
    if (s->apart) pwt_free(data);
    s->apart = true;
    s->bytes = bytes;
  }
  t->ndim = (uint8_t)ndim;
  pwt_move_bytes(t->sizes, sizes, ndim * 8);
  pwt_contiguous_strides(ndim, t->sizes, t->strides);
  t->numel = numel;
  t->contiguous = 1;
  return true;
}

/* x.data = y: the same Tensor, another storage and geometry */
void pwt_swap_data(Tensor *t, const Tensor *source) {
  pwt_changes++;
  source->storage->refs++;
  storage_release(t->storage);
  t->storage = source->storage;
  t->offset = source->offset;
  t->numel = source->numel;
  t->dtype = source->dtype;
  t->ndim = source->ndim;
  t->contiguous = source->contiguous;
  t->flags = (uint8_t)((t->flags & ~TENSOR_META) | (source->flags & TENSOR_META));
  pwt_copy_bytes(t->sizes, source->sizes, sizeof t->sizes);
  pwt_copy_bytes(t->strides, source->strides, sizeof t->strides);
}
