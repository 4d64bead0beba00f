/* interpolate along one dimension: each output is a weighted sum of consecutive inputs. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

enum { LINEAR, CUBIC, LANCZOS };

typedef struct {
  int64_t taps, outer, in, out, inner, *first; /* first [out] */
  double *weight;                              /* [out, taps], narrowed in place to what the loop computes in */
  const void *from;
  void *to;
  int shift; /* of integer weights */
} Job;

/* Keys, 1981 */
static double cubic(double x, double a) {
  if (x < 0) x = -x;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double filter(int mode, double x) {
  const double pi = 3.141592653589793;
  if (mode == CUBIC) return cubic(x, -0.5);
  if (x < 0) x = -x;
  if (mode == LINEAR) return x < 1 ? 1 - x : 0;
  if (x >= 3) return 0;
  return x == 0 ? 1 : 3 * pwt_sin_f64(pi * x) * pwt_sin_f64(pi * x / 3) / (pi * pi * x * x);
}

/* A filter widened to the step, so that shrinking forgets no input */
static void smooth_taps(Job *j, int64_t o, double step, double support, int mode) {
  double centre = step * ((double)o + 0.5), narrow = step >= 1 ? 1 / step : 1, total = 0, *weight = j->weight + o * j->taps;
  int64_t begin = (int64_t)PWT_MAX(centre - support + 0.5, 0), end = PWT_MIN((int64_t)(centre + support + 0.5), j->in);
  int64_t count = PWT_MIN(PWT_MAX(end - begin, 0), j->taps);
  j->first[o] = begin;
  for (int64_t k = 0; k < count; k++) total += weight[k] = filter(mode, ((double)(k + begin) - centre + 0.5) * narrow);
  for (int64_t k = 0; k < count && total != 0; k++) weight[k] /= total;
}

static void add_tap(Job *j, int64_t o, int64_t at, double weight) {
  at = PWT_MIN(PWT_MAX(at, 0), j->in - 1);
  j->weight[o * j->taps + at - j->first[o]] += weight;
}

static void sharp_taps(Job *j, int64_t o, double step, bool corners, int mode) {
  double at = corners ? step * (double)o : step * ((double)o + 0.5) - 0.5;
  if (mode == LINEAR && at < 0) at = 0;
  int64_t base = PWT_MIN((int64_t)__builtin_floor(at), j->in - 1);
  double t = PWT_MIN(PWT_MAX(at - (double)base, 0), 1);
  j->first[o] = PWT_MIN(PWT_MAX(mode == CUBIC ? base - 1 : base, 0), PWT_MAX(j->in - j->taps, 0));
  if (mode == LINEAR) add_tap(j, o, base, 1 - t), add_tap(j, o, base + 1, t);
  else
    for (int k = -1; k < 3; k++) add_tap(j, o, base + k, cubic(t - k, -0.75));
}

static bool plan(Job *j, const int64_t *sizes, int ndim, int dim, int64_t in, int64_t out, double scale, int mode, bool corners, bool antialias) {
  *j = (Job){.in = in, .out = out, .outer = pwt_product(sizes, dim), .inner = pwt_product(sizes + dim + 1, ndim - dim - 1)};
  double step = corners ? (out > 1 ? (double)(in - 1) / (double)(out - 1) : 0) : scale > 0 ? 1 / scale : (double)in / (double)out;
  double support = (mode == LINEAR ? 1 : mode == CUBIC ? 2 : 3) * (step >= 1 ? step : 1);
  j->taps = PWT_MIN(antialias ? (int64_t)PWT_MIN(__builtin_ceil(support), 1e9) * 2 + 1 : mode == LINEAR ? 2 : 4, in);
  int64_t items;
  if (!pwt_multiply(out, j->taps, &items)) return pwt_fail(PWT_MEMORY_ERROR, "interpolate: too many weights"), false;
  if (pwt_on_meta) return true;
  j->first = pwt_scratch_items(out, 8), j->weight = pwt_scratch_items(items, 8);
  if (!j->first || !j->weight) return false;
  pwt_fill_bytes(j->weight, 0, items * 8);
  for (int64_t o = 0; o < out; o++) {
    if (antialias) smooth_taps(j, o, step, support, mode);
    else sharp_taps(j, o, step, corners, mode);
    j->first[o] = PWT_MIN(j->first[o], in - 1);
  }
  return true;
}

/* Adds weight times what one tap reads; what is not read must not turn zeros into NaN. */
#define RESAMPLE(S, T)                                                                                        \
  static void forward_##S(void *context, int64_t begin, int64_t end) {                                        \
    const Job *j = context;                                                                                   \
    int64_t inner = j->inner;                                                                                 \
    for (int64_t b = begin; b < end; b++) {                                                                   \
      const T *restrict from = (const T *)j->from + b * j->in * inner;                                        \
      T *restrict y = (T *)j->to + b * j->out * inner;                                                        \
      const T *restrict weight = (const T *)j->weight;                                                        \
      for (int64_t o = 0; o < j->out; o++, y += inner, weight += j->taps) {                                   \
        const T *restrict x = from + j->first[o] * inner;                                                     \
        int64_t taps = PWT_MIN(j->taps, j->in - j->first[o]);                                                 \
        if (inner == 1) {                                                                                     \
          T total = 0;                                                                                        \
          for (int64_t k = 0; k < taps; k++) total += weight[k] == 0 ? 0 : x[k] * weight[k];                  \
          *y = total;                                                                                         \
          continue;                                                                                           \
        }                                                                                                     \
        for (int64_t i = 0; i < inner; i++) y[i] = 0;                                                         \
        for (int64_t k = 0; k < taps; k++, x += inner) {                                                      \
          T w = weight[k];                                                                                    \
          if (w != 0)                                                                                         \
            for (int64_t i = 0; i < inner; i++) y[i] += x[i] * w;                                             \
        }                                                                                                     \
      }                                                                                                       \
    }                                                                                                         \
  }                                                                                                           \
  static void backward_##S(void *context, int64_t begin, int64_t end) {                                       \
    const Job *j = context;                                                                                   \
    int64_t inner = j->inner;                                                                                 \
    for (int64_t b = begin; b < end; b++) {                                                                   \
      T *restrict to = (T *)j->to + b * j->in * inner;                                                        \
      const T *restrict g = (const T *)j->from + b * j->out * inner;                                          \
      const T *restrict weight = (const T *)j->weight;                                                        \
      for (int64_t o = 0; o < j->out; o++, g += inner, weight += j->taps) {                                   \
        T *restrict x = to + j->first[o] * inner;                                                             \
        int64_t taps = PWT_MIN(j->taps, j->in - j->first[o]);                                                 \
        if (inner == 1)                                                                                       \
          for (int64_t k = 0; k < taps; k++) x[k] += weight[k] == 0 ? 0 : *g * weight[k];                     \
        else                                                                                                  \
          for (int64_t k = 0; k < taps; k++, x += inner) {                                                    \
            T w = weight[k];                                                                                  \
            if (w != 0)                                                                                       \
              for (int64_t i = 0; i < inner; i++) x[i] += g[i] * w;                                           \
          }                                                                                                   \
      }                                                                                                       \
    }                                                                                                         \
  }
