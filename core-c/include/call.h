/* Operator calls: functional, in-place and out= forms, result structs, and the argument checks that tables name. */
#pragma once
#include "history.h"

typedef enum { FORM_NEW, FORM_INPLACE, FORM_OUT } Form; /* a + b, a.add_(b), add(a, b, out=c) */

typedef struct { Tensor *r[2]; } Tensors2; /* several results; r[0] is NULL after a failure */
typedef struct { Tensor *r[3]; } Tensors3;
typedef struct { Tensor *r[4]; } Tensors4;
typedef struct { Tensor *r[6]; } Tensors6;
typedef struct { Tensor *r[5]; } Tensors5;

static inline IntList pwt_sizes_of(const Tensor *t) { return t ? (IntList){t->sizes, t->ndim} : (IntList){NULL, -1}; }
static inline IntList pwt_strides_of(const Tensor *t) { return t ? (IntList){t->strides, t->ndim} : (IntList){NULL, -1}; }
static inline int64_t pwt_offset_of(const Tensor *t) { return t ? t->offset : 0; }
static inline int64_t pwt_ndim_of(const Tensor *t) { return t ? t->ndim : 0; }
static inline int64_t pwt_numel_of(const Tensor *t) { return t ? t->numel : 0; }
static inline DType pwt_dtype_of(const Tensor *t) { return t ? (DType)t->dtype : PWT_NO_DTYPE; }
static inline int64_t pwt_list_item(IntList list, int64_t i) { return list.items[i < 0 ? i + list.count : i]; }

Tensor *pwt_name_node(Tensor *result, const char *name); /* names the node that a composite just made; passes result on */
Tensor *pwt_sum_to(Tensor *t, int ndim, const int64_t *sizes); /* the gradient of broadcasting; differentiable */

/* What functions of lists (`foreach:` in a table) check before their loop, and how they write where the operator has no in-place form. */
bool pwt_check_each(int64_t count, int64_t other);                 /* lists of tensors have one length, and it is not 0 */
bool pwt_check_each_numbers(int64_t count, int64_t numbers);
bool pwt_check_each_number(Tensor *other);                         /* one number for all of them */
ScalarList pwt_numbers_of(Tensor *numbers, int64_t count);         /* the elements of a tensor, one for each */
bool pwt_assign_each(Tensor *self, Tensor *result, bool records);
Tensor *pwt_each_operand(Tensor *self, bool *records);             /* what to compute such a result from */

/* In-place and out= forms: torch's refusals, before anything is computed. */
bool pwt_check_target(Tensor *out, Form form, bool records, const char *name);
Tensor *pwt_write_target(Tensor *out, Tensor *result, Form form); /* copies a computed result to where it was asked */
Tensor *pwt_assign(Tensor *self, Tensor *result);                 /* self.copy_(result), with history */

/* ---- checks that tables name; each records torch's error and returns false ---- */
bool pwt_check_alpha(Tensor *self, Tensor *other, Scalar alpha);
bool pwt_check_sub(Tensor *self, Tensor *other, Scalar alpha);
bool pwt_check_neg(Tensor *self);
bool pwt_check_integer_divisor(Tensor *self, Tensor *other);
bool pwt_check_pow(Tensor *self, Tensor *exponent);
bool pwt_check_lerp(Tensor *self, Tensor *end, Tensor *weight);
bool pwt_check_addcdiv(Tensor *self, Tensor *tensor1, Tensor *tensor2);
bool pwt_check_where(Tensor *condition, Tensor *self, Tensor *other);
bool pwt_check_fill(Tensor *value);
/* whether what an in-place operator reads lies outside of what it writes; NULLs are apart from everything */
bool pwt_check_apart(Tensor *index, Tensor *source, Tensor *out);
bool pwt_check_indices_apart(TensorList indices, Tensor *values, Tensor *out);
bool pwt_check_mask_apart(Tensor *mask, Tensor *out);
bool pwt_check_real(Tensor *self, const char *name);
bool pwt_check_no_complex(Tensor *a, Tensor *b, const char *message);
bool pwt_check_abs(Tensor *self, bool inplace);
bool pwt_check_parts(Tensor *a, Tensor *b, Tensor *out);
bool pwt_check_polygamma(int64_t n);
bool pwt_check_order(Scalar p);
bool pwt_check_heaviside(Tensor *self, Tensor *values);
bool pwt_check_nanmean(Tensor *self, DType dtype);
bool pwt_check_no_gradient(Tensor *t, const char *function, const char *argument);
bool pwt_check_differentiable_as(Tensor *self, DType dtype);
bool pwt_check_matrix(Tensor *self);
bool pwt_check_least_dims(Tensor *self, int least);
bool pwt_check_softshrink(Tensor *self, Scalar lambd);
bool pwt_check_own_dtype(Tensor *self, DType dtype, bool inplace);
bool pwt_check_threshold(Tensor *self, Scalar threshold, Scalar value);
bool pwt_check_two_fit(Scalar a, Scalar b, DType dtype);
DType pwt_scale_dtype(Tensor *self);
bool pwt_check_relu(Tensor *self);
bool pwt_check_hardtanh(Tensor *self, Scalar min_val, Scalar max_val);
bool pwt_check_bound(Tensor *self, Tensor *bound);
bool pwt_check_bounds(Tensor *self, Tensor *min, Tensor *max);
bool pwt_check_svd_driver(const char *driver);
bool pwt_check_bmm(Tensor *batch1, Tensor *batch2);
bool pwt_check_outer(Tensor *self, Tensor *vec2);
bool pwt_check_cdist(Tensor *x1, Tensor *x2, double p);
