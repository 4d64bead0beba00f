/* Lists of hooks on nodes and leaves. */
#include "hooks.h"

#include "blocks.h"
#include "host_calls.h"

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
