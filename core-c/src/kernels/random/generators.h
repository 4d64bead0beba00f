/* A generator is a uint8 tensor that holds its state, so that it has a tensor's lifetime; NULL is the default one. */
#pragma once
#include "base/random.h"
#include "tensor.h"

PwtGenerator *pwt_generator_of(Tensor *state); /* NULL and a RuntimeError where the tensor is no generator */
