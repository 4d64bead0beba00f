/* Convolution, its transpose and its weight gradient: each is the others' gradient. Loops: conv_loops.h. */
#include "conv.h"
#include "matmul/loops.h"
#include "ops.h"
#include "window.h"

static void fill_shape(pwt_conv *s, int dims, const Tensor *x, const Tensor *y, IntList weight, IntList stride, IntList padding, IntList dilation, int64_t groups) {
  s->batch = x->sizes[0], s->groups = groups, s->in_channels = x->sizes[1], s->out_channels = y->sizes[1];
  pwt_window *w = &s->window;
  pwt_window_axis(w->in, x->sizes, x->ndim, dims, 1);
  pwt_window_axis(w->out, y->sizes, y->ndim, dims, 1);
  pwt_window_axis(w->kernel, weight.items, (int)weight.count, dims, 1);
  pwt_window_axis(w->stride, stride.items, (int)stride.count, dims, 1);
  pwt_window_axis(w->padding, padding.items, (int)padding.count, dims, 0);
  pwt_window_axis(w->dilation, dilation.items, (int)dilation.count, dims, 1);
}

static bool runs_directly(DType dtype) { return dtype == PWT_FLOAT32 || dtype == PWT_FLOAT64; }

/* A channel's number for every position of it: bias as [1, channels, 1, ...], or [groups, channels / groups, 1]. */
static Tensor *per_channel(Tensor *bias, int ndim, int at) {
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  for (int i = 0; i < ndim; i++) sizes[i] = i == at ? bias->numel : 1, strides[i] = i == at ? bias->strides[0] : 0;
  return pwt_alias(bias, ndim, sizes, strides, bias->offset);
}

static Tensor *only_bias(Tensor *result, Tensor *bias) {
  if (!result || result->numel == 0 || pwt_on_meta) return result;
  if (bias) pwt_raw_copy(result, per_channel(bias, result->ndim, 1));
  else pwt_raw_fill(result, pwt_scalar_int(0));
  return result;
}

static Tensor *columns_of(const pwt_conv *s, Tensor *x) {
  int64_t taps = product3(s->window.kernel), sizes[] = {s->batch, s->groups, s->in_channels / s->groups * taps, product3(s->window.out)};
  Tensor *columns = pwt_new(4, sizes, (DType)x->dtype);
  if (columns && !pwt_on_meta) pwt_raw_im2col(&s->window, s->batch * s->in_channels, pwt_itemsize[x->dtype], pwt_data(x), pwt_data(columns));
  return columns;
}

static Tensor *shaped(Tensor *t, int ndim, const int64_t *sizes) {
  int64_t strides[PWT_MAX_DIMS];
  pwt_contiguous_strides(ndim, sizes, strides);
  return t ? pwt_alias(t, ndim, sizes, strides, t->offset) : NULL;
}

static Tensor *grouped_weight(const pwt_conv *s, Tensor *w) {
  return shaped(w, 3, (int64_t[]){s->groups, s->out_channels / s->groups, s->in_channels / s->groups * product3(s->window.kernel)});
}

static Tensor *grouped_output(const pwt_conv *s, Tensor *y) {
  return shaped(y, 4, (int64_t[]){s->batch, s->groups, s->out_channels / s->groups, product3(s->window.out)});
}

/* In the types without a direct kernel: products with columns. */
static Tensor *conv_by_columns(const pwt_conv *s, Tensor *x, Tensor *w, Tensor *bias, const Tensor *like) {
  Tensor *columns = columns_of(s, x), *start = NULL;
  if (!columns) return NULL;
  if (bias) start = shaped(bias, 3, (int64_t[]){s->groups, s->out_channels / s->groups, 1});
  return shaped(pwt_raw_matmul(grouped_weight(s, w), columns, start, (DType)x->dtype), like->ndim, like->sizes);
}

static Tensor *transpose_by_columns(const pwt_conv *s, Tensor *y, Tensor *w, Tensor *result) {
  Tensor *weight = grouped_weight(s, w), *grad = grouped_output(s, y);
  Tensor *columns = weight && grad ? pwt_raw_matmul(pwt_raw_transpose(weight), grad, NULL, (DType)y->dtype) : NULL;
  if (!columns || pwt_on_meta) return columns ? result : NULL;
  pwt_raw_col2im(&s->window, s->batch * s->in_channels, (DType)y->dtype, pwt_data(columns), pwt_data(result));
  return result;
}

static Tensor *weight_by_columns(const pwt_conv *s, Tensor *x, Tensor *y, Tensor *result) {
  Tensor *columns = columns_of(s, x), *grad = grouped_output(s, y), *weight = grouped_weight(s, result);
  if (!columns || !grad || !weight) return NULL;
  if (pwt_on_meta) return result;
  for (int64_t g = 0; g < s->groups; g++) {
    Tensor *c = pwt_kernel_select(columns, 1, g), *y_g = pwt_kernel_select(grad, 1, g);
    if (!c || !y_g) return NULL;
    pwt_raw_copy(pwt_kernel_select(weight, 0, g), pwt_raw_matmul_sum(y_g, pwt_raw_transpose(c), (DType)x->dtype));
  }
  return pwt_failed() ? NULL : result;
}

