/* AccumulateGrad: the node that adds a gradient to a leaf's .grad. */
#include "accumulate.h"

#include "gradients.h"
#include "hooks.h"
#include "host_calls.h"
#include "node.h"
#include "ops.h"

typedef struct {
  Node node;
  Tensor *variable; /* owned */
} AccumulateNode;

/* torch's layout contract: .grad has the strides of a dense leaf, and is contiguous otherwise. */
static bool is_dense(const Tensor *t) {
  if (t->contiguous) return true;
  int64_t reach = 1;
  for (int i = 0; i < t->ndim; i++) reach += (t->sizes[i] - 1) * t->strides[i];
  return reach == t->numel && !pwt_overlaps_itself(t);
}

static bool has_layout_of(const Tensor *grad, const Tensor *variable) {
  if (!is_dense(variable)) return grad->contiguous;
  for (int i = 0; i < grad->ndim; i++)
    if (grad->sizes[i] != 1 && grad->strides[i] != variable->strides[i]) return false;
  return true;
}

static Tensor *copy_in_layout_of(Tensor *grad, const Tensor *variable) {
  bool same = pwt_same_sizes(grad, variable) && is_dense(variable);
  Tensor *copy = same ? pwt_new_strided(grad->ndim, grad->sizes, variable->strides, grad->dtype)
                      : pwt_new(grad->ndim, grad->sizes, grad->dtype);
  return pwt_copy_into(copy, grad);
}

static Tensor *first_gradient(Tensor *grad, const Tensor *variable) {
  bool steal = !pwt_grad_enabled && pwt_nobody_else_holds(grad) && pwt_same_sizes(grad, variable) &&
               has_layout_of(grad, variable);
  if (!steal) return copy_in_layout_of(grad, variable);
  return grad->autograd ? pwt_alias_same(grad) : grad;
}

static Tensor *next_gradient(Tensor *held, Tensor *grad) {
  if (pwt_grad_enabled) return pwt_add(held, grad, pwt_scalar_int(1));
  return pwt_add_(held, grad, pwt_scalar_int(1));
}

static bool run_post_accumulate_hooks(Tensor *leaf) {
  HookEntry *hook = pwt_find_hook(leaf->autograd->hooks, HOOK_POST_ACCUMULATE, 0);
  if (!hook) return true;
  pwt_frame[0] = (int64_t)(uintptr_t)pwt_retain(leaf);
  return pwt_call_host(HOST_POST_ACCUMULATE_HOOK, hook->id);
}

static void accumulate(Node *node, Tensor **grad_outputs, Tensor **grad_inputs) {
  (void)grad_inputs;
  Tensor *variable = ((AccumulateNode *)node)->variable, *grad = grad_outputs[0];
  if (!grad || !pwt_requires_grad(variable) || (variable->flags & TENSOR_CLOSED)) return;
  Tensor *held = variable->autograd->grad;
  Tensor *result = held ? next_gradient(held, grad) : first_gradient(grad, variable);
  if (!result) return;
  if (result != held) {
    variable->autograd->grad = pwt_retain(result);
    pwt_release(held);
  }
  run_post_accumulate_hooks(variable);
}

static void destroy(Node *node) {
  Tensor *variable = ((AccumulateNode *)node)->variable;
  variable->autograd->accumulator = NULL;
  pwt_release(variable);
}

static const NodeKind accumulate_kind = {.name = "torch::autograd::AccumulateGrad", .backward = accumulate, .destroy = destroy};

bool pwt_is_accumulator(const Node *node) { return node->kind == &accumulate_kind; }
Tensor *pwt_accumulator_variable(const Node *node) { return ((const AccumulateNode *)node)->variable; }

Node *pwt_accumulator(Tensor *leaf) {
  Autograd *a = pwt_autograd_of(leaf);
  if (!a) return NULL;
  if (a->accumulator) {
    pwt_node_retain(a->accumulator);
    return a->accumulator;
  }
  AccumulateNode *node = (AccumulateNode *)pwt_node_new(&accumulate_kind, sizeof *node, 0, 0);
  if (!node) return NULL;
  node->node.sequence = UINT64_MAX; /* runs as soon as it is ready */
  node->variable = pwt_retain(leaf);
  a->accumulator = &node->node;
  pwt_node_set_outputs(&node->node, &leaf, 1);
  return &node->node;
}
