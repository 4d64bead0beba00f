/* Transforms of many lengths, dimensions and layouts against their definition, and complex views written to in place: the
   sanitizers watch buffers, and nothing may stay behind. */
#include <math.h>
#include <stdio.h>

#include "autograd.h"
#include "ops.h"

static int failures;

static void check(bool good, const char *what, int64_t n, int64_t inner) {
  if (good && !pwt_failed()) return;
  failures++;
  printf("%s of %lld, inner %lld: %s\n", what, (long long)n, (long long)inner, pwt_failed() ? pwt_error_state.message : "differs");
  pwt_clear_error();
}

/* the largest difference of columns from the sums that they stand for, in the middle of the tensor and at its ends */
static bool is_transform(Tensor *x, Tensor *y, int64_t n, int64_t points, int64_t inner, bool real) {
  if (!x || !y) return false;
  const double *from = pwt_data(x), *to = pwt_data(y);
  for (int64_t k = 0; k < points; k += points > 9 ? points / 5 : 1)
    for (int64_t i = 0; i < inner; i += inner > 1 ? inner - 1 : 1) {
      double re = 0, im = 0;
      for (int64_t j = 0; j < n; j++) {
        double angle = -2 * M_PI * (double)(j * k % n) / (double)n, a = real ? from[j * inner + i] : from[2 * (j * inner + i)];
        double b = real ? 0 : from[2 * (j * inner + i) + 1];
        re += a * cos(angle) - b * sin(angle), im += a * sin(angle) + b * cos(angle);
      }
      if (fabs(re - to[2 * (k * inner + i)]) + fabs(im - to[2 * (k * inner + i) + 1]) > 1e-11 * (double)n) return false;
    }
  return true;
}

static void lengths(int64_t n, int64_t inner) {
  int64_t mark = pwt_scope_open(), sizes[] = {n, inner};
  Tensor *x = pwt__to_dtype(pwt__randint(-9, 10, (IntList){sizes, 2}, PWT_INT64, NULL), PWT_FLOAT64);
  Tensor *z = pwt_complex(x, pwt_flip(x, (IntList){(int64_t[]){0}, 1}));
  IntList dim = {(int64_t[]){0}, 1};
  check(is_transform(z, pwt__fft_c2c(z, dim, 0, true), n, n, inner, false), "c2c", n, inner);
  Tensor *half = pwt__fft_r2c(x, dim, 0, true);
  check(is_transform(x, half, n, n / 2 + 1, inner, true), "r2c", n, inner);
  check(is_transform(x, pwt__fft_r2c(x, dim, 0, false), n, n, inner, true), "whole r2c", n, inner);
  Tensor *back = pwt__fft_c2r(half, dim, 2, n), *far = back ? pwt_max(pwt_abs(pwt_sub(back, x, pwt_scalar_int(1)))) : NULL;
  check(far && pwt_item(far).re < 1e-11, "c2r", n, inner);
  pwt_scope_close(mark);
}

static void gradients(void) {
  int64_t mark = pwt_scope_open(), sizes[] = {3, 8};
  Tensor *x = pwt_new_zeros(2, sizes, PWT_FLOAT64);
  pwt_set_requires_grad(x, true);
  Tensor *y = pwt__fft_r2c(pwt_mul(x, pwt_from_scalar(pwt_scalar_int(2))), (IntList){(int64_t[]){0, 1}, 2}, 1, true);
  pwt_mul_(pwt_real(y), pwt_from_scalar(pwt_scalar_int(3)));
  pwt_fill_(pwt_select(pwt_imag(y), 0, 1), pwt_scalar_int(1));
  Tensor *sum = pwt_sum(pwt__fft_c2r(y, (IntList){(int64_t[]){1}, 1}, 0, 8), (IntList){NULL, -1}, false, PWT_NO_DTYPE);
  check(pwt_backward((TensorList){&sum, 1}, (TensorList){NULL, -1}, false, false, (TensorList){NULL, -1}, true, true, NULL), "backward", 8, 1);
  pwt_scope_close(mark);
}

int main(void) {
  const int64_t long_ones[] = {8200, 9000, 16411, 20000};
  for (int64_t n = 1; n <= 100; n++)
    for (int64_t inner = 1; inner <= 19; inner += 6) lengths(n, inner);
  for (int i = 0; i < 4; i++) lengths(long_ones[i], 1), lengths(long_ones[i], 3);
  gradients();
  if (pwt_live_tensors()) failures++, printf("%lld tensors stayed behind\n", (long long)pwt_live_tensors());
  return failures != 0;
}
