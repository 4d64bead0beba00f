/* max_pool, avg_pool, adaptive pooling, and their gradients. */
#include "arguments.h"
#include "matmul/loops.h"
#include "ops.h"

static const Tensors2 none = {{NULL, NULL}};
static const IntList unit = {(const int64_t[]){1}, 1};

static bool check_floating(const Tensor *t, const char *name, int dims) {
  if (pwt_is_floating((DType)t->dtype)) return true;
  pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s%dd\" not implemented for '%t'", name, dims, t->dtype);
  return false;
}

/* ---- maximum ---- */

/* Integers, exactly; written for any window, plainly. */
static void max_pool_i64(const pwt_pool *s, const int64_t *x, int64_t *y, int64_t *indices) {
  const pwt_window *w = &s->window;
  int64_t outputs = product3(w->out), inputs = product3(w->in), taps = product3(w->kernel);
  for (int64_t plane = 0; plane < s->planes; plane++, x += inputs, y += outputs) {
    for (int64_t o = 0; o < outputs; o++) y[o] = INT64_MIN;
    for (int64_t k = 0; k < taps; k++) {
      tap t = tap_of(w, k);
      place at = {0};
      for (int64_t row = 0; row < outputs; row += w->out[2], next_row(w, &at)) {
        row_overlap r = overlap_of(w, &t, at, w->out[2]);
        for (int64_t o = r.first; o < r.end; o++) {
          int64_t from = r.start + o * w->stride[2], to = row + o;
          if (x[from] <= y[to] && !(x[from] == INT64_MIN && k == 0)) continue;
          y[to] = x[from];
          if (indices) indices[plane * outputs + to] = from;
        }
      }
    }
  }
}

static Tensors2 max_pool(Tensor *self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode, int dims, bool with_indices) {
  Pooling p;
  if (!pwt_plan_pool(&p, self, kernel, stride, padding, dilation, ceil_mode, dims, true)) return none;
  DType dtype = (DType)self->dtype, compute = pwt_is_integral(dtype) ? PWT_INT64 : pwt_product_dtype(dtype);
  if (dtype == PWT_BOOL || pwt_is_complex(dtype)) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"max_pool%dd\" not implemented for '%t'", dims, dtype), none;
  Tensor *x = pwt_raw_contiguous_as(self, compute), *y = pwt_new(p.ndim, p.sizes, compute), *indices = with_indices ? pwt_new(p.ndim, p.sizes, PWT_INT64) : NULL;
  if (pwt_failed()) return none;
  int64_t *at = indices ? pwt_data(indices) : NULL;
  if (pwt_on_meta) return (Tensors2){{pwt_laid_out(y, dtype, self, NULL), indices}};
  if (compute == PWT_INT64) max_pool_i64(&p.shape, pwt_data(x), pwt_data(y), at);
  else if (compute == PWT_FLOAT32) pwt_max_pool_f32(&p.shape, pwt_data(x), pwt_data(y), at);
  else pwt_max_pool_f64(&p.shape, pwt_data(x), pwt_data(y), at);
  return (Tensors2){{pwt_laid_out(y, dtype, self, NULL), indices}};
}

/* Without a gradient nobody asks for the indices. */
#define MAX_POOL(N)                                                                                                                                       \
  Tensors2 pwt_kernel_max_pool##N##d_with_indices(Tensor *self, IntList kernel_size, IntList stride, IntList padding, IntList dilation, bool ceil_mode) { \
    return max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, N, true);                                                                    \
  }                                                                                                                                                       \
  Tensor *pwt_kernel_max_pool##N##d(Tensor *self, IntList kernel_size, IntList stride, IntList padding, IntList dilation, bool ceil_mode) {               \
    if (!pwt_grad_enabled || !pwt_requires_grad(self)) return max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, N, false).r[0];           \
    return pwt_max_pool##N##d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode).r[0];                                                 \
  }
MAX_POOL(1)
MAX_POOL(2)
MAX_POOL(3)

static Tensors2 adaptive_max_pool(Tensor *self, IntList output_size, int dims) {
  Pooling p;
  if (!pwt_plan_adaptive_pool(&p, self, output_size, dims, true) || !check_floating(self, "adaptive_max_pool", dims)) return none;
  DType dtype = (DType)self->dtype, compute = pwt_product_dtype(dtype);
  Tensor *x = pwt_raw_contiguous_as(self, compute), *y = pwt_new(p.ndim, p.sizes, compute), *indices = pwt_new(p.ndim, p.sizes, PWT_INT64);
  if (pwt_failed()) return none;
  if (pwt_on_meta) return (Tensors2){{pwt_laid_out(y, dtype, self, NULL), indices}};
  if (y->numel && compute == PWT_FLOAT32) pwt_adaptive_max_pool_f32(&p.shape, pwt_data(x), pwt_data(y), pwt_data(indices));
  else if (y->numel) pwt_adaptive_max_pool_f64(&p.shape, pwt_data(x), pwt_data(y), pwt_data(indices));
  return (Tensors2){{pwt_laid_out(y, dtype, self, NULL), indices}};
}

