/* Operators by which Python reads and changes the graph: _backward, requires_grad_, detach_, grad_fn and others. */
#include "accumulate.h"
#include "function.h"
#include "hooks.h"
#include "ops.h"
#include "saved.h"

/* ---- tensors ---- */
bool pwt_kernel__detach_(Tensor *self) { return pwt_detach_inplace(self) != NULL; }

static bool refuse(const char *what) {
  pwt_fail(PWT_RUNTIME_ERROR, "%s", what);
  return false;
}

static const char only_leaves[] =
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that "
    "doesn't require differentiation use var_no_grad = var.detach().";

bool pwt_kernel__requires_grad_(Tensor *self, bool requires_grad) {
  if (requires_grad && !pwt_is_differentiable(self->dtype))
    return refuse("only Tensors of floating point dtype can require gradients");
  if (pwt_is_leaf(self)) return pwt_set_requires_grad(self, requires_grad);
  return requires_grad || refuse(only_leaves);
}

bool pwt_kernel__set_requires_grad(Tensor *self, bool requires_grad) {
  if (pwt_is_leaf(self)) return pwt_set_requires_grad(self, requires_grad);
  return refuse(requires_grad ? "you can only change requires_grad flags of leaf variables." : only_leaves);
}

bool pwt_kernel__retain_grad(Tensor *self) { return pwt_retain_grad(self); }
bool pwt_kernel__requires_grad(Tensor *self) { return pwt_requires_grad(self); }
bool pwt_kernel__is_leaf(Tensor *self) { return !pwt_grad_fn(self); }
bool pwt_kernel__retains_grad(Tensor *self) { return self->autograd && self->autograd->retains_grad; }
bool pwt_kernel__is_inference(Tensor *self) { return self->flags & TENSOR_INFERENCE; }
bool pwt_kernel__is_view(Tensor *self) { return self->autograd && self->autograd->base; }
Tensor *pwt_kernel__base(Tensor *self) { return self->autograd ? pwt_own(pwt_retain(self->autograd->base)) : NULL; }
Tensor *pwt_kernel__grad(Tensor *self) { return self->autograd ? pwt_own(pwt_retain(self->autograd->grad)) : NULL; }
bool pwt_kernel__set_grad(Tensor *self, Tensor *grad) { return pwt_set_grad(self, grad); }
bool pwt_kernel__set_data(Tensor *self, Tensor *data) { return pwt_set_data(self, data); }

/* self gets the geometry and the history of a view of itself: what transpose_() and its like do */
bool pwt_kernel__take_shape(Tensor *self, Tensor *view) {
  bool records = pwt_grad_enabled && pwt_requires_grad(self);
  if (!pwt_check_inplace_recording(self, records)) return false;
  pwt_swap_data(self, view);
  pwt_bump_version(self);
  Node *fn = records && view->autograd ? view->autograd->grad_fn : NULL;
  if (fn) {
    pwt_node_retain(fn);
    pwt_set_grad_fn(self, fn, view->autograd->output);
    pwt_outdate_saves(self);
  } else if (self->autograd) {
    self->autograd->view_version = self->storage->version;
  }
  return !pwt_failed();
}

Tensor *pwt_kernel__data(Tensor *self) {
  Tensor *data = pwt_alias_same(self);
  if (data) data->flags |= TENSOR_UNTRACKED;
  return data;
}

int64_t pwt_kernel__output_nr(Tensor *self) { return pwt_grad_fn(self) ? self->autograd->output : 0; }

/* ---- running ---- */
TensorList pwt_kernel__backward(TensorList roots, TensorList gradients, bool retain_graph, bool create_graph, TensorList inputs,
                                bool accumulate, bool allow_unused) {
  TensorList results = pwt_list_new(accumulate ? 0 : PWT_MAX(inputs.count, 0));
  bool good = pwt_backward(roots, gradients, retain_graph, create_graph, inputs, accumulate, allow_unused, results.items);
  return good ? results : (TensorList){NULL, 0};
}

