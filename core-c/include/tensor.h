/* Storage, tensors, scopes and views. */
#pragma once
#include "base.h"

#define PWT_MAX_DIMS 16
#define PWT_TENSOR_MAGIC 0x54545750u /* "PWTT" */

/* Where a meta tensor's elements would be: no access at this address or just beyond it succeeds. */
#define PWT_NOWHERE ((void *)(uintptr_t)0xffff0000u)

typedef struct Storage {
  int32_t refs;
  uint32_t version; /* shared by all views; every in-place operator adds one */
  int64_t bytes;
  void *data; /* PWT_NOWHERE on meta */
  bool apart; /* the data has a block of its own, which may be moved */
} Storage;

typedef struct Autograd Autograd; /* autograd.h */

enum {
  TENSOR_REQUIRES_GRAD = 1, /* a leaf that asks for a gradient, or the result of an operator on one */
  TENSOR_NUMBER = 2,        /* stands for a Python number: takes part in promotion by its kind only */
  TENSOR_INFERENCE = 4,     /* made under inference_mode */
  TENSOR_UNTRACKED = 8,     /* x.data: in-place changes do not bump the version */
  TENSOR_CONJ = 16,
  TENSOR_NEG = 32,
  TENSOR_CLOSED = 64, /* a leaf that a finished function transform made: a constant for everything outside */
  TENSOR_META = 128,  /* has shape, dtype and strides, and no memory */
};

/* The first 296 bytes are part of the ABI: hosts read shape, strides and dtype from here (wasm/abi.md). */
typedef struct Tensor {
  uint32_t magic;
  int32_t refs;
  uint8_t dtype, ndim, flags, contiguous;
  Storage *storage;
  int64_t offset; /* in elements */
  int64_t numel;
  Autograd *autograd; /* NULL until gradients are involved */
  uint32_t own_version; /* of TENSOR_UNTRACKED ones, whose changes the storage does not count */
  int64_t sizes[PWT_MAX_DIMS];
  int64_t strides[PWT_MAX_DIMS]; /* in elements; may be zero (expand), never negative as in torch */
} Tensor;

typedef struct { /* list arguments and list results */
  Tensor **items;
  int64_t count;
} TensorList;

typedef struct {
  const int64_t *items;
  int64_t count; /* -1: None was given */
} IntList;

typedef struct {
  const double *items;
  int64_t count;
} FloatList;

typedef struct {
  const Scalar *items;
  int64_t count;
} ScalarList;

typedef struct {
  bool given;
  int64_t value;
} OptInt; /* int? and bool? */

typedef struct {
  bool given;
  double value;
} OptFloat;

/* ---- scopes: every tensor made during a call belongs to the open scope ---- */
int64_t pwt_scope_open(void);
void pwt_scope_close(int64_t mark);                  /* releases what was made since the mark */
Tensor *pwt_scope_keep(int64_t mark, Tensor *result); /* closes, and hands `result` to the scope outside */
Tensor *pwt_own(Tensor *tensor); /* gives one reference to the open scope; NULL passes through */

static inline Tensor *pwt_retain(Tensor *tensor) {
  if (tensor) tensor->refs++;
  return tensor;
}
void pwt_release(Tensor *tensor);
int64_t pwt_live_tensors(void);

/* ---- making tensors; each result belongs to the open scope ---- */
Tensor *pwt_new(int ndim, const int64_t *sizes, DType dtype); /* contiguous, uninitialised */
Tensor *pwt_new_in_memory(int ndim, const int64_t *sizes, DType dtype); /* never on meta */
Tensor *pwt_new_zeros(int ndim, const int64_t *sizes, DType dtype);
Tensor *pwt_new_like(const Tensor *like, DType dtype); /* keeps the stride order of dense tensors, as torch's preserve_format */
/* torch's memory formats, by the numbers of pywasmtorch/_core/layout.py */
typedef enum { PRESERVE_FORMAT = -1, CONTIGUOUS_FORMAT = 0, CHANNELS_LAST = 2, CHANNELS_LAST_3D = 3 } MemoryFormat;
Tensor *pwt_new_in_format(const Tensor *like, DType dtype, int64_t format);
/* whether a tensor of 4 or 5 dimensions lies in memory with its channels last */
bool pwt_is_channels_last(const Tensor *t);
Tensor *pwt_new_laid_out(int ndim, const int64_t *sizes, DType dtype, bool channels_last);
/* The result as torch lays it out: channels last where `a` or `b` (which may be NULL) is; in `dtype`. */
Tensor *pwt_laid_out(Tensor *result, DType dtype, const Tensor *a, const Tensor *b);
Tensor *pwt_new_strided(int ndim, const int64_t *sizes, const int64_t *strides, DType dtype);
Tensor *pwt_alias(const Tensor *source, int ndim, const int64_t *sizes, const int64_t *strides, int64_t offset);
Tensor *pwt_alias_same(const Tensor *source); /* same geometry, no autograd: what detach() returns */
Tensor *pwt_shape_of(const Tensor *t); /* the same sizes and dtype over a storage of one element */
Tensor *pwt_from_scalar(Scalar value);        /* a number in promotion (TENSOR_NUMBER) */
Tensor *pwt_full_scalar(Scalar value, DType dtype); /* a 0-d tensor */
Tensor *pwt_new_range(DType dtype, int64_t n);      /* 0 .. n-1 */

