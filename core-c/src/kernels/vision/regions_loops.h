/* Regions of interest of one floating-point type: included by regions_f32.c and regions_f64.c, which define TYPE, LOWEST and NAME(x).

   Gradients are shared out over channels, so that each element is summed in one order whatever the number of threads. */
#include "base/parallel.h"
#include "regions.h"

enum { CHANNELS_AT_ONCE = 32 };

typedef struct {
  int64_t image, grid[2];
  TYPE start[2], bin[2], samples;
} region;

typedef struct {
  int64_t at[4];
  TYPE weight[4];
} taps;

typedef struct {
  int64_t begin[2], end[2];
} box;

typedef struct { /* which samples of a bin can lie within the image */
  TYPE first;
  int64_t begin, end;
} row;

static int64_t bins(const pwt_regions *r) { return r->pooled[0] * r->pooled[1]; }

static const TYPE *plane_of(const pwt_regions *r, const void *images, int64_t image, int64_t channel, int64_t bin) {
  int64_t plane = r->sensitive ? channel * bins(r) + bin : channel;
  return (const TYPE *)images + (image * r->planes + plane) * r->size[0] * r->size[1];
}

/* ---- bilinear samples ---- */
static region region_of(const pwt_regions *r, int64_t n) {
  const TYPE *roi = (const TYPE *)r->rois + n * 5;
  TYPE scale = (TYPE)r->scale, shift = r->aligned ? (TYPE)0.5 : 0;
  region g = {.image = (int64_t)roi[0]};
  for (int d = 0; d < 2; d++) {
    g.start[d] = roi[2 - d] * scale - shift;
    TYPE extent = roi[4 - d] * scale - shift - g.start[d];
    if (!r->aligned && extent < 1) extent = 1;
    g.bin[d] = extent / (TYPE)r->pooled[d];
    g.grid[d] = r->sampling > 0 ? r->sampling : pwt_whole(__builtin_ceil((double)g.bin[d]));
  }
  g.samples = (TYPE)g.grid[0] * (TYPE)g.grid[1];
  if (!r->sensitive && !(g.samples >= 1)) g.samples = 1;
  return g;
}

static TYPE sample_at(const region *g, int d, TYPE first, int64_t i) { return first + ((TYPE)i + (TYPE)0.5) * g->bin[d] / (TYPE)g->grid[d]; }

static row row_of(const pwt_regions *r, const region *g, int d, int64_t bin) {
  row found = {g->start[d] + (TYPE)bin * g->bin[d], 0, g->grid[d]};
  double first = (double)found.first, step = (double)g->bin[d] / (double)g->grid[d];
  if (step >= 1e30) found.end = 0; /* steps over every image */
  else if (step > 0) {
    double margin = 2 + 1e-6 * (first < 0 ? -first : first) / step + 1e-6 * (double)g->grid[d];
    found.begin = PWT_MAX(0, pwt_whole((-1 - first) / step - margin));
    found.end = PWT_MIN(found.end, pwt_whole(((double)r->size[d] - first) / step + margin));
  }
  return found;
}

static bool between(const pwt_regions *r, TYPE at, int d, int64_t *low, int64_t *high, TYPE *part) {
  if (!(at >= -1 && at <= (TYPE)r->size[d]) || !r->size[d]) return false;
  at = at > 0 ? at : 0;
  *low = (int64_t)at, *high = *low + 1;
  if (*high >= r->size[d]) *low = *high = r->size[d] - 1, at = (TYPE)*low;
  *part = at - (TYPE)*low;
  return true;
}

static taps taps_of(const pwt_regions *r, int64_t top, int64_t bottom, TYPE down, int64_t left, int64_t right, TYPE across) {
  int64_t width = r->size[1];
  return (taps){{top * width + left, top * width + right, bottom * width + left, bottom * width + right},
                {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across}};
}