RESAMPLE(f32, float)
RESAMPLE(f64, double)

static void narrow_f32(Job *j) {
  for (int64_t i = 0; i < j->out * j->taps; i++) ((float *)j->weight)[i] = (float)j->weight[i];
}

/* Bytes take weights of 16 bits with as many fraction bits as fit, and are rounded after each dimension, as in torch. */
static void quantize(Job *j) {
  double most = 0;
  for (int64_t i = 0; i < j->out * j->taps; i++) most = PWT_MAX(most, j->weight[i]);
  while (j->shift < 22 && (int64_t)(0.5 + most * (double)(1 << (j->shift + 1))) < 1 << 15) j->shift++;
  for (int64_t i = 0; i < j->out * j->taps; i++) {
    double wide = j->weight[i] * (double)(1 << j->shift);
    ((int32_t *)j->weight)[i] = (int32_t)(wide + (wide < 0 ? -0.5 : 0.5));
  }
}

enum { BLOCK = 256 };

static void forward_bytes(void *context, int64_t begin, int64_t end) {
  const Job *j = context;
  int64_t inner = j->inner;
  for (int64_t b = begin; b < end; b++)
    for (int64_t o = 0; o < j->out; o++) {
      const int32_t *weight = (const int32_t *)j->weight + o * j->taps;
      const uint8_t *from = (const uint8_t *)j->from + (b * j->in + j->first[o]) * inner;
      uint8_t *to = (uint8_t *)j->to + (b * j->out + o) * inner;
      int64_t taps = PWT_MIN(j->taps, j->in - j->first[o]);
      int32_t sums[BLOCK], half = j->shift ? 1 << (j->shift - 1) : 0;
      if (inner == 1) {
        int32_t total = half;
        for (int64_t k = 0; k < taps; k++) total += weight[k] * from[k];
        total >>= j->shift;
        *to = (uint8_t)PWT_MIN(PWT_MAX(total, 0), 255);
        continue;
      }
      for (int64_t start = 0; start < inner; start += BLOCK) {
        int64_t n = PWT_MIN(BLOCK, inner - start);
        for (int64_t i = 0; i < n; i++) sums[i] = half;
        for (int64_t k = 0; k < taps; k++)
          for (int64_t i = 0; i < n; i++) sums[i] += weight[k] * from[k * inner + start + i];
        for (int64_t i = 0; i < n; i++) {
          int32_t total = sums[i] >> j->shift;
          to[start + i] = (uint8_t)PWT_MIN(PWT_MAX(total, 0), 255);
        }
      }
    }
}

