/* Pooling of one floating-point type: included by pool_f32.c and pool_f64.c, which define TYPE, LANES (per 16 bytes),
   INDEX (an integer as wide as TYPE) and NAME(x).

   The fixed windows go over an output row once per tap, so that their inner loops are plain vector code. */
#include <stddef.h>

#include "base/parallel.h"
#include "pool.h"

#define INLINE static inline __attribute__((always_inline))
#define INFINITE __builtin_inf()

enum { ROW_BLOCK = 256, CHUNK_READS = 1 << 17, KEPT_TAPS = 32 };

typedef TYPE loose_vec __attribute__((vector_size(16), aligned(sizeof(TYPE)), may_alias));
typedef INDEX loose_index_vec __attribute__((vector_size(16), aligned(sizeof(TYPE)), may_alias));
typedef INDEX index_vec __attribute__((vector_size(16)));

static inline loose_vec load(const TYPE *p) { return *(const loose_vec *)p; }
static inline void store(TYPE *p, loose_vec x) { *(loose_vec *)p = x; }
static inline loose_vec even(loose_vec a, loose_vec b) {
#if LANES == 4
  return __builtin_shufflevector(a, b, 0, 2, 4, 6);
#else
  return __builtin_shufflevector(a, b, 0, 2);
#endif
}

typedef struct {
  const pwt_pool *shape;
  const TYPE *x;
  TYPE *y;
  const int64_t *from;
  int64_t *indices;
  bool count_include_pad;
  int64_t divisor, in_size, out_size, tap_count;
  tap taps[KEPT_TAPS];
} pool_task;

static pool_task task_of(const pwt_pool *s, const TYPE *x, TYPE *y) {
  int64_t in_size = product3(s->window.in), out_size = product3(s->window.out);
  return (pool_task){.shape = s, .x = x, .y = y, .in_size = in_size, .out_size = out_size};
}

static void over_planes(pool_task *f, int64_t reads, void (*chunk)(void *, int64_t, int64_t)) {
  pwt_parallel_for(f->shape->planes, pwt_grain(CHUNK_READS, reads), chunk, f);
}

/* The same with a fixed window, whose first taps are found once for all. */
static void over_windows(pool_task *f, void (*chunk)(void *, int64_t, int64_t)) {
  f->tap_count = product3(f->shape->window.kernel);
  for (int64_t k = 0; k < f->tap_count && k < KEPT_TAPS; k++) f->taps[k] = tap_of(&f->shape->window, k);
  over_planes(f, f->in_size + f->out_size * f->tap_count, chunk);
}

static tap tap_at(const pool_task *f, int64_t k) {
  return k < KEPT_TAPS ? f->taps[k] : tap_of(&f->shape->window, k);
}

static void clear(TYPE *x, int64_t count) { __builtin_memset(x, 0, (size_t)count * sizeof(TYPE)); }

