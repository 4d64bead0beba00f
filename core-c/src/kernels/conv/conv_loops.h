/* Convolution of one floating-point type: included by conv_f32.c and conv_f64.c, which define
   TYPE, LANES (per 16 bytes), PANEL and NAME(x).

   A convolution is a product of the weight with a matrix of patches (one row per input channel and tap, one column per
   output position), of which only a block at a time is ever built. */
#include <stddef.h>

#include "base/parallel.h"
#include "conv.h"
#include "matmul/gemm_blocks.h"
#include "taps.h"

typedef TYPE loose_vec __attribute__((vector_size(16), aligned(sizeof(TYPE)), may_alias));
typedef NAME(gemm_target) target;

/* Rows of a block of patches are BLOCK_ROW apart, so that they do not fall into the same few sets of the cache. */
enum { BLOCK = 256, BLOCK_ROW = BLOCK + PANEL, MIN_ITEMS = 8, MIN_ROWS = 128, WEIGHT_BLOCK = 128 };

static inline loose_vec load(const TYPE *p) { return *(const loose_vec *)p; }
static inline void store(TYPE *p, loose_vec x) { *(loose_vec *)p = x; }

static int64_t ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }
static int64_t min(int64_t x, int64_t y) { return x < y ? x : y; }

static void fill(TYPE *out, int64_t count, TYPE value) {
  for (ptrdiff_t i = 0; i < count; i++) out[i] = value;
}

static void copy(TYPE *restrict out, const TYPE *restrict x, ptrdiff_t step, int64_t count) {
  if (step == 1)
    for (ptrdiff_t i = 0; i < count; i++) out[i] = x[i];
  else
    for (ptrdiff_t i = 0; i < count; i++) out[i] = x[i * step];
}

static void add(TYPE *restrict out, ptrdiff_t step, const TYPE *restrict x, int64_t count) {
  if (step == 1)
    for (ptrdiff_t i = 0; i < count; i++) out[i] += x[i];
  else
    for (ptrdiff_t i = 0; i < count; i++) out[i * step] += x[i];
}

/* Sizes within one group. */
typedef struct {
  const pwt_conv *shape;
  int64_t in_channels, out_channels, taps, patch, in_size, out_size, positions;
} group_sizes;

static group_sizes sizes_of(const pwt_conv *s) {
  group_sizes g = {.shape = s, .in_channels = s->in_channels / s->groups, .out_channels = s->out_channels / s->groups};
  g.taps = product3(s->window.kernel);
  g.patch = g.in_channels * g.taps;
  g.in_size = product3(s->window.in);
  g.out_size = product3(s->window.out);
  g.positions = s->batch * g.out_size;
  return g;
}

/* --- patches */

/* One row of the matrix of patches: what tap `t` reads of a channel (of image 0) for `count` positions. */
static void patch_row(const group_sizes *g, const TYPE *channel, const tap *t, place at, int64_t count, TYPE *out) {
  const pwt_conv *s = g->shape;
  int64_t stride = s->window.stride[2];
  while (count > 0) {
    int64_t length = min(s->window.out[2] - at.w, count);
    row_overlap o = overlap_of(&s->window, t, at, length);
    fill(out, o.first - at.w, 0);
    copy(out + (o.first - at.w), channel + at.image * s->in_channels * g->in_size + o.start + o.first * stride, stride,
         o.end - o.first);
    fill(out + (o.end - at.w), at.w + length - o.end, 0);
    out += length;
    count -= length;
    next_row(&s->window, &at);
  }
}

/* Rows first .. first + count - 1 of the matrix of patches for `columns` positions, `row` elements apart. */
static void patch_rows(const group_sizes *g, const TYPE *x, int64_t first, int64_t count, place at, int64_t columns,
                       TYPE *out, int64_t row) {
  for (int64_t p = first; p < first + count; p++, out += row) {
    tap t = tap_of(&g->shape->window, p % g->taps);
    patch_row(g, x + p / g->taps * g->in_size, &t, at, columns, out);
  }
}

