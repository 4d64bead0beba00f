/* Helpers of generated operators: lists and texts kept by nodes, gradients of tensor lists. */
#include "autograd.h"
#include "call.h"

Tensor *pwt_name_node(Tensor *result, const char *name) {
  if (result && result->autograd && result->autograd->grad_fn) result->autograd->grad_fn->name = name;
  return result;
}

bool pwt_any_requires_grad(TensorList list) {
  for (int64_t i = 0; i < list.count; i++)
    if (pwt_requires_grad(list.items[i])) return true;
  return false;
}

void pwt_keep_list(Sizes *to, IntList from) {
  to->count = PWT_MIN(from.count, PWT_MAX_DIMS);
  for (int64_t i = 0; i < to->count; i++) to->items[i] = from.items[i];
}

const char *pwt_intern(const char *text) {
  static char pool[2048];
  static int64_t used;
  if (!text) return NULL;
  int64_t at = 0, length = 1;
  while (text[length - 1]) length++;
  while (at < used) {
    if (pwt_same_text(pool + at, text)) return pool + at;
    while (pool[at++]) {}
  }
  if (used + length > (int64_t)sizeof pool) return pwt_fail(PWT_VALUE_ERROR, "too many names of modes: %s", text);
  pwt_copy_bytes(pool + used, text, length);
  used += length;
  return pool + at;
}

TensorList pwt_unpack_list(Node *node, int first) {
  TensorList list = pwt_list_new(node->saved_count - first);
  for (int64_t i = 0; i < list.count; i++) list.items[i] = pwt_unpack(node, first + (int)i);
  return list;
}

int64_t pwt_wanted(const Node *node) {
  int64_t mask = 0;
  for (int i = 0; i < node->edge_count && i < 63; i++)
    if (node->edges[i].fn) mask |= (int64_t)1 << i;
  return mask;
}

void pwt_fill_gradients(Node *node, Tensor **wants, int first, TensorList gradients) {
  for (int64_t i = 0; i < gradients.count && first + i < node->edge_count; i++)
    if (node->edges[first + i].fn) wants[first + i] = gradients.items[i];
}
