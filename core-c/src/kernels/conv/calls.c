/* conv1d to conv3d and transposed forms: argument conversion, padding='same', unbatched input, errors. */
#include "conv.h"
#include "ops.h"
#include "window.h"

typedef struct {
  int dims;
  int64_t stride[3], padding[3], dilation[3], output_padding[3];
} Steps;

static bool read_list(int64_t to[3], IntList from, int dims, const char *name) {
  if (from.count != 1 && from.count != dims) {
    pwt_fail(PWT_RUNTIME_ERROR, "expected %s to be a single integer value or a list of %d values to match the convolution dimensions, but got %s=%z", name, dims, name, from.items, (int)from.count);
    return false;
  }
  for (int i = 0; i < dims; i++) {
    to[i] = from.items[from.count == 1 ? 0 : i];
    if (to[i] > PWT_WINDOW_LIMIT) {
      pwt_fail(PWT_RUNTIME_ERROR, "%s is too large: %i", name, to[i]);
      return false;
    }
  }
  return true;
}

static bool any_below(const int64_t *values, int n, int64_t least) {
  for (int i = 0; i < n; i++)
    if (values[i] < least) return true;
  return false;
}

static IntList list_of(const int64_t *values, const Steps *s) { return (IntList){values, s->dims}; }

/* "kernel_height: 0 kernel_width: 3"; one dimension is shown as an image of height 1, as in torch */
static const char *named(char *buffer, int64_t capacity, const char *name, const int64_t *values, int dims, int64_t height) {
  static const char *const axes[] = {"depth", "height", "width"};
  int64_t at = 0;
  if (dims == 1) at = pwt_format(buffer, capacity, "%s_height: %i ", name, height);
  for (int i = 0; i < dims; i++) at += pwt_format(buffer + at, capacity - at, i ? " %s_%s: %i" : "%s_%s: %i", name, axes[3 - dims + i], values[i]);
  return buffer;
}

static bool check_steps(const Steps *s, int64_t groups) {
  const char *problem = any_below(s->padding, s->dims, 0)          ? "negative padding is not supported"
                        : any_below(s->output_padding, s->dims, 0) ? "negative output_padding is not supported"
                        : any_below(s->stride, s->dims, 1)         ? "non-positive stride is not supported"
                        : groups <= 0                              ? "non-positive groups is not supported"
                                                                   : NULL;
  if (problem) pwt_fail(PWT_RUNTIME_ERROR, problem);
  return !problem;
}

static bool check_channels(const Tensor *x, const Tensor *w, const Tensor *bias, int64_t groups, bool transposed) {
  if (x->ndim != w->ndim) {
    pwt_fail(PWT_RUNTIME_ERROR, "Expected %d-dimensional input for %d-dimensional weight %z, but got %d-dimensional input of size %z instead", (int)w->ndim, (int)w->ndim, w->sizes, (int)w->ndim,
             (int)x->ndim, x->sizes, (int)x->ndim);
    return false;
  }
  if (w->sizes[0] < groups) {
    pwt_fail(PWT_RUNTIME_ERROR, "Given groups=%i, expected weight to be at least %i at dimension 0, but got weight of size %z instead", groups, groups, w->sizes, (int)w->ndim);
    return false;
  }
  if (w->sizes[0] % groups) {
    pwt_fail(PWT_RUNTIME_ERROR, "Given groups=%i, expected weight to be divisible by %i at dimension 0, but got weight of size [%z] instead", groups, groups, w->sizes, (int)w->ndim);
    return false;
  }
  int64_t channels = transposed ? w->sizes[0] : w->sizes[1] * groups, outputs = transposed ? w->sizes[1] * groups : w->sizes[0];
  const char *given = transposed ? "transposed" : "groups";
  if (x->sizes[1] != channels) {
    pwt_fail(PWT_RUNTIME_ERROR, "Given %s=%i, weight of size %z, expected input%z to have %i channels, but got %i channels instead", given, transposed ? 1 : groups, w->sizes, (int)w->ndim, x->sizes,
             (int)x->ndim, channels, x->sizes[1]);
    return false;
  }
  if (bias && (bias->ndim != 1 || bias->numel != outputs)) {
    pwt_fail(PWT_RUNTIME_ERROR, "Given %sweight of size %z, expected bias to be 1-dimensional with %i elements, but got bias of size %z instead", transposed ? "transposed=1, " : "", w->sizes,
             (int)w->ndim, outputs, bias->sizes, (int)bias->ndim);
    return false;
  }
  return true;
}

