/* Unpacking saved tensors in backward: version checks, and the history they were saved with. */
#include "host_calls.h"
#include "node.h"
#include "saved.h"
#include "views.h"

static Tensor *unpack(Node *node, const Saved *saved) {
  if (!pwt_call_host(HOST_UNPACK, saved->host_id)) return NULL;
  Tensor *t = pwt_taken(pwt_frame[0]);
  if (t->dtype != saved->tensor->dtype || !pwt_same_sizes(t, saved->tensor))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "the unpack hook of a saved tensor returned a %t tensor of size %z, but %t of size %z was saved", t->dtype,
                    t->sizes, t->ndim, saved->tensor->dtype, saved->tensor->sizes, saved->tensor->ndim);
  Node *fn = saved->is_output ? node : saved->edge.fn;
  if (!fn || !(pwt_grad_enabled || node->host_id) || !pwt_is_differentiable(t->dtype)) return t;
  Tensor *result = pwt_alias_same(t);
  if (!result) return NULL;
  pwt_node_retain(fn);
  pwt_set_grad_fn(result, fn, saved->is_output ? (uint32_t)saved->output : saved->edge.output);
  return result;
}

static void *fail_modified(Node *node, const Saved *saved) {
  Tensor *t = saved->tensor;
  const Node *fn = saved->is_output ? node : saved->outdated ? NULL : pwt_grad_fn(t);
  const char *full = saved->outdated ? saved->origin : saved->slices ? "AsStridedBackward0" : fn ? fn->name : NULL;
  int64_t output = saved->is_output ? saved->output : fn ? (int64_t)t->autograd->output : 0;
  char origin[160] = "", name[96];
  if (full) {
    pwt_operator_name(full, name, sizeof name);
    pwt_format(origin, sizeof origin, ", which is output %i of %s,", output, name);
  }
  return pwt_fail(
      PWT_RUNTIME_ERROR,
      "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.%tTensor %z]%s "
      "is at version %i; expected version %i instead. Hint: %s",
      t->dtype, t->sizes, t->ndim, origin, (int64_t)(saved->is_output ? t->storage->version : pwt_version_of(t)), (int64_t)saved->version,
      pwt_anomaly_enabled
          ? "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
            "was changed in there or anywhere later. Good luck!"
          : "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

static Tensor *with_history(Tensor *alias, Node *node, const Saved *saved) {
  if (!pwt_is_differentiable(alias->dtype)) return alias;
  if (saved->slices) return pwt_view_through(saved->slices, alias);
  Tensor *result = pwt_alias_same(alias);
  if (!result) return NULL;
  pwt_node_retain(node);
  pwt_set_grad_fn(result, node, (uint32_t)saved->output);
  return result;
}

Tensor *pwt_unpack(Node *node, int slot) {
  const Saved *saved = &node->saved[slot];
  if (saved->released) return pwt_fail_released();
  Tensor *t = saved->tensor;
  if (!t) return NULL;
  if (saved->host_id) return unpack(node, saved);
  if (!saved->is_output && !saved->outdated && saved->had_history && !t->autograd->grad_fn)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                    "supported, please use out-of-place `.detach()` instead");
  /* The alias of an output has a version of its own where the output had. */
  uint32_t version = saved->is_output ? t->storage->version : pwt_version_of(t);
  if (saved->outdated || version != saved->version) return fail_modified(node, saved);
  if (saved->is_output && (pwt_grad_enabled || node->host_id)) return with_history(t, node, saved);
  return t;
}
