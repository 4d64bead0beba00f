/* _can_cast, _promote_types, _result_type, _set_default_dtype. */
#include "ops.h"

DType pwt_kernel__result_type(Tensor *tensor1, Tensor *tensor2) { return pwt_result_type((Tensor *[]){tensor1, tensor2}, 2); }
DType pwt_kernel__promote_types(DType a, DType b) { return pwt_promote_types(a, b); }
bool pwt_kernel__can_cast(DType a, DType b) { return pwt_can_cast(a, b); }

bool pwt_kernel__set_default_dtype(DType dtype) {
  pwt_default_dtype = dtype;
  return true;
}
