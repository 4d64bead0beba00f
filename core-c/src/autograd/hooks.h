/* Lists of hooks on nodes and leaves. */
#pragma once
#include "autograd.h"

typedef enum {
  HOOK_TENSOR,          /* on the gradient of one output of a node, or of a leaf */
  HOOK_RETAIN,          /* retain_grad(): stores the gradient of one output in `retained` */
  HOOK_NODE_PRE,        /* on all incoming gradients of a node */
  HOOK_NODE_POST,       /* on what a node computed */
  HOOK_POST_ACCUMULATE, /* after the gradient of a leaf changed */
  HOOK_TRACE,           /* anomaly mode: where the operator was called */
} HookKind;

/* The host keeps all hooks of one kind on one output together; `id` names that collection. */
struct HookEntry {
  HookEntry *next;
  HookKind kind;
  int32_t output, id;
  Tensor *retained; /* not owned; NULL: the tensor is gone, or has a newer hook */
};

HookEntry *pwt_find_hook(HookEntry *list, HookKind kind, int32_t output);
HookEntry *pwt_add_hook(HookEntry **list, HookKind kind, int32_t output, int32_t id);
/* Has the node store the gradient of its output in t; what did so before stops. */
bool pwt_retain_at(Tensor *t, Node *node, uint32_t output);
void pwt_free_hooks(HookEntry *list);
HookEntry **pwt_tensor_hooks(Tensor *t, int32_t *output); /* where the hooks of t's gradient are kept */
