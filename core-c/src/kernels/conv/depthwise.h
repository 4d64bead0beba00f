/* Convolutions with one input channel per group and very few output channels, tap by tap without a matrix product: a
   part of conv_loops.h. */

enum { DEPTHWISE_CHANNELS = 4, ROW_VECTORS = 4 };

static bool is_depthwise(const group_sizes *g) { return g->in_channels == 1 && g->out_channels <= DEPTHWISE_CHANNELS; }

typedef struct {
  const group_sizes *g;
  const TYPE *x, *weight, *bias;
  TYPE *out;
} depthwise_task;

/* Adds to `vectors` vectors of an output row one tap row's products: out[·] += weight[t] * x[· + t * dilation]. */
static inline __attribute__((always_inline)) void add_taps(const int vectors, const TYPE *x, const TYPE *weight,
                                                            ptrdiff_t taps, ptrdiff_t dilation, TYPE *out) {
  loose_vec sums[ROW_VECTORS];
  for (int v = 0; v < vectors; v++) sums[v] = load(out + v * LANES);
  for (ptrdiff_t t = 0; t < taps; t++)
    for (int v = 0; v < vectors; v++) sums[v] += weight[t] * load(x + t * dilation + v * LANES);
  for (int v = 0; v < vectors; v++) store(out + v * LANES, sums[v]);
}

/* Adds one tap row's products to an output row; `x` is the input row. Where the kernel is inside of the input, several
   outputs at a time meet all taps; elsewhere each output meets those that exist. */
static void add_tap_row(const pwt_window *s, const TYPE *x, const TYPE *weight, TYPE *out) {
  int64_t padding = s->padding[2], dilation = s->dilation[2], taps = s->kernel[2];
  int64_t first = clamp(padding, 0, s->out[2]);
  int64_t end = clamp(s->in[2] + padding - (taps - 1) * dilation, first, s->out[2]);
  for (int64_t o = 0; o < s->out[2];) {
    if (o >= first && o + ROW_VECTORS * LANES <= end) {
      add_taps(ROW_VECTORS, x + o - padding, weight, taps, dilation, out + o);
      o += ROW_VECTORS * LANES;
    } else if (o >= first && o + LANES <= end) {
      add_taps(1, x + o - padding, weight, taps, dilation, out + o);
      o += LANES;
    } else {
      for (int64_t t = 0, at = o - padding; t < taps; t++, at += dilation)
        if (at >= 0 && at < s->in[2]) out[o] += weight[t] * x[at];
      o++;
    }
  }
}

static void depthwise_dense(const group_sizes *g, const TYPE *x, const TYPE *weight, TYPE *out) {
  const pwt_window *s = &g->shape->window;
  for (int64_t d = 0; d < s->out[0]; d++)
    for (int64_t h = 0; h < s->out[1]; h++, out += s->out[2])
      for (int64_t k = 0; k < s->kernel[0] * s->kernel[1]; k++) {
        int64_t at_d = d * s->stride[0] + k / s->kernel[1] * s->dilation[0] - s->padding[0];
        int64_t at_h = h * s->stride[1] + k % s->kernel[1] * s->dilation[1] - s->padding[1];
        if (at_d >= 0 && at_d < s->in[0] && at_h >= 0 && at_h < s->in[1])
          add_tap_row(s, x + (at_d * s->in[1] + at_h) * s->in[2], weight + k * s->kernel[2], out);
      }
}

/* out[·] += weight * x[· * stride + offset], one tap after the other */
static void depthwise_strided(const group_sizes *g, const TYPE *x, const TYPE *weight, TYPE *out) {
  const pwt_window *s = &g->shape->window;
  ptrdiff_t stride = s->stride[2];
  for (int64_t k = 0; k < g->taps; k++) {
    tap t = tap_of(s, k);
    TYPE w = weight[k];
    for (int64_t d = t.first[0]; d < t.end[0]; d++)
      for (int64_t h = t.first[1]; h < t.end[1]; h++) {
        row_overlap o = overlap_of(s, &t, (place){0, d, h, 0}, s->out[2]);
        const TYPE *restrict in = x + o.start;
        TYPE *restrict row = out + (d * s->out[1] + h) * s->out[2];
        for (ptrdiff_t i = o.first; i < o.end; i++) row[i] += w * in[i * stride];
      }
  }
}

static void depthwise_forward_chunk(void *ctx, int64_t begin, int64_t end) {
  const depthwise_task *f = ctx;
  const group_sizes *g = f->g;
  for (int64_t i = begin; i < end; i++) {
    int64_t image = i / g->shape->out_channels, channel = i % g->shape->out_channels;
    const TYPE *x = f->x + (image * g->shape->in_channels + channel / g->out_channels) * g->in_size;
    TYPE *out = f->out + i * g->out_size;
    fill(out, g->out_size, f->bias ? f->bias[channel] : 0);
    (g->shape->window.stride[2] == 1 ? depthwise_dense : depthwise_strided)(g, x, f->weight + channel * g->taps, out);
  }
}

