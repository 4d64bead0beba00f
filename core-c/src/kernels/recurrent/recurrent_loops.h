/* The steps in one type: TYPE, and NAME(x) for its functions. Gates as in Hochreiter and Schmidhuber, 1997, with the forget gate of
   Gers et al., 2000 (order i, f, g, o), and Cho et al., 2014 (order r, z, n; the reset gate after the product). */
#include "base/parallel.h"
#include "base/vmath.h"
#include "matmul/gemm.h"
#include "recurrent.h"

static __attribute__((noinline)) void NAME(sigmoids)(TYPE *x, int64_t n) {
  for (int64_t i = 0; i < n; i++) x[i] = 1 / (1 + NAME(pwt_exp)(-x[i]));
}

static __attribute__((noinline)) void NAME(tangents)(TYPE *restrict to, const TYPE *x, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = NAME(pwt_tanh)(x[i]);
}

static void NAME(tangents_here)(TYPE *x, int64_t n) {
  for (int64_t i = 0; i < n; i++) x[i] = NAME(pwt_tanh)(x[i]);
}

static int64_t NAME(width_saved)(const RecurrentJob *j) { return j->mode == RNN_LSTM ? 5 * j->H : j->mode == RNN_GRU ? 4 * j->H : 0; }

int64_t NAME(pwt_recurrent_workspace)(const RecurrentJob *j, bool backward) {
  int64_t most = 0, wide = j->G * j->H;
  for (int64_t t = 0; t < j->steps; t++) {
    int64_t b = j->batches[t];
    if (t && b == j->batches[t - 1]) continue;
    most = PWT_MAX(most, backward ? NAME(pwt_gemm_workspace)(b, j->P, wide) : NAME(pwt_gemm_workspace)(b, wide, j->P));
    if (j->projection) most = PWT_MAX(most, backward ? NAME(pwt_gemm_workspace)(b, j->H, j->P) : NAME(pwt_gemm_workspace)(b, j->P, j->H));
  }
  if (!backward) return most;
  most = PWT_MAX(most, NAME(pwt_gemm_workspace)(wide, j->P, j->rows));
  return j->projection ? PWT_MAX(most, NAME(pwt_gemm_workspace)(j->P, j->H, j->rows)) : most;
}

static void NAME(copy)(TYPE *to, const TYPE *from, int64_t n) { pwt_copy_bytes(to, from, n * (int64_t)sizeof(TYPE)); }

void NAME(pwt_recurrent_forward)(const RecurrentJob *j) {
  int64_t H = j->H, P = j->P, wide = j->G * H, width = NAME(width_saved)(j);
  TYPE *h = j->hidden, *c = j->cell, *transposed = j->scratch, *sums = transposed + P * wide, *wr = sums + j->batch * wide;
  const TYPE *weight = j->weight, *bias = j->bias, *projection = j->projection;
  for (int64_t k = 0; k < wide; k++)
    for (int64_t p = 0; p < P; p++) transposed[p * wide + k] = weight[k * P + p];
  if (projection)
    for (int64_t p = 0; p < P; p++)
      for (int64_t k = 0; k < H; k++) wr[k * P + p] = projection[p * H + k];
  NAME(copy)(h, j->hx, j->batch * P);
  if (c) NAME(copy)(c, j->cx, j->batch * H);
  for (int64_t step = 0; step < j->steps && !pwt_breathe(); step++) {
    int64_t t = j->reverse ? j->steps - 1 - step : step, b = j->batches[t], start = j->starts[t];
    const TYPE *gates = (const TYPE *)j->gates + start * wide;
    TYPE *out = (TYPE *)j->output + start * P, *saved = (TYPE *)j->saved + start * width;
    for (int64_t r = 0; r < b; r++) {
      TYPE *to = sums + r * wide;
      for (int64_t k = 0; k < wide; k++) to[k] = bias ? bias[k] : 0;
      if (j->mode != RNN_GRU)
        for (int64_t k = 0; k < wide; k++) to[k] += gates[r * wide + k];
    }
    NAME(pwt_gemm)(b, wide, P, h, P, 1, transposed, wide, 1, sums, wide, true, j->workspace);
    for (int64_t r = 0; r < b; r++) {
      TYPE *restrict s = sums + r * wide, *restrict hr = h + r * P, *restrict keep = saved + r * width;
      const TYPE *restrict x = gates + r * wide;
      if (j->mode == RNN_LSTM) {
        TYPE *cr = c + r * H;
        NAME(sigmoids)(s, 2 * H);
        NAME(tangents_here)(s + 2 * H, H);
        NAME(sigmoids)(s + 3 * H, H);
        for (int64_t k = 0; k < H; k++) cr[k] = s[H + k] * cr[k] + s[k] * s[2 * H + k];
        NAME(copy)(keep, s, 4 * H);
        NAME(copy)(keep + 4 * H, cr, H);
        NAME(tangents)(s, cr, H);
        for (int64_t k = 0; k < H; k++) s[k] *= s[3 * H + k];
        if (!projection) NAME(copy)(hr, s, H);
      } else if (j->mode == RNN_GRU) {
        for (int64_t k = 0; k < 2 * H; k++) keep[k] = s[k] + x[k];
        NAME(sigmoids)(keep, 2 * H);
        for (int64_t k = 0; k < H; k++) {
          keep[3 * H + k] = s[2 * H + k];
          keep[2 * H + k] = x[2 * H + k] + keep[k] * s[2 * H + k];
        }
        NAME(tangents_here)(keep + 2 * H, H);
        for (int64_t k = 0; k < H; k++) hr[k] = (hr[k] - keep[2 * H + k]) * keep[H + k] + keep[2 * H + k];
      } else if (j->mode == RNN_TANH) NAME(tangents)(hr, s, H);
      else
        for (int64_t k = 0; k < H; k++) hr[k] = s[k] > 0 || s[k] != s[k] ? s[k] : 0;
    }
    if (projection) NAME(pwt_gemm)(b, P, H, sums, wide, 1, wr, P, 1, h, P, false, j->workspace);
    NAME(copy)(out, h, b * P);
  }
}