static int64_t min(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t max(int64_t x, int64_t y) { return x > y ? x : y; }

/* The place of a plane's output row. */
static place row_place(const pwt_window *v, int64_t row) { return (place){0, row / v->out[1], row % v->out[1], 0}; }

/* --- maximum over fixed windows */

/* `best` and `at` (where it was found) of `count` outputs meet the elements start, start + stride, … of `x`. */
INLINE void meet_strided(const ptrdiff_t stride, const bool with_indices, const TYPE *x, INDEX start, ptrdiff_t count,
                         TYPE *best, INDEX *at) {
  const TYPE *in = x + start;
  ptrdiff_t i = 0;
  index_vec found;
  for (int j = 0; j < LANES; j++) found[j] = start + j * (INDEX)stride;
  /* with stride 2 the loads read one element past the last that they need: never the row's last ones */
  for (; stride <= 2 && i + LANES + (stride - 1) <= count; i += LANES, found += LANES * (INDEX)stride) {
    loose_vec value = stride == 1 ? load(in + i) : even(load(in + 2 * i), load(in + 2 * i + LANES));
    loose_vec most = load(best + i);
    index_vec take = (value > most) | (value != value);
    store(best + i, (loose_vec)(((index_vec)value & take) | ((index_vec)most & ~take)));
    if (with_indices) *(loose_index_vec *)(at + i) = (found & take) | (*(loose_index_vec *)(at + i) & ~take);
  }
  for (; i < count; i++) {
    TYPE value = in[i * stride];
    bool take = (value > best[i]) | (value != value);
    best[i] = take ? value : best[i];
    if (with_indices) at[i] = take ? start + (INDEX)(i * stride) : at[i];
  }
}

static void meet(ptrdiff_t stride, bool with_indices, const TYPE *x, INDEX start, ptrdiff_t count, TYPE *best,
                 INDEX *at) {
  if (stride == 1 && with_indices)
    meet_strided(1, true, x, start, count, best, at);
  else if (stride == 1)
    meet_strided(1, false, x, start, count, best, at);
  else if (stride == 2 && with_indices)
    meet_strided(2, true, x, start, count, best, at);
  else if (stride == 2)
    meet_strided(2, false, x, start, count, best, at);
  else
    meet_strided(stride, with_indices, x, start, count, best, at);
}

/* The first tap's input position that is not in the padding in front. */
static int64_t window_start(const pwt_window *v, int dim, int64_t o) {
  int64_t start = o * v->stride[dim] - v->padding[dim], dilation = v->dilation[dim];
  return start >= 0 ? start : start + (-start + dilation - 1) / dilation * dilation;
}

/* Part of an output row: `count` outputs from `row` on. */
static void max_row(const pool_task *f, const TYPE *x, place row, int64_t count, TYPE *best, int64_t *indices) {
  const pwt_window *v = &f->shape->window;
  INDEX at[ROW_BLOCK];
  int64_t above = (window_start(v, 0, row.d) * v->in[1] + window_start(v, 1, row.h)) * v->in[2];
  for (int64_t i = 0; i < count; i++) best[i] = -INFINITE;
  if (indices)
    for (int64_t i = 0; i < count; i++) at[i] = (INDEX)(above + window_start(v, 2, row.w + i));
  for (int64_t k = 0; k < f->tap_count; k++) {
    tap t = tap_at(f, k);
    row_overlap o = overlap_of(v, &t, row, count);
    int64_t skipped = o.first - row.w;
    meet(v->stride[2], indices, x, (INDEX)(o.start + o.first * v->stride[2]), o.end - o.first, best + skipped,
         at + skipped);
  }
  if (indices)
    for (int64_t i = 0; i < count; i++) indices[i] = at[i];
}

static void max_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  const pwt_window *v = &f->shape->window;
  for (int64_t plane = begin; plane < end; plane++)
    for (int64_t o = 0; o < f->out_size;) {
      place row = row_place(v, o / v->out[2]);
      row.w = o % v->out[2];
      int64_t count = min(v->out[2] - row.w, ROW_BLOCK), out = plane * f->out_size + o;
      max_row(f, f->x + plane * f->in_size, row, count, f->y + out, f->indices ? f->indices + out : 0);
      o += count;
    }
}

void NAME(pwt_max_pool)(const pwt_pool *s, const TYPE *x, TYPE *y, int64_t *indices) {
  pool_task f = task_of(s, x, y);
  f.indices = indices;
  over_windows(&f, max_chunk);
}

static void max_grad_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  for (int64_t plane = begin; plane < end; plane++) {
    TYPE *dx = f->y + plane * f->in_size;
    clear(dx, f->in_size);
    for (int64_t o = plane * f->out_size; o < (plane + 1) * f->out_size; o++)
      if (f->from[o] >= 0 && f->from[o] < f->in_size) dx[f->from[o]] += f->x[o];
  }
}

void NAME(pwt_max_pool_grad)(const pwt_pool *s, const TYPE *grad, const int64_t *indices, TYPE *dx) {
  pool_task f = task_of(s, grad, dx);
  f.from = indices;
  over_planes(&f, f.in_size + f.out_size, max_grad_chunk);
}

/* --- average over fixed windows */

/* The extent of a window in one dimension: in the padded input, and in the input itself. */
typedef struct {
  int64_t padded, first, end;
} extent;

static extent extent_of(const pwt_window *v, int dim, int64_t o) {
  int64_t start = o * v->stride[dim] - v->padding[dim];
  int64_t end = min(start + v->kernel[dim], v->in[dim] + v->padding[dim]);
  return (extent){end - start, max(start, 0), min(end, v->in[dim])};
}

/* What an output is divided by; 1 where the window is empty. */
static TYPE divisor_at(const pool_task *f, extent d, extent h, extent w) {
  if (d.first >= d.end || h.first >= h.end || w.first >= w.end) return 1;
  if (f->divisor) return (TYPE)f->divisor;
  if (f->count_include_pad) return (TYPE)(d.padded * h.padded * w.padded);
  return (TYPE)((d.end - d.first) * (h.end - h.first) * (w.end - w.first));
}

