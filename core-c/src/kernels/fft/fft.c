/* Fourier transforms of tensors, one dimension after the other. Rows are converted to double in batches, transformed, converted back;
   a real row of even length is transformed as a complex one of half its length. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"
#include "loops.h"

typedef enum { C2C, R2C, C2R } Kind;
enum { MOST_ROWS = 8, BATCH_POINTS = 8192, CHUNK_WORK = 65536 };

/* How rows lie in memory, in real numbers: points `step` apart, the imaginary part `gap` after the real one (0: there is none). */
typedef struct {
  void *data;
  int64_t count, row_step, step, gap, outer_step;
} Rows;

typedef struct {
  const FftPlan *plan;
  Kind kind;
  bool single, swapped, halved, full;
  int64_t rows, inner, batch, n, room;
  double scale;
  Parts roots; /* of a halved row's n */
  Rows in, out;
  pwt_slots slots;
} Job;

#define MOVES(S, T)                                                                              \
  static void load_##S(const Rows *r, const int64_t *at, int64_t batch, Parts x) {               \
    const T *data = r->data;                                                                     \
    for (int64_t k = 0; k < r->count; k++)                                                       \
      for (int64_t b = 0; b < batch; b++) {                                                      \
        const T *from = data + at[b] + k * r->step;                                              \
        x.re[k * batch + b] = (double)from[0];                                                   \
        x.im[k * batch + b] = r->gap ? (double)from[r->gap] : 0;                                 \
      }                                                                                          \
  }                                                                                              \
  static void store_##S(const Rows *r, const int64_t *at, int64_t batch, Parts x, double scale) { \
    T *data = r->data;                                                                           \
    for (int64_t k = 0; k < r->count; k++)                                                       \
      for (int64_t b = 0; b < batch; b++) {                                                      \
        T *to = data + at[b] + k * r->step;                                                      \
        to[0] = (T)(x.re[k * batch + b] * scale);                                                \
        if (r->gap) to[r->gap] = (T)(x.im[k * batch + b] * scale);                               \
      }                                                                                          \
  }
MOVES(f32, float)
MOVES(f64, double)

/* From the transform z of x[2j] + i x[2j+1] to that of x: (z[k] + z*[m-k] - i w^k (z[k] - z*[m-k])) / 2. */
static void separate(const Job *job, int64_t batch, Parts z, Parts x) {
  int64_t m = job->n / 2;
  for (int64_t k = 0; k <= m; k++) {
    double r = job->roots.re[k], i = job->roots.im[k];
    for (int64_t b = 0, at = k % m * batch, mirrored = (m - k) % m * batch, to = k * batch; b < batch; b++, at++, mirrored++, to++) {
      double er = z.re[at] + z.re[mirrored], ei = z.im[at] - z.im[mirrored];
      double fr = z.im[at] + z.im[mirrored], fi = z.re[mirrored] - z.re[at];
      x.re[to] = 0.5 * (er + fr * r - fi * i);
      x.im[to] = 0.5 * (ei + fr * i + fi * r);
    }
  }
}

/* The way back: z[k] = x[k] + x*[m-k] + i w^-k (x[k] - x*[m-k]), where the imaginary parts of x[0] and x[m] count for nothing. */
static void unite(const Job *job, int64_t batch, Parts x, Parts z) {
  int64_t m = job->n / 2;
  for (int64_t b = 0; b < batch; b++) x.im[b] = x.im[m * batch + b] = 0;
  for (int64_t k = 0; k < m; k++) {
    double r = job->roots.re[k], i = -job->roots.im[k];
    for (int64_t b = 0, at = k * batch, mirrored = (m - k) * batch; b < batch; b++, at++, mirrored++) {
      double er = x.re[at] + x.re[mirrored], ei = x.im[at] - x.im[mirrored];
      double fr = x.re[at] - x.re[mirrored], fi = x.im[at] + x.im[mirrored];
      z.re[at] = er - (fr * i + fi * r);
      z.im[at] = ei + (fr * r - fi * i);
    }
  }
}

/* x[n-k] = x*[k] */
static void mirror(const Job *job, int64_t batch, Parts x) {
  for (int64_t k = 1; 2 * k < job->n; k++)
    for (int64_t b = 0; b < batch; b++) {
      x.re[(job->n - k) * batch + b] = x.re[k * batch + b];
      x.im[(job->n - k) * batch + b] = -x.im[k * batch + b];
    }
}

static Parts exchanged(Parts p, bool really) { return really ? (Parts){p.im, p.re} : p; }

