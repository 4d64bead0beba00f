/* Products, convolutions, pools and windows of awkward sizes, dtypes and layouts, forwards and backwards: the sanitizers
   watch their buffers, and nothing may stay behind, whether a call worked or was refused. */
#include <stdio.h>

#include "autograd.h"
#include "ops.h"

static uint32_t state = 1;

static int64_t draw(int64_t low, int64_t high) {
  state = state * 1664525u + 1013904223u;
  return low + (int64_t)(state >> 8) % (high - low + 1);
}

static int failures, worked;

/* Runs a call and the backward pass of its first result; the error of a refused call goes with it. */
static void finish(Tensor *result) {
  if (pwt_failed()) {
    if (pwt_error_state.kind == PWT_MEMORY_ERROR) failures++, printf("%s\n", pwt_error_state.message);
    pwt_clear_error();
    return;
  }
  worked++;
  if (!result || !pwt_requires_grad(result)) return;
  Tensor *ones = pwt_ones_like(result);
  if (!pwt_backward((TensorList){&result, 1}, (TensorList){&ones, 1}, false, false, (TensorList){NULL, -1}, true, true, NULL)) {
    failures++;
    printf("backward: %s\n", pwt_error_state.message);
    pwt_clear_error();
  }
}

#define TRY(CALL)                    \
  do {                               \
    int64_t mark = pwt_scope_open(); \
    finish(CALL);                    \
    pwt_scope_close(mark);           \
  } while (0)

/* In a random layout: contiguous, the dimensions stored backwards, or every second element of a larger tensor. */
static Tensor *input(int ndim, const int64_t *sizes, DType dtype) {
  int64_t order[PWT_MAX_DIMS], shape[PWT_MAX_DIMS], layout = draw(0, 2);
  for (int i = 0; i < ndim; i++) {
    order[i] = ndim - 1 - i;
    shape[i] = sizes[layout == 1 ? order[i] : i] * (layout == 2 && i == ndim - 1 ? 2 : 1);
  }
  Tensor *t = pwt__to_dtype(pwt__randint(-9, 10, (IntList){shape, ndim}, PWT_INT64, NULL), dtype);
  if (layout == 1) t = pwt_permute(t, (IntList){order, ndim});
  if (layout == 2) t = pwt_slice(t, -1, (OptInt){false, 0}, (OptInt){false, 0}, 2);
  t = t ? pwt_detach(t) : NULL;
  if (t && pwt_is_differentiable(dtype)) pwt_set_requires_grad(t, true);
  return t;
}

static void products(DType dtype) {
  int64_t m = draw(0, 9), n = draw(0, 9), k = draw(0, 9), b = draw(0, 3), c = draw(1, 2);
  Scalar two = pwt_scalar_int(2), none = pwt_scalar_int(0);
  Tensor *left = input(2, (int64_t[]){m, k}, dtype), *right = input(2, (int64_t[]){k, n}, dtype), *row = input(1, &n, dtype), *vector = input(1, &k, dtype);
  Tensor *lefts = input(3, (int64_t[]){b, m, k}, dtype), *rights = input(3, (int64_t[]){b, k, n}, dtype), *many = input(4, (int64_t[]){c, 1, m, k}, dtype);
  Tensor *square = input(3, (int64_t[]){b, m, m}, dtype), *weight = input(2, (int64_t[]){n, k}, dtype);
  TRY(pwt_mm(left, right));
  TRY(pwt_matmul(many, rights));
  TRY(pwt_matmul(lefts, right));
  TRY(pwt_matmul(left, rights));
  TRY(pwt_matmul(lefts, vector));
  TRY(pwt_matmul(vector, rights));
  TRY(pwt_matmul(left, lefts));
  TRY(pwt_bmm(lefts, rights));
  TRY(pwt_addmm(row, left, right, two, two));
  TRY(pwt_addmm(row, left, right, none, two));
  TRY(pwt_baddbmm(row, lefts, rights, two, two));
  TRY(pwt_addbmm(row, lefts, rights, two, two));
  TRY(pwt_addmv(pwt_from_scalar(two), left, vector, two, two));
  TRY(pwt_addr(right, vector, row, two, two));
  TRY(pwt_linear(lefts, weight, row));
  TRY(pwt_linear(vector, weight, NULL));
  TRY(pwt_inner(lefts, weight));
  TRY(pwt_kron(left, right));
  TRY(pwt_matrix_power(square, draw(0, 5)));
  TRY(pwt_multi_dot((TensorList){(Tensor *[]){left, right, weight, vector}, 4}));
  TRY(pwt_tensordot(lefts, rights, (IntList){(int64_t[]){2, 0}, 2}, (IntList){(int64_t[]){1, 0}, 2}));
  TRY(pwt__cdist(lefts, input(2, (int64_t[]){n, k}, dtype), (double)draw(0, 3)));
}