/* The way back: adds one row of a block to the places that it was read from. */
static void add_patch_row(const group_sizes *g, TYPE *channel, const tap *t, place at, int64_t count, const TYPE *row) {
  const pwt_conv *s = g->shape;
  int64_t stride = s->window.stride[2];
  while (count > 0) {
    int64_t length = min(s->window.out[2] - at.w, count);
    row_overlap o = overlap_of(&s->window, t, at, length);
    add(channel + at.image * s->in_channels * g->in_size + o.start + o.first * stride, stride, row + (o.first - at.w),
        o.end - o.first);
    row += length;
    count -= length;
    next_row(&s->window, &at);
  }
}

/* Rows of a batch × channels × positions tensor, one per channel, for `count` positions across images. */
static void channel_rows(const TYPE *x, int64_t channels, int64_t image_step, int64_t size, int64_t position,
                         int64_t count, TYPE *out, int64_t row) {
  for (int64_t c = 0; c < channels; c++, x += size, out += row)
    for (int64_t done = 0, length; done < count; done += length) {
      int64_t at = position + done;
      length = min(size - at % size, count - done);
      copy(out + done, x + at / size * image_step + at % size, 1, length);
    }
}

#include "depthwise.h"

/* --- forward */

typedef struct {
  group_sizes g;
  const TYPE *x, *weight, *bias;
  TYPE *y;
  int64_t blocks, rows, row_blocks;
  pwt_slots slots;
} forward_task;

static void plan_forward(forward_task *f) {
  f->blocks = ceil_div(f->g.positions, BLOCK);
  f->rows = f->blocks * f->g.shape->groups >= MIN_ITEMS ? f->g.out_channels : min(f->g.out_channels, MIN_ROWS);
  f->row_blocks = ceil_div(f->g.out_channels, f->rows);
}

static int64_t forward_slot(const group_sizes *g) {
  return min(g->patch, GEMM_MAX_DEPTH) * BLOCK_ROW * (int64_t)sizeof(TYPE);
}

/* Fills `columns` positions of some channels with the channels' biases. */
static void fill_bias(const TYPE *bias, int64_t channels, target y, int64_t position, int64_t columns) {
  for (int64_t c = 0; c < channels; c++)
    for (int64_t done = 0, length; done < columns; done += length) {
      int64_t at = position + done;
      length = min(y.run - at % y.run, columns - done);
      fill(y.data + c * y.row + at / y.run * y.jump + at % y.run, length, bias ? bias[c] : 0);
    }
}

static void forward_item(const forward_task *f, int64_t item, TYPE *block) {
  const group_sizes *g = &f->g;
  const pwt_conv *s = g->shape;
  int64_t group = item / f->row_blocks / f->blocks;
  int64_t channel = group * g->out_channels + item % f->row_blocks * f->rows;
  int64_t channels = min(f->rows, (group + 1) * g->out_channels - channel);
  int64_t position = item / f->row_blocks % f->blocks * BLOCK;
  int64_t columns = min(g->positions - position, BLOCK), most = g->patch ? gemm_depth(g->patch) : 1;
  place at = place_of(&s->window, position);
  target y = {f->y + channel * g->out_size, g->out_size, g->out_size, s->out_channels * g->out_size};
  if (f->bias || g->patch == 0) fill_bias(f->bias ? f->bias + channel : 0, channels, y, position, columns);
  for (int64_t p = 0; p < g->patch; p += most) {
    int64_t depth = min(g->patch - p, most);
    patch_rows(g, f->x + group * g->in_channels * g->in_size, p, depth, at, columns, block, BLOCK_ROW);
    NAME(pwt_gemm_block)
    (channels, columns, depth, f->weight + channel * g->patch + p, g->patch, 1, block, BLOCK_ROW, PANEL, y, position,
     f->bias || p > 0);
  }
}

static void forward_chunk(void *ctx, int64_t begin, int64_t end) {
  forward_task *f = ctx;
  TYPE *block = pwt_slot_take(&f->slots);
  for (int64_t item = begin; item < end; item++) forward_item(f, item, block);
  pwt_slot_give(&f->slots, block);
}

int64_t NAME(pwt_conv_workspace)(const pwt_conv *s) {
  group_sizes g = sizes_of(s);
  return is_depthwise(&g) ? 0 : pwt_slots_bytes(forward_slot(&g));
}

