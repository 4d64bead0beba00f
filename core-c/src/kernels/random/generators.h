/* A generator is a tensor of bytes that hold its state, so that it lives and dies as tensors do; NULL is the default one. */
#pragma once
#include "base/random.h"
#include "tensor.h"

PwtGenerator *pwt_generator_of(Tensor *state); /* NULL and a RuntimeError where the tensor is no generator */
