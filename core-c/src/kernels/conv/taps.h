/* Valid index ranges of a sliding window's taps, for convolution and pooling. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sizes of the input, the output and the window, outermost dimension first; with fewer than three dimensions the first
   ones have size 1. Output position o and tap t meet at input position o * stride + t * dilation - padding. */
typedef struct {
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} pwt_window;

static inline int64_t product3(const int64_t sizes[3]) { return sizes[0] * sizes[1] * sizes[2]; }

static inline int64_t clamp(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* An output position; positions are numbered image by image, rows of the innermost dimension first. */
typedef struct {
  int64_t image, d, h, w;
} place;

static inline place place_of(const pwt_window *s, int64_t position) {
  int64_t w = position % s->out[2], row = position / s->out[2];
  int64_t h = row % s->out[1], plane = row / s->out[1];
  return (place){plane / s->out[0], plane % s->out[0], h, w};
}

static inline void next_row(const pwt_window *s, place *at) {
  at->w = 0;
  if (++at->h < s->out[1]) return;
  at->h = 0;
  if (++at->d < s->out[0]) return;
  at->d = 0;
  at->image++;
}

/* One tap: output position o reads input position o * stride + offset, which exists for first <= o < end. */
typedef struct {
  int64_t offset[3], first[3], end[3];
} tap;

static inline tap tap_of(const pwt_window *s, int64_t index) {
  int64_t at[3] = {index / (s->kernel[1] * s->kernel[2]), index / s->kernel[2] % s->kernel[1], index % s->kernel[2]};
  tap t;
  for (int i = 0; i < 3; i++) {
    int64_t offset = at[i] * s->dilation[i] - s->padding[i], stride = s->stride[i];
    int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
    int64_t end = s->in[i] > offset ? (s->in[i] - offset - 1) / stride + 1 : 0;
    t.offset[i] = offset;
    t.end[i] = clamp(end, 0, s->out[i]);
    t.first[i] = clamp(first, 0, t.end[i]);
  }
  return t;
}

/* The part of the output row at `at`, from at.w on and `length` long, where the tap lands inside of the input:
   output columns first <= o < end read input[start + o * stride]. Empty where first = end. */
typedef struct {
  int64_t first, end, start;
} row_overlap;

static inline row_overlap overlap_of(const pwt_window *s, const tap *t, place at, int64_t length) {
  bool inside = at.d >= t->first[0] && at.d < t->end[0] && at.h >= t->first[1] && at.h < t->end[1];
  if (!inside) return (row_overlap){at.w, at.w, 0};
  int64_t d = at.d * s->stride[0] + t->offset[0], h = at.h * s->stride[1] + t->offset[1];
  int64_t first = clamp(t->first[2], at.w, at.w + length);
  return (row_overlap){first, clamp(t->end[2], first, at.w + length), (d * s->in[1] + h) * s->in[2] + t->offset[2]};
}