/* Each gradient back to the element that its index names. */
Tensor *pwt_kernel__pool_scatter(Tensor *grad, Tensor *indices, IntList sizes, int64_t dims) {
  DType dtype = (DType)grad->dtype, compute = pwt_product_dtype(dtype);
  pwt_pool s;
  pwt_pool_shape(&s, sizes, pwt_sizes_of(grad), (int)dims);
  Tensor *g = pwt_raw_contiguous_as(grad, compute), *at = pwt_raw_contiguous(indices), *result = pwt_new((int)sizes.count, sizes.items, compute);
  if (pwt_failed()) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(result, dtype);
  if (compute == PWT_FLOAT32) pwt_max_pool_grad_f32(&s, pwt_data(g), pwt_data(at), pwt_data(result));
  else pwt_max_pool_grad_f64(&s, pwt_data(g), pwt_data(at), pwt_data(result));
  return pwt_raw_cast(result, dtype);
}

Tensor *pwt_kernel__pool_gather(Tensor *self, Tensor *indices, int64_t dims) {
  int64_t lead = self->ndim - dims, plane = pwt_product(self->sizes + lead, (int)dims), outputs = pwt_product(indices->sizes + lead, (int)dims);
  Tensor *x = pwt_raw_contiguous(self), *at = pwt_raw_contiguous(indices), *result = pwt_new(indices->ndim, indices->sizes, (DType)self->dtype);
  if (pwt_failed()) return NULL;
  if (pwt_on_meta) return result;
  int item = pwt_itemsize[self->dtype];
  const char *from = pwt_data(x);
  const int64_t *index = pwt_data(at);
  char *to = pwt_data(result);
  for (int64_t i = 0; i < result->numel; i++) { /* an index outside of the plane took no gradient, so it gives none */
    if ((uint64_t)index[i] < (uint64_t)plane) pwt_copy_bytes(to + i * item, from + (i / outputs * plane + index[i]) * item, item);
    else pwt_fill_bytes(to + i * item, 0, item);
  }
  return result;
}

/* ---- average ---- */

/* Integers, exactly; quotients are cut towards 0. */
static void avg_pool_i64(const pwt_pool *s, bool count_include_pad, int64_t divisor, const int64_t *x, int64_t *y) {
  const pwt_window *w = &s->window;
  int64_t outputs = product3(w->out), inputs = product3(w->in);
  for (int64_t o = 0; o < s->planes * outputs; o++) {
    place at = place_of(w, o);
    int64_t where[] = {at.d, at.h, at.w}, first[3], end[3], padded = 1, count = 1;
    for (int i = 0; i < 3; i++) {
      int64_t start = where[i] * w->stride[i] - w->padding[i], stop = PWT_MIN(start + w->kernel[i], w->in[i] + w->padding[i]);
      first[i] = PWT_MAX(start, 0), end[i] = PWT_MIN(stop, w->in[i]);
      padded *= stop - start, count *= PWT_MAX(end[i] - first[i], 0);
    }
    uint64_t total = 0;
    for (int64_t d = first[0]; d < end[0]; d++)
      for (int64_t h = first[1]; h < end[1]; h++)
        for (int64_t k = first[2]; k < end[2]; k++) total += (uint64_t)x[o / outputs * inputs + (d * w->in[1] + h) * w->in[2] + k];
    int64_t by = count == 0 ? 1 : divisor ? divisor : count_include_pad ? padded : count;
    y[o] = by == -1 ? (int64_t)(0 - total) : (int64_t)total / by;
  }
}

static Tensor *avg_pool(Tensor *self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad, OptInt divisor, int dims) {
  Pooling p;
  if (divisor.given && divisor.value == 0) return pwt_fail(PWT_RUNTIME_ERROR, "divisor must be not zero");
  if (!pwt_plan_pool(&p, self, kernel, stride, padding, unit, ceil_mode, dims, false) || (self->dtype != PWT_INT64 && !check_floating(self, "avg_pool", dims))) return NULL;
  DType dtype = (DType)self->dtype, compute = dtype == PWT_INT64 ? dtype : pwt_product_dtype(dtype);
  Tensor *x = pwt_raw_contiguous_as(self, compute), *y = pwt_new(p.ndim, p.sizes, compute);
  if (!x || !y) return NULL;
  int64_t by = divisor.given ? divisor.value : 0;
  if (pwt_on_meta) return pwt_laid_out(y, dtype, self, NULL);
  if (compute == PWT_INT64) avg_pool_i64(&p.shape, count_include_pad, by, pwt_data(x), pwt_data(y));
  else if (compute == PWT_FLOAT32) pwt_avg_pool_f32(&p.shape, count_include_pad, by, pwt_data(x), pwt_data(y));
  else pwt_avg_pool_f64(&p.shape, count_include_pad, by, pwt_data(x), pwt_data(y));
  return pwt_laid_out(y, dtype, self, NULL);
}