static void depthwise_forward(const group_sizes *g, const TYPE *x, const TYPE *weight, const TYPE *bias, TYPE *y) {
  depthwise_task f = {g, x, weight, bias, y};
  pwt_parallel_for(g->shape->batch * g->shape->out_channels, pwt_grain(GEMM_CHUNK_WORK / 4, g->out_size * g->taps),
                   depthwise_forward_chunk, &f);
}

/* dx[· * stride + offset] += weight * grad[·], one tap after the other */
static void depthwise_spread(const group_sizes *g, const TYPE *grad, const TYPE *weight, TYPE *dx) {
  const pwt_window *s = &g->shape->window;
  for (int64_t k = 0; k < g->taps; k++) {
    tap t = tap_of(s, k);
    ptrdiff_t stride = s->stride[2];
    TYPE w = weight[k];
    for (int64_t d = t.first[0]; d < t.end[0]; d++)
      for (int64_t h = t.first[1]; h < t.end[1]; h++) {
        row_overlap o = overlap_of(s, &t, (place){0, d, h, 0}, s->out[2]);
        TYPE *restrict out = dx + o.start;
        const TYPE *restrict row = grad + (d * s->out[1] + h) * s->out[2];
        if (stride == 1)
          for (ptrdiff_t i = o.first; i < o.end; i++) out[i] += w * row[i];
        else
          for (ptrdiff_t i = o.first; i < o.end; i++) out[i * stride] += w * row[i];
      }
  }
}

static void depthwise_grad_input_chunk(void *ctx, int64_t begin, int64_t end) {
  const depthwise_task *f = ctx;
  const group_sizes *g = f->g;
  for (int64_t i = begin; i < end; i++) {
    int64_t image = i / g->shape->in_channels, channel = i % g->shape->in_channels;
    TYPE *dx = f->out + i * g->in_size;
    fill(dx, g->in_size, f->bias ? f->bias[channel] : 0);
    for (int64_t c = channel * g->out_channels; c < (channel + 1) * g->out_channels; c++)
      depthwise_spread(g, f->x + (image * g->shape->out_channels + c) * g->out_size, f->weight + c * g->taps, dx);
  }
}

static void depthwise_grad_input(const group_sizes *g, const TYPE *grad, const TYPE *weight, const TYPE *bias,
                                 TYPE *dx) {
  depthwise_task f = {g, grad, weight, bias, dx};
  pwt_parallel_for(g->shape->batch * g->shape->in_channels,
                   pwt_grain(GEMM_CHUNK_WORK / 4, g->out_size * g->taps * g->out_channels), depthwise_grad_input_chunk,
                   &f);
}

/* The sum over one image of grad[·] * x[· * stride + offset]: LANES interleaved sums along each row. */
static TYPE depthwise_correlate(const group_sizes *g, const TYPE *x, const TYPE *grad, const tap *t) {
  const pwt_window *s = &g->shape->window;
  TYPE sums[LANES] = {0};
  for (int64_t d = t->first[0]; d < t->end[0]; d++)
    for (int64_t h = t->first[1]; h < t->end[1]; h++) {
      row_overlap o = overlap_of(s, t, (place){0, d, h, 0}, s->out[2]);
      const TYPE *in = x + o.start, *row = grad + (d * s->out[1] + h) * s->out[2];
      ptrdiff_t i = o.first, stride = s->stride[2];
      if (stride == 1) {
        loose_vec part = load(sums);
        for (; i + LANES <= o.end; i += LANES) part += load(row + i) * load(in + i);
        store(sums, part);
      }
      for (; i < o.end; i++) sums[(i - o.first) % LANES] += row[i] * in[i * stride];
    }
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int j = 0; j < half; j++) sums[j] += sums[j + half];
  return sums[0];
}

static void depthwise_grad_weight_chunk(void *ctx, int64_t begin, int64_t end) {
  const depthwise_task *f = ctx;
  const group_sizes *g = f->g;
  for (int64_t i = begin; i < end; i++) {
    int64_t channel = i / g->taps;
    tap t = tap_of(&g->shape->window, i % g->taps);
    TYPE sum = 0;
    for (int64_t n = 0; n < g->shape->batch; n++)
      sum += depthwise_correlate(g, f->x + (n * g->shape->in_channels + channel / g->out_channels) * g->in_size,
                                 f->weight + (n * g->shape->out_channels + channel) * g->out_size, &t);
    f->out[i] = sum;
  }
}

static void depthwise_grad_weight(const group_sizes *g, const TYPE *x, const TYPE *grad, TYPE *dweight) {
  depthwise_task f = {g, x, grad, 0, dweight};
  pwt_parallel_for(g->shape->out_channels * g->taps, pwt_grain(GEMM_CHUNK_WORK / 4, g->positions),
                   depthwise_grad_weight_chunk, &f);
}
