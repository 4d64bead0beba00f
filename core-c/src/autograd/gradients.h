/* Gradients: validation, summation, NaN check. */
#pragma once
#include "autograd.h"

bool pwt_nobody_else_holds(const Tensor *t);
/* `grad` in the size and dtype of `meta`; `name` and `index` go into messages. */
Tensor *pwt_validate_gradient(Tensor *grad, const OutputMeta *meta, const char *name, int index);
/* a + b, in a's memory where `a` is the caller's alone and no graph is being created. */
Tensor *pwt_add_gradients(Tensor *a, Tensor *b);
Tensor *pwt_copy_into(Tensor *to, Tensor *from); /* differentiable; returns `to` */
bool pwt_has_nan(Tensor *t);
