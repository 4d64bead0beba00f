/* Custom Functions: records the node of a forward's results; the backward calls the host. */
#include "function.h"

#include "hooks.h"
#include "host_calls.h"
#include "node.h"
#include "saved.h"
#include "views.h"

typedef struct {
  Node node;
  NodeKind kind;
  bool materialize;
  char name[];
} FunctionNode;

static void function_backward(Node *node, Tensor **grad_outputs, Tensor **grad_inputs) {
  FunctionNode *self = (FunctionNode *)node;
  pwt_frame[0] = (int64_t)(uintptr_t)node;
  int64_t *handles = pwt_frame_place(1, node->output_count);
  if (!handles) return;
  for (int i = 0; i < node->output_count; i++) {
    const OutputMeta *meta = &node->outputs[i];
    Tensor *grad = grad_outputs[i];
    if (!grad && self->materialize) grad = pwt_new_zeros(meta->ndim, meta->sizes, meta->dtype);
    handles[i] = (int64_t)(uintptr_t)pwt_retain(grad);
  }
  if (!pwt_call_host(HOST_FUNCTION_BACKWARD, node->host_id)) return;
  int64_t count = pwt_frame[0];
  const int64_t *left = pwt_frame_items(0);
  for (int64_t i = 0; i < count; i++) {
    Tensor *taken = pwt_taken(left[i]);
    if (i < node->edge_count) grad_inputs[i] = taken;
  }
  if (count != node->edge_count)
    pwt_fail(PWT_RUNTIME_ERROR, "function %s returned an incorrect number of gradients (expected %d, got %i)", self->name,
             node->edge_count, count);
}

static int64_t length_of(const char *text) {
  int64_t n = 0;
  while (text[n]) n++;
  return n;
}

static FunctionNode *function_node_new(const FunctionCall *call) {
  int64_t length = length_of(call->name);
  FunctionNode *self = (FunctionNode *)pwt_node_new(NULL, (int64_t)sizeof *self + length + 1, (int)call->inputs.count,
                                                    (int)call->saved.count);
  if (!self) return NULL;
  pwt_copy_bytes(self->name, call->name, length + 1);
  self->kind = (NodeKind){.name = self->name, .backward = function_backward, .keeps_undefined = true};
  self->node.kind = &self->kind;
  self->node.name = self->name;
  self->materialize = call->materialize;
  for (int64_t i = 0; i < call->inputs.count; i++) pwt_set_edge(&self->node, (int)i, call->inputs.items[i]);
  return self;
}

static int64_t position_in(TensorList list, const Tensor *t) {
  for (int64_t i = 0; i < list.count; i++)
    if (list.items[i] == t) return i;
  return -1;
}

static bool is_in(TensorList list, const Tensor *t) { return position_in(list, t) >= 0; }

static bool is_view(const Tensor *t) { return t->autograd && t->autograd->base; }

/* An input that a forward returns as it is must not take over the input's place in the graph. */
static Tensor *view_of_input(Tensor *input) {
  Tensor *view = pwt_alias_same(input);
  bool grad_mode = pwt_grad_enabled;
  pwt_grad_enabled = false;
  pwt_mark_view(view, input, false);
  pwt_grad_enabled = grad_mode;
  return view;
}

static Tensor *without_history(Tensor *t, bool is_input, bool is_dirty) {
  if (!pwt_requires_grad(t)) return is_input && !is_dirty ? view_of_input(t) : t;
  if (is_input) return pwt_alias_same(t);
  return is_view(t) ? t : pwt_detach_inplace(t);
}

static bool check_dirty(Tensor *t, int64_t output_count) {
  if (pwt_requires_grad(t) && pwt_is_leaf(t)) {
    pwt_fail(PWT_RUNTIME_ERROR, "a leaf Variable that requires grad has been used in an in-place operation.");
    return false;
  }
  if (is_view(t) && output_count > 1) {
    pwt_fail(PWT_RUNTIME_ERROR,
             "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
             "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
             "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
             "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
             "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.");
    return false;
  }
  return !pwt_failed();
}

static bool check_dirty_returned(const FunctionCall *call) {
  for (int64_t i = 0; i < call->dirty.count; i++) {
    pwt_bump_version(call->dirty.items[i]);
    if (is_in(call->outputs, call->dirty.items[i])) continue;
    pwt_fail(PWT_RUNTIME_ERROR, "Some elements marked as dirty during the forward method were not returned as output. The "
                                "inputs that are modified inplace must all be outputs of the Function.");
    return false;
  }
  return true;
}

