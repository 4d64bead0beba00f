/* PyTorch's checks of pooling arguments. */
#include "arguments.h"

static const char *const words[] = {"zero", "one", "two", "three"};

typedef struct {
  const char *name;
  int dims;
  bool maximum;
} Kind;

static const char *kind_name(char *buffer, int64_t capacity, int dims, const char *prefix) {
  pwt_format(buffer, capacity, "%s_pool%dd", prefix, dims);
  return buffer;
}

static bool wrong_length(const Kind *k, const char *argument, int64_t count) {
  bool of_stride = pwt_same_text(argument, "stride"), single = k->dims == 1, third = k->dims == 3 && !k->maximum;
  if (single && k->maximum)
    pwt_fail(PWT_RUNTIME_ERROR, "%s() %s must be %san int, list of ints%s or tuple of ints of size 1 but got size %i", k->name, argument, of_stride ? "None, " : "",
             of_stride || pwt_same_text(argument, "padding") ? "," : "", count);
  else if (single)
    pwt_fail(PWT_RUNTIME_ERROR, "%s() argument '%s' should contain one int (got %i)", k->name, argument, count);
  else
    pwt_fail(PWT_RUNTIME_ERROR, "%s: %s must %s%sa single int, or a tuple of %s ints", k->name, argument, third ? "be " : pwt_same_text(argument, "dilation") ? "be either " : "either be ",
             of_stride ? "omitted, " : "", words[k->dims]);
  return false;
}

static bool read_list(int64_t to[3], IntList from, const Kind *k, const char *argument) {
  if (from.count != 1 && from.count != k->dims) return wrong_length(k, argument, from.count);
  for (int i = 0; i < k->dims; i++) {
    to[i] = from.items[from.count == 1 ? 0 : i];
    if (to[i] > PWT_WINDOW_LIMIT) {
      pwt_fail(PWT_RUNTIME_ERROR, "%s: %s is too large: %i", k->name, argument, to[i]);
      return false;
    }
  }
  return true;
}

/* "kH: 2 kW: 3"; of one dimension as an image of height 1 */
static const char *named(char *buffer, int64_t capacity, const char *prefix, const int64_t *values, int dims) {
  static const char axes[] = "THW";
  int64_t at = dims == 1 ? pwt_format(buffer, capacity, "%sH: 1 ", prefix) : 0;
  for (int i = 0; i < dims; i++) {
    char axis[2] = {axes[3 - dims + i], 0};
    at += pwt_format(buffer + at, capacity - at, i ? " %s%s: %i" : "%s%s: %i", prefix, axis, values[i]);
  }
  return buffer;
}

static bool any_below(const int64_t *values, int n, int64_t least) {
  for (int i = 0; i < n; i++)
    if (values[i] < least) return true;
  return false;
}

static bool check_positive(const Kind *k, const int64_t *values, const char *argument, const char *what, const char *prefix) {
  char text[128];
  if (!any_below(values, k->dims, 1)) return true;
  if (k->dims == 1 && k->maximum) pwt_fail(PWT_RUNTIME_ERROR, "%s() %s must be greater than zero, but got %i", k->name, argument, values[0]);
  else pwt_fail(PWT_RUNTIME_ERROR, "%s should be greater than zero, but got %s", what, named(text, sizeof text, prefix, values, k->dims));
  return false;
}

static bool check_padding(const Kind *k, const int64_t *kernel, const int64_t *padding, const int64_t *dilation) {
  bool one = k->dims == 1 && k->maximum;
  for (int i = 0; i < k->dims; i++) {
    int64_t reach = dilation[i] * (kernel[i] - 1) + 1;
    if (padding[i] < 0) {
      pwt_fail(PWT_RUNTIME_ERROR, one ? "max_pool1d() padding must be non-negative, but got %i" : "pad must be non-negative, but got pad: %i", padding[i]);
    } else if (padding[i] > (one ? kernel[i] : reach) / 2) {
      if (one) pwt_fail(PWT_RUNTIME_ERROR, "max_pool1d() padding should be at most half of kernel size, but got padding=%i and kernel_size=%i", padding[i], kernel[i]);
      else pwt_fail(PWT_RUNTIME_ERROR, "pad should be at most half of effective kernel size, but got pad=%i, kernel_size=%i and dilation=%i", padding[i], kernel[i], dilation[i]);
    } else {
      continue;
    }
    return false;
  }
  return true;
}