/* Calls `use` for each sample of a region that lies within its image, with the channels from `begin` to `end`. */
static inline __attribute__((always_inline)) void each_sample(pwt_regions *r, int64_t n, int64_t begin, int64_t end,
                                                              void (*use)(pwt_regions *, const region *, int64_t, int64_t, const taps *, int64_t, int64_t)) {
  region g = region_of(r, n);
  for (int64_t bin = 0; bin < bins(r); bin++) {
    row rows = row_of(r, &g, 0, bin / r->pooled[1]), columns = row_of(r, &g, 1, bin % r->pooled[1]);
    for (int64_t i = rows.begin; i < rows.end; i++) {
      int64_t top, bottom, left, right;
      TYPE down, across;
      if (!between(r, sample_at(&g, 0, rows.first, i), 0, &top, &bottom, &down)) continue;
      for (int64_t j = columns.begin; j < columns.end; j++) {
        if (!between(r, sample_at(&g, 1, columns.first, j), 1, &left, &right, &across)) continue;
        taps t = taps_of(r, top, bottom, down, left, right, across);
        use(r, &g, n, bin, &t, begin, end);
      }
    }
  }
}

static inline __attribute__((always_inline)) void add_sample(pwt_regions *r, const region *g, int64_t n, int64_t bin, const taps *t, int64_t begin, int64_t end) {
  for (int64_t c = begin; c < end; c++) {
    const TYPE *x = plane_of(r, r->from, g->image, c, bin);
    ((TYPE *)r->to)[(n * r->channels + c) * bins(r) + bin] += t->weight[0] * x[t->at[0]] + t->weight[1] * x[t->at[1]] + t->weight[2] * x[t->at[2]] + t->weight[3] * x[t->at[3]];
  }
}

static inline __attribute__((always_inline)) void spread_sample(pwt_regions *r, const region *g, int64_t n, int64_t bin, const taps *t, int64_t begin, int64_t end) {
  for (int64_t c = begin; c < end; c++) {
    TYPE *x = (TYPE *)plane_of(r, r->to, g->image, c, bin), grad = ((const TYPE *)r->from)[(n * r->channels + c) * bins(r) + bin];
    for (int k = 0; k < 4; k++) x[t->at[k]] += grad * t->weight[k] / g->samples;
  }
}

static void align(void *context, int64_t begin, int64_t end) {
  pwt_regions *r = context;
  int64_t size = r->channels * bins(r);
  for (int64_t n = begin; n < end; n++) {
    TYPE *y = (TYPE *)r->to + n * size, samples = region_of(r, n).samples;
    each_sample(r, n, 0, r->channels, add_sample);
    for (int64_t i = 0; i < size; i++) y[i] /= samples;
  }
}

static void align_grad(void *context, int64_t begin, int64_t end) {
  pwt_regions *r = context;
  for (int64_t n = 0; n < r->count; n++) each_sample(r, n, begin, end, spread_sample);
}

void NAME(pwt_align)(pwt_regions *r) { pwt_parallel_for(r->count, pwt_grain(16384, r->channels * bins(r) * 16), align, r); }

void NAME(pwt_align_grad)(pwt_regions *r) { pwt_parallel_for(r->channels, CHANNELS_AT_ONCE, align_grad, r); }

/* ---- whole elements ---- */
static bool finite(TYPE x) { return x - x == 0; }

static int64_t rounded(TYPE x) {
  double whole = (double)pwt_whole((double)x), rest = (double)x - whole;
  return (int64_t)whole + (rest >= 0.5) - (rest <= -0.5);
}

/* The elements of one bin within rows and columns of the image, without the last `left_out`; the ends of the position-sensitive kind are not part of their region. */
static box box_of(const pwt_regions *r, int64_t n, int64_t bin, int64_t left_out) {
  const TYPE *roi = (const TYPE *)r->rois + n * 5;
  TYPE scale = (TYPE)r->scale;
  int64_t at[] = {bin / r->pooled[1], bin % r->pooled[1]};
  box found = {{0}, {0}};
  for (int d = 0; d < 2; d++) {
    if (!finite(roi[2 - d] * scale) || !finite(roi[4 - d] * scale)) return (box){{0}, {0}};
    int64_t start = rounded(roi[2 - d] * scale), extent = rounded(roi[4 - d] * scale) - start + !r->sensitive;
    TYPE step = (TYPE)PWT_MAX(extent, 1) / (TYPE)r->pooled[d];
    int64_t begin = start + pwt_whole(__builtin_floor((double)((TYPE)at[d] * step))), end = start + pwt_whole(__builtin_ceil((double)((TYPE)(at[d] + 1) * step)));
    int64_t last = PWT_MAX(r->size[d] - left_out, 0);
    found.begin[d] = PWT_MIN(PWT_MAX(begin, 0), last), found.end[d] = PWT_MIN(PWT_MAX(end, 0), last);
  }
  return found;
}