/* ---- memory that lives as long as the open scope ---- */
void *pwt_scratch(int64_t bytes); /* 64-byte aligned; NULL and MemoryError where there is none */
void *pwt_scratch_items(int64_t count, int64_t size); /* room for at least one, whatever the count */
TensorList pwt_list_new(int64_t count); /* of NULLs */

/* ---- reading them ---- */
static inline void *pwt_data(const Tensor *t) {
  return (char *)t->storage->data + t->offset * pwt_itemsize[t->dtype];
}
void *pwt_lasting_data(Tensor *t); /* for who keeps the pointer beyond a call */
extern PWT_PER_THREAD bool pwt_makes_meta; /* calls make meta tensors whatever their arguments are: device="meta" */
static inline bool pwt_is_meta(const Tensor *t) { return t->flags & TENSOR_META; }
void *pwt_no_meta(const char *name); /* the error of operators whose result depends on values */
static inline bool pwt_is_contiguous(const Tensor *t) { return t->contiguous; }
bool pwt_compute_contiguous(const Tensor *t);
bool pwt_same_sizes(const Tensor *a, const Tensor *b);
Scalar pwt_item(const Tensor *t); /* of a tensor with one element */
bool pwt_overlaps_itself(const Tensor *t); /* expanded: several indices share an element */
bool pwt_shares_elements(const Tensor *t); /* that, or strides that may lead to one element twice, as overlapping windows */
int64_t pwt_reach(const Tensor *t);        /* how many elements of its storage lie between its first and its last one, both included */
/* False, with torch's RuntimeError, where writing `out` would change `in` midway: they share a part, or all in another order. */
bool pwt_check_partial_overlap(const Tensor *out, const Tensor *in);
bool pwt_check_no_overlap(const Tensor *out, const Tensor *in); /* that, and where they are the very same */
bool pwt_share_memory(const Tensor *a, const Tensor *b); /* the address ranges meet */
static inline uint32_t pwt_version_of(const Tensor *t) {
  return t->flags & TENSOR_UNTRACKED ? t->own_version : t->storage->version;
}
static inline void pwt_bump_version(Tensor *t) {
  pwt_changes++;
  if (t->flags & TENSOR_UNTRACKED) t->own_version++;
  else t->storage->version++;
}

/* ---- dimensions ---- */
/* Wraps a negative dim; a 0-d tensor accepts -1 and 0. Fails with torch's IndexError; returns -1 then. */
int pwt_wrap_dim(int64_t dim, int64_t ndim);
/* The set of dims as a bit mask; None and, where empty_is_all, () mean all. Fails on repeated dims. */
bool pwt_dim_mask(IntList dims, int ndim, bool empty_is_all, uint32_t *mask);
bool pwt_broadcast_sizes(int *ndim, int64_t *sizes, const Tensor *with); /* grows `sizes`; fails with torch's message */
void pwt_contiguous_strides(int ndim, const int64_t *sizes, int64_t *strides);
bool pwt_format_strides(MemoryFormat format, int ndim, const int64_t *sizes, int64_t *strides);
int64_t pwt_product(const int64_t *sizes, int ndim);
/* Fills in one -1 in `shape`; fails with torch's message. */
bool pwt_infer_size(IntList shape, int64_t numel, int64_t *sizes);
/* Strides that make `t` look like `sizes` without a copy, or false. */
bool pwt_view_strides(const Tensor *t, int ndim, const int64_t *sizes, int64_t *strides);

/* ---- raw data movement, below autograd ---- */
void pwt_raw_copy(Tensor *to, const Tensor *from); /* broadcasts and converts; handles overlap */
Tensor *pwt_raw_contiguous(Tensor *t);             /* itself, or a contiguous copy */
Tensor *pwt_raw_cast(Tensor *t, DType dtype);      /* itself, or a contiguous converted copy */
Tensor *pwt_raw_contiguous_as(Tensor *t, DType dtype); /* both */
Tensor *pwt_raw_clone(Tensor *t);
Tensor *pwt_raw_expand(Tensor *t, int ndim, const int64_t *sizes);
void pwt_raw_fill(Tensor *t, Scalar value);
Tensor *pwt_raw_movedim(Tensor *t, int from, int to);
/* For out= : resizes `out` to the result's sizes (warning-free where it was empty), checks can_cast, copies. */
Tensor *pwt_write_out(Tensor *out, Tensor *result);
bool pwt_resize(Tensor *t, int ndim, const int64_t *sizes);
void pwt_swap_data(Tensor *t, const Tensor *source); /* x.data = y: the same Tensor, another storage and geometry */
void pwt_free_spare_tensors(void);

/* ---- type promotion ---- */
/* Of up to a handful of tensors (NULLs ignored): dimensioned before 0-d before numbers, as torch. */
DType pwt_result_type(Tensor *const *tensors, int64_t count);