static bool check_dtypes(const Tensor *x, const Tensor *w, const Tensor *bias) {
  if (bias && bias->dtype != x->dtype) {
    pwt_fail(PWT_RUNTIME_ERROR, "Input type (%s) and bias type (%s) should be the same", pwt_c_type_name((DType)x->dtype), pwt_c_type_name((DType)bias->dtype));
    return false;
  }
  if (w->dtype != x->dtype) {
    pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type %t but found %t", x->dtype, w->dtype);
    return false;
  }
  if (x->dtype == PWT_BOOL) pwt_fail(PWT_NOT_IMPLEMENTED, "\"slow_conv2d_cpu\" not implemented for 'Bool'");
  return x->dtype != PWT_BOOL;
}

static bool check_kernel(const Tensor *w, const Steps *s) {
  char text[160];
  if (any_below(w->sizes + 2, s->dims, 1)) {
    pwt_fail(PWT_RUNTIME_ERROR, "kernel size should be greater than zero, but got %s", named(text, sizeof text, "kernel", w->sizes + 2, s->dims, 1));
    return false;
  }
  if (any_below(s->dilation, s->dims, 1)) {
    pwt_fail(PWT_RUNTIME_ERROR, "dilation should be greater than zero, but got %z", s->dilation, s->dims);
    return false;
  }
  return true;
}

static bool forward_sizes(const Tensor *x, const Tensor *w, const Steps *s, int64_t *sizes) {
  int64_t padded[3], kernel[3];
  bool fits = true;
  for (int i = 0; i < s->dims; i++) {
    padded[i] = x->sizes[2 + i] + 2 * s->padding[i];
    kernel[i] = s->dilation[i] * (w->sizes[2 + i] - 1) + 1;
    fits &= kernel[i] <= padded[i];
    sizes[i] = pwt_conv_out_size(x->sizes[2 + i], w->sizes[2 + i], s->stride[i], s->padding[i], s->dilation[i]);
  }
  char a[96], b[96];
  if (!fits)
    pwt_fail(PWT_RUNTIME_ERROR, "Calculated padded input size per channel: (%s). Kernel size: (%s). Kernel size can't be greater than actual input size",
             pwt_window_text(a, sizeof a, padded, s->dims, " x "), pwt_window_text(b, sizeof b, kernel, s->dims, " x "));
  return fits;
}

static bool transposed_sizes(const Tensor *x, const Tensor *w, const Steps *s, int64_t *sizes) {
  bool small = false, excess = false;
  for (int i = 0; i < s->dims; i++) {
    sizes[i] = (x->sizes[2 + i] - 1) * s->stride[i] - 2 * s->padding[i] + s->dilation[i] * (w->sizes[2 + i] - 1) + s->output_padding[i] + 1;
    small |= sizes[i] < 1;
    excess |= s->output_padding[i] >= PWT_MAX(s->stride[i], s->dilation[i]);
  }
  char a[160], b[160], c[160];
  const char *row = s->dims == 1 ? "1 x " : ""; /* torch makes one dimension an image of height 1 */
  if (excess)
    pwt_fail(PWT_RUNTIME_ERROR, "output padding must be smaller than either stride or dilation, but got %s %s %s", named(a, sizeof a, "output_padding", s->output_padding, s->dims, 0),
             named(b, sizeof b, "stride", s->stride, s->dims, 1), named(c, sizeof c, "dilation", s->dilation, s->dims, 1));
  else if (any_below(x->sizes + 2, s->dims, 1))
    pwt_fail(PWT_RUNTIME_ERROR, "Only zero batch or zero channel inputs are supported, but got input shape: %z", x->sizes, (int)x->ndim);
  else if (small)
    pwt_fail(PWT_RUNTIME_ERROR, "Given input size per channel: (%s%s). Calculated output size per channel: (%s%s). Output size is too small", row,
             pwt_window_text(a, sizeof a, x->sizes + 2, s->dims, " x "), row, pwt_window_text(b, sizeof b, sizes, s->dims, " x "));
  return !pwt_failed();
}

static Tensor *convolve(Tensor *x, Tensor *w, Tensor *bias, Steps *s, int64_t groups, bool transposed) {
  int64_t sizes[3];
  if (!check_steps(s, groups) || !check_channels(x, w, bias, groups, transposed) || !check_dtypes(x, w, bias) || !check_kernel(w, s)) return NULL;
  if (!(transposed ? transposed_sizes : forward_sizes)(x, w, s, sizes)) return NULL;
  return (transposed ? pwt__conv_transpose : pwt__conv)(x, w, bias, list_of(s->stride, s), list_of(s->padding, s), list_of(s->dilation, s), groups, list_of(sizes, s));
}