static bool is_differentiable(const FunctionCall *call, const Tensor *t) {
  return call->records && pwt_is_differentiable(t->dtype) && !is_in(call->non_differentiable, t);
}

/* What the call returns at position i, still without the new history. */
static Tensor *returned(const FunctionCall *call, int64_t i) {
  Tensor *t = call->outputs.items[i];
  bool is_input = is_in(call->inputs, t), is_dirty = is_in(call->dirty, t);
  if (!is_differentiable(call, t)) return without_history(t, is_input, is_dirty);
  if (is_dirty) return check_dirty(t, call->outputs.count) ? t : NULL;
  return is_input ? view_of_input(t) : t;
}

static void forget_gradient(Tensor *t) {
  Autograd *a = t->autograd;
  if (!a) return;
  pwt_release(a->grad);
  pwt_free_hooks(a->hooks);
  a->grad = NULL;
  a->hooks = NULL;
}

static void record_output(const FunctionCall *call, Node *node, Tensor *result, int64_t i) {
  bool is_dirty = is_in(call->dirty, call->outputs.items[i]);
  if (is_dirty) forget_gradient(result);
  pwt_node_retain(node);
  if (is_dirty && is_view(result)) pwt_rebase_view(result, node);
  else pwt_set_grad_fn(result, node, (uint32_t)i);
  if (is_dirty && !is_view(result)) pwt_outdate_saves(result);
}

static void save_all(const FunctionCall *call, Node *node) {
  for (int64_t i = 0; i < call->saved.count; i++) {
    Tensor *t = call->saved.items[i];
    int64_t output = t ? position_in(call->outputs, t) : -1;
    bool is_new = output >= 0 && is_differentiable(call, t) && (!is_in(call->inputs, t) || is_in(call->dirty, t));
    if (is_new) pwt_save_output(node, (int)i, t, (int)output);
    else pwt_save(node, (int)i, t);
  }
}

TensorList pwt_function_record(const FunctionCall *call) {
  const TensorList none = {NULL, 0};
  pwt_changes++;
  if (!check_dirty_returned(call)) return none;
  int64_t count = call->outputs.count, differentiable = 0;
  TensorList results = pwt_list_new(count);
  for (int64_t i = 0; i < results.count; i++) {
    results.items[i] = returned(call, i);
    if (!results.items[i]) return none;
    differentiable += is_differentiable(call, call->outputs.items[i]);
  }
  FunctionNode *self = call->records ? function_node_new(call) : NULL;
  if (self) {
    save_all(call, &self->node);
    if (pwt_node_set_outputs(&self->node, results.items, (int)count)) {
      self->node.host_id = call->host_id;
      for (int64_t i = 0; i < count; i++)
        if (is_differentiable(call, call->outputs.items[i])) record_output(call, &self->node, results.items[i], i);
    }
    pwt_node_release(&self->node);
  }
  for (int64_t i = 0; i < count; i++) {
    Tensor *t = call->outputs.items[i], *result = results.items[i];
    if (is_view(result) && !(is_in(call->inputs, t) && is_in(call->dirty, t)))
      result->autograd->creation = differentiable > 1 ? CREATED_BY_MULTI_OUTPUT : CREATED_IN_CUSTOM_FUNCTION;
  }
  return pwt_failed() ? none : results;
}

/* ---- an error that waits for a backward pass ---- */
typedef struct {
  Node node;
  char message[];
} ErrorNode;

static void error_backward(Node *node, Tensor **grad_outputs, Tensor **grad_inputs) {
  (void)grad_outputs, (void)grad_inputs;
  pwt_fail(PWT_RUNTIME_ERROR, "%s", ((ErrorNode *)node)->message);
}

static const NodeKind error_kind = {.name = "torch::autograd::Error", .backward = error_backward, .keeps_undefined = true};

TensorList pwt_delayed_error(TensorList tensors, const char *message) {
  int64_t length = length_of(message);
  TensorList results = pwt_list_new(tensors.count);
  ErrorNode *self = (ErrorNode *)pwt_node_new(&error_kind, (int64_t)sizeof *self + length + 1, 0, 0);
  if (!self) return (TensorList){NULL, 0};
  pwt_copy_bytes(self->message, message, length + 1);
  for (int64_t i = 0; i < results.count; i++)
    results.items[i] = tensors.items[i] ? pwt_alias_same(tensors.items[i]) : NULL;
  pwt_set_history(results.items, (int)results.count, &self->node);
  return results;
}
