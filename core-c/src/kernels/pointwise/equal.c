/* equal: same sizes and elements. */
#include "ops.h"

bool pwt_kernel_equal(Tensor *self, Tensor *other) {
  if (!pwt_same_sizes(self, other)) return false;
  bool recording = pwt_grad_enabled;
  pwt_grad_enabled = false;
  Tensor *same = pwt_raw_contiguous(pwt_eq(self, other));
  pwt_grad_enabled = recording;
  if (!same) return false;
  const uint8_t *values = pwt_data(same);
  for (int64_t i = 0; i < same->numel; i++)
    if (!values[i]) return false;
  return true;
}