static IntList list(int64_t *to, int dims, int64_t low, int64_t high) {
  for (int i = 0; i < dims; i++) to[i] = draw(low, high);
  return (IntList){to, dims};
}

static void convolutions(DType dtype) {
  int dims = (int)draw(1, 3);
  int64_t groups = draw(1, 3), in = groups * draw(1, 3), out = groups * draw(1, 3), x_sizes[5] = {draw(0, 3), in}, w_sizes[5] = {out, in / groups}, room[4][3];
  list(x_sizes + 2, dims, 1, 8);
  list(w_sizes + 2, dims, 1, 3);
  IntList stride = list(room[0], dims, 1, 3), padding = list(room[1], dims, 0, 3), dilation = list(room[2], dims, 1, 2), extra = list(room[3], dims, 0, 1);
  Tensor *x = input(dims + 2, x_sizes, dtype), *w = input(dims + 2, w_sizes, dtype), *bias = draw(0, 1) ? input(1, &out, dtype) : NULL;
  TRY(pwt_convolution(x, w, bias, stride, padding, dilation, false, extra, groups));
  x_sizes[1] = out;
  TRY(pwt_convolution(input(dims + 2, x_sizes, dtype), w, draw(0, 1) ? input(1, &in, dtype) : NULL, stride, padding, dilation, true, extra, groups));
  x_sizes[1] = in;
  if (dims == 2) TRY(pwt__conv2d_named(x, w, bias, (IntList){(int64_t[]){1, 1}, 2}, "same", dilation, groups));
  if (dims != 2) return;
  TRY(pwt_im2col(x, list(room[3], 2, 1, 3), dilation, padding, stride));
  int64_t image[2] = {draw(1, 8), draw(1, 8)}, kernel[2] = {draw(1, 3), draw(1, 3)}, positions = 1;
  for (int i = 0; i < 2; i++) positions *= PWT_MAX((image[i] + 2 * padding.items[i] - dilation.items[i] * (kernel[i] - 1) - 1) / stride.items[i] + 1, 0);
  TRY(pwt_col2im(input(2, (int64_t[]){2 * kernel[0] * kernel[1], positions}, dtype), (IntList){image, 2}, (IntList){kernel, 2}, dilation, padding, stride));
}

static void pools(DType dtype) {
  int64_t sizes[5] = {draw(1, 2), draw(1, 3)}, room[5][3];
  int dims = (int)draw(1, 3);
  list(sizes + 2, dims, 1, 9);
  IntList kernel = list(room[0], dims, 1, 4), stride = list(room[1], dims, 1, 3), padding = list(room[2], dims, 0, 2), dilation = list(room[3], dims, 1, 2), out = list(room[4], dims, 0, 6);
  Tensor *x = input(dims + 2, sizes, dtype);
  bool ceil_mode = draw(0, 1), include = draw(0, 1);
  OptInt divisor = {draw(0, 1), 3};
  if (dims == 1) {
    TRY(pwt_max_pool1d(x, kernel, stride, padding, dilation, ceil_mode));
    TRY(pwt__avg_pool1d(x, kernel, stride, padding, ceil_mode, include, divisor));
    TRY(pwt_adaptive_max_pool1d(x, out).r[0]);
    TRY(pwt_adaptive_avg_pool1d(x, out));
  } else if (dims == 2) {
    TRY(pwt_max_pool2d(x, kernel, stride, padding, dilation, ceil_mode));
    TRY(pwt__avg_pool2d(x, kernel, stride, padding, ceil_mode, include, divisor));
    TRY(pwt_adaptive_max_pool2d(x, out).r[0]);
    TRY(pwt_adaptive_avg_pool2d(x, out));
  } else {
    TRY(pwt_max_pool3d(x, kernel, stride, padding, dilation, ceil_mode));
    TRY(pwt__avg_pool3d(x, kernel, stride, padding, ceil_mode, include, divisor));
    TRY(pwt_adaptive_max_pool3d(x, out).r[0]);
    TRY(pwt_adaptive_avg_pool3d(x, out));
  }
}

int main(void) {
  static const DType dtypes[] = {PWT_FLOAT32, PWT_FLOAT64, PWT_BFLOAT16, PWT_COMPLEX64, PWT_INT64, PWT_UINT8, PWT_BOOL};
  for (int round = 0; round < 60; round++)
    for (unsigned d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
      int64_t mark = pwt_scope_open();
      products(dtypes[d]);
      convolutions(dtypes[d]);
      pools(dtypes[d]);
      pwt_scope_close(mark);
    }
  int64_t left = pwt_live_tensors();
  if (left) printf("%d tensors left\n", (int)left);
  if (worked < 5000) printf("only %d calls worked\n", worked);
  return left || failures || worked < 5000;
}
