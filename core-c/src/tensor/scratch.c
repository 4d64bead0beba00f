/* Scratch memory, freed when the scope closes. */
#include "tensor.h"

#define KEPT_ON_META 4096

static void *in_memory(int64_t bytes) {
  Tensor *holder = pwt_new_in_memory(1, &bytes, PWT_UINT8);
  return holder ? holder->storage->data : NULL;
}

void *pwt_scratch(int64_t bytes) {
  if (pwt_on_meta && bytes > KEPT_ON_META) return PWT_NOWHERE; /* a loop's, which does not run */
  return in_memory(bytes);
}

void *pwt_scratch_items(int64_t count, int64_t size) {
  int64_t bytes;
  if (!pwt_multiply(PWT_MAX(count, 1), size, &bytes))
    return pwt_fail(PWT_MEMORY_ERROR, "out of memory: a list of %i items does not fit", count);
  return in_memory(bytes);
}

TensorList pwt_list_new(int64_t count) {
  Tensor **items = pwt_scratch_items(count, sizeof(Tensor *));
  if (!items) return (TensorList){NULL, 0};
  for (int64_t i = 0; i < count; i++) items[i] = NULL;
  return (TensorList){items, count};
}
