/* cdist: distances between all pairs of rows, in blocks of pairs. */
#include "ops.h"

enum { BLOCK_ELEMENTS = 1 << 16 };

typedef struct {
  Tensor *x1, *x2, *grad, *distance; /* [batch, rows, width], [batch, others, width] and twice [batch, rows, others] */
  int64_t batch, rows, others, width, step; /* step: the rows of a block */
  double p;
} Pairs;

static Tensor *flattened(Tensor *t, int ndim, int64_t *sizes, int64_t batch, int64_t rows) {
  int64_t flat[] = {batch, rows, sizes[ndim - 1] = t->sizes[t->ndim - 1]}, strides[3];
  sizes[ndim - 2] = rows;
  Tensor *whole = pwt_raw_contiguous(pwt_raw_expand(t, ndim, sizes));
  pwt_contiguous_strides(3, flat, strides);
  return whole ? pwt_alias(whole, 3, flat, strides, whole->offset) : NULL;
}

static bool pair_up(Pairs *s, Tensor *x1, Tensor *x2, double p, int *ndim, int64_t *sizes) {
  Tensor *batch = pwt_alias(x2, x2->ndim - 2, x2->sizes, x2->strides, x2->offset);
  *ndim = x1->ndim - 2;
  pwt_copy_bytes(sizes, x1->sizes, *ndim * 8);
  if (!batch || !pwt_broadcast_sizes(ndim, sizes, batch)) return false;
  *s = (Pairs){.batch = pwt_product(sizes, *ndim), .rows = x1->sizes[x1->ndim - 2], .others = x2->sizes[x2->ndim - 2], .width = x1->sizes[x1->ndim - 1], .p = p};
  s->step = PWT_MAX(BLOCK_ELEMENTS / PWT_MAX(s->others * s->width, 1), 1);
  *ndim += 2;
  s->x1 = flattened(x1, *ndim, sizes, s->batch, s->rows);
  s->x2 = flattened(x2, *ndim, sizes, s->batch, s->others);
  sizes[*ndim - 2] = s->rows, sizes[*ndim - 1] = s->others;
  return s->x1 && s->x2;
}

/* Rows `first` to first + count of one matrix of t as [count, 1, n], or as [count, n] */
static Tensor *rows_of(Tensor *t, int64_t b, int64_t first, int64_t count, bool apart) {
  int64_t n = t->sizes[2], sizes[] = {count, 1, n}, strides[] = {t->strides[1], 0, t->strides[2]};
  if (!apart) sizes[1] = n, strides[1] = t->strides[2];
  return pwt_alias(t, apart ? 3 : 2, sizes, strides, t->offset + b * t->strides[0] + first * t->strides[1]);
}

static Tensor *differences(const Pairs *s, int64_t b, int64_t first, int64_t count) {
  return pwt_sub(rows_of(s->x1, b, first, count, true), rows_of(s->x2, b, 0, s->others, false), pwt_scalar_int(1));
}

/* Runs `block` over blocks of rows; each has a scope of its own, so that only one block's memory is in use. */
static bool each_block(const Pairs *s, Tensor *result, Tensor *(*block)(const Pairs *, int64_t, int64_t, int64_t)) {
  bool enabled = pwt_grad_enabled;
  pwt_grad_enabled = false;
  for (int64_t b = 0; b < s->batch && !pwt_failed(); b++)
    for (int64_t first = 0; first < s->rows && !pwt_failed(); first += s->step) {
      int64_t mark = pwt_scope_open(), count = PWT_MIN(s->step, s->rows - first);
      Tensor *to = rows_of(result, b, first, count, false), *from = block(s, b, first, count);
      if (to && from) pwt_raw_copy(to, from);
      pwt_scope_close(mark);
    }
  pwt_grad_enabled = enabled;
  return !pwt_failed();
}

static const int64_t last = -1;

static Tensor *distance_block(const Pairs *s, int64_t b, int64_t first, int64_t count) {
  return pwt__norm(differences(s, b, first, count), s->p, (IntList){&last, 1}, false, PWT_NO_DTYPE);
}

