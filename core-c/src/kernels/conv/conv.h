/* Convolutions of one to three dimensions on plain, contiguous buffers.

   Input is batch × in_channels × in[0] × in[1] × in[2], output batch × out_channels × out[0] × out[1] × out[2], weight
   out_channels × in_channels / groups × kernel[0] × kernel[1] × kernel[2]. What lies outside of the input is zero.
   The window's `out` is what the caller says, so the padding behind may differ from the one in front.

   The transposed convolution is pwt_conv_grad_input (its input is `grad`, and it may have a bias); its own gradients
   are pwt_conv, and pwt_conv_grad_weight with `x` and `grad` exchanged.

   Every sum's order follows from the sizes alone. A workspace is aligned to 64 bytes; `workspace_bytes` is what the
   function of the same name with `_workspace` said, or more. */
#pragma once

#include "taps.h"

typedef struct {
  int64_t batch, groups, in_channels, out_channels;
  pwt_window window;
} pwt_conv;

/* The size of an output that holds every position where the dilated kernel fits; 0 or less where it fits nowhere. */
static inline int64_t pwt_conv_out_size(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  int64_t room = in + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

#define PWT_CONV_DECLARE(name, type)                                                                                  \
  /* y = conv(x, weight) + bias; bias may be NULL */                                                                  \
  int64_t pwt_conv_workspace_##name(const pwt_conv *shape);                                                           \
  void pwt_conv_##name(const pwt_conv *shape, const type *x, const type *weight, const type *bias, type *y,           \
                       void *workspace, int64_t workspace_bytes);                                                     \
  /* dx = the gradient by the input + bias of in_channels elements, which may be NULL */                              \
  int64_t pwt_conv_grad_input_workspace_##name(const pwt_conv *shape);                                                \
  void pwt_conv_grad_input_##name(const pwt_conv *shape, const type *grad, const type *weight, const type *bias,      \
                                  type *dx, void *workspace, int64_t workspace_bytes);                                \
  int64_t pwt_conv_grad_weight_workspace_##name(const pwt_conv *shape);                                               \
  void pwt_conv_grad_weight_##name(const pwt_conv *shape, const type *x, const type *grad, type *dweight,             \
                                   void *workspace, int64_t workspace_bytes);                                         \
  /* dbias[c] = the sum of grad over the batch and all positions: grad is batch × channels × positions */             \
  void pwt_conv_grad_bias_##name(int64_t batch, int64_t channels, int64_t positions, const type *grad, type *dbias);

PWT_CONV_DECLARE(f32, float)
PWT_CONV_DECLARE(f64, double)