static void transform_batches(void *context, int64_t begin, int64_t end) {
  Job *job = context;
  double *slot = pwt_slot_take(&job->slots);
  for (int64_t group = begin; group < end; group++) {
    int64_t batch = PWT_MIN(job->batch, job->rows - group * job->batch), from[MOST_ROWS], to[MOST_ROWS];
    for (int64_t b = 0; b < batch; b++) {
      int64_t row = group * job->batch + b, outer = row / job->inner, i = row % job->inner;
      from[b] = outer * job->in.outer_step + i * job->in.row_step;
      to[b] = outer * job->out.outer_step + i * job->out.row_step;
    }
    int64_t room = job->room * batch + FFT_APART;
    double *work = slot + 4 * room;
    Parts x = {slot, slot + room}, spare = {slot + 2 * room, slot + 3 * room}, swap;
    (job->single ? load_f32 : load_f64)(&job->in, from, batch, x);
    if (job->kind == C2R && job->halved) {
      unite(job, batch, x, spare);
      swap = x, x = spare, spare = swap;
    } else if (job->kind == C2R) {
      for (int64_t b = 0; b < batch; b++) x.im[b] = 0;
      mirror(job, batch, x);
    }
    x = exchanged(x, job->swapped), spare = exchanged(spare, job->swapped);
    Parts y = pwt_fft_run(job->plan, batch, x, spare, work);
    if (y.re == spare.re) spare = x;
    y = exchanged(y, job->swapped), spare = exchanged(spare, job->swapped);
    if (job->kind == R2C && job->halved) {
      separate(job, batch, y, spare);
      y = spare;
    }
    if (job->full) mirror(job, batch, y);
    (job->single ? store_f32 : store_f64)(&job->out, to, batch, y, job->scale);
  }
  pwt_slot_give(&job->slots, slot);
}

static Rows rows_of(const Tensor *t, int64_t count, int64_t length, int64_t inner, bool halved) {
  if (pwt_is_complex((DType)t->dtype)) return (Rows){pwt_data(t), count, 2, 2 * inner, 1, 2 * length * inner};
  return (Rows){pwt_data(t), count, 1, halved ? 2 * inner : inner, halved ? inner : 0, length * inner};
}

/* Along one dimension, where the transform has n points. */
static Tensor *transform(Tensor *self, int dim, Kind kind, bool forward, int64_t n, bool full, double scale) {
  Tensor *input = self ? pwt_raw_contiguous(self) : NULL;
  if (!input) return NULL;
  if (n < 1) return pwt_fail(PWT_RUNTIME_ERROR, "Invalid number of data points (%i) specified", n);
  bool halved = kind != C2C && n % 2 == 0;
  DType real = pwt_real_dtype((DType)input->dtype);
  int64_t sizes[PWT_MAX_DIMS], length = input->sizes[dim], half = n / 2 + 1;
  pwt_copy_bytes(sizes, input->sizes, input->ndim * 8);
  sizes[dim] = kind == R2C && !full ? half : n;
  Tensor *result = pwt_new(input->ndim, sizes, kind == C2R ? real : pwt_complex_dtype(real));
  if (!result || result->numel == 0 || pwt_on_meta) return result;
  Job job = {.kind = kind, .single = real == PWT_FLOAT32, .swapped = !forward, .halved = halved, .full = full, .n = n, .scale = scale};
  job.inner = pwt_product(input->sizes + dim + 1, input->ndim - dim - 1);
  job.rows = result->numel / sizes[dim];
  job.in = rows_of(input, kind == C2R ? half : halved ? n / 2 : n, length, job.inner, halved);
  job.out = rows_of(result, kind == C2R && halved ? n / 2 : sizes[dim], sizes[dim], job.inner, halved);
  job.plan = pwt_fft_plan(halved ? n / 2 : n);
  if (!job.plan || (halved && !pwt_fft_roots(&job.roots, half, n))) return NULL;
  job.batch = job.plan->work ? 1 : PWT_MIN(PWT_MAX(BATCH_POINTS / n, job.inner > 1 ? 2 : 1), MOST_ROWS);
  job.room = PWT_MAX(job.plan->length, n) + 1;
  int64_t groups = (job.rows + job.batch - 1) / job.batch;
  int64_t slot = ((job.room * PWT_MIN(job.batch, job.rows) + FFT_APART) * 4 + job.plan->work) * 8;
  int64_t bytes = pwt_slots_bytes(slot);
  void *workspace = pwt_scratch(bytes);
  if (!workspace) return NULL;
  job.slots = pwt_slots_over(workspace, bytes, slot);
  pwt_parallel_for(groups, pwt_grain(CHUNK_WORK, job.plan->length * job.batch), transform_batches, &job);
  return result;
}

static double scale_of(int64_t normalization, double points) {
  return normalization == 0 ? 1 : normalization == 1 ? 1 / __builtin_sqrt(points) : 1 / points;
}

