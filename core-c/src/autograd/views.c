/* Views and in-place operators: rebasing the history of a base and its views. */
#include "views.h"

#include "gradients.h"
#include "node.h"
#include "ops.h"
#include "saved.h"

void pwt_mark_view(Tensor *view, Tensor *source, bool multi_output) {
  if (!view || !source || (source->flags & TENSOR_INFERENCE)) return;
  view->flags &= (uint8_t)~TENSOR_INFERENCE;
  Autograd *a = pwt_autograd_of(view);
  if (!a) return;
  const Autograd *from = source->autograd;
  Tensor *base = from && from->base ? from->base : source;
  ViewCreation creation = pwt_inference_enabled ? CREATED_IN_INFERENCE
                          : !pwt_grad_enabled   ? CREATED_IN_NO_GRAD
                          : multi_output        ? CREATED_BY_MULTI_OUTPUT
                                                : CREATED_NORMALLY;
  if (creation == CREATED_NORMALLY && base != source) creation = from->creation;
  Tensor *before = a->base;
  a->base = pwt_retain(base);
  a->creation = (uint8_t)creation;
  a->view_version = view->storage->version;
  pwt_release(before);
}

/* ---- what is refused ---- */
static const char multiple_views[] =
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place one.";
static const char custom_function[] =
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle "
    "view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. "
    "This behavior is forbidden. You can fix this by cloning the output of the custom Function.";
static const char ambiguous[] =
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
    "and the inplace either both inside the %s block (if you don't want the inplace to be tracked) or both outside (if you "
    "want the inplace to be tracked).";

/* Writing, with grad mode on, to memory that this view looks at: through the view itself or (indirect) through another. */
static bool may_rebase_view(const Tensor *view, bool indirect) {
  const Autograd *a = view->autograd;
  if (a->creation == CREATED_NORMALLY) return true;
  bool inference = a->creation == CREATED_IN_INFERENCE, no_grad = a->creation == CREATED_IN_NO_GRAD;
  const char *modified = indirect ? "its base or another view of its base has been" : "is being";
  char output[160] = "", header[400], reason[512], name[96];
  if (a->grad_fn) {
    pwt_operator_name(a->grad_fn->name, name, sizeof name);
    pwt_format(output, sizeof output, "Output %i of %s is a view%s", (int64_t)a->output, name,
               inference || no_grad ? " of a view which was" : "");
  }
  if (a->grad_fn && !inference && !no_grad)
    pwt_format(header, sizeof header, "%s and %s modified inplace.", output, modified);
  else
    pwt_format(header, sizeof header, "%s created in %s mode and %s modified inplace %s.",
               a->grad_fn ? output : "A view was", inference ? "inference" : "no_grad", modified,
               inference ? "in normal mode" : "with grad mode enabled");
  if (a->creation == CREATED_BY_MULTI_OUTPUT) pwt_format(reason, sizeof reason, "%s", multiple_views);
  else if (a->creation == CREATED_IN_CUSTOM_FUNCTION) pwt_format(reason, sizeof reason, "%s", custom_function);
  else pwt_format(reason, sizeof reason, ambiguous, inference ? "inference_mode" : "no_grad");
  pwt_fail(PWT_RUNTIME_ERROR, "%s %s", header, reason);
  return false;
}

static bool refuse(const char *what) {
  pwt_fail(PWT_RUNTIME_ERROR, "%s", what);
  return false;
}