static bool check_input(const Kind *k, const Tensor *x) {
  int n = k->dims, first = x->ndim - n - 1; /* of the dimensions that are not the batch */
  bool fits = x->ndim == n + 1 || x->ndim == n + 2;
  int empty = -1;
  for (int i = x->ndim - 1; fits && i >= first; i--)
    if (x->sizes[i] == 0) empty = i;
  if (fits && empty < 0) return true;
  if (n == 1 && k->maximum)
    pwt_fail(PWT_RUNTIME_ERROR, "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:%z", x->sizes, (int)x->ndim);
  else if (n == 1 && !fits)
    pwt_fail(PWT_RUNTIME_ERROR, "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' (while checking arguments for %s)", (int)x->ndim, k->name);
  else if (!fits && (k->maximum || n == 3))
    pwt_fail(PWT_RUNTIME_ERROR, "non-empty %dD or %dD (batch mode) tensor expected for input", n + 1, n + 2);
  else if (n == 3)
    pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected input's non-batch dimensions to have positive length, but input has a shape of %z and non-batch dimension %d has length zero!", k->name, x->sizes,
             (int)x->ndim, empty - first);
  else
    pwt_fail(PWT_RUNTIME_ERROR, "Expected %dD or %dD (batch mode) tensor with optional 0 dim batch size for input, but got:%z", n + 1, n + 2, x->sizes, (int)x->ndim);
  return false;
}

static bool too_small(const Kind *k, const Tensor *x, const int64_t *out, const int64_t *kernel) {
  char a[128], b[128];
  int n = k->dims;
  const int64_t *in = x->sizes + (x->ndim - n);
  const char *row = n == 1 ? "1x" : "";
  int64_t planes = x->sizes[x->ndim - n - 1];
  if (n == 1 && k->maximum) pwt_fail(PWT_RUNTIME_ERROR, "max_pool1d() Invalid computed output size: %i", out[0]);
  else if (n == 3 && !k->maximum)
    pwt_fail(PWT_RUNTIME_ERROR, "input image (%s) smaller than kernel size (%s)", named(a, sizeof a, "", in, n), named(b, sizeof b, "k", kernel, n));
  else
    pwt_fail(PWT_RUNTIME_ERROR, "Given input size: (%ix%s%s). Calculated output size: (%ix%s%s). Output size is too small", planes, row, pwt_window_text(a, sizeof a, in, n, "x"), planes, row,
             pwt_window_text(b, sizeof b, out, n, "x"));
  return false;
}

static void fill_result(Pooling *p, const Tensor *self, const int64_t *out, int dims) {
  int lead = self->ndim - dims;
  p->ndim = self->ndim;
  pwt_copy_bytes(p->sizes, self->sizes, lead * 8);
  pwt_copy_bytes(p->sizes + lead, out, dims * 8);
  p->shape.planes = pwt_product(self->sizes, lead);
  pwt_window_axis(p->shape.window.in, self->sizes, self->ndim, dims, 1);
  pwt_window_axis(p->shape.window.out, p->sizes, p->ndim, dims, 1);
}

