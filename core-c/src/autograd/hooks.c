/* Hooks: what the host wants to see or change of a gradient on its way. */
#include "internal.h"
#include "ops.h"

HookEntry *pwt_find_hook(HookEntry *list, HookKind kind, int32_t output) {
  for (; list; list = list->next)
    if (list->kind == kind && list->output == output) return list;
  return NULL;
}

HookEntry *pwt_add_hook(HookEntry **list, HookKind kind, int32_t output, int32_t id) {
  HookEntry *hook = pwt_block_new(sizeof *hook);
  if (!hook) return NULL;
  *hook = (HookEntry){.kind = kind, .output = output, .id = id};
  while (*list) list = &(*list)->next;
  return *list = hook;
}

void pwt_free_hooks(HookEntry *list) {
  while (list) {
    HookEntry *next = list->next;
    if (list->id) pwt_host_release(list->id);
    if (list->retained) list->retained->autograd->retain = NULL;
    pwt_block_free(list, sizeof *list);
    list = next;
  }
}

bool pwt_retain_at(Tensor *t, Node *node, uint32_t output) {
  Autograd *a = t->autograd;
  HookEntry *hook = pwt_add_hook(&node->hooks, HOOK_RETAIN, (int32_t)output, 0);
  if (!hook) return false;
  if (a->retain) a->retain->retained = NULL;
  a->retain = hook;
  hook->retained = t;
  return true;
}

HookEntry **pwt_tensor_hooks(Tensor *t, int32_t *output) {
  Node *fn = pwt_grad_fn(t);
  *output = fn ? (int32_t)t->autograd->output : 0;
  if (fn) return &fn->hooks;
  return !pwt_failed() && pwt_autograd_of(t) ? &t->autograd->hooks : NULL;
}

/* ---- the host's side ---- */
bool pwt_call_host(HostCall kind, int32_t id) {
  if (pwt_host_call(kind, id) == 0) return true;
  pwt_clear_error();
  pwt_fail(PWT_HOST_ERROR, "the host raised");
  return false;
}

/* May run while an error is on its way out, which it must not disturb. */
void pwt_host_release(int32_t id) {
  if (!pwt_failed()) {
    pwt_host_call(HOST_RELEASE, id);
    return;
  }
  ErrorState state = pwt_error_state;
  pwt_host_call(HOST_RELEASE, id);
  pwt_error_state = state;
}

int64_t pwt_frame_give(int64_t slot, Tensor *const *tensors, int64_t count) {
  pwt_frame[slot++] = count;
  for (int64_t i = 0; i < count; i++) pwt_frame[slot++] = (int64_t)(uintptr_t)pwt_retain(tensors[i]);
  return slot;
}

Tensor *pwt_frame_take(int64_t slot) {
  Tensor *t = (Tensor *)(uintptr_t)pwt_frame[slot];
  return pwt_own(pwt_retain(t));
}

static bool fits_frame(const Node *node) {
  if (2 + (int64_t)node->edge_count + node->output_count <= PWT_FRAME_SLOTS) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%s has too many inputs and outputs for a hook: %d", node->name,
           node->edge_count + node->output_count);
  return false;
}

static void replace(Tensor **at, Tensor *with) {
  Tensor *before = *at;
  *at = pwt_retain(with);
  pwt_release(before);
}

/* ---- running hooks ---- */
static bool run_tensor_hook(const HookEntry *hook, Tensor **grad) {
  pwt_frame[0] = (int64_t)(uintptr_t)pwt_retain(*grad);
  if (!pwt_call_host(HOST_TENSOR_HOOK, hook->id)) return false;
  replace(grad, pwt_frame_take(0));
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

static bool run_node_hook(Node *node, HostCall kind, int32_t id, Tensor **changed, int count, Tensor **seen, int seen_count) {
  if (!fits_frame(node)) return false;
  int64_t slot = pwt_frame_give(0, changed, count);
  if (kind == HOST_NODE_POSTHOOK) pwt_frame_give(slot, seen, seen_count);
  if (!pwt_call_host(kind, id)) return false;
  if (pwt_frame[0] != count) return true; /* -1: None, everything stays */
  for (int i = 0; i < count; i++) replace(&changed[i], pwt_frame_take(1 + i));
  return true;
}

bool pwt_run_node_prehooks(Node *node, Tensor **grads) {
  for (HookEntry *hook = node->hooks; hook; hook = hook->next)
    if (hook->kind == HOOK_NODE_PRE && !run_node_hook(node, HOST_NODE_PREHOOK, hook->id, grads, node->output_count, NULL, 0))
      return false;
  return true;
}

bool pwt_run_node_posthooks(Node *node, Tensor **grad_inputs, Tensor **grad_outputs) {
  for (HookEntry *hook = node->hooks; hook; hook = hook->next)
    if (hook->kind == HOOK_NODE_POST && !run_node_hook(node, HOST_NODE_POSTHOOK, hook->id, grad_inputs, node->edge_count,
                                                       grad_outputs, node->output_count))
      return false;
  return true;
}

bool pwt_run_post_accumulate_hooks(Tensor *leaf) {
  HookEntry *hook = pwt_find_hook(leaf->autograd->hooks, HOOK_POST_ACCUMULATE, 0);
  if (!hook) return true;
  pwt_frame[0] = (int64_t)(uintptr_t)pwt_retain(leaf);
  return pwt_call_host(HOST_POST_ACCUMULATE_HOOK, hook->id);
}
