/* unfold and fold (im2col and col2im). */
#include "matmul/loops.h"
#include "ops.h"
#include "window.h"

typedef struct {
  int64_t kernel[2], dilation[2], padding[2], stride[2];
} Steps;

static bool read_pair(int64_t to[2], IntList from, const char *name, const char *what, const char *prefix, int64_t least) {
  if (from.count != 2) {
    pwt_fail(PWT_RUNTIME_ERROR, "It is expected %s equals to 2, but got size %i", name, from.count);
    return false;
  }
  to[0] = from.items[0], to[1] = from.items[1];
  if (to[0] < least || to[1] < least)
    pwt_fail(PWT_RUNTIME_ERROR, "%s should be %s, but got %s_height: %i %s_width: %i", what, least ? "greater than zero" : "non-negative", prefix, to[0], prefix, to[1]);
  else if (to[0] > PWT_WINDOW_LIMIT || to[1] > PWT_WINDOW_LIMIT)
    pwt_fail(PWT_RUNTIME_ERROR, "%s is too large: (%i, %i)", what, to[0], to[1]);
  return !pwt_failed();
}

static bool read_steps(Steps *s, IntList kernel, IntList dilation, IntList padding, IntList stride) {
  return read_pair(s->kernel, kernel, "kernel_size", "kernel size", "kernel", 1) && read_pair(s->dilation, dilation, "dilation", "dilation", "dilation", 1) &&
         read_pair(s->padding, padding, "padding", "padding", "pad", 0) && read_pair(s->stride, stride, "stride", "stride", "stride", 1);
}

static void fill_window(pwt_window *w, const Steps *s, const int64_t *image) {
  int64_t out[2];
  for (int i = 0; i < 2; i++) { /* below 1 where the window fits nowhere: messages show it */
    int64_t room = image[i] + 2 * s->padding[i] - s->dilation[i] * (s->kernel[i] - 1) - 1;
    out[i] = (room < 0 ? -((-room + s->stride[i] - 1) / s->stride[i]) : room / s->stride[i]) + 1;
  }
  pwt_window_axis(w->in, image, 2, 2, 1);
  pwt_window_axis(w->out, out, 2, 2, 1);
  pwt_window_axis(w->kernel, s->kernel, 2, 2, 1);
  pwt_window_axis(w->stride, s->stride, 2, 2, 1);
  pwt_window_axis(w->padding, s->padding, 2, 2, 0);
  pwt_window_axis(w->dilation, s->dilation, 2, 2, 1);
}

static bool check_dtype(const Tensor *t, const char *kernel) {
  if (!pwt_is_integral((DType)t->dtype)) return true;
  pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s_out_cpu\" not implemented for '%t'", kernel, t->dtype);
  return false;
}

/* Whether it has `ndim` or ndim + 1 dimensions, of which only the batch's may be empty */
static bool fits(const Tensor *t, int ndim) {
  bool good = t->ndim == ndim || t->ndim == ndim + 1;
  for (int i = t->ndim - ndim; good && i < t->ndim; i++) good = t->sizes[i] > 0;
  return good;
}

Tensor *pwt_kernel_im2col(Tensor *self, IntList kernel_size, IntList dilation, IntList padding, IntList stride) {
  Steps s;
  if (!read_steps(&s, kernel_size, dilation, padding, stride)) return NULL;
  int n = self->ndim;
  if (!fits(self, 3))
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: %z", self->sizes, n);
  pwt_window w;
  fill_window(&w, &s, self->sizes + (n - 2));
  if (w.out[1] < 1 || w.out[2] < 1)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Given input with spatial size (%i, %i), kernel_size=(%i, %i), dilation=(%i, %i), padding=(%i, %i), calculated shape of the array of sliding blocks as (%i, %i), but its components "
                    "must be at least one.",
                    w.in[1], w.in[2], s.kernel[0], s.kernel[1], s.dilation[0], s.dilation[1], s.padding[0], s.padding[1], w.out[1], w.out[2]);
  if (!check_dtype(self, "im2col")) return NULL;
  int64_t sizes[3] = {self->sizes[0]}, *last = sizes + (n - 3);
  last[0] = self->sizes[n - 3] * product3(w.kernel), last[1] = product3(w.out);
  Tensor *x = pwt_raw_contiguous(self), *result = pwt_new(n - 1, sizes, (DType)self->dtype);
  if (x && result && !pwt_on_meta) pwt_raw_im2col(&w, pwt_product(self->sizes, n - 2), pwt_itemsize[self->dtype], pwt_data(x), pwt_data(result));
  return x ? result : NULL;
}

Tensor *pwt_kernel_col2im(Tensor *self, IntList output_size, IntList kernel_size, IntList dilation, IntList padding, IntList stride) {
  Steps s;
  if (output_size.count != 2) return pwt_fail(PWT_RUNTIME_ERROR, "It is expected output_size equals to 2, but got size %i", output_size.count);
  if (!read_steps(&s, kernel_size, dilation, padding, stride)) return NULL;
  int n = self->ndim;
  if (!fits(self, 2))
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: %z", self->sizes, n);
  int64_t taps = s.kernel[0] * s.kernel[1], rows = self->sizes[n - 2], columns = self->sizes[n - 1];
  if (rows % taps)
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=%i and kernel_size=(%i, %i).", rows, s.kernel[0],
                    s.kernel[1]);
  pwt_window w;
  fill_window(&w, &s, output_size.items);
  if (product3(w.out) != columns || w.out[1] < 1 || w.out[2] < 1)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Given output_size=(%i, %i), kernel_size=(%i, %i), dilation=(%i, %i), padding=(%i, %i), stride=(%i, %i), expected size of input's dimension 2 to match the calculated number of "
                    "sliding blocks %i * %i = %i, but got input.size(2)=%i.",
                    w.in[1], w.in[2], s.kernel[0], s.kernel[1], s.dilation[0], s.dilation[1], s.padding[0], s.padding[1], s.stride[0], s.stride[1], w.out[1], w.out[2], product3(w.out), columns);
  if (!check_dtype(self, "col2im")) return NULL;
  DType dtype = (DType)self->dtype, compute = pwt_product_dtype(dtype);
  int64_t sizes[4] = {self->sizes[0]}, *last = sizes + (n - 2);
  last[0] = rows / taps, last[1] = w.in[1], last[2] = w.in[2];
  Tensor *x = pwt_raw_contiguous_as(self, compute), *result = pwt_new_zeros(n + 1, sizes, compute);
  if (!x || !result) return NULL;
  if (!pwt_on_meta) pwt_raw_col2im(&w, pwt_product(sizes, n - 1), compute, pwt_data(x), pwt_data(result));
  return pwt_raw_cast(result, dtype);
}
