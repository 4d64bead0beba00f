/* Storage: data pointer, sizes, version, overlap, resize, memory use. */
#include "ops.h"

static int64_t give_address(const Tensor *self, const void *data) {
  if (pwt_is_meta(self)) return 0;
  pwt_note_address(true);
  return (int64_t)(uintptr_t)data;
}

int64_t pwt_kernel__data_pointer(Tensor *self) { return give_address(self, pwt_data(self)); }
int64_t pwt_kernel__lasting_pointer(Tensor *self) { return pwt_is_meta(self) ? 0 : (int64_t)(uintptr_t)pwt_lasting_data(self); }
int64_t pwt_kernel__storage_identity(Tensor *self) { return (int64_t)(uintptr_t)self->storage; }
int64_t pwt_kernel__storage_pointer(Tensor *self) { return give_address(self, self->storage->data); }
int64_t pwt_kernel__storage_bytes(Tensor *self) { return self->storage->bytes; }
int64_t pwt_kernel__version(Tensor *self) {
  if (self->flags & TENSOR_INFERENCE) pwt_fail(PWT_RUNTIME_ERROR, "Inference tensors do not track version counter.");
  return pwt_version_of(self);
}
/* `counts`: as a change of the tensor, not as part of a write that counts itself. What has the size already keeps its strides. */
int64_t pwt_kernel__resize(Tensor *self, IntList size, bool counts) {
  bool same = size.count == self->ndim;
  for (int i = 0; i < self->ndim && same; i++) same = size.items[i] == self->sizes[i];
  if (same) return true;
  if (!pwt_resize(self, (int)size.count, size.items)) return false;
  if (counts) pwt_bump_version(self);
  return true;
}

/* other strides over the same elements, whose storage is long enough for them */
int64_t pwt_kernel__set_format(Tensor *self, int64_t memory_format) {
  int64_t strides[PWT_MAX_DIMS];
  if (!pwt_format_strides((MemoryFormat)memory_format, self->ndim, self->sizes, strides)) return 0;
  pwt_copy_bytes(self->strides, strides, self->ndim * 8);
  self->contiguous = pwt_compute_contiguous(self);
  return 1;
}
bool pwt_kernel__overlaps(Tensor *self, Tensor *other) { return pwt_share_memory(self, other); }

int64_t pwt_kernel__memory(int64_t which) {
  switch (which) {
    case 0: pwt_free_spare_nodes(), pwt_free_spare_tensors(); return pwt_memory_allocated();
    case 1: return pwt_max_memory_allocated();
    case 2: pwt_reset_max_memory_allocated(); return 0;
    default: return pwt_live_tensors();
  }
}
