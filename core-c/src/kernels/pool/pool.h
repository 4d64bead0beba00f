/* Pooling over one to three dimensions on plain, contiguous buffers: `planes` (batch × channels) inputs of
   in[0] × in[1] × in[2] elements, and as many outputs of out[0] × out[1] × out[2].

   Indices number the elements of an input plane. A maximum over a NaN is NaN; its index is the last NaN's. */
#pragma once

#include "conv/taps.h"

typedef struct {
  int64_t planes;
  pwt_window window; /* the adaptive kinds and the gradient of the maximum read only `in` and `out` */
} pwt_pool;

/* The size of an output: in ceil mode a last window may hang over the end, but it starts inside of the input or of the
   padding in front. 0 or less where the window fits nowhere. */
static inline int64_t pwt_pool_out_size(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                                        bool ceil_mode) {
  int64_t room = in + 2 * padding - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  int64_t out = (room < 0 ? -((-room + stride - 1) / stride) : room / stride) + 1;
  return ceil_mode && (out - 1) * stride >= in + padding ? out - 1 : out;
}

#define PWT_POOL_DECLARE(name, type)                                                                                  \
  /* indices may be NULL */                                                                                           \
  void pwt_max_pool_##name(const pwt_pool *shape, const type *x, type *y, int64_t *indices);                          \
  void pwt_adaptive_max_pool_##name(const pwt_pool *shape, const type *x, type *y, int64_t *indices);                 \
  /* adds each gradient to the element that its index names; an index outside of the plane is passed over */          \
  void pwt_max_pool_grad_##name(const pwt_pool *shape, const type *grad, const int64_t *indices, type *dx);           \
                                                                                                                      \
  /* Sums are divided by `divisor`; if that is 0, by the window's size, of which count_include_pad says whether the   \
     padding belongs to it. The dilation must be 1. */                                                                \
  void pwt_avg_pool_##name(const pwt_pool *shape, bool count_include_pad, int64_t divisor, const type *x, type *y);   \
  void pwt_avg_pool_grad_##name(const pwt_pool *shape, bool count_include_pad, int64_t divisor, const type *grad,     \
                                type *dx);                                                                            \
                                                                                                                      \
  /* output o averages the inputs floor(o * in / out) to ceil((o + 1) * in / out) - 1 */                              \
  void pwt_adaptive_avg_pool_##name(const pwt_pool *shape, const type *x, type *y);                                   \
  void pwt_adaptive_avg_pool_grad_##name(const pwt_pool *shape, const type *grad, type *dx);

PWT_POOL_DECLARE(f32, float)
PWT_POOL_DECLARE(f64, double)
