/* AccumulateGrad: the node that adds a gradient to a leaf's .grad. */
#pragma once
#include "autograd.h"

Node *pwt_accumulator(Tensor *leaf); /* the caller owns it */
bool pwt_is_accumulator(const Node *node);
Tensor *pwt_accumulator_variable(const Node *node);