bool pwt_plan_pool(Pooling *p, const Tensor *self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode, int dims, bool maximum) {
  char name[16];
  Kind kind = {kind_name(name, sizeof name, dims, maximum ? "max" : "avg"), dims, maximum};
  int64_t k[3], s[3], pad[3], d[3], out[3];
  if (stride.count <= 0) stride = kernel;
  if (!read_list(k, kernel, &kind, "kernel_size") || !read_list(s, stride, &kind, "stride") || !read_list(pad, padding, &kind, "padding") || !read_list(d, dilation, &kind, "dilation"))
    return false;
  for (int i = 0; i < dims && !(dims == 1 && maximum); i++)
    if (s[i] == 0) {
      pwt_fail(PWT_RUNTIME_ERROR, "stride should not be zero");
      return false;
    }
  if (dims == 1 && !check_input(&kind, self)) return false;
  if (!check_positive(&kind, k, "kernel_size", "kernel size", "k") || !check_positive(&kind, s, "stride", "stride", "d") || !check_positive(&kind, d, "dilation", "dilation", "dilation") ||
      !check_padding(&kind, k, pad, d) || (dims > 1 && !check_input(&kind, self)))
    return false;
  double taps = 1;
  for (int i = 0; i < dims; i++) taps *= (double)k[i];
  if (taps > PWT_WINDOW_LIMIT) {
    pwt_fail(PWT_RUNTIME_ERROR, "%s: kernel_size is too large: %z", name, k, dims);
    return false;
  }
  const int64_t *in = self->sizes + (self->ndim - dims);
  for (int i = 0; i < dims; i++) out[i] = pwt_pool_out_size(in[i], k[i], s[i], pad[i], d[i], ceil_mode);
  bool cut = dims == 3 && !maximum && (in[0] < k[0] || in[1] < k[1] || in[2] < k[2]); /* torch asks this of avg_pool3d alone */
  if (cut || any_below(out, dims, 1)) return too_small(&kind, self, out, k);
  fill_result(p, self, out, dims);
  pwt_window *w = &p->shape.window;
  pwt_window_axis(w->kernel, k, dims, dims, 1);
  pwt_window_axis(w->stride, s, dims, dims, 1);
  pwt_window_axis(w->padding, pad, dims, dims, 0);
  pwt_window_axis(w->dilation, d, dims, dims, 1);
  return true;
}

bool pwt_plan_adaptive_pool(Pooling *p, const Tensor *self, IntList output_size, int dims, bool maximum) {
  char name[24], text[64];
  kind_name(name, sizeof name, dims, maximum ? "adaptive_max" : "adaptive_avg");
  int n = self->ndim;
  if (output_size.count != dims) {
    if (dims == 1) pwt_fail(PWT_RUNTIME_ERROR, "%s() argument 'output_size' should contain one int (got %i)", name, output_size.count);
    else pwt_fail(PWT_RUNTIME_ERROR, maximum ? "%s(): internal error: output_size.size() must be %d" : "%s: output_size must be %d", name, dims);
  } else if (n != dims + 1 && n != dims + 2) {
    if (dims == 1) pwt_fail(PWT_RUNTIME_ERROR, "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' (while checking arguments for %s)", n, name);
    else pwt_fail(PWT_RUNTIME_ERROR, maximum ? "%s(): Expected %dD or %dD tensor, but got: %z" : "%s(): Expected %dD or %dD tensor, but got %z", name, dims + 1, dims + 2, self->sizes, n);
  } else if (any_below(output_size.items, dims, 0)) {
    if (maximum) pwt_fail(PWT_RUNTIME_ERROR, "Trying to create tensor with negative dimension %i: %z", output_size.items[0], output_size.items, dims);
    else pwt_fail(PWT_RUNTIME_ERROR, "%s: elements of output_size must be greater than or equal to 0 but received {%s}", name, pwt_window_text(text, sizeof text, output_size.items, dims, ", "));
  }
  for (int i = n - dims - maximum; !pwt_failed() && i < n; i++)
    if (self->sizes[i] == 0)
      pwt_fail(PWT_RUNTIME_ERROR, "%s(): Expected input to have non-zero size for non-batch dimensions, but input has sizes %z with dimension %d being empty", name, self->sizes, n, i);
  if (pwt_failed()) return false;
  fill_result(p, self, output_size.items, dims);
  return true;
}

void pwt_pool_shape(pwt_pool *s, IntList in, IntList out, int dims) {
  s->planes = pwt_product(in.items, (int)in.count - dims);
  pwt_window_axis(s->window.in, in.items, (int)in.count, dims, 1);
  pwt_window_axis(s->window.out, out.items, (int)out.count, dims, 1);
}