/* out = x divided by the divisors of a row's outputs from row.w on */
static void divide_row(const pool_task *f, const TYPE *x, place row, int64_t count, TYPE *out) {
  const pwt_window *v = &f->shape->window;
  extent d = extent_of(v, 0, row.d), h = extent_of(v, 1, row.h);
  for (int64_t i = 0; i < count; i++) out[i] = x[i] / divisor_at(f, d, h, extent_of(v, 2, row.w + i));
}

INLINE void add_strided(ptrdiff_t stride, TYPE *restrict sums, const TYPE *restrict x, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) sums[i] += x[i * stride];
}

static void avg_row(const pool_task *f, const TYPE *x, place row, TYPE *sums) {
  const pwt_window *v = &f->shape->window;
  ptrdiff_t stride = v->stride[2];
  clear(sums, v->out[2]);
  for (int64_t k = 0; k < f->tap_count; k++) {
    tap t = tap_at(f, k);
    row_overlap o = overlap_of(v, &t, row, v->out[2]);
    const TYPE *in = x + o.start + o.first * stride;
    if (stride == 1)
      add_strided(1, sums + o.first, in, o.end - o.first);
    else if (stride == 2)
      add_strided(2, sums + o.first, in, o.end - o.first);
    else
      add_strided(stride, sums + o.first, in, o.end - o.first);
  }
  divide_row(f, sums, row, v->out[2], sums);
}

static void avg_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  const pwt_window *v = &f->shape->window;
  for (int64_t plane = begin; plane < end; plane++)
    for (int64_t row = 0; row < v->out[0] * v->out[1]; row++)
      avg_row(f, f->x + plane * f->in_size, row_place(v, row), f->y + plane * f->out_size + row * v->out[2]);
}

void NAME(pwt_avg_pool)(const pwt_pool *s, bool count_include_pad, int64_t divisor, const TYPE *x, TYPE *y) {
  pool_task f = task_of(s, x, y);
  f.count_include_pad = count_include_pad;
  f.divisor = divisor;
  over_windows(&f, avg_chunk);
}

/* Taps go backwards, so that an input element's gradients come in the order of the outputs. */
static void avg_grad_row(const pool_task *f, const TYPE *grad, place row, int64_t count, TYPE *dx) {
  const pwt_window *v = &f->shape->window;
  TYPE shares[ROW_BLOCK];
  divide_row(f, grad, row, count, shares);
  for (int64_t k = f->tap_count - 1; k >= 0; k--) {
    tap t = tap_at(f, k);
    row_overlap o = overlap_of(v, &t, row, count);
    TYPE *restrict out = dx + o.start + o.first * v->stride[2];
    const TYPE *restrict share = shares + (o.first - row.w);
    for (ptrdiff_t i = 0, stride = v->stride[2]; i < o.end - o.first; i++) out[i * stride] += share[i];
  }
}

static void avg_grad_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  const pwt_window *v = &f->shape->window;
  for (int64_t plane = begin; plane < end; plane++) {
    TYPE *dx = f->y + plane * f->in_size;
    clear(dx, f->in_size);
    for (int64_t o = 0; o < f->out_size;) {
      place row = row_place(v, o / v->out[2]);
      row.w = o % v->out[2];
      int64_t count = min(v->out[2] - row.w, ROW_BLOCK);
      avg_grad_row(f, f->x + plane * f->out_size + o, row, count, dx);
      o += count;
    }
  }
}

void NAME(pwt_avg_pool_grad)(const pwt_pool *s, bool count_include_pad, int64_t divisor, const TYPE *grad, TYPE *dx) {
  pool_task f = task_of(s, grad, dx);
  f.count_include_pad = count_include_pad;
  f.divisor = divisor;
  over_windows(&f, avg_grad_chunk);
}

/* --- adaptive windows */

typedef struct {
  int64_t first[3], end[3];
} box;

static box box_of(const pwt_window *v, int64_t output) {
  int64_t at[3] = {output / (v->out[1] * v->out[2]), output / v->out[2] % v->out[1], output % v->out[2]};
  box b;
  for (int i = 0; i < 3; i++) {
    b.first[i] = at[i] * v->in[i] / v->out[i];
    b.end[i] = ((at[i] + 1) * v->in[i] + v->out[i] - 1) / v->out[i];
  }
  return b;
}