#define RUN(function, dtype, ...)                                                                    \
  do {                                                                                               \
    if (pwt_on_meta) break;                                                                          \
    bool single = (dtype) == PWT_FLOAT32;                                                            \
    int64_t bytes = single ? function##_workspace_f32(&s) : function##_workspace_f64(&s);            \
    void *work = bytes ? pwt_scratch(bytes) : NULL;                                                  \
    if (bytes && !work) return NULL;                                                                 \
    if (single) function##_f32(&s, __VA_ARGS__, work, bytes);                                        \
    else function##_f64(&s, __VA_ARGS__, work, bytes);                                               \
  } while (0)

static void *data_or_null(Tensor *t) { return t ? pwt_data(t) : NULL; }

Tensor *pwt_kernel__conv(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, IntList padding, IntList dilation, int64_t groups, IntList sizes) {
  DType dtype = pwt_product_dtype((DType)input->dtype);
  int dims = weight->ndim - 2;
  int64_t out[PWT_MAX_DIMS] = {input->sizes[0], weight->sizes[0]};
  for (int i = 0; i < dims; i++) out[2 + i] = sizes.items[sizes.count - dims + i];
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *w = pwt_raw_contiguous_as(weight, dtype), *b = pwt_raw_contiguous_as(bias, dtype);
  Tensor *result = pwt_new(dims + 2, out, dtype);
  if (pwt_failed()) return NULL;
  pwt_conv s;
  fill_shape(&s, dims, x, result, pwt_sizes_of(weight), stride, padding, dilation, groups);
  if (result->numel == 0 || x->numel == 0 || w->numel == 0) only_bias(result, b);
  else if (!runs_directly(dtype)) result = conv_by_columns(&s, x, w, b, result);
  else RUN(pwt_conv, dtype, pwt_data(x), pwt_data(w), data_or_null(b), pwt_data(result));
  return pwt_laid_out(result, (DType)input->dtype, input, weight);
}

Tensor *pwt_kernel__conv_transpose(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, IntList padding, IntList dilation, int64_t groups, IntList sizes) {
  DType dtype = pwt_product_dtype((DType)input->dtype);
  int dims = weight->ndim - 2;
  int64_t out[PWT_MAX_DIMS] = {input->sizes[0], weight->sizes[1] * groups};
  for (int i = 0; i < dims; i++) out[2 + i] = sizes.items[sizes.count - dims + i];
  Tensor *y = pwt_raw_contiguous_as(input, dtype), *w = pwt_raw_contiguous_as(weight, dtype), *b = pwt_raw_contiguous_as(bias, dtype);
  Tensor *result = pwt_new(dims + 2, out, dtype);
  if (pwt_failed()) return NULL;
  pwt_conv s;
  fill_shape(&s, dims, result, y, pwt_sizes_of(weight), stride, padding, dilation, groups);
  if (result->numel == 0 || y->numel == 0 || w->numel == 0) only_bias(result, b);
  else if (!runs_directly(dtype)) result = transpose_by_columns(&s, y, w, only_bias(result, b));
  else RUN(pwt_conv_grad_input, dtype, pwt_data(y), pwt_data(w), data_or_null(b), pwt_data(result));
  return pwt_laid_out(result, (DType)input->dtype, input, weight);
}

Tensor *pwt_kernel__conv_weight(Tensor *input, Tensor *grad, IntList stride, IntList padding, IntList dilation, int64_t groups, IntList sizes) {
  DType dtype = pwt_product_dtype((DType)input->dtype);
  Tensor *x = pwt_raw_contiguous_as(input, dtype), *y = pwt_raw_contiguous_as(grad, dtype), *result = pwt_new((int)sizes.count, sizes.items, dtype);
  if (pwt_failed()) return NULL;
  pwt_conv s;
  fill_shape(&s, (int)sizes.count - 2, x, y, sizes, stride, padding, dilation, groups);
  if (result->numel == 0 || x->numel == 0 || y->numel == 0) only_bias(result, NULL);
  else if (!runs_directly(dtype)) result = weight_by_columns(&s, x, y, result);
  else RUN(pwt_conv_grad_weight, dtype, pwt_data(x), pwt_data(y), pwt_data(result));
  return pwt_raw_cast(result, (DType)input->dtype);
}

/* ---- the gradient of a bias ---- */
Tensor *pwt_kernel__channel_sum(Tensor *self) {
  DType dtype = (DType)self->dtype, compute = pwt_product_dtype(dtype);
  if (!runs_directly(compute)) {
    int64_t dims[PWT_MAX_DIMS] = {0};
    for (int i = 2; i < self->ndim; i++) dims[i - 1] = i;
    return pwt_kernel_sum(self, (IntList){dims, self->ndim - 1}, false, PWT_NO_DTYPE);
  }
  int64_t channels = self->sizes[1], batch = self->sizes[0], positions = pwt_product(self->sizes + 2, self->ndim - 2);
  Tensor *x = pwt_raw_contiguous_as(self, compute), *result = pwt_new(1, &channels, compute);
  if (!x || !result) return NULL;
  if (pwt_on_meta) return pwt_raw_cast(result, dtype);
  if (compute == PWT_FLOAT32) pwt_conv_grad_bias_f32(batch, channels, positions, pwt_data(x), pwt_data(result));
  else pwt_conv_grad_bias_f64(batch, channels, positions, pwt_data(x), pwt_data(result));
  return pwt_raw_cast(result, dtype);
}

Tensor *pwt_kernel_channel_expand(Tensor *self, IntList sizes) {
  int64_t shape[PWT_MAX_DIMS];
  for (int i = 0; i < sizes.count; i++) shape[i] = i == 1 ? sizes.items[1] : 1;
  return pwt_expand(pwt_view(self, (IntList){shape, sizes.count}), sizes, false);
}