/* Where the state before step t of row r stands: a row of that step's, or -1 for the initial one */
static int64_t NAME(row_before)(const RecurrentJob *j, int64_t t, int64_t r) {
  int64_t before = j->reverse ? t + 1 : t - 1;
  return before < 0 || before >= j->steps || r >= j->batches[before] ? -1 : j->starts[before] + r;
}

void NAME(pwt_recurrent_backward)(const RecurrentJob *j) {
  int64_t H = j->H, P = j->P, wide = j->G * H, width = NAME(width_saved)(j);
  TYPE *dh = j->hidden, *dc = j->cell, *before = j->scratch, *to_h = before + j->rows * P;
  TYPE *recurrent = to_h + j->batch * H, *all_dh = recurrent + (j->mode == RNN_GRU ? j->rows * wide : 0), *all_h = all_dh + (j->projection ? j->rows * P : 0);
  const TYPE *weight = j->weight, *hx = j->hx, *cx = j->cx, *output = j->output, *saved = j->saved, *grad = j->grad_output;
  if (j->mode != RNN_GRU) recurrent = j->to_gates;
  for (int64_t step = 0; step < j->steps && !pwt_breathe(); step++) {
    int64_t t = j->reverse ? step : j->steps - 1 - step, b = j->batches[t], start = j->starts[t];
    if (grad)
      for (int64_t i = 0; i < b * P; i++) dh[i] += grad[start * P + i];
    TYPE *incoming = dh; /* by what a step gives before it is projected */
    if (j->projection) {
      NAME(copy)(all_dh + start * P, dh, b * P);
      NAME(pwt_gemm)(b, H, P, dh, P, 1, j->projection, H, 1, to_h, H, false, j->workspace);
      incoming = to_h;
    }
    for (int64_t r = 0; r < b; r++) {
      int64_t row = start + r, last = NAME(row_before)(j, t, r);
      const TYPE *restrict s = saved + row * width, *restrict old = last < 0 ? hx + r * P : output + last * P;
      TYPE *restrict d = (TYPE *)j->to_gates + row * wide, *restrict dr = recurrent + row * wide, *restrict g = incoming + r * H;
      NAME(copy)(before + row * P, old, P);
      if (j->mode == RNN_LSTM) {
        const TYPE *restrict cell = last < 0 ? cx + r * H : saved + last * width + 4 * H;
        TYPE *restrict c = dc + r * H;
        NAME(tangents)(d, s + 4 * H, H);
        if (j->projection)
          for (int64_t k = 0; k < H; k++) all_h[row * H + k] = d[k] * s[3 * H + k];
        for (int64_t k = 0; k < H; k++) {
          TYPE i = s[k], f = s[H + k], n = s[2 * H + k], o = s[3 * H + k], through = c[k] + g[k] * o * (1 - d[k] * d[k]);
          d[3 * H + k] = g[k] * d[k] * o * (1 - o);
          d[k] = through * n * i * (1 - i);
          d[H + k] = through * cell[k] * f * (1 - f);
          d[2 * H + k] = through * i * (1 - n * n);
          c[k] = through * f;
        }
      } else if (j->mode == RNN_GRU)
        for (int64_t k = 0; k < H; k++) {
          TYPE reset = s[k], z = s[H + k], n = s[2 * H + k], to_n = g[k] * (1 - z) * (1 - n * n);
          d[k] = dr[k] = to_n * s[3 * H + k] * reset * (1 - reset);
          d[H + k] = dr[H + k] = g[k] * (old[k] - n) * z * (1 - z);
          d[2 * H + k] = to_n;
          dr[2 * H + k] = to_n * reset;
          g[k] *= z;
        }
      else {
        const TYPE *restrict y = output + row * P;
        if (j->mode == RNN_TANH)
          for (int64_t k = 0; k < H; k++) d[k] = g[k] * (1 - y[k] * y[k]);
        else
          for (int64_t k = 0; k < H; k++) d[k] = y[k] > 0 ? g[k] : 0;
      }
    }
    NAME(pwt_gemm)(b, P, wide, recurrent + start * wide, wide, 1, weight, P, 1, dh, P, j->mode == RNN_GRU, j->workspace);
  }
  NAME(pwt_gemm)(wide, P, j->rows, recurrent, 1, wide, before, P, 1, j->to_weight, P, false, j->workspace);
  TYPE *sums = j->to_bias;
  for (int64_t k = 0; k < wide; k++) sums[k] = 0;
  for (int64_t row = 0; row < j->rows; row++)
    for (int64_t k = 0; k < wide; k++) sums[k] += recurrent[row * wide + k];
  if (j->projection) NAME(pwt_gemm)(P, H, j->rows, all_dh, 1, P, all_h, H, 1, j->to_projection, H, false, j->workspace);
}