void NAME(pwt_conv)(const pwt_conv *s, const TYPE *x, const TYPE *weight, const TYPE *bias, TYPE *y, void *workspace,
                    int64_t workspace_bytes) {
  forward_task f = {.g = sizes_of(s), .x = x, .weight = weight, .bias = bias, .y = y};
  if (f.g.positions == 0 || s->out_channels == 0) return;
  if (is_depthwise(&f.g)) {
    depthwise_forward(&f.g, x, weight, bias, y);
    return;
  }
  plan_forward(&f);
  f.slots = pwt_slots_over(workspace, workspace_bytes, forward_slot(&f.g));
  pwt_parallel_for(s->groups * f.blocks * f.row_blocks, pwt_grain(GEMM_CHUNK_WORK, f.rows * BLOCK * f.g.patch),
                   forward_chunk, &f);
}

/* --- gradient by the input

   Blocks of weightᵀ · grad are the gradients of patches, which are then added to where the patches came from. An item
   is a range of channels of a few images, so no two items add to one place. */

typedef struct {
  group_sizes g;
  const TYPE *grad, *weight, *bias;
  TYPE *dx;
  int64_t images, image_blocks, channels, channel_blocks;
  pwt_slots slots;
} input_task;

static void plan_input(input_task *f) {
  const group_sizes *g = &f->g;
  f->images = clamp(g->out_size ? BLOCK / g->out_size : 1, 1, g->shape->batch);
  f->image_blocks = ceil_div(g->shape->batch, f->images);
  f->channel_blocks = clamp(g->patch / GEMM_MAX_DEPTH, 1, g->in_channels);
  f->channels = ceil_div(g->in_channels, f->channel_blocks);
  f->channel_blocks = ceil_div(g->in_channels, f->channels);
}

static int64_t input_slot(const input_task *f) {
  return (min(f->g.out_channels, GEMM_MAX_DEPTH) + f->channels * f->g.taps) * BLOCK_ROW * (int64_t)sizeof(TYPE);
}

static void input_block(const input_task *f, int64_t group, int64_t channel, int64_t channels, int64_t position,
                        int64_t columns, TYPE *rows) {
  const group_sizes *g = &f->g;
  const pwt_conv *s = g->shape;
  int64_t most = gemm_depth(g->out_channels), first = group * g->out_channels;
  TYPE *patches = rows + min(g->out_channels, GEMM_MAX_DEPTH) * BLOCK_ROW;
  for (int64_t c = 0; c < g->out_channels; c += most) {
    int64_t depth = min(g->out_channels - c, most);
    channel_rows(f->grad + (first + c) * g->out_size, depth, s->out_channels * g->out_size, g->out_size, position,
                 columns, rows, BLOCK_ROW);
    NAME(pwt_gemm_block)
    (channels * g->taps, columns, depth, f->weight + (first + c) * g->patch + channel * g->taps, 1, g->patch, rows,
     BLOCK_ROW, PANEL, (target){patches, BLOCK_ROW, columns, 0}, 0, c > 0);
  }
  place at = place_of(&s->window, position);
  for (int64_t p = 0; p < channels * g->taps; p++) {
    tap t = tap_of(&s->window, p % g->taps);
    add_patch_row(g, f->dx + (group * g->in_channels + channel + p / g->taps) * g->in_size, &t, at, columns,
                  patches + p * BLOCK_ROW);
  }
}

static void input_item(const input_task *f, int64_t item, TYPE *rows) {
  const group_sizes *g = &f->g;
  const pwt_conv *s = g->shape;
  int64_t image = item / f->channel_blocks / s->groups * f->images, images = min(s->batch - image, f->images);
  int64_t group = item / f->channel_blocks % s->groups, channel = item % f->channel_blocks * f->channels;
  int64_t channels = min(g->in_channels - channel, f->channels);
  for (int64_t i = 0; i < images; i++)
    for (int64_t c = group * g->in_channels + channel, last = c + channels; c < last; c++)
      fill(f->dx + ((image + i) * s->in_channels + c) * g->in_size, g->in_size, f->bias ? f->bias[c] : 0);
  if (g->out_channels == 0) return;
  int64_t position = image * g->out_size, end = position + images * g->out_size;
  for (; position < end; position += BLOCK)
    input_block(f, group, channel, channels, position, min(end - position, BLOCK), rows);
}

