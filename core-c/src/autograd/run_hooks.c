/* Running hooks: a hook may replace a gradient. */
#include "run_hooks.h"

#include "accumulate.h"
#include "hooks.h"
#include "host_calls.h"
#include "ops.h"

static void replace(Tensor **at, Tensor *with) {
  Tensor *before = *at;
  *at = pwt_retain(with);
  pwt_release(before);
}

static bool run_tensor_hook(const HookEntry *hook, Tensor **grad) {
  pwt_frame[0] = (int64_t)(uintptr_t)pwt_retain(*grad);
  if (!pwt_call_host(HOST_TENSOR_HOOK, hook->id)) return false;
  replace(grad, pwt_taken(pwt_frame[0]));
  return true;
}

static bool retain_gradient(const HookEntry *hook, Tensor *grad) {
  if (!grad || !hook->retained) return true;
  Autograd *a = hook->retained->autograd;
  Tensor *sum = a->grad ? pwt_add(a->grad, grad, pwt_scalar_int(1)) : pwt_clone(grad, -1);
  if (!sum) return false;
  replace(&a->grad, sum);
  return true;
}

bool pwt_run_tensor_hooks(Node *node, Tensor **grads) {
  HookEntry *list = node->hooks;
  if (pwt_is_accumulator(node)) list = pwt_accumulator_variable(node)->autograd->hooks;
  for (HookEntry *hook = list; hook; hook = hook->next)
    if (hook->kind == HOOK_TENSOR && !run_tensor_hook(hook, &grads[hook->output])) return false;
  for (HookEntry *hook = node->hooks; hook; hook = hook->next)
    if (hook->kind == HOOK_RETAIN && !retain_gradient(hook, grads[hook->output])) return false;
  return true;
}

static bool run_node_hook(HostCall kind, int32_t id, Tensor **changed, int count, Tensor **seen, int seen_count) {
  if (!pwt_frame_give(0, changed, count)) return false;
  if (kind == HOST_NODE_POSTHOOK && !pwt_frame_give(pwt_frame_end(0), seen, seen_count)) return false;
  if (!pwt_call_host(kind, id)) return false;
  if (pwt_frame[0] != count) return true; /* -1: None, everything stays */
  const int64_t *handles = pwt_frame_items(0);
  for (int i = 0; i < count; i++) replace(&changed[i], pwt_taken(handles[i]));
  return true;
}

bool pwt_run_node_prehooks(Node *node, Tensor **grads) {
  for (HookEntry *hook = node->hooks; hook; hook = hook->next)
    if (hook->kind == HOOK_NODE_PRE && !run_node_hook(HOST_NODE_PREHOOK, hook->id, grads, node->output_count, NULL, 0))
      return false;
  return true;
}

bool pwt_run_node_posthooks(Node *node, Tensor **grad_inputs, Tensor **grad_outputs) {
  for (HookEntry *hook = node->hooks; hook; hook = hook->next)
    if (hook->kind == HOOK_NODE_POST && !run_node_hook(HOST_NODE_POSTHOOK, hook->id, grad_inputs, node->edge_count, grad_outputs,
                                                       node->output_count))
      return false;
  return true;
}