static int64_t area(const box *b) { return PWT_MAX(b->end[0] - b->begin[0], 0) * PWT_MAX(b->end[1] - b->begin[1], 0); }

static int64_t image_of(const pwt_regions *r, int64_t n) { return (int64_t)((const TYPE *)r->rois)[n * 5]; }

static void region_max(void *context, int64_t begin, int64_t end) {
  pwt_regions *r = context;
  for (int64_t n = begin; n < end; n++)
    for (int64_t bin = 0; bin < bins(r); bin++) {
      box b = box_of(r, n, bin, 0);
      for (int64_t c = 0; c < r->channels; c++) {
        const TYPE *x = plane_of(r, r->from, image_of(r, n), c, bin);
        TYPE best = area(&b) ? LOWEST : 0;
        int64_t at = -1, to = (n * r->channels + c) * bins(r) + bin;
        for (int64_t i = b.begin[0]; i < b.end[0]; i++)
          for (int64_t j = b.begin[1]; j < b.end[1]; j++)
            if (x[i * r->size[1] + j] > best) at = i * r->size[1] + j, best = x[at];
        ((TYPE *)r->to)[to] = best, r->indices[to] = (int32_t)at;
      }
    }
}

static void region_max_grad(void *context, int64_t begin, int64_t end) {
  pwt_regions *r = context;
  for (int64_t n = 0; n < r->count; n++)
    for (int64_t c = begin; c < end; c++) {
      TYPE *x = (TYPE *)plane_of(r, r->to, image_of(r, n), c, 0);
      for (int64_t i = (n * r->channels + c) * bins(r), last = i + bins(r); i < last; i++)
        if (r->indices[i] >= 0 && r->indices[i] < r->size[0] * r->size[1]) x[r->indices[i]] += ((const TYPE *)r->from)[i];
    }
}

/* torchvision's sums leave out the image's last row and column; its gradients do not. */
static void region_mean(void *context, int64_t begin, int64_t end) {
  pwt_regions *r = context;
  for (int64_t n = begin; n < end; n++)
    for (int64_t bin = 0; bin < bins(r); bin++) {
      box b = box_of(r, n, bin, 1);
      for (int64_t c = 0; c < r->channels && area(&b); c++) {
        const TYPE *x = plane_of(r, r->from, image_of(r, n), c, bin);
        TYPE total = 0;
        for (int64_t i = b.begin[0]; i < b.end[0]; i++)
          for (int64_t j = b.begin[1]; j < b.end[1]; j++) total += x[i * r->size[1] + j];
        ((TYPE *)r->to)[(n * r->channels + c) * bins(r) + bin] = total / (TYPE)area(&b);
      }
    }
}

static void region_mean_grad(void *context, int64_t begin, int64_t end) {
  pwt_regions *r = context;
  for (int64_t n = 0; n < r->count; n++)
    for (int64_t bin = 0; bin < bins(r); bin++) {
      box b = box_of(r, n, bin, 0);
      for (int64_t c = begin; c < end && area(&b); c++) {
        TYPE *x = (TYPE *)plane_of(r, r->to, image_of(r, n), c, bin), part = ((const TYPE *)r->from)[(n * r->channels + c) * bins(r) + bin] / (TYPE)area(&b);
        for (int64_t i = b.begin[0]; i < b.end[0]; i++)
          for (int64_t j = b.begin[1]; j < b.end[1]; j++) x[i * r->size[1] + j] += part;
      }
    }
}

void NAME(pwt_region_max)(pwt_regions *r) { pwt_parallel_for(r->count, pwt_grain(16384, r->channels * bins(r) * 8), region_max, r); }

void NAME(pwt_region_max_grad)(pwt_regions *r) { pwt_parallel_for(r->channels, CHANNELS_AT_ONCE, region_max_grad, r); }

void NAME(pwt_region_mean)(pwt_regions *r) { pwt_parallel_for(r->count, pwt_grain(16384, r->channels * bins(r) * 8), region_mean, r); }

void NAME(pwt_region_mean_grad)(pwt_regions *r) { pwt_parallel_for(r->channels, CHANNELS_AT_ONCE, region_mean_grad, r); }

int64_t NAME(pwt_region_images)(const void *rois, int64_t count, int64_t images) {
  for (int64_t n = 0; n < count; n++) {
    TYPE image = ((const TYPE *)rois)[n * 5];
    if (!(image > -1 && image < (TYPE)images)) return n;
  }
  return -1;
}
