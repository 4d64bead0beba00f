/* Gradients: validation against the receiver's size and dtype, summation, NaN check. */
#include "gradients.h"

#include "ops.h"

bool pwt_nobody_else_holds(const Tensor *t) {
  if (t->refs != 1) return false;
  const Tensor *base = t->autograd ? t->autograd->base : NULL;
  return t->storage->refs == 1 || (t->storage->refs == 2 && base && base->refs == 1 && base->storage == t->storage);
}

Tensor *pwt_sum_to(Tensor *t, int ndim, const int64_t *sizes) {
  if (!t) return NULL;
  int64_t dims[PWT_MAX_DIMS];
  int count = 0, leading = t->ndim - ndim;
  for (int i = 0; i < t->ndim; i++)
    if (i < leading || (sizes[i - leading] == 1 && t->sizes[i] != 1)) dims[count++] = i;
  if (count) t = pwt_sum(t, (IntList){dims, count}, true, PWT_NO_DTYPE);
  return leading ? pwt_view(t, (IntList){sizes, ndim}) : t;
}

Tensor *pwt_copy_into(Tensor *to, Tensor *from) {
  return to && from ? pwt_copy__(to, from, false) : NULL;
}

static bool same_sizes(const Tensor *t, const OutputMeta *meta) {
  if (t->ndim != meta->ndim) return false;
  for (int i = 0; i < t->ndim; i++)
    if (t->sizes[i] != meta->sizes[i]) return false;
  return true;
}

static bool may_sum_to(const Tensor *t, const OutputMeta *meta) {
  int leading = t->ndim - meta->ndim;
  if (leading < 0) return false;
  for (int i = 0; i < meta->ndim; i++)
    if (meta->sizes[i] != 1 && meta->sizes[i] != t->sizes[i + leading]) return false;
  return true;
}

Tensor *pwt_validate_gradient(Tensor *grad, const OutputMeta *meta, const char *name, int index) {
  if (pwt_is_meta(grad) != meta->on_meta) {
    const char *const devices[] = {"cpu", "meta"};
    return pwt_fail(PWT_RUNTIME_ERROR, "Function %s returned an invalid gradient at index %d - expected device %s but got %s", name ? name : "", index,
                    devices[meta->on_meta], devices[!meta->on_meta]);
  }
  if (!same_sizes(grad, meta)) {
    if (!may_sum_to(grad, meta)) {
      const char *before = name ? "Function " : "", *between = name ? " returned an " : "";
      return pwt_fail(PWT_RUNTIME_ERROR,
                      "%s%s%sinvalid gradient at index %d - got %z but expected shape compatible with %z", before,
                      name ? name : "", between, index, grad->sizes, grad->ndim, meta->sizes, meta->ndim);
    }
    grad = pwt_sum_to(grad, meta->ndim, meta->sizes);
    if (!grad) return NULL;
  }
  return grad->dtype != meta->dtype ? pwt__to_dtype(grad, meta->dtype) : grad; /* of a complex gradient the real part */
}

Tensor *pwt_add_gradients(Tensor *a, Tensor *b) {
  bool inplace = !pwt_grad_enabled && pwt_nobody_else_holds(a) && a->contiguous && a->dtype == b->dtype;
  return inplace ? pwt_add_(a, b, pwt_scalar_int(1)) : pwt_add(a, b, pwt_scalar_int(1));
}

bool pwt_has_nan(Tensor *t) {
  if (!pwt_is_differentiable(t->dtype) || pwt_is_meta(t)) return false;
  bool is_complex = pwt_is_complex(t->dtype), found = false;
  Tensor *values = pwt_raw_contiguous_as(t, is_complex ? PWT_COMPLEX128 : PWT_FLOAT64);
  if (!values) return false;
  const double *v = pwt_data(values);
  for (int64_t i = 0, n = values->numel * (is_complex ? 2 : 1); i < n; i++) found |= v[i] != v[i];
  return found;
}
