/* out= and in-place targets: PyTorch's checks, and writing results to them. */
#include "ops.h"

/* torch lets these write to memory that several elements share */
static bool may_overlap(const char *name) {
  static const char *const names[] = {"fill", "zero", "index_put", "index_fill", "masked_fill", "tril", "triu"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (pwt_same_text(name, names[i])) return true;
  return false;
}

bool pwt_check_target(Tensor *out, Form form, bool records, const char *name) {
  if (!out) return false;
  if (form == FORM_INPLACE && !pwt_check_inplace_recording(out, records)) return false;
  if (form == FORM_OUT && (records || (pwt_grad_enabled && pwt_requires_grad(out)))) {
    pwt_fail(PWT_RUNTIME_ERROR,
             "%s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.", name);
    return false;
  }
  if (!pwt_overlaps_itself(out) || may_overlap(name)) return true;
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