static void input_chunk(void *ctx, int64_t begin, int64_t end) {
  input_task *f = ctx;
  TYPE *rows = pwt_slot_take(&f->slots);
  for (int64_t item = begin; item < end; item++) input_item(f, item, rows);
  pwt_slot_give(&f->slots, rows);
}

int64_t NAME(pwt_conv_grad_input_workspace)(const pwt_conv *s) {
  input_task f = {.g = sizes_of(s)};
  if (is_depthwise(&f.g) || s->batch == 0 || s->in_channels == 0) return 0;
  plan_input(&f);
  return pwt_slots_bytes(input_slot(&f));
}

void NAME(pwt_conv_grad_input)(const pwt_conv *s, const TYPE *grad, const TYPE *weight, const TYPE *bias, TYPE *dx,
                               void *workspace, int64_t workspace_bytes) {
  input_task f = {.g = sizes_of(s), .grad = grad, .weight = weight, .bias = bias, .dx = dx};
  if (s->batch == 0 || s->in_channels == 0) return;
  if (is_depthwise(&f.g)) {
    depthwise_grad_input(&f.g, grad, weight, bias, dx);
    return;
  }
  plan_input(&f);
  f.slots = pwt_slots_over(workspace, workspace_bytes, input_slot(&f));
  int64_t work = f.images * f.g.out_size * f.channels * f.g.taps * f.g.out_channels;
  pwt_parallel_for(f.image_blocks * s->groups * f.channel_blocks, pwt_grain(GEMM_CHUNK_WORK, work), input_chunk, &f);
}

/* --- gradient by the weight

   dweight = grad · patchesᵀ, a sum over all positions. An item is a range of the weight's columns; where those are
   few, the positions are cut into segments (as the sizes say) whose sums are added up at the end. */

typedef struct {
  group_sizes g;
  const TYPE *x, *grad;
  TYPE *dweight, *partial;
  int64_t columns, column_blocks, segment, segments, weights;
  pwt_slots slots;
} weight_task;

static void plan_weight(weight_task *f) {
  const group_sizes *g = &f->g;
  f->columns = gemm_round_up(ceil_div(g->patch, ceil_div(g->patch, WEIGHT_BLOCK)), PANEL);
  f->column_blocks = ceil_div(g->patch, f->columns);
  f->weights = g->shape->out_channels * g->patch;
  int64_t wanted = ceil_div(MIN_ITEMS, g->shape->groups * f->column_blocks);
  int64_t useful = g->positions * g->out_channels * min(g->patch, f->columns) / GEMM_CHUNK_WORK;
  f->segments = clamp(useful, 1, wanted);
  f->segment = ceil_div(g->positions, f->segments);
  f->segments = ceil_div(g->positions, f->segment);
}

static int64_t partial_bytes(const weight_task *f) {
  return f->segments > 1 ? gemm_round_up(f->segments * f->weights * (int64_t)sizeof(TYPE), 64) : 0;
}

static int64_t weight_slot(const weight_task *f) {
  return (2 * f->columns + f->g.out_channels) * GEMM_MAX_DEPTH * (int64_t)sizeof(TYPE);
}

static void weight_item(const weight_task *f, int64_t item, TYPE *panels) {
  const group_sizes *g = &f->g;
  const pwt_conv *s = g->shape;
  int64_t group = item / f->column_blocks % s->groups, segment = item / f->column_blocks / s->groups;
  int64_t first = item % f->column_blocks * f->columns, columns = min(g->patch - first, f->columns);
  int64_t position = segment * f->segment, end = min(position + f->segment, g->positions);
  TYPE *patches = panels + f->columns * GEMM_MAX_DEPTH, *gathered = patches + f->columns * GEMM_MAX_DEPTH;
  const TYPE *grad = f->grad + group * g->out_channels * g->out_size;
  TYPE *out = (f->segments > 1 ? f->partial + segment * f->weights : f->dweight) + group * g->out_channels * g->patch;
  int64_t image_step = s->out_channels * g->out_size, most = gemm_depth(f->segment);
  for (int64_t at = position; at < end; at += most) {
    int64_t depth = min(end - at, most), within = at % g->out_size;
    const TYPE *a = grad + at / g->out_size * image_step + within;
    int64_t a_row = g->out_size;
    if (within + depth > g->out_size) {
      channel_rows(grad, g->out_channels, image_step, g->out_size, at, depth, gathered, depth);
      a = gathered;
      a_row = depth;
    }
    patch_rows(g, f->x + group * g->in_channels * g->in_size, first, columns, place_of(&s->window, at), depth, patches,
               depth);
    NAME(pwt_gemm_pack)(columns, depth, patches, 1, depth, panels);
    NAME(pwt_gemm_block)
    (g->out_channels, columns, depth, a, a_row, 1, panels, PANEL, PANEL * depth,
     (target){out + first, g->patch, columns, 0}, 0, at > position);
  }
}

