/* What the files of this folder share. */
#pragma once
#include "autograd.h"
#include "host.h"

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

/* ---- node.c ---- */
void *pwt_block_new(int64_t bytes); /* zeroed; from a list of spares where possible */
void pwt_block_free(void *block, int64_t bytes);
bool pwt_node_set_outputs(Node *node, Tensor *const *results, int count);
void pwt_node_release_saved(Node *node);
void pwt_operator_name(const char *full, char *name, int64_t capacity); /* AddBackward0 -> Add */

/* ---- saved.c ---- */
void pwt_drop_saved(Saved *saved);
void pwt_outdate_saves(Tensor *root); /* after a change in place of root or of a view of it */
void pwt_forget_saves(Saved *list);   /* as the tensor dies */
void *pwt_fail_released(void);

/* ---- history.c ---- */
/* Gives `t` a history of which the caller's reference becomes its own; moves retain_grad() along. */
void pwt_set_grad_fn(Tensor *t, Node *fn, uint32_t output);

/* ---- accumulate.c ---- */
Node *pwt_accumulator(Tensor *leaf); /* the caller owns it */
bool pwt_is_accumulator(const Node *node);
Tensor *pwt_accumulator_variable(const Node *node);

/* ---- gradients.c ---- */
bool pwt_nobody_else_holds(const Tensor *t);
/* `grad` in the size and dtype of `meta`; `name` and `index` go into messages. */
Tensor *pwt_validate_gradient(Tensor *grad, const OutputMeta *meta, const char *name, int index);
/* a + b, in a's memory where `a` is the caller's alone and no graph is being created. */
Tensor *pwt_add_gradients(Tensor *a, Tensor *b);
Tensor *pwt_copy_into(Tensor *to, Tensor *from); /* differentiable; returns `to` */
bool pwt_has_nan(Tensor *t);

/* ---- hooks.c ---- */
HookEntry *pwt_find_hook(HookEntry *list, HookKind kind, int32_t output);
HookEntry *pwt_add_hook(HookEntry **list, HookKind kind, int32_t output, int32_t id);
/* Has the node store the gradient of its output in t; what did so before stops. */
bool pwt_retain_at(Tensor *t, Node *node, uint32_t output);
void pwt_free_hooks(HookEntry *list);
HookEntry **pwt_tensor_hooks(Tensor *t, int32_t *output); /* where the hooks of t's gradient are kept */
/* Each replaces owned gradients in place; false: the host raised. */
bool pwt_run_tensor_hooks(Node *node, Tensor **grads);
bool pwt_run_node_prehooks(Node *node, Tensor **grads);
bool pwt_run_node_posthooks(Node *node, Tensor **grad_inputs, Tensor **grad_outputs);
bool pwt_run_post_accumulate_hooks(Tensor *leaf);
bool pwt_call_host(HostCall kind, int32_t id);
void pwt_host_release(int32_t id);
int64_t pwt_frame_give(int64_t slot, Tensor *const *tensors, int64_t count); /* count and handles; returns the next slot */
Tensor *pwt_frame_take(int64_t slot); /* a handle that the host left; NULL for 0 */

/* ---- views.c ---- */
Tensor *pwt_view_through(Node *slices, Tensor *view); /* what was written to a view, as the view of its base's new history */
void pwt_rebase_view(Tensor *view, Node *node); /* `node` (whose reference it takes) wrote to `view` */