Tensor *pwt_kernel__avg_pool_backward(Tensor *grad, IntList sizes, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad, OptInt divisor, int64_t dims) {
  Pooling p;
  DType dtype = (DType)grad->dtype, compute = pwt_product_dtype(dtype);
  Tensor *g = pwt_raw_contiguous_as(grad, compute), *result = pwt_new((int)sizes.count, sizes.items, compute);
  if (!g || !result || !pwt_plan_pool(&p, result, kernel, stride, padding, unit, ceil_mode, (int)dims, false)) return NULL;
  int64_t by = divisor.given ? divisor.value : 0;
  if (pwt_on_meta) return pwt_raw_cast(result, dtype);
  if (compute == PWT_FLOAT32) pwt_avg_pool_grad_f32(&p.shape, count_include_pad, by, pwt_data(g), pwt_data(result));
  else pwt_avg_pool_grad_f64(&p.shape, count_include_pad, by, pwt_data(g), pwt_data(result));
  return pwt_raw_cast(result, dtype);
}

static Tensor *adaptive_avg_pool(Tensor *self, IntList output_size, int dims) {
  Pooling p;
  if (!pwt_plan_adaptive_pool(&p, self, output_size, dims, false) || !check_floating(self, "adaptive_avg_pool", dims)) return NULL;
  DType dtype = (DType)self->dtype, compute = pwt_product_dtype(dtype);
  Tensor *x = pwt_raw_contiguous_as(self, compute), *y = pwt_new(p.ndim, p.sizes, compute);
  if (!x || !y) return NULL;
  if (pwt_on_meta) return pwt_laid_out(y, dtype, self, NULL);
  if (y->numel && compute == PWT_FLOAT32) pwt_adaptive_avg_pool_f32(&p.shape, pwt_data(x), pwt_data(y));
  else if (y->numel) pwt_adaptive_avg_pool_f64(&p.shape, pwt_data(x), pwt_data(y));
  return pwt_laid_out(y, dtype, self, NULL);
}

Tensor *pwt_kernel__adaptive_avg_pool_backward(Tensor *grad, IntList sizes, int64_t dims) {
  DType dtype = (DType)grad->dtype, compute = pwt_product_dtype(dtype);
  pwt_pool s;
  pwt_pool_shape(&s, sizes, pwt_sizes_of(grad), (int)dims);
  Tensor *g = pwt_raw_contiguous_as(grad, compute), *result = pwt_new((int)sizes.count, sizes.items, compute);
  if (!g || !result) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(result, dtype);
  if (g->numel == 0) pwt_raw_fill(result, pwt_scalar_int(0));
  else if (compute == PWT_FLOAT32) pwt_adaptive_avg_pool_grad_f32(&s, pwt_data(g), pwt_data(result));
  else pwt_adaptive_avg_pool_grad_f64(&s, pwt_data(g), pwt_data(result));
  return pwt_raw_cast(result, dtype);
}

#define OTHERS(N)                                                                                                                                                           \
  Tensor *pwt_kernel__avg_pool##N##d(Tensor *self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad, OptInt divisor_override) {      \
    return avg_pool(self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, N);                                                                      \
  }                                                                                                                                                                         \
  Tensors2 pwt_kernel_adaptive_max_pool##N##d(Tensor *self, IntList output_size) { return adaptive_max_pool(self, output_size, N); }                                        \
  Tensor *pwt_kernel_adaptive_avg_pool##N##d(Tensor *self, IntList output_size) { return adaptive_avg_pool(self, output_size, N); }
OTHERS(1)
OTHERS(2)
OTHERS(3)

typedef Tensor *(*AvgPool)(Tensor *, IntList, IntList, IntList, bool, bool, OptInt);

Tensor *pwt_kernel__avg_pool_nd(Tensor *self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad, OptInt divisor, int64_t dims) {
  static const AvgPool pools[] = {pwt__avg_pool1d, pwt__avg_pool2d, pwt__avg_pool3d};
  return pools[dims - 1](self, kernel, stride, padding, ceil_mode, count_include_pad, divisor);
}

Tensor *pwt_kernel__adaptive_avg_pool_nd(Tensor *self, IntList sizes, int64_t dims) {
  static Tensor *(*const pools[])(Tensor *, IntList) = {pwt_adaptive_avg_pool1d, pwt_adaptive_avg_pool2d, pwt_adaptive_avg_pool3d};
  return pools[dims - 1](self, (IntList){sizes.items + sizes.count - dims, dims});
}
