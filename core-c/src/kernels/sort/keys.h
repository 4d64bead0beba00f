/* Wide unsigned integers as int64 in the same order, and back: the upper half of uint64 is what is not negative. */
#pragma once
#include "tensor.h"

Tensor *pwt_as_signed(Tensor *t);
Tensor *pwt_as_unsigned(Tensor *t, DType dtype);
