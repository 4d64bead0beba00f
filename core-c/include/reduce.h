/* Reductions: the input laid out as [outer, length, inner] in one compute type, reduced over `length`. */
#pragma once
#include "tensor.h"

typedef struct {
  Tensor *input; /* contiguous, of dtype `dtype` */
  DType dtype;
  int64_t outer, length, inner;
  int ndim; /* of the result */
  int64_t sizes[PWT_MAX_DIMS];
} Reduction;

/* Lays `self` out for a reduction over the dimensions of `mask`, converted to `dtype`; a copy only where it must be one. */
bool pwt_plan_reduction(Reduction *plan, Tensor *self, uint32_t mask, bool keepdim, DType dtype);
/* The gradient of a reduction, unsqueezed so that it broadcasts to the input's sizes. */
Tensor *pwt_restore_dims(Tensor *grad, IntList sizes, IntList dim, bool keepdim);