/* The gradient of each pair's difference. At p = inf all that reach the maximum take the whole gradient, as in torch. */
static Tensor *difference_gradient(Tensor *grad, Tensor *difference, Tensor *distance, double p) {
  if (p != __builtin_inf()) return pwt_norm_backward(grad, difference, distance, p, (IntList){&last, 1}, false);
  Tensor *reached = pwt_eq(pwt_abs(difference), pwt_unsqueeze(distance, -1));
  return pwt_mul(pwt_mul(pwt_sgn(difference), reached), pwt_unsqueeze(grad, -1));
}

static Tensor *gradient_block(const Pairs *s, int64_t b, int64_t first, int64_t count) {
  Tensor *grad = rows_of(s->grad, b, first, count, false), *distance = rows_of(s->distance, b, first, count, false);
  Tensor *all = difference_gradient(grad, differences(s, b, first, count), distance, s->p);
  return pwt_sum(all, (IntList){(const int64_t[]){1}, 1}, false, PWT_NO_DTYPE);
}

static Tensor *as_three(Tensor *t, int64_t batch, int64_t rows, int64_t columns) {
  int64_t sizes[] = {batch, rows, columns}, strides[3];
  Tensor *whole = pwt_raw_contiguous(t);
  pwt_contiguous_strides(3, sizes, strides);
  return whole ? pwt_alias(whole, 3, sizes, strides, whole->offset) : NULL;
}

Tensor *pwt_kernel__cdist(Tensor *x1, Tensor *x2, double p) {
  Pairs s;
  int ndim;
  int64_t sizes[PWT_MAX_DIMS];
  if (!pair_up(&s, x1, x2, p, &ndim, sizes)) return NULL;
  Tensor *result = pwt_new_zeros(ndim, sizes, (DType)x1->dtype);
  if (!result || result->numel == 0 || s.width == 0) return result;
  return each_block(&s, as_three(result, s.batch, s.rows, s.others), distance_block) ? result : NULL;
}

/* The gradient by x1; with second derivatives in view from operators over all pairs at once. */
Tensor *pwt_kernel_cdist_backward(Tensor *grad, Tensor *x1, Tensor *x2, double p, Tensor *distance) {
  if (pwt_grad_enabled) {
    Tensor *all = pwt_sub(pwt_unsqueeze(x1, -2), pwt_unsqueeze(x2, -3), pwt_scalar_int(1));
    return pwt_sum(difference_gradient(grad, all, distance, p), (IntList){(const int64_t[]){-2}, 1}, false, PWT_NO_DTYPE);
  }
  Pairs s;
  int ndim;
  int64_t sizes[PWT_MAX_DIMS];
  if (!pair_up(&s, x1, x2, p, &ndim, sizes)) return NULL;
  sizes[ndim - 1] = s.width;
  Tensor *result = pwt_new_zeros(ndim, sizes, (DType)x1->dtype);
  if (!result || grad->numel == 0 || s.width == 0) return result;
  s.grad = as_three(grad, s.batch, s.rows, s.others);
  s.distance = as_three(distance, s.batch, s.rows, s.others);
  if (!s.grad || !s.distance) return NULL;
  return each_block(&s, as_three(result, s.batch, s.rows, s.width), gradient_block) ? result : NULL;
}

bool pwt_check_cdist(Tensor *x1, Tensor *x2, double p) {
  for (int i = 0; i < 2; i++) {
    Tensor *t = i ? x2 : x1;
    if (!pwt_is_floating((DType)t->dtype)) pwt_fail(PWT_RUNTIME_ERROR, "cdist only supports floating-point dtypes, X%d got: %t", i + 1, t->dtype);
    else if (t->ndim < 2) pwt_fail(PWT_RUNTIME_ERROR, "cdist only supports at least 2D tensors, X%d got: %dD", i + 1, (int)t->ndim);
    else continue;
    return false;
  }
  if (x1->sizes[x1->ndim - 1] != x2->sizes[x2->ndim - 1])
    pwt_fail(PWT_RUNTIME_ERROR, "X1 and X2 must have the same number of columns. X1: %i X2: %i", x1->sizes[x1->ndim - 1], x2->sizes[x2->ndim - 1]);
  else if (!(p >= 0)) pwt_fail(PWT_RUNTIME_ERROR, "cdist only supports non-negative p values");
  else if (x1->dtype != x2->dtype) pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type %t but found %t", x1->dtype, x2->dtype);
  else if (x1->dtype < PWT_FLOAT32) pwt_fail(PWT_NOT_IMPLEMENTED, "\"cdist\" not implemented for '%t'", x1->dtype);
  return !pwt_failed();
}
