#include "call.h"

#include "ops.h"

Tensor *pwt_shape_of(const Tensor *t) {
  static const int64_t no_strides[PWT_MAX_DIMS];
  Tensor *one = pwt_new(0, NULL, (DType)t->dtype);
  return one ? pwt_alias(one, t->ndim, t->sizes, no_strides, 0) : NULL;
}

Tensor *pwt_name_node(Tensor *result, const char *name) {
  if (result && result->autograd && result->autograd->grad_fn) result->autograd->grad_fn->name = name;
  return result;
}

void pwt_keep_list(Sizes *to, IntList from) {
  to->count = PWT_MIN(from.count, PWT_MAX_DIMS);
  for (int64_t i = 0; i < to->count; i++) to->items[i] = from.items[i];
}

void *pwt_scratch(int64_t bytes) {
  Tensor *holder = pwt_new(1, &bytes, PWT_UINT8);
  return holder ? holder->storage->data : NULL;
}

void *pwt_scratch_items(int64_t count, int64_t size) {
  int64_t bytes;
  if (!pwt_multiply(PWT_MAX(count, 1), size, &bytes))
    return pwt_fail(PWT_MEMORY_ERROR, "out of memory: a list of %i items does not fit", count);
  return pwt_scratch(bytes);
}

TensorList pwt_list_new(int64_t count) {
  Tensor **items = pwt_scratch_items(count, sizeof(Tensor *));
  if (!items) return (TensorList){NULL, 0};
  for (int64_t i = 0; i < count; i++) items[i] = NULL;
  return (TensorList){items, count};
}

bool pwt_any_requires_grad(TensorList list) {
  for (int64_t i = 0; i < list.count; i++)
    if (pwt_requires_grad(list.items[i])) return true;
  return false;
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

/* torch lets these write to memory that several elements share */
static bool may_overlap(const char *name) {
  static const char *const names[] = {"fill", "zero", "index_put", "index_fill", "masked_fill", "tril", "triu"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (pwt_same_text(name, names[i])) return true;
  return false;
}

bool pwt_check_target(Tensor *out, Form form, bool records, const char *name) {
  if (!out) return false;
  if (form == FORM_INPLACE && !pwt_check_inplace_recording(out, records)) return false;
  if (form == FORM_OUT && (records || (pwt_grad_enabled && pwt_requires_grad(out)))) {
    pwt_fail(PWT_RUNTIME_ERROR,
             "%s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.", name);
    return false;
  }
  if (!pwt_overlaps_itself(out) || may_overlap(name)) return true;
  pwt_fail(PWT_RUNTIME_ERROR,
           "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
           "Please clone() the tensor before performing the operation.");
  return false;
}

Tensor *pwt_write_target(Tensor *out, Tensor *result, Form form) {
  if (!out || !result) return NULL;
  if (form == FORM_OUT) return pwt_write_out(out, result);
  if (!pwt_can_cast(result->dtype, out->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", result->dtype, out->dtype);
  if (!pwt_same_sizes(out, result))
    return pwt_fail(PWT_RUNTIME_ERROR, "output with shape %z doesn't match the broadcast shape %z", out->sizes, (int)out->ndim,
                    result->sizes, (int)result->ndim);
  pwt_raw_copy(out, result);
  pwt_bump_version(out);
  return out;
}

Tensor *pwt_assign(Tensor *self, Tensor *result) {
  if (!self || !result) return NULL;
  if (!pwt_can_cast(result->dtype, self->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "result type %t can't be cast to the desired output type %t", result->dtype, self->dtype);
  return pwt_copy__form(self, result, false, self, FORM_INPLACE);
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
