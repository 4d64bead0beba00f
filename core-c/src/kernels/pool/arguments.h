/* Pooling arguments, parsed and checked. */
#pragma once
#include "conv/window.h"
#include "pool.h"

typedef struct {
  pwt_pool shape;
  int ndim; /* of the result */
  int64_t sizes[PWT_MAX_DIMS];
} Pooling;

/* Checks the arguments, with torch's errors, and finds the result's sizes. `stride` may be empty: the kernel's size. */
bool pwt_plan_pool(Pooling *p, const Tensor *self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode, int dims, bool maximum);
bool pwt_plan_adaptive_pool(Pooling *p, const Tensor *self, IntList output_size, int dims, bool maximum);

/* The same for sizes that a forward pass has checked. */
void pwt_pool_shape(pwt_pool *s, IntList in, IntList out, int dims);
