/* Calls into the host: exceptions become errors, tensors are passed in the frame. */
#include "host_calls.h"

bool pwt_call_host(HostCall kind, int32_t id) {
  pwt_changes++;
  if (pwt_host_call(kind, id) == 0) return true;
  pwt_clear_error();
  pwt_fail(PWT_HOST_ERROR, "the host raised");
  return false;
}

/* May run while an error is on its way out, which it must not disturb. */
void pwt_host_release(int32_t id) {
  if (!pwt_failed()) {
    pwt_host_call(HOST_RELEASE, id);
    return;
  }
  ErrorState state = pwt_error_state;
  pwt_host_call(HOST_RELEASE, id);
  pwt_error_state = state;
}

bool pwt_frame_give(int64_t slot, Tensor *const *tensors, int64_t count) {
  int64_t *items = pwt_frame_place(slot, count);
  for (int64_t i = 0; items && i < count; i++) items[i] = (int64_t)(uintptr_t)pwt_retain(tensors[i]);
  return items != NULL;
}

Tensor *pwt_taken(int64_t handle) { return pwt_own((Tensor *)(uintptr_t)handle); }
