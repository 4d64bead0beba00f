/* Autograd for layers below it: gradient modes, whether a tensor requires grad, release of a tensor's history. */
#pragma once
#include "tensor.h"

extern PWT_PER_THREAD bool pwt_grad_enabled;      /* no_grad, enable_grad */
extern PWT_PER_THREAD bool pwt_inference_enabled; /* inference_mode */

bool pwt_requires_grad_slow(const Tensor *t); /* a view asks its base too */
static inline bool pwt_requires_grad(const Tensor *t) {
  return t && ((t->flags & TENSOR_REQUIRES_GRAD) || (t->autograd && pwt_requires_grad_slow(t)));
}
bool pwt_any_requires_grad(TensorList list);

/* Before an in-place operator: torch's errors for leaves, views of leaves, multi-output views, inference tensors.
   `recording`: grad mode is on and some input, self or other, requires grad. */
bool pwt_check_inplace_recording(Tensor *self, bool recording);

void pwt_autograd_free(Tensor *t); /* called as a tensor dies */
void pwt_free_spare_nodes(void);