static int64_t length(const box *b, int dim) { return b->end[dim] - b->first[dim]; }

static int64_t box_row(const pwt_window *v, const box *b, int64_t d, int64_t h) {
  return (d * v->in[1] + h) * v->in[2] + b->first[2];
}

/* The sum over a row: interleaved in eight where it is long. */
static TYPE row_sum(const TYPE *x, ptrdiff_t count) {
  TYPE sum = 0, sums[8] = {0};
  ptrdiff_t i = 0;
  if (count >= 16) {
    for (; i + 8 <= count; i += 8)
      for (int j = 0; j < 8; j++) sums[j] += x[i + j];
    sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }
  for (; i < count; i++) sum += x[i];
  return sum;
}

static TYPE box_mean(const pwt_window *v, const box *b, const TYPE *x) {
  TYPE sum = 0;
  for (int64_t d = b->first[0]; d < b->end[0]; d++)
    for (int64_t h = b->first[1]; h < b->end[1]; h++) sum += row_sum(x + box_row(v, b, d, h), length(b, 2));
  return sum / (TYPE)length(b, 0) / (TYPE)length(b, 1) / (TYPE)length(b, 2);
}

static void adaptive_avg_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  for (int64_t plane = begin; plane < end; plane++)
    for (int64_t o = 0; o < f->out_size; o++) {
      box b = box_of(&f->shape->window, o);
      f->y[plane * f->out_size + o] = box_mean(&f->shape->window, &b, f->x + plane * f->in_size);
    }
}

void NAME(pwt_adaptive_avg_pool)(const pwt_pool *s, const TYPE *x, TYPE *y) {
  pool_task f = task_of(s, x, y);
  over_planes(&f, f.in_size + f.out_size, adaptive_avg_chunk);
}

static void adaptive_avg_grad_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  const pwt_window *v = &f->shape->window;
  for (int64_t plane = begin; plane < end; plane++) {
    TYPE *dx = f->y + plane * f->in_size;
    clear(dx, f->in_size);
    for (int64_t o = 0; o < f->out_size; o++) {
      box b = box_of(v, o);
      TYPE share = f->x[plane * f->out_size + o] / (TYPE)length(&b, 0) / (TYPE)length(&b, 1) / (TYPE)length(&b, 2);
      for (int64_t d = b.first[0]; d < b.end[0]; d++)
        for (int64_t h = b.first[1]; h < b.end[1]; h++) {
          TYPE *row = dx + box_row(v, &b, d, h);
          for (ptrdiff_t i = 0; i < length(&b, 2); i++) row[i] += share;
        }
    }
  }
}

void NAME(pwt_adaptive_avg_pool_grad)(const pwt_pool *s, const TYPE *grad, TYPE *dx) {
  pool_task f = task_of(s, grad, dx);
  over_planes(&f, f.in_size + f.out_size, adaptive_avg_grad_chunk);
}

static int64_t box_argmax(const pwt_window *v, const box *b, const TYPE *x) {
  int64_t best = box_row(v, b, b->first[0], b->first[1]);
  for (int64_t d = b->first[0]; d < b->end[0]; d++)
    for (int64_t h = b->first[1]; h < b->end[1]; h++)
      for (int64_t i = 0, at = box_row(v, b, d, h); i < length(b, 2); i++, at++)
        if (x[at] > x[best] || x[at] != x[at]) best = at;
  return best;
}

static void adaptive_max_chunk(void *ctx, int64_t begin, int64_t end) {
  const pool_task *f = ctx;
  for (int64_t plane = begin; plane < end; plane++)
    for (int64_t o = 0; o < f->out_size; o++) {
      box b = box_of(&f->shape->window, o);
      const TYPE *x = f->x + plane * f->in_size;
      int64_t best = box_argmax(&f->shape->window, &b, x), out = plane * f->out_size + o;
      f->y[out] = x[best];
      if (f->indices) f->indices[out] = best;
    }
}

void NAME(pwt_adaptive_max_pool)(const pwt_pool *s, const TYPE *x, TYPE *y, int64_t *indices) {
  pool_task f = task_of(s, x, y);
  f.indices = indices;
  over_planes(&f, f.in_size + f.out_size, adaptive_max_chunk);
}