bool pwt_check_inplace_recording(Tensor *self, bool recording) {
  if (!self) return false;
  if ((self->flags & TENSOR_INFERENCE) && !pwt_inference_enabled)
    return refuse("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
                  "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
  if (!recording) return true;
  Tensor *base = self->autograd ? self->autograd->base : NULL;
  bool requires_grad = pwt_requires_grad(self);
  if (base) {
    if (!may_rebase_view(self, false)) return false;
    if (requires_grad && pwt_is_leaf(base))
      return refuse("a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  if (requires_grad && pwt_is_leaf(self))
    return refuse("a leaf Variable that requires grad is being used in an in-place operation.");
  return !pwt_failed();
}

/* ---- a view's own history ---- */

static void cut_edge(Node *node, int index) {
  pwt_node_release(node->edges[index].fn);
  node->edges[index].fn = NULL;
}

/* The part of `whole` with this geometry. Real parts of complex tensors, and the other way round, are counted in elements of `dtype`. */
static Tensor *part_of(Tensor *whole, DType dtype, int ndim, const int64_t *sizes, const int64_t *strides, int64_t offset) {
  if (!whole) return NULL;
  if (pwt_is_complex(whole->dtype) && !pwt_is_complex(dtype)) whole = pwt_view_as_real(whole);
  if (!whole || pwt_is_complex(whole->dtype) == pwt_is_complex(dtype))
    return pwt_as_strided(whole, (IntList){sizes, ndim}, (IntList){strides, ndim}, (OptInt){true, offset});
  int64_t pairs[PWT_MAX_DIMS], steps[PWT_MAX_DIMS];
  pwt_copy_bytes(pairs, sizes, ndim * 8);
  for (int i = 0; i < ndim; i++) steps[i] = 2 * strides[i];
  pairs[ndim] = 2, steps[ndim] = 1;
  return pwt_view_as_complex(pwt_as_strided(whole, (IntList){pairs, ndim + 1}, (IntList){steps, ndim + 1}, (OptInt){true, 2 * offset}));
}

/* The view as as_strided() of its base: what its gradient flows through once the memory was written to. As in torch, that is
   also so where the base takes no part in the graph: then the gradient ends there. */
static bool replay_view(Tensor *view) {
  Tensor *base = view->autograd->base;
  int64_t mark = pwt_scope_open();
  bool grad_mode = pwt_grad_enabled, plain_base = !pwt_requires_grad(base);
  pwt_grad_enabled = true;
  if (plain_base) base->flags |= TENSOR_REQUIRES_GRAD;
  Tensor *replayed = part_of(base, (DType)view->dtype, view->ndim, view->sizes, view->strides, view->offset);
  if (plain_base) base->flags &= (uint8_t)~TENSOR_REQUIRES_GRAD;
  pwt_grad_enabled = grad_mode;
  Node *fn = replayed && replayed->autograd ? replayed->autograd->grad_fn : NULL;
  if (fn) {
    if (plain_base) cut_edge(fn, 0);
    pwt_node_retain(fn);
    pwt_set_grad_fn(view, fn, replayed->autograd->output);
  }
  pwt_scope_close(mark);
  return !pwt_failed();
}

Node *pwt_grad_fn(Tensor *t) {
  Autograd *a = t->autograd;
  if (!a) return NULL;
  if (!a->base || a->view_version == t->storage->version) return a->grad_fn;
  if (!a->grad_fn && !pwt_requires_grad(a->base)) return NULL;
  if (!may_rebase_view(t, true) || !replay_view(t)) return NULL;
  return a->grad_fn;
}

/* ---- CopySlices: an operator that wrote to a view, seen from the view's base ---- */
typedef struct {
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS], offset;
  int ndim;
  DType dtype;
} Geometry;

typedef struct {
  Node node;
  Node *operator; /* owned; NULL: used up */
  Geometry base, view;
} CopySlicesNode;

static Geometry geometry_of(const Tensor *t) {
  Geometry g = {.offset = t->offset, .ndim = t->ndim, .dtype = (DType)t->dtype};
  pwt_copy_bytes(g.sizes, t->sizes, sizeof g.sizes);
  pwt_copy_bytes(g.strides, t->strides, sizeof g.strides);
  return g;
}

/* The part of the base's gradient that lies under the view becomes what the operator's own backward makes of it. */
static void copy_slices(Node *node, Tensor **grad_outputs, Tensor **grad_inputs) {
  CopySlicesNode *self = (CopySlicesNode *)node;
  const Geometry *base = &self->base, *view = &self->view;
  Tensor *grad = grad_outputs[0];
  if (!self->operator) {
    pwt_fail_released();
    return;
  }
  Tensor *result = pwt_copy_into(pwt_new_strided(base->ndim, base->sizes, base->strides, grad->dtype), grad);
  int64_t start = pwt_is_complex(base->dtype) == pwt_is_complex(view->dtype) ? base->offset
                  : pwt_is_complex(base->dtype)                            ? 2 * base->offset
                                                                           : base->offset / 2;
  Tensor *slice = part_of(result, view->dtype, view->ndim, view->sizes, view->strides, view->offset - start);
  if (!slice) return;
  Tensor *incoming = pwt_copy_into(pwt_new(slice->ndim, slice->sizes, slice->dtype), slice);
  if (!incoming) return;
  self->operator->kind->backward(self->operator, &incoming, grad_inputs);
  if (pwt_failed() || !node->edges[0].fn) return;
  if (grad_inputs[0]) pwt_copy_into(slice, grad_inputs[0]);
  else pwt_zero_(slice);
  grad_inputs[0] = result;
}

static void release_copy_slices(Node *node) {
  CopySlicesNode *self = (CopySlicesNode *)node;
  Node *operator = self->operator;
  self->operator = NULL;
  for (int i = 0; operator && i < operator->saved_count; i++) operator->saved[i].slices = NULL;
  pwt_node_release(operator);
}

static const NodeKind copy_slices_kind = {
    .name = "torch::autograd::CopySlices", .backward = copy_slices, .destroy = release_copy_slices, .release = release_copy_slices};

Tensor *pwt_view_through(Node *slices, Tensor *view) {
  const Geometry *base = &((CopySlicesNode *)slices)->base;
  Tensor *whole = pwt_alias(view, base->ndim, base->sizes, base->strides, base->offset);
  if (!whole) return NULL;
  whole->dtype = (uint8_t)base->dtype;
  pwt_node_retain(slices);
  pwt_set_grad_fn(whole, slices, 0);
  return part_of(whole, (DType)view->dtype, view->ndim, view->sizes, view->strides, view->offset);
}

static Node *copy_slices_new(Tensor *base, const Tensor *view, Node *operator) {
  CopySlicesNode *node = (CopySlicesNode *)pwt_node_new(&copy_slices_kind, sizeof *node, operator->edge_count, 0);
  if (!node) return NULL;
  node->operator = operator;
  node->base = geometry_of(base);
  node->view = geometry_of(view);
  pwt_set_edge(&node->node, 0, base);
  for (int i = 1; i < operator->edge_count; i++) {
    node->node.edges[i] = operator->edges[i];
    pwt_node_retain(operator->edges[i].fn);
  }
  pwt_node_set_outputs(&node->node, &base, 1);
  return &node->node;
}

void pwt_rebase_view(Tensor *view, Node *node) {
  Tensor *base = view->autograd->base;
  Node *slices = may_rebase_view(view, false) ? copy_slices_new(base, view, node) : NULL;
  if (!slices) {
    pwt_node_release(node);
    return;
  }
  for (int i = 0; i < node->saved_count; i++)
    if (node->saved[i].is_output) node->saved[i].slices = slices;
  pwt_set_grad_fn(base, slices, 0);
  pwt_outdate_saves(base);
  replay_view(view);
}

void pwt_rebase_history(Tensor *self, Node *node) {
  if (!node) return;
  if (!self || pwt_failed() || !pwt_node_set_outputs(node, &self, 1)) {
    pwt_node_release(node);
  } else if (self->autograd && self->autograd->base) {
    pwt_rebase_view(self, node);
  } else {
    pwt_set_grad_fn(self, node, 0);
    if (self->autograd) pwt_outdate_saves(self);
  }
}