static Tensor *resampled(Tensor *self, int dim, int64_t size, double scale, int64_t mode, bool corners, bool antialias, bool back) {
  DType dtype = self->dtype == PWT_FLOAT64 || (self->dtype == PWT_UINT8 && !back) ? (DType)self->dtype : PWT_FLOAT32;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, self->sizes, self->ndim * 8);
  sizes[dim] = size;
  Job j;
  Tensor *from = pwt_raw_contiguous_as(self, dtype), *to = back ? pwt_new_zeros(self->ndim, sizes, dtype) : pwt_new(self->ndim, sizes, dtype);
  if (!from || !to || !plan(&j, sizes, self->ndim, dim, back ? size : self->sizes[dim], back ? self->sizes[dim] : size, scale, (int)mode, corners, antialias)) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(to, (DType)self->dtype);
  if (dtype == PWT_UINT8) quantize(&j);
  else if (dtype == PWT_FLOAT32) narrow_f32(&j);
  j.from = pwt_data(from), j.to = pwt_data(to);
  int64_t grain = pwt_grain(32768, j.out * j.taps * j.inner);
  if (dtype == PWT_UINT8) pwt_parallel_for(j.outer, grain, forward_bytes, &j);
  else if (dtype == PWT_FLOAT32) pwt_parallel_for(j.outer, grain, back ? backward_f32 : forward_f32, &j);
  else pwt_parallel_for(j.outer, grain, back ? backward_f64 : forward_f64, &j);
  return pwt_raw_cast(to, (DType)self->dtype);
}

Tensor *pwt_kernel__resample(Tensor *self, int64_t dim, int64_t size, double scale, int64_t mode, bool corners, bool antialias) {
  return resampled(self, (int)dim, size, scale, mode, corners, antialias, false);
}

Tensor *pwt_kernel__resample_backward(Tensor *grad, int64_t dim, int64_t size, double scale, int64_t mode, bool corners, bool antialias) {
  return resampled(grad, (int)dim, size, scale, mode, corners, antialias, true);
}

/* Which input is nearest to each output, computed in float as torch does. In images it goes by the sizes where they are
   equal or one is twice the other; in all else by the scale. */
Tensor *pwt_kernel__nearest_indices(int64_t in, int64_t out, double scale, bool exact, bool image) {
  Tensor *result = pwt_new(1, &out, PWT_INT64);
  if (!result || pwt_on_meta) return result;
  int64_t *at = pwt_data(result);
  float step = scale > 0 ? (float)(1 / scale) : (float)in / (float)out;
  for (int64_t i = 0; i < out; i++) {
    float place = ((float)i + (exact ? 0.5f : 0)) * step;
    int64_t found = place < (float)in ? (int64_t)place : in - 1;
    if (image && out == in) found = i;
    else if (image && !exact && out == 2 * in) found = i >> 1;
    at[i] = PWT_MIN(found, in - 1);
  }
  return result;
}
