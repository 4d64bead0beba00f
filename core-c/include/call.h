/* Argument and result types of operators, and the helpers that generated code calls. */
#pragma once
#include "autograd.h"
#include "tensor.h"

typedef enum { FORM_NEW, FORM_INPLACE, FORM_OUT } Form; /* a + b, a.add_(b), add(a, b, out=c) */

typedef struct { Tensor *r[2]; } Tensors2; /* several results; r[0] is NULL after a failure */
typedef struct { Tensor *r[3]; } Tensors3;
typedef struct { Tensor *r[4]; } Tensors4;
typedef struct { Tensor *r[6]; } Tensors6;
typedef struct { Tensor *r[5]; } Tensors5;

typedef struct { /* a short list that a node keeps */
  int64_t count;
  int64_t items[PWT_MAX_DIMS];
} Sizes;

static inline IntList pwt_list_of(const Sizes *s) { return (IntList){s->items, s->count}; }
void pwt_keep_list(Sizes *to, IntList from);
static inline IntList pwt_sizes_of(const Tensor *t) { return t ? (IntList){t->sizes, t->ndim} : (IntList){NULL, -1}; }
static inline IntList pwt_strides_of(const Tensor *t) { return t ? (IntList){t->strides, t->ndim} : (IntList){NULL, -1}; }
static inline int64_t pwt_offset_of(const Tensor *t) { return t ? t->offset : 0; }
static inline int64_t pwt_ndim_of(const Tensor *t) { return t ? t->ndim : 0; }
static inline int64_t pwt_numel_of(const Tensor *t) { return t ? t->numel : 0; }
static inline DType pwt_dtype_of(const Tensor *t) { return t ? (DType)t->dtype : PWT_NO_DTYPE; }
static inline int64_t pwt_list_item(IntList list, int64_t i) { return list.items[i < 0 ? i + list.count : i]; }

Tensor *pwt_shape_of(const Tensor *t); /* a tensor of the same sizes and dtype over a storage of one element */

/* A list result of `count` items; the array lives as long as the open scope. */
TensorList pwt_list_new(int64_t count);
void *pwt_scratch(int64_t bytes); /* 64-byte aligned, until the open scope closes; NULL and MemoryError otherwise */
void *pwt_scratch_items(int64_t count, int64_t size); /* room for at least one, whatever the count */

Tensor *pwt_name_node(Tensor *result, const char *name); /* names the node that a composite just made; passes result on */
bool pwt_any_requires_grad(TensorList list);
TensorList pwt_unpack_list(Node *node, int first); /* the saved slots from `first` on */
int64_t pwt_wanted(const Node *node);              /* bit i: the gradient of edge i is wanted */
void pwt_fill_gradients(Node *node, Tensor **wants, int first, TensorList gradients);

/* In-place and out= forms: torch's refusals, before anything is computed. */
bool pwt_check_target(Tensor *out, Form form, bool records, const char *name);
Tensor *pwt_write_target(Tensor *out, Tensor *result, Form form); /* copies a computed result to where it was asked */
Tensor *pwt_assign(Tensor *self, Tensor *result);                 /* self.copy_(result), with history */
const char *pwt_intern(const char *text); /* one permanent copy per distinct text: names of modes that nodes keep */

/* ---- checks that tables name; each records torch's error and returns false ---- */
bool pwt_check_alpha(Tensor *self, Tensor *other, Scalar alpha);
bool pwt_check_sub(Tensor *self, Tensor *other, Scalar alpha);
bool pwt_check_neg(Tensor *self);
bool pwt_check_integer_divisor(Tensor *self, Tensor *other);
bool pwt_check_pow(Tensor *self, Tensor *exponent);
bool pwt_check_lerp(Tensor *self, Tensor *end, Tensor *weight);
bool pwt_check_addcdiv(Tensor *self, Tensor *tensor1, Tensor *tensor2);
bool pwt_check_condition(Tensor *condition);
bool pwt_check_fill(Tensor *value);
bool pwt_check_real(Tensor *self, const char *name);
bool pwt_check_no_complex(Tensor *a, Tensor *b, const char *message);
bool pwt_check_abs(Tensor *self, bool inplace);
bool pwt_check_parts(Tensor *a, Tensor *b, Tensor *out);
bool pwt_check_polygamma(int64_t n);
bool pwt_check_heaviside(Tensor *self, Tensor *values);
bool pwt_check_nanmean(Tensor *self);
bool pwt_check_matrix(Tensor *self);
bool pwt_check_least_dims(Tensor *self, int least);
bool pwt_check_softshrink(Scalar lambd);
bool pwt_check_relu(Tensor *self);
bool pwt_check_hardtanh(Tensor *self, Scalar min_val, Scalar max_val);
bool pwt_check_bool_bound(Tensor *self, Tensor *bound);
bool pwt_check_svd_driver(const char *driver);
bool pwt_check_bmm(Tensor *batch1, Tensor *batch2);
bool pwt_check_outer(Tensor *self, Tensor *vec2);
bool pwt_check_cdist(Tensor *x1, Tensor *x2, double p);
