/* out= and in-place targets: PyTorch's checks, and writing results to them. */
#include "ops.h"

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (pwt_same_text(name, *names)) return true;
  return false;
}

/* torch lets these write to memory that several elements share, since all of them get one value, */
static const char *const uniform[] = {"fill", "zero", "threshold", "_put_shared", NULL};
/* and these to memory that overlapping windows share; they write a part of it here, and the rest back as it was. */
static const char *const partial[] = {"index_put", "index_fill", "index_add", "index_copy", "index_reduce", "masked_fill", "masked_scatter",
                                      "put", "scatter", "scatter_add", "scatter_reduce", "tril", "triu", NULL};

static bool takes_place(const Tensor *out, const char *name) {
  if (out->contiguous) return true;
  return pwt_overlaps_itself(out) ? is_one_of(name, uniform) : !pwt_shares_elements(out) || !is_one_of(name, partial);
}

bool pwt_check_apart(Tensor *index, Tensor *source, Tensor *out) {
  return !out || ((!index || pwt_check_no_overlap(out, index)) && (!source || pwt_check_no_overlap(out, source)));
}

bool pwt_check_indices_apart(TensorList indices, Tensor *values, Tensor *out) {
  for (int64_t i = 0; i < indices.count; i++)
    if (!pwt_check_apart(indices.items[i], NULL, out)) return false;
  return pwt_check_apart(values, NULL, out);
}

bool pwt_check_mask_apart(Tensor *mask, Tensor *out) { return !out || pwt_check_partial_overlap(out, mask); }

bool pwt_check_target(Tensor *out, Form form, bool records, const char *name) {
  if (!out) return false;
  if (pwt_on_meta && !pwt_is_meta(out)) {
    if (pwt_same_text(name, "copy_")) pwt_fail(PWT_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
    else pwt_fail(PWT_RUNTIME_ERROR, "Tensor on device meta is not on the expected device cpu!");
    return false;
  }
  if (form == FORM_INPLACE && !pwt_check_inplace_recording(out, records)) return false;
  if (form == FORM_OUT && (records || (pwt_grad_enabled && pwt_requires_grad(out)))) {
    pwt_fail(PWT_RUNTIME_ERROR,
             "%s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.", name);
    return false;
  }
  if (takes_place(out, name)) return true;
  pwt_fail(PWT_RUNTIME_ERROR,
           "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
           "Please clone() the tensor before performing the operation.");
  return false;
}

Tensor *pwt_write_target(Tensor *out, Tensor *result, Form form) {
  if (!out || !result) return NULL;
  if (form == FORM_OUT) return pwt_write_out(out, result);
  if (!pwt_can_cast(result->dtype, out->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", result->dtype, out->dtype);
  if (!pwt_same_sizes(out, result))
    return pwt_fail(PWT_RUNTIME_ERROR, "output with shape %z doesn't match the broadcast shape %z", out->sizes, (int)out->ndim,
                    result->sizes, (int)result->ndim);
  pwt_raw_copy(out, result);
  pwt_bump_version(out);
  return out;
}

Tensor *pwt_assign(Tensor *self, Tensor *result) {
  if (!self || !result) return NULL;
  if (!pwt_can_cast(result->dtype, self->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", result->dtype, self->dtype);
  return pwt_copy__form(self, result, false, self, FORM_INPLACE);
}
