/* Saved tensors: saving for backward, changes of the tensor afterwards, release. */
#include "saved.h"

#include "host_calls.h"

static const char backward_twice[] =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward.";

static bool may_save(const Tensor *t) {
  if (!(t->flags & TENSOR_INFERENCE) || pwt_inference_enabled) return true;
  pwt_fail(PWT_RUNTIME_ERROR,
           "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
           "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
           "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
  return false;
}

/* A leaf that requires grad is not changed in place by what is recorded, so that it needs no list. */
static void enter(Saved *saved, Tensor *input) {
  Tensor *root = input->autograd && input->autograd->base ? input->autograd->base : input;
  if ((root->flags & TENSOR_REQUIRES_GRAD) && pwt_is_leaf(root)) return;
  Autograd *a = pwt_autograd_of(root);
  if (!a) return;
  saved->next = a->saves;
  saved->at = &a->saves;
  if (a->saves) a->saves->at = &saved->next;
  a->saves = saved;
}

static void leave(Saved *saved) {
  if (!saved->at) return;
  *saved->at = saved->next;
  if (saved->next) saved->next->at = saved->at;
  saved->next = NULL;
  saved->at = NULL;
}

void pwt_forget_saves(Saved *list) {
  while (list) {
    Saved *next = list->next;
    leave(list);
    list = next;
  }
}

/* ---- what a program's hooks pack and unpack ---- */
PWT_PER_THREAD bool pwt_saved_hooks;

static bool is_packed(const Tensor *t) { return pwt_saved_hooks && !pwt_failed() && !(t->flags & TENSOR_NUMBER); }

/* The hook may run operators, and the operator that saves has arguments in the frame. */
static int32_t pack(Tensor *plain) {
  int64_t *frame = pwt_alloc(PWT_FRAME_SLOTS * 8);
  if (!frame) return 0;
  pwt_copy_bytes(frame, pwt_frame, PWT_FRAME_SLOTS * 8);
  pwt_frame[0] = (int64_t)(uintptr_t)pwt_retain(plain);
  int32_t id = pwt_call_host(HOST_PACK, 0) ? (int32_t)pwt_frame[0] : 0;
  pwt_copy_bytes(pwt_frame, frame, PWT_FRAME_SLOTS * 8);
  pwt_free(frame);
  return id;
}

static void save_packed(Saved *saved, Tensor *t) {
  Tensor *shape = pwt_shape_of(t), *plain = pwt_alias_same(t);
  int32_t id = shape && plain ? pack(plain) : 0;
  if (id) *saved = (Saved){.tensor = pwt_retain(shape), .host_id = id};
}

void pwt_save_shape(Node *node, int slot, Tensor *input) {
  Tensor *shape = node ? pwt_shape_of(input) : NULL;
  if (shape) node->saved[slot] = (Saved){.tensor = pwt_retain(shape)};
}

void pwt_save(Node *node, int slot, Tensor *input) {
  if (!node || !input || !may_save(input)) return;
  if (is_packed(input)) {
    Saved *packed = &node->saved[slot];
    save_packed(packed, input);
    if (packed->host_id && pwt_requires_grad(input)) packed->edge.fn = pwt_gradient_edge(input, &packed->edge.output);
    return;
  }
  Saved *saved = &node->saved[slot];
  *saved = (Saved){.tensor = pwt_retain(input),
                   .version = pwt_version_of(input),
                   .had_history = input->autograd && input->autograd->grad_fn};
  enter(saved, input);
}

void pwt_save_output(Node *node, int slot, Tensor *result, int output) {
  if (!node || !result || !may_save(result)) return;
  if (is_packed(result)) {
    save_packed(&node->saved[slot], result);
    node->saved[slot].is_output = true;
    node->saved[slot].output = output;
    return;
  }
  Tensor *alias = pwt_alias_same(result);
  if (!alias) return;
  node->saved[slot] = (Saved){
      .tensor = pwt_retain(alias), .version = result->storage->version, .output = output, .is_output = true, .had_history = true};
}

/* What was saved of `root` before it changed can only lead to an error. With its history, which may now lead back to the node
   that saved it, it would be a cycle. */
void pwt_outdate_saves(Tensor *root) {
  int64_t mark = pwt_scope_open();
  const Node *fn = root->autograd->grad_fn;
  for (Saved *saved = root->autograd->saves; saved; saved = saved->next) {
    Tensor *t = saved->tensor;
    if (saved->version == pwt_version_of(t)) continue;
    if (!saved->outdated) {
      Tensor *alias = pwt_alias_same(t);
      if (!alias) break;
      saved->of_view = t != root;
      saved->outdated = true;
      saved->tensor = pwt_retain(alias);
      pwt_own(t);
    }
    saved->origin = saved->of_view ? "AsStridedBackward0" : fn && !fn->host_id ? fn->name : NULL;
  }
  pwt_scope_close(mark);
}

void pwt_drop_saved(Saved *saved) {
  Tensor *t = saved->tensor;
  leave(saved);
  saved->tensor = NULL;
  pwt_release(t);
  if (!saved->host_id) return;
  int32_t id = saved->host_id;
  Node *fn = saved->edge.fn;
  saved->host_id = 0;
  saved->edge.fn = NULL;
  pwt_node_release(fn);
  pwt_host_release(id);
}

void pwt_node_release_saved(Node *node) {
  node->released = true;
  for (int i = 0; i < node->saved_count; i++) {
    Saved *saved = &node->saved[i];
    saved->released |= saved->tensor != NULL;
    pwt_drop_saved(saved);
  }
  if (node->kind->release) node->kind->release(node);
}

void *pwt_fail_released(void) { return pwt_fail(PWT_RUNTIME_ERROR, backward_twice); }