/* How often each dimension is asked for is the callers' matter; here they are wrapped. */
static bool wrap_all(const Tensor *self, IntList dim, int *dims) {
  if (dim.count > PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "FFT dims must be unique") != NULL;
  for (int i = 0; i < dim.count; i++)
    if ((dims[i] = pwt_wrap_dim(dim.items[i], self->ndim)) < 0) return false;
  if (self->ndim == 0 && dim.count)
    return pwt_fail(PWT_INDEX_ERROR, "Dimension specified as %i but tensor has no dimensions", dim.items[0]) != NULL;
  return true;
}

static bool is_kind(const Tensor *self, bool complex) {
  if (complex ? pwt_is_complex((DType)self->dtype) : self->dtype == PWT_FLOAT32 || self->dtype == PWT_FLOAT64) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "Unsupported dtype %t", self->dtype);
  return false;
}

Tensor *pwt_kernel__fft_c2c(Tensor *self, IntList dim, int64_t normalization, bool forward) {
  int dims[PWT_MAX_DIMS];
  if (!is_kind(self, true) || !wrap_all(self, dim, dims)) return NULL;
  Tensor *result = self;
  for (int i = (int)dim.count - 1; result && i >= 0; i--)
    result = transform(result, dims[i], C2C, forward, self->sizes[dims[i]], false, scale_of(normalization, (double)self->sizes[dims[i]]));
  return result == self ? pwt_raw_clone(self) : result;
}

Tensor *pwt_kernel__fft_r2c(Tensor *self, IntList dim, int64_t normalization, bool onesided) {
  int dims[PWT_MAX_DIMS], last = (int)dim.count - 1;
  if (!is_kind(self, false) || !wrap_all(self, dim, dims)) return NULL;
  if (last < 0) return pwt_fail(PWT_RUNTIME_ERROR, "rfftn must transform at least one axis");
  Tensor *result = self;
  for (int i = last; result && i >= 0; i--) {
    int64_t n = self->sizes[dims[i]];
    result = transform(result, dims[i], i == last ? R2C : C2C, true, n, i == last && !onesided, scale_of(normalization, (double)n));
  }
  return result;
}

Tensor *pwt_kernel__fft_c2r(Tensor *self, IntList dim, int64_t normalization, int64_t last_dim_size) {
  int dims[PWT_MAX_DIMS], last = (int)dim.count - 1;
  if (!is_kind(self, true) || !wrap_all(self, dim, dims)) return NULL;
  if (last < 0) return pwt_fail(PWT_RUNTIME_ERROR, "irfftn must transform at least one axis");
  if (self->sizes[dims[last]] != last_dim_size / 2 + 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected %i points for a real transform of %i, got %i", last_dim_size / 2 + 1, last_dim_size,
                    self->sizes[dims[last]]);
  Tensor *result = self;
  for (int i = 0; result && i <= last; i++) {
    int64_t n = i == last ? last_dim_size : self->sizes[dims[i]];
    result = transform(result, dims[i], i == last ? C2R : C2C, false, n, false, scale_of(normalization, (double)n));
  }
  return result;
}

/* ---- gradients ---- */
Tensor *pwt_kernel_fft_r2c_backward(Tensor *grad, IntList dim, int64_t normalization, bool onesided, IntList sizes) {
  int64_t last = dim.items[dim.count - 1];
  if (onesided) { /* what was left out gives no gradient */
    int64_t whole[PWT_MAX_DIMS];
    pwt_copy_bytes(whole, sizes.items, sizes.count * 8);
    grad = pwt_slice_backward(grad, (IntList){whole, sizes.count}, last, (OptInt){true, 0}, (OptInt){true, pwt_list_item(sizes, last) / 2 + 1}, 1);
  }
  return pwt_real(pwt__fft_c2c(grad, dim, normalization, false));
}

Tensor *pwt_kernel_fft_c2r_backward(Tensor *grad, IntList dim, int64_t normalization) {
  int64_t last = dim.items[dim.count - 1];
  Tensor *result = pwt__fft_r2c(grad, dim, normalization, true);
  if (!result) return NULL;
  int at = pwt_wrap_dim(last, result->ndim);
  int64_t sizes[PWT_MAX_DIMS], half = result->sizes[at], n = grad->sizes[at];
  for (int i = 0; i < result->ndim; i++) sizes[i] = 1;
  sizes[at] = half;
  Tensor *weights = pwt_new(result->ndim, sizes, PWT_FLOAT64); /* points that stand for two count twice */
  if (!weights) return NULL;
  double *w = pwt_data(weights);
  for (int64_t k = 0; k < half && !pwt_on_meta; k++) w[k] = k > 0 && 2 * k < n ? 2 : 1;
  return pwt_mul(result, pwt_raw_cast(weights, pwt_real_dtype((DType)result->dtype)));
}