static bool read_steps(Steps *s, const Tensor *weight, IntList stride, IntList padding, IntList dilation, IntList output_padding) {
  s->dims = weight->ndim - 2;
  if (s->dims < 1) pwt_fail(PWT_RUNTIME_ERROR, "weight should have at least three dimensions");
  else if (s->dims > 3) pwt_fail(PWT_NOT_IMPLEMENTED, "convolutions have one to three dimensions, got a weight of size %z", weight->sizes, (int)weight->ndim);
  return !pwt_failed() && read_list(s->stride, stride, s->dims, "stride") && read_list(s->padding, padding, s->dims, "padding") &&
         read_list(s->dilation, dilation, s->dims, "dilation") && read_list(s->output_padding, output_padding, s->dims, "output_padding");
}

static const IntList no_padding = {(const int64_t[]){0}, 1};

Tensor *pwt_kernel_convolution(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, IntList padding, IntList dilation, bool transposed, IntList output_padding, int64_t groups) {
  Steps s;
  if (!read_steps(&s, weight, stride, padding, dilation, output_padding)) return NULL;
  return convolve(input, weight, bias, &s, groups, transposed);
}

/* [C, ...] as a batch of one; NULL and torch's error for other numbers of dimensions */
static Tensor *batch_of(Tensor *input, int dims, const char *name, bool *single) {
  *single = input->ndim == dims + 1;
  if (*single) return pwt_unsqueeze(input, 0);
  if (input->ndim == dims + 2) return input;
  return pwt_fail(PWT_RUNTIME_ERROR, "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: %z", dims + 1, dims + 2, name, input->sizes, (int)input->ndim);
}

static Tensor *unbatched(Tensor *result, bool single) { return single ? pwt_squeeze(result, (IntList){(const int64_t[]){0}, 1}) : result; }

/* A number stands for as many as the function's name says, before the weight's dimensions are looked at. */
static IntList repeated(int64_t to[3], IntList from, int dims) {
  if (from.count != 1) return from;
  for (int i = 0; i < dims; i++) to[i] = from.items[0];
  return (IntList){to, dims};
}

static Tensor *conv_nd(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, IntList padding, IntList dilation, IntList output_padding, int64_t groups, int dims, const char *name, bool transposed) {
  bool single;
  int64_t room[4][3];
  Tensor *x = batch_of(input, dims, name, &single);
  Steps s;
  if (!x || !read_steps(&s, weight, repeated(room[0], stride, dims), repeated(room[1], padding, dims), repeated(room[2], dilation, dims), repeated(room[3], output_padding, dims))) return NULL;
  return unbatched(convolve(x, weight, bias, &s, groups, transposed), single);
}

static Tensor *conv_named(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, const char *padding, IntList dilation, int64_t groups, int dims, const char *name) {
  bool same = pwt_same_text(padding, "same"), single;
  if (!same && !pwt_same_text(padding, "valid")) return pwt_fail(PWT_RUNTIME_ERROR, "Invalid padding string: '%s'", padding);
  if (!same) return conv_nd(input, weight, bias, stride, no_padding, dilation, no_padding, groups, dims, name, false);
  Tensor *x = batch_of(input, dims, name, &single);
  Steps s;
  if (!x || !read_steps(&s, weight, stride, no_padding, dilation, no_padding)) return NULL;
  for (int i = 0; i < s.dims; i++)
    if (s.stride[i] != 1) return pwt_fail(PWT_RUNTIME_ERROR, "padding='same' is not supported for strided convolutions");
  if (!check_steps(&s, groups) || !check_channels(x, weight, bias, groups, false) || !check_dtypes(x, weight, bias) || !check_kernel(weight, &s)) return NULL;
  /* where the padding is odd, the larger half stands behind */
  for (int i = 0; i < s.dims; i++) s.padding[i] = s.dilation[i] * (weight->sizes[2 + i] - 1) / 2;
  return unbatched(pwt__conv(x, weight, bias, list_of(s.stride, &s), list_of(s.padding, &s), list_of(s.dilation, &s), groups, (IntList){x->sizes + 2, s.dims}), single);
}

#define CONV(N)                                                                                                                                       \
  Tensor *pwt_kernel_conv##N##d(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, IntList padding, IntList dilation, int64_t groups) {     \
    return conv_nd(input, weight, bias, stride, padding, dilation, no_padding, groups, N, "conv" #N "d", false);                                      \
  }                                                                                                                                                   \
  Tensor *pwt_kernel__conv##N##d_named(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, const char *padding, IntList dilation,            \
                                       int64_t groups) {                                                                                              \
    return conv_named(input, weight, bias, stride, padding, dilation, groups, N, "conv" #N "d");                                                      \
  }                                                                                                                                                   \
  Tensor *pwt_kernel_conv_transpose##N##d(Tensor *input, Tensor *weight, Tensor *bias, IntList stride, IntList padding, IntList output_padding,       \
                                          int64_t groups, IntList dilation) {                                                                         \
    return conv_nd(input, weight, bias, stride, padding, dilation, output_padding, groups, N, "conv_transpose" #N "d", true);                         \
  }
CONV(1)
CONV(2)
CONV(3)
