/* One-dimension operators: the input as contiguous rows along a dimension, in its compute type. */
#pragma once
#include "tensor.h"

#define ROW_WORK 65536 /* elements that one chunk of rows should hold */

typedef struct {
  Tensor *input; /* contiguous, the dimension last; shares memory with the operator's input where it can */
  ComputeType type;
  int dim; /* the wrapped dimension */
  int64_t rows, length;
} Rows;

/* A 0-d tensor is one row of one element. Fails with torch's IndexError on a wrong dim. */
bool pwt_rows_along(Rows *plan, Tensor *self, int64_t dim);
/* A contiguous tensor like plan->input with rows of `length`, of the given dtype. */
Tensor *pwt_rows_like(const Rows *plan, int64_t length, DType dtype);
/* The dimension back at its place, in `dtype`; contiguous. */
Tensor *pwt_rows_restored(const Rows *plan, Tensor *rows, DType dtype);