static void weight_chunk(void *ctx, int64_t begin, int64_t end) {
  weight_task *f = ctx;
  TYPE *panels = pwt_slot_take(&f->slots);
  for (int64_t item = begin; item < end; item++) weight_item(f, item, panels);
  pwt_slot_give(&f->slots, panels);
}

int64_t NAME(pwt_conv_grad_weight_workspace)(const pwt_conv *s) {
  weight_task f = {.g = sizes_of(s)};
  if (is_depthwise(&f.g) || f.g.positions == 0 || f.g.patch == 0) return 0;
  plan_weight(&f);
  return partial_bytes(&f) + pwt_slots_bytes(weight_slot(&f));
}

void NAME(pwt_conv_grad_weight)(const pwt_conv *s, const TYPE *x, const TYPE *grad, TYPE *dweight, void *workspace,
                                int64_t workspace_bytes) {
  weight_task f = {.g = sizes_of(s), .x = x, .grad = grad, .dweight = dweight, .partial = workspace};
  if (f.g.positions == 0) fill(dweight, s->out_channels * f.g.patch, 0);
  if (f.g.positions == 0 || s->out_channels * f.g.patch == 0) return;
  if (is_depthwise(&f.g)) {
    depthwise_grad_weight(&f.g, x, grad, dweight);
    return;
  }
  plan_weight(&f);
  int64_t sums = partial_bytes(&f);
  f.slots = pwt_slots_over((char *)workspace + sums, workspace_bytes - sums, weight_slot(&f));
  pwt_parallel_for(f.segments * s->groups * f.column_blocks,
                   pwt_grain(GEMM_CHUNK_WORK, f.segment * f.g.out_channels * f.columns), weight_chunk, &f);
  if (f.segments == 1) return;
  copy(dweight, f.partial, 1, f.weights);
  for (int64_t i = 1; i < f.segments; i++) add(dweight, 1, f.partial + i * f.weights, f.weights);
}

/* --- gradient by the bias */

typedef struct {
  int64_t batch, channels, positions;
  const TYPE *grad;
  TYPE *dbias;
} bias_task;

/* Sixteen interleaved sums, folded in halves. */
static TYPE plane_sum(const TYPE *x, ptrdiff_t count) {
  TYPE sums[16] = {0};
  ptrdiff_t i = 0;
  for (; i + 16 <= count; i += 16)
    for (int j = 0; j < 16; j++) sums[j] += x[i + j];
  for (; i < count; i++) sums[i % 16] += x[i];
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; j++) sums[j] += sums[j + half];
  return sums[0];
}

static void bias_chunk(void *ctx, int64_t begin, int64_t end) {
  const bias_task *f = ctx;
  for (int64_t c = begin; c < end; c++) {
    TYPE sum = 0;
    for (int64_t n = 0; n < f->batch; n++)
      sum += plane_sum(f->grad + (n * f->channels + c) * f->positions, f->positions);
    f->dbias[c] = sum;
  }
}

void NAME(pwt_conv_grad_bias)(int64_t batch, int64_t channels, int64_t positions, const TYPE *grad, TYPE *dbias) {
  bias_task f = {batch, channels, positions, grad, dbias};
  pwt_parallel_for(channels, pwt_grain(GEMM_CHUNK_WORK / 8, batch * positions), bias_chunk, &f);
}
