/* Functions of lists: what is checked of the lists, and what is computed of each item that is no operator of its own. */
#include "ops.h"

bool pwt_check_each(int64_t count, int64_t other) {
  if (count <= 0) pwt_fail(PWT_RUNTIME_ERROR, "Tensor list must have at least one tensor.");
  else if (count != other) pwt_fail(PWT_RUNTIME_ERROR, "Tensor lists must have the same number of tensors, got %i and %i", count, other);
  return !pwt_failed();
}

bool pwt_check_each_numbers(int64_t count, int64_t numbers) {
  if (count != numbers) pwt_fail(PWT_RUNTIME_ERROR, "Tensor list must have same number of elements as scalar list.");
  return count == numbers;
}

bool pwt_check_each_number(Tensor *other) {
  if (!other) return false;
  if (other->ndim == 0) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "scalar tensor expected to be 0 dim but it has %d dimensions and %i elements.", (int)other->ndim, other->numel);
  return false;
}

ScalarList pwt_numbers_of(Tensor *numbers, int64_t count) {
  if (!numbers) return (ScalarList){0};
  if (numbers->ndim != 1) {
    pwt_fail(PWT_RUNTIME_ERROR, "Expected packed scalar Tensor to be of dimension 1. Got %d instead.", (int)numbers->ndim);
    return (ScalarList){0};
  }
  if (numbers->numel != count) {
    pwt_fail(PWT_RUNTIME_ERROR, "Expected length of scalars to match input of length %i but got %i instead.", count, numbers->numel);
    return (ScalarList){0};
  }
  Tensor *packed = pwt_raw_contiguous(numbers);
  Scalar *items = packed ? pwt_scratch_items(count, sizeof *items) : NULL;
  const char *data = items ? pwt_data(packed) : NULL;
  for (int64_t i = 0; items && i < count; i++) items[i] = pwt_scalar_load((DType)packed->dtype, data + i * pwt_itemsize[packed->dtype]);
  return (ScalarList){items, items ? count : 0};
}

/* A copy where its history is recorded: the values are needed after they changed. */
Tensor *pwt_each_operand(Tensor *self, bool *records) {
  *records = pwt_grad_enabled && pwt_requires_grad(self);
  if (!pwt_check_target(self, FORM_INPLACE, *records, "foreach")) return NULL;
  return *records ? pwt_clone(self, -1) : self;
}

bool pwt_assign_each(Tensor *self, Tensor *result, bool records) {
  if (!result) return false;
  if (!records && !pwt_requires_grad(result)) return pwt_write_target(self, result, FORM_INPLACE) != NULL;
  return pwt_assign(self, result) != NULL;
}

Tensor *pwt_kernel__each_max(Tensor *self) {
  if (self->numel == 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined.");
  return pwt_max(self);
}

Tensor *pwt_kernel__each_norm(Tensor *self, Scalar ord, DType dtype) {
  double order = ord.re;
  if (!pwt_is_differentiable(self->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %t", self->dtype);
  if (dtype != PWT_NO_DTYPE && (!pwt_is_differentiable(dtype) || pwt_is_complex(dtype) != pwt_is_complex(self->dtype)))
    return pwt_fail(PWT_RUNTIME_ERROR, "linalg.vector_norm: dtype should be %s for %s inputs, but got %t",
                    pwt_is_complex(self->dtype) ? "complex" : "real", pwt_is_complex(self->dtype) ? "complex" : "real", dtype);
  if (self->numel == 0 && order == __builtin_inf())
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an identity");
  if (self->numel == 0 && order < 0)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "linalg.vector_norm cannot compute the %g norm on an empty tensor because the operation does not have an identity", order);
  return pwt__norm(self, order, (IntList){NULL, -1}, false, dtype);
}
