/* Reduction plan: the input as [outer, length, inner] in one compute type, reduced over `length`. */
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
/* The same with inner == 1: rows are contiguous, at the price of a copy for reductions over outer dimensions. */
bool pwt_plan_reduced_rows(Reduction *plan, Tensor *self, uint32_t mask, bool keepdim, DType dtype);
/* False, with torch's IndexError, where a reduction without identity meets a dimension of size 0. */
bool pwt_check_reducible(Tensor *self, uint32_t mask, bool all, const char *name);