bool pwt_kernel__reaches_other_leaves(TensorList roots, TensorList known) { return pwt_reaches_other_leaves(roots, known); }

bool pwt_kernel__close_leaf(Tensor *self) {
  self->flags |= TENSOR_CLOSED;
  return true;
}

static bool exchange(bool *mode, bool with) {
  bool before = *mode;
  *mode = with;
  return before;
}

/* inference_mode records nothing, whatever enable_grad says inside it */
bool pwt_kernel__set_grad_enabled(bool enabled) { return exchange(&pwt_grad_enabled, enabled && !pwt_inference_enabled); }
bool pwt_kernel__is_grad_enabled(void) { return pwt_grad_enabled; }
bool pwt_kernel__set_inference_mode(bool enabled) { return exchange(&pwt_inference_enabled, enabled); }
bool pwt_kernel__is_inference_mode(void) { return pwt_inference_enabled; }

bool pwt_kernel__bump_version(Tensor *self) {
  pwt_bump_version(self);
  return true;
}

bool pwt_kernel__set_saved_hooks(bool enabled) { return exchange(&pwt_saved_hooks, enabled); }

bool pwt_kernel__set_anomaly_mode(bool enabled, bool check_nan) {
  pwt_anomaly_checks_nan = check_nan;
  return exchange(&pwt_anomaly_enabled, enabled);
}

/* ---- nodes ---- */
static Node *node_at(int64_t address) {
  Node *node = (Node *)(uintptr_t)address;
  if (node && node->magic == PWT_NODE_MAGIC) return node;
  return pwt_fail(PWT_RUNTIME_ERROR, "not a node of the graph: %i", address);
}

static int64_t given_out(Node *node) {
  pwt_node_retain(node);
  return (int64_t)(uintptr_t)node;
}

int64_t pwt_kernel__grad_fn(Tensor *self) { return given_out(pwt_grad_fn(self)); }

int64_t pwt_kernel__gradient_edge(Tensor *self) {
  uint32_t output;
  return (int64_t)(uintptr_t)pwt_gradient_edge(self, &output);
}

Tensor *pwt_kernel__node_name(int64_t address) {
  const Node *node = node_at(address);
  if (!node) return NULL;
  int64_t length = 0;
  while (node->name[length]) length++;
  Tensor *name = pwt_new(1, &length, PWT_UINT8);
  if (name) pwt_copy_bytes(pwt_data(name), node->name, length);
  return name;
}

Tensor *pwt_kernel__node_edges(int64_t address) {
  const Node *node = node_at(address);
  if (!node) return NULL;
  Tensor *edges = pwt_new(2, (int64_t[]){node->edge_count, 2}, PWT_INT64);
  if (!edges) return NULL;
  int64_t *rows = pwt_data(edges);
  for (int i = 0; i < node->edge_count; i++) {
    rows[2 * i] = given_out(node->edges[i].fn);
    rows[2 * i + 1] = node->edges[i].output;
  }
  return edges;
}

int64_t pwt_kernel__node_sequence(int64_t address) {
  const Node *node = node_at(address);
  return node ? (int64_t)node->sequence : 0;
}

int64_t pwt_kernel__node_host_id(int64_t address) {
  const Node *node = node_at(address);
  return node ? node->host_id : 0;
}

TensorList pwt_kernel__node_saved(int64_t address) {
  Node *node = node_at(address);
  if (!node) return (TensorList){NULL, 0};
  TensorList saved = pwt_list_new(node->saved_count);
  for (int64_t i = 0; i < saved.count && !pwt_failed(); i++) saved.items[i] = pwt_unpack(node, (int)i);
  return saved;
}

Tensor *pwt_kernel__node_variable(int64_t address) {
  const Node *node = node_at(address);
  return node && pwt_is_accumulator(node) ? pwt_own(pwt_retain(pwt_accumulator_variable(node))) : NULL;
}

