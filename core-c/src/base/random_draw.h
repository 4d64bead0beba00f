/* Shared by the random engine's files: blocks of uniforms, fused multiply-adds, PyTorch's dtype names. */
#pragma once
#include "random.h"

#define DRAW_BLOCK 256

/* torch draws float16 and bfloat16 as float32. */
void pwt_draw_uniforms_f32(PwtGenerator *g, float *out, int64_t n);  /* [0, 1), 24 bits, one word each */
void pwt_draw_uniforms_f64(PwtGenerator *g, double *out, int64_t n); /* [0, 1), 53 bits, two words each */

/* `fill` draws blocks of double, which are converted: what torch does for most distributions, whatever the dtype. */
typedef void DoubleFill(PwtGenerator *g, double *block, int64_t n, double a, double b);
bool pwt_fill_doubles(PwtGenerator *g, DType dtype, void *out, int64_t n, DoubleFill *fill, double a, double b);

static inline char *pwt_element(DType dtype, void *base, int64_t i) { return (char *)base + i * pwt_itemsize[dtype]; }

/* The name that C++ has for the dtype, as some of torch's messages put it. */
const char *pwt_dtype_cpp_name(DType dtype);
void *pwt_fail_dtype(const char *kernel, DType dtype); /* "kernel" not implemented for 'Dtype' */

/* torch's binaries fuse a * b + c; without this a third of all uniforms would differ in the last bit.
   Exact but where a product underflows: Boldo and Melquiond, "Emulation of FMA and correctly rounded
   sums", 2008. A sum that is rounded to odd can be rounded once more without harm. */
static inline double sum_to_odd(double high, double low) {
  double sum = high + low, part = sum - high;
  double error = (high - (sum - part)) + (low - part);
  int64_t bits;
  __builtin_memcpy(&bits, &sum, 8);
  bool inexact_and_even = ((error > 0) | (error < 0)) & ((bits & 1) == 0);
  int64_t step = (error > 0) == (sum > 0) ? 1 : -1;
  bits += inexact_and_even ? step : 0;
  __builtin_memcpy(&sum, &bits, 8);
  return sum;
}

static inline float fused_f32(float a, float b, float c) { return (float)sum_to_odd((double)a * b, c); }

static inline double fused_f64(double a, double b, double c) {
  const double splitter = 0x1p27 + 1; /* Veltkamp's; near the largest double it needs room */
  bool large = __builtin_fabs(b) > 0x1p900 || __builtin_fabs(c) > 0x1p900;
  double scale = large ? 0x1p-300 : 1, scaled_b = b * scale, scaled_c = c * scale;
  double a_big = a * splitter, b_big = scaled_b * splitter;
  double a_high = a_big - (a_big - a), b_high = b_big - (b_big - scaled_b);
  double a_low = a - a_high, b_low = scaled_b - b_high;
  double product = a * scaled_b;
  double product_low = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
  double tail = scaled_c + product_low, tail_part = tail - scaled_c;
  double tail_low = (scaled_c - (tail - tail_part)) + (product_low - tail_part);
  double sum = product + tail, part = sum - product;
  double sum_low = (product - (sum - part)) + (tail - part);
  double fused = sum + sum_to_odd(sum_low, tail_low);
  return fused - fused == 0 ? fused / scale : a * b + c;
}
