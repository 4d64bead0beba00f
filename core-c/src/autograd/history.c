/* A tensor's autograd state: requires_grad, grad_fn, grad, and setting them. */
#include "accumulate.h"
#include "blocks.h"
#include "hooks.h"
#include "node.h"
#include "saved.h"

PWT_PER_THREAD bool pwt_grad_enabled = true;
PWT_PER_THREAD bool pwt_inference_enabled = false;

Autograd *pwt_autograd_of(Tensor *t) {
  if (!t->autograd) t->autograd = pwt_block_new(sizeof(Autograd));
  return t->autograd;
}

void pwt_autograd_free(Tensor *t) {
  Autograd *a = t->autograd;
  t->autograd = NULL;
  if (a->retain) a->retain->retained = NULL;
  pwt_node_release(a->grad_fn);
  pwt_release(a->grad);
  pwt_release(a->base);
  pwt_free_hooks(a->hooks);
  pwt_forget_saves(a->saves);
  pwt_block_free(a, sizeof *a);
}

bool pwt_requires_grad_slow(const Tensor *t) { return t->autograd->grad_fn || pwt_requires_grad(t->autograd->base); }

bool pwt_is_leaf(const Tensor *t) { return !t->autograd || !t->autograd->grad_fn; }

Node *pwt_gradient_edge(Tensor *t, uint32_t *output) {
  *output = 0;
  if (!pwt_requires_grad(t)) return NULL;
  Node *fn = pwt_grad_fn(t);
  if (!fn) return !pwt_failed() && (t->flags & TENSOR_REQUIRES_GRAD) ? pwt_accumulator(t) : NULL;
  *output = t->autograd->output;
  pwt_node_retain(fn);
  return fn;
}

void pwt_set_edge(Node *node, int index, Tensor *input) {
  if (node && pwt_requires_grad(input)) node->edges[index].fn = pwt_gradient_edge(input, &node->edges[index].output);
}

void pwt_set_grad_fn(Tensor *t, Node *fn, uint32_t output) {
  Autograd *a = pwt_autograd_of(t);
  if (!a) {
    pwt_node_release(fn);
    return;
  }
  Node *before = a->grad_fn;
  if (a->retain) pwt_retain_at(t, fn, output);
  a->grad_fn = fn;
  a->output = output;
  if (a->base) a->view_version = t->storage->version;
  t->flags |= TENSOR_REQUIRES_GRAD;
  pwt_node_release(before);
}

bool pwt_node_ready(Node *node) {
  if (!pwt_failed()) return true;
  pwt_node_release(node);
  return false;
}

void pwt_set_history(Tensor **results, int count, Node *node) {
  if (!node) return;
  if (!pwt_failed() && pwt_node_set_outputs(node, results, count)) {
    for (int i = 0; i < count; i++) {
      if (!results[i] || !pwt_is_differentiable(results[i]->dtype)) continue;
      pwt_node_retain(node);
      pwt_set_grad_fn(results[i], node, (uint32_t)i);
    }
  }
  pwt_node_release(node);
}

void pwt_set_history1(Tensor *result, Node *node) { pwt_set_history(&result, 1, node); }

bool pwt_set_requires_grad(Tensor *t, bool requires_grad) {
  if (requires_grad && !pwt_is_differentiable(t->dtype)) {
    pwt_fail(PWT_RUNTIME_ERROR, "only Tensors of floating point and complex dtype can require gradients");
    return false;
  }
  if (requires_grad && (t->flags & TENSOR_INFERENCE) && !pwt_inference_enabled) {
    pwt_fail(PWT_RUNTIME_ERROR, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
    return false;
  }
  if (requires_grad) t->flags |= TENSOR_REQUIRES_GRAD;
  else t->flags &= (uint8_t)~TENSOR_REQUIRES_GRAD;
  return true;
}

static const char *gradient_dtype_name(DType dtype) {
  static const char *const names[PWT_DTYPES] = {
      "bool", "unsigned char", "signed char", "short", "int", "long", "c10::Half", "c10::BFloat16", "float", "double",
      "c10::complex<float>", "c10::complex<double>", "uint16_t", "uint32_t", "uint64_t", "c10::Float8_e4m3fn", "c10::Float8_e5m2",
      "c10::Float8_e4m3fnuz", "c10::Float8_e5m2fnuz", "c10::Float8_e8m0fnu"};
  return names[dtype];
}

bool pwt_set_grad(Tensor *t, Tensor *grad) {
  if (grad == t) {
    pwt_fail(PWT_RUNTIME_ERROR, "can't assign Variable as its own grad");
    return false;
  }
  if (grad && pwt_is_meta(grad) != pwt_is_meta(t)) {
    const char *const devices[] = {"cpu", "meta"};
    pwt_fail(PWT_RUNTIME_ERROR,
             "attempting to assign a gradient with device type '%s' to a tensor with device type '%s'. Please ensure that the gradient and the "
             "tensor are on the same device",
             devices[pwt_is_meta(grad)], devices[pwt_is_meta(t)]);
    return false;
  }
  if (grad && grad->dtype != t->dtype) {
    pwt_fail(PWT_RUNTIME_ERROR,
             "attempting to assign a gradient with dtype '%s' to a tensor with grad_dtype '%t'. The gradient must match the "
             "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
             "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
             "its gradient may break downstream systems that assume they match.",
             gradient_dtype_name(grad->dtype), t->dtype);
    return false;
  }
  if (grad && !pwt_same_sizes(grad, t)) {
    pwt_fail(PWT_RUNTIME_ERROR,
             "attempting to assign a gradient of size '%z' to a tensor of size '%z'. Please ensure that the gradient and the "
             "tensor are the same size",
             grad->sizes, grad->ndim, t->sizes, t->ndim);
    return false;
  }
  if (!grad && !t->autograd) return true;
  Autograd *a = pwt_autograd_of(t);
  if (!a) return false;
  Tensor *before = a->grad;
  a->grad = pwt_retain(grad);
  pwt_release(before);
  return true;
}

bool pwt_set_data(Tensor *t, Tensor *data) {
  if (pwt_requires_grad(t) && !pwt_is_differentiable(data->dtype)) {
    pwt_fail(PWT_RUNTIME_ERROR, "data set to a tensor that requires gradients must be floating point or complex dtype");
    return false;
  }
  if (pwt_is_meta(t) != pwt_is_meta(data)) {
    pwt_fail(PWT_RUNTIME_ERROR, "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.");
    return false;
  }
  pwt_swap_data(t, data);
  if (t->autograd) t->autograd->view_version = t->storage->version;
  return true;
}

Tensor *pwt_detach_inplace(Tensor *t) {
  Autograd *a = t->autograd;
  if (a && a->base)
    return pwt_fail(
        PWT_RUNTIME_ERROR,
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and "
        "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
        "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py "
        "as the solution.");
  t->flags &= (uint8_t)~TENSOR_REQUIRES_GRAD;
  if (!a) return t;
  Node *before = a->grad_fn;
  a->grad_fn = NULL;
  a->output = 0;
  pwt_node_release(before);
  return t;
}

bool pwt_retain_grad(Tensor *t) {
  if (!pwt_requires_grad(t)) {
    pwt_fail(PWT_RUNTIME_ERROR, "can't retain_grad on Tensor that has requires_grad=False");
    return false;
  }
  if (pwt_is_leaf(t) || t->autograd->retains_grad) return true;
  Node *fn = pwt_grad_fn(t);
  if (!fn) return false;
  if (!pwt_retain_at(t, fn, t->autograd->output)) return false;
  t->autograd->retains_grad = true;
  return true;
}