/* what stands for an edge where a tensor is asked for its own: the leaf, or something of the output's size */
Tensor *pwt_kernel__edge_tensor(int64_t address, int64_t output) {
  Node *node = node_at(address);
  if (!node || pwt_is_accumulator(node)) return node ? pwt_kernel__node_variable(address) : NULL;
  if (output < 0 || output >= node->output_count) return pwt_fail(PWT_INDEX_ERROR, "%s has %d outputs, but the edge names output %i", node->name, node->output_count, output);
  const OutputMeta *meta = &node->outputs[output];
  const int64_t strides[PWT_MAX_DIMS] = {0};
  pwt_on_meta = meta->on_meta;
  Tensor *number = pwt_new_zeros(0, NULL, (DType)meta->dtype), *result = number ? pwt_alias(number, meta->ndim, meta->sizes, strides, 0) : NULL;
  if (!result) return NULL;
  pwt_node_retain(node);
  pwt_set_grad_fn(result, node, (uint32_t)output);
  return result;
}

TensorList pwt_kernel__node_call(int64_t address, TensorList gradients) {
  Node *node = node_at(address);
  if (!node) return (TensorList){NULL, 0};
  if (gradients.count != node->output_count) {
    pwt_fail(PWT_TYPE_ERROR, "%s expects %d gradients, got %i", node->name, node->output_count, gradients.count);
    return (TensorList){NULL, 0};
  }
  TensorList results = pwt_list_new(node->edge_count);
  if (results.items) node->kind->backward(node, gradients.items, results.items);
  return results;
}

int64_t pwt_kernel__running_pass(void) { return pwt_running_pass(); }

bool pwt_kernel__node_will_run(int64_t address) {
  const Node *node = node_at(address);
  return node && pwt_will_run(node);
}

bool pwt_kernel__node_release(int64_t address) {
  Node *node = node_at(address);
  pwt_node_release(node);
  return node != NULL;
}

/* ---- hooks ---- */
static int64_t hooks_of(HookEntry **list, int64_t kind, int32_t output, int64_t id) {
  HookEntry *hook = pwt_find_hook(*list, (HookKind)kind, output);
  if (!hook && id) hook = pwt_add_hook(list, (HookKind)kind, output, (int32_t)id);
  return hook ? hook->id : 0;
}

int64_t pwt_kernel__tensor_hooks(Tensor *self, int64_t kind, int64_t id) {
  if (!pwt_requires_grad(self)) {
    pwt_fail(PWT_RUNTIME_ERROR, "cannot register a hook on a tensor that doesn't require gradient");
    return 0;
  }
  if (kind == HOOK_POST_ACCUMULATE && pwt_grad_fn(self)) {
    pwt_fail(PWT_RUNTIME_ERROR, "post accumulate grad hooks cannot be registered on non-leaf tensors");
    return 0;
  }
  int32_t output;
  HookEntry **list = pwt_tensor_hooks(self, &output);
  return list ? hooks_of(list, kind, output, id) : 0;
}

int64_t pwt_kernel__node_hooks(int64_t address, int64_t kind, int64_t id) {
  Node *node = node_at(address);
  return node ? hooks_of(&node->hooks, kind, 0, id) : 0;
}

/* ---- custom Functions ---- */
TensorList pwt_kernel__function_record(const char *name, TensorList inputs, TensorList outputs, TensorList dirty,
                                       TensorList non_differentiable, TensorList saved, int64_t id, bool records,
                                       bool materialize) {
  return pwt_function_record(&(FunctionCall){name, inputs, outputs, dirty, non_differentiable, saved, (int32_t)id, records,
                                             materialize});
}

TensorList pwt_kernel__delayed_error(TensorList tensors, const char *message) { return pwt_delayed_error(tensors, message); }
