/* Saved tensors: what a node keeps for its backward, and the checks before it is used. */
#include "internal.h"

static const char backward_twice[] =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward.";

static bool may_save(const Tensor *t) {
  if (!(t->flags & TENSOR_INFERENCE) || pwt_inference_enabled) return true;
  pwt_fail(PWT_RUNTIME_ERROR,
           "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
           "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
           "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
  return false;
}

void pwt_save(Node *node, int slot, Tensor *input) {
  if (!node || !input || !may_save(input)) return;
  node->saved[slot] = (Saved){.tensor = pwt_retain(input),
                              .version = input->storage->version,
                              .had_history = input->autograd && input->autograd->grad_fn};
}

void pwt_save_output(Node *node, int slot, Tensor *result, int output) {
  if (!node || !result || !may_save(result)) return;
  Tensor *alias = pwt_alias_same(result);
  if (!alias) return;
  node->saved[slot] = (Saved){
      .tensor = pwt_retain(alias), .version = result->storage->version, .output = output, .is_output = true, .had_history = true};
}

/* What shares memory with `written` can only lead to an error; without its history it makes no cycle either. */
void pwt_save_before(Node *node, int slot, Tensor *input, const Tensor *written) {
  if (!node || !input || !written || input->storage != written->storage) {
    pwt_save(node, slot, input);
    return;
  }
  pwt_save_output(node, slot, input, 0);
  node->saved[slot].version--;
}

static void *fail_modified(Node *node, const Saved *saved) {
  Tensor *t = saved->tensor;
  Node *fn = saved->is_output ? node : pwt_grad_fn(t);
  uint32_t output = saved->is_output ? (uint32_t)saved->output : fn ? t->autograd->output : 0;
  char origin[160] = "", name[96];
  if (fn) {
    pwt_operator_name(fn, name, sizeof name);
    pwt_format(origin, sizeof origin, ", which is output %i of %s,", (int64_t)output, name);
  }
  return pwt_fail(
      PWT_RUNTIME_ERROR,
      "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.%tTensor %z]%s "
      "is at version %i; expected version %i instead. Hint: %s",
      t->dtype, t->sizes, t->ndim, origin, (int64_t)t->storage->version, (int64_t)saved->version,
      pwt_anomaly_enabled
          ? "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
            "was changed in there or anywhere later. Good luck!"
          : "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

static Tensor *with_history(Tensor *alias, Node *node, const Saved *saved) {
  Tensor *result = pwt_alias_same(alias);
  if (!result || !pwt_is_differentiable(result->dtype)) return result;
  pwt_node_retain(node);
  pwt_set_grad_fn(result, node, (uint32_t)saved->output);
  return result;
}

Tensor *pwt_unpack(Node *node, int slot) {
  const Saved *saved = &node->saved[slot];
  if (saved->released) return pwt_fail(PWT_RUNTIME_ERROR, backward_twice);
  Tensor *t = saved->tensor;
  if (!t) return NULL;
  if (t->storage->version != saved->version) return fail_modified(node, saved);
  if (saved->is_output) return pwt_grad_enabled || node->host_id ? with_history(t, node, saved) : t;
  if (saved->had_history && !t->autograd->grad_fn)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                    "supported, please use out-of-place `.detach()` instead");
  return t;
}

void pwt_node_release_saved(Node *node) {
  node->released = true;
  for (int i = 0; i < node->saved_count; i++) {
    Saved *saved = &node->saved[i];
    saved->released |= saved->tensor != NULL;
    pwt_release(saved->tensor);
    saved->tensor = NULL;
  }
  if (node->kind->release) node->kind->release(node);
}

void *pwt_fail_released(void) { return pwt_fail(PWT_RUNTIME_ERROR, backward_twice); }
