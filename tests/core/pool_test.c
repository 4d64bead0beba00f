/* Pooling against loops over single windows. The data are small integers, some of them NaN or infinite for the maxima,
   so the comparison is exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool.h"
#include "parallel_threads.h"

static int failures;
static uint32_t seed = 1;

static int64_t below(int64_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)(seed >> 8) % n;
}

static int64_t size3(const int64_t x[3]) { return x[0] * x[1] * x[2]; }

static void unflatten(int64_t i, const int64_t sizes[3], int64_t at[3]) {
  at[0] = i / (sizes[1] * sizes[2]);
  at[1] = i / sizes[2] % sizes[1];
  at[2] = i % sizes[2];
}

/* The input element under tap `t` of output `o`, or -1 in the padding. */
static int64_t meeting(const pwt_window *v, int64_t o, int64_t t) {
  int64_t out[3], tap[3], flat = 0;
  unflatten(o, v->out, out);
  unflatten(t, v->kernel, tap);
  for (int d = 0; d < 3; d++) {
    int64_t at = out[d] * v->stride[d] + tap[d] * v->dilation[d] - v->padding[d];
    if (at < 0 || at >= v->in[d]) return -1;
    flat = flat * v->in[d] + at;
  }
  return flat;
}

/* How many elements of output o's window exist: in the input padded on both sides, or in the input alone. */
static int64_t window_size(const pwt_window *v, int64_t o, bool padded) {
  int64_t out[3], size = 1;
  unflatten(o, v->out, out);
  for (int d = 0; d < 3; d++) {
    int64_t count = 0;
    for (int64_t t = 0; t < v->kernel[d]; t++) {
      int64_t at = out[d] * v->stride[d] + t - v->padding[d];
      count += padded ? at < v->in[d] + v->padding[d] : at >= 0 && at < v->in[d];
    }
    size *= count;
  }
  return size;
}

/* The input elements of adaptive output o, by trial. */
static bool in_adaptive(const pwt_window *v, int64_t o, int64_t x) {
  int64_t out[3], at[3];
  unflatten(o, v->out, out);
  unflatten(x, v->in, at);
  for (int d = 0; d < 3; d++) {
    bool before = (at[d] + 1) * v->out[d] <= out[d] * v->in[d], behind = at[d] * v->out[d] >= (out[d] + 1) * v->in[d];
    if (before || behind) return false;
  }
  return true;
}

enum { MAX_MEMBERS = 4096 };

/* The input elements of output o's window, in order. */
static int64_t members(const pwt_window *v, int64_t o, bool adaptive, int64_t list[MAX_MEMBERS]) {
  int64_t count = 0, tries = adaptive ? size3(v->in) : size3(v->kernel);
  for (int64_t t = 0; t < tries; t++) {
    int64_t at = adaptive ? (in_adaptive(v, o, t) ? t : -1) : meeting(v, o, t);
    if (at >= 0) list[count++] = at;
  }
  return count;
}

/* What the sum over a window is divided by, one after the other. */
static void divisors(const pwt_window *v, int64_t o, bool adaptive, bool padded, int64_t divisor, int64_t by[3]) {
  int64_t list[MAX_MEMBERS], count = members(v, o, adaptive, list), first[3], last[3];
  by[0] = by[1] = by[2] = 1;
  if (count == 0) return;
  unflatten(list[0], v->in, first);
  unflatten(list[count - 1], v->in, last);
  if (adaptive)
    for (int d = 0; d < 3; d++) by[d] = last[d] - first[d] + 1;
  else
    by[0] = divisor ? divisor : window_size(v, o, padded);
}

#define TESTS(name, type)                                                                                             \
  static type *numbers_##name(int64_t size, bool specials) {                                                          \
    type *x = malloc((size_t)(size + 1) * sizeof *x);                                                                 \
    for (int64_t i = 0; i < size; i++) x[i] = (type)(below(19) - 9);                                                  \
    for (int64_t i = 0; specials && i < size; i++)                                                                    \
      if (below(6) == 0) x[i] = below(3) ? -__builtin_inf() : below(2) ? __builtin_nan("") : __builtin_inf();         \
    return x;                                                                                                         \
  }                                                                                                                   \
  static type *unset_##name(int64_t size) {                                                                           \
    type *x = malloc((size_t)(size + 1) * sizeof *x);                                                                 \
    for (int64_t i = 0; i <= size; i++) x[i] = (type)1e6;                                                             \
    return x;                                                                                                         \
  }                                                                                                                   \
  static type *zeros_##name(int64_t size) {                                                                           \
    type *x = malloc((size_t)(size + 1) * sizeof *x);                                                                 \
    memset(x, 0, (size_t)(size + 1) * sizeof *x);                                                                     \
    return x;                                                                                                         \
  }                                                                                                                   \
  static void compare_##name(const pwt_pool *s, const char *what, const type *got, const type *expected,              \
                             int64_t size) {                                                                          \
    const pwt_window *v = &s->window;                                                                                 \
    for (int64_t i = 0; i <= size; i++) {                                                                             \
      type e = i < size ? expected[i] : (type)1e6;                                                                    \
      if (got[i] == e || (__builtin_isnan(got[i]) && __builtin_isnan(e))) continue;                                   \
      failures++;                                                                                                     \
      printf("%s %s: [%d] is %g, not %g; in %d %d %d out %d %d %d kernel %d %d %d stride %d %d %d padding %d %d %d "  \
             "dilation %d %d %d\n",                                                                                   \
             #name, what, (int)i, (double)got[i], (double)e, (int)v->in[0], (int)v->in[1], (int)v->in[2],             \
             (int)v->out[0], (int)v->out[1], (int)v->out[2], (int)v->kernel[0], (int)v->kernel[1],                    \
             (int)v->kernel[2], (int)v->stride[0], (int)v->stride[1], (int)v->stride[2], (int)v->padding[0],          \
             (int)v->padding[1], (int)v->padding[2], (int)v->dilation[0], (int)v->dilation[1],                        \
             (int)v->dilation[2]);                                                                                    \
      return;                                                                                                         \
    }                                                                                                                 \
  }                                                                                                                   \
  static void compare_indices_##name(const char *what, const int64_t *got, const int64_t *expected, int64_t size) {   \
    for (int64_t i = 0; i < size; i++)                                                                                \
      if (got[i] != expected[i]) {                                                                                    \
        failures++;                                                                                                   \
        printf("%s %s: index [%d] is %d, not %d\n", #name, what, (int)i, (int)got[i], (int)expected[i]);              \
        return;                                                                                                       \
      }                                                                                                               \
  }                                                                                                                   \
  static void check_max_##name(const pwt_pool *s, bool adaptive) {                                                    \
    const pwt_window *v = &s->window;                                                                                 \
    const char *what = adaptive ? "adaptive maximum" : "maximum";                                                     \
    int64_t in = size3(v->in), out = size3(v->out), nx = s->planes * in, ny = s->planes * out;                        \
    type *x = numbers_##name(nx, true), *grad = numbers_##name(ny, false), *y = unset_##name(ny);                     \
    type *values_only = unset_##name(ny), *dx = unset_##name(nx), *edx = zeros_##name(nx);                            \
    type *ey = unset_##name(ny);                                                                                      \
    int64_t *from = malloc((size_t)(ny + 1) * sizeof *from), *efrom = malloc((size_t)(ny + 1) * sizeof *from);        \
    for (int64_t i = 0; i < ny; i++) {                                                                                \
      int64_t plane = i / out, list[MAX_MEMBERS], count = members(v, i % out, adaptive, list), best = list[0];        \
      type most = -__builtin_inf();                                                                                   \
      for (int64_t t = 0; t < count; t++) {                                                                           \
        type value = x[plane * in + list[t]];                                                                         \
        if (value > most || __builtin_isnan(value)) best = list[t], most = value;                                     \
      }                                                                                                               \
      ey[i] = most;                                                                                                   \
      efrom[i] = best;                                                                                                \
      edx[plane * in + best] += grad[i];                                                                              \
    }                                                                                                                 \
    (adaptive ? pwt_adaptive_max_pool_##name : pwt_max_pool_##name)(s, x, y, from);                                   \
    (adaptive ? pwt_adaptive_max_pool_##name : pwt_max_pool_##name)(s, x, values_only, 0);                            \
    pwt_max_pool_grad_##name(s, grad, from, dx);                                                                      \
    compare_##name(s, what, y, ey, ny);                                                                               \
    compare_##name(s, what, values_only, ey, ny);                                                                     \
    compare_indices_##name(what, from, efrom, ny);                                                                    \
    compare_##name(s, "gradient of the maximum", dx, edx, nx);                                                        \
    if (ny) {                                                                                                         \
      from[0] = -1, from[ny - 1] = in;                                                                                \
      memset(grad, 0, (size_t)ny * sizeof *grad);                                                                     \
      grad[0] = grad[ny - 1] = 5;                                                                                     \
      memset(edx, 0, (size_t)nx * sizeof *edx);                                                                       \
      pwt_max_pool_grad_##name(s, grad, from, dx);                                                                    \
      compare_##name(s, "gradient of the maximum with indices outside", dx, edx, nx);                                 \
    }                                                                                                                 \
    free(x), free(grad), free(y), free(ey), free(values_only), free(dx), free(edx), free(from), free(efrom);          \
  }                                                                                                                   \
  static void check_avg_##name(const pwt_pool *s, bool adaptive, bool padded, int64_t divisor) {                      \
    const pwt_window *v = &s->window;                                                                                 \
    int64_t in = size3(v->in), out = size3(v->out), nx = s->planes * in, ny = s->planes * out;                        \
    type *x = numbers_##name(nx, false), *grad = numbers_##name(ny, false), *y = unset_##name(ny);                    \
    type *ey = unset_##name(ny), *dx = unset_##name(nx), *edx = zeros_##name(nx);                                     \
    for (int64_t i = 0; i < ny; i++) {                                                                                \
      int64_t plane = i / out, list[MAX_MEMBERS], count = members(v, i % out, adaptive, list), by[3];                 \
      divisors(v, i % out, adaptive, padded, divisor, by);                                                            \
      type sum = 0, share = grad[i] / (type)by[0] / (type)by[1] / (type)by[2];                                        \
      for (int64_t t = 0; t < count; t++) {                                                                           \
        sum += x[plane * in + list[t]];                                                                               \
        edx[plane * in + list[t]] += share;                                                                           \
      }                                                                                                               \
      ey[i] = sum / (type)by[0] / (type)by[1] / (type)by[2];                                                          \
    }                                                                                                                 \
    if (adaptive) {                                                                                                   \
      pwt_adaptive_avg_pool_##name(s, x, y);                                                                          \
      pwt_adaptive_avg_pool_grad_##name(s, grad, dx);                                                                 \
    } else {                                                                                                          \
      pwt_avg_pool_##name(s, padded, divisor, x, y);                                                                  \
      pwt_avg_pool_grad_##name(s, padded, divisor, grad, dx);                                                         \
    }                                                                                                                 \
    compare_##name(s, adaptive ? "adaptive average" : "average", y, ey, ny);                                          \
    compare_##name(s, adaptive ? "gradient of the adaptive average" : "gradient of the average", dx, edx, nx);        \
    free(x), free(grad), free(y), free(ey), free(dx), free(edx);                                                      \
  }

TESTS(f32, float)
TESTS(f64, double)

/* A window that meets at least one element everywhere, as torch's rules for the padding and the ceil mode give it. */
static pwt_window random_window(int dims, bool dilated) {
  pwt_window v;
  for (int d = 0; d < 3; d++) {
    bool used = d >= 3 - dims;
    v.kernel[d] = used ? 1 + below(4) : 1;
    v.stride[d] = used ? 1 + below(3) : 1;
    v.dilation[d] = used && dilated ? 1 + below(2) : 1;
    v.padding[d] = used ? below(v.kernel[d] / 2 + 1) : 0;
    v.in[d] = used ? v.kernel[d] * v.dilation[d] + below(dims == 1 ? 600 : 14) : 1;
    v.out[d] = pwt_pool_out_size(v.in[d], v.kernel[d], v.stride[d], v.padding[d], v.dilation[d], below(2));
  }
  return v;
}

static void check_random(int dims) {
  pwt_pool s = {.planes = 1 + below(5), .window = random_window(dims, true)};
  check_max_f32(&s, false);
  check_max_f64(&s, false);
  s.window = random_window(dims, false);
  for (int padded = 0; padded < 2; padded++) {
    int64_t divisor = below(3) ? 0 : below(2) ? 7 : -3;
    check_avg_f32(&s, false, padded, divisor);
    check_avg_f64(&s, false, padded, divisor);
  }
  for (int d = 0; d < 3; d++) {
    s.window.in[d] = d >= 3 - dims ? 1 + below(dims == 1 ? 90 : 12) : 1;
    s.window.out[d] = d >= 3 - dims ? 1 + below(dims == 1 ? 90 : 12) : 1;
  }
  check_max_f32(&s, true);
  check_max_f64(&s, true);
  check_avg_f32(&s, true, false, 0);
  check_avg_f64(&s, true, false, 0);
}

static void check_out_size(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                           bool ceil_mode, int64_t expected) {
  int64_t got = pwt_pool_out_size(in, kernel, stride, padding, dilation, ceil_mode);
  if (got == expected) return;
  failures++;
  printf("output size of %d kernel %d stride %d padding %d dilation %d ceil %d: %d, not %d\n", (int)in, (int)kernel,
         (int)stride, (int)padding, (int)dilation, ceil_mode, (int)got, (int)expected);
}

/* Recorded from torch 2.13's max_pool1d. */
static void check_out_sizes(void) {
  check_out_size(7, 2, 2, 0, 1, false, 3);
  check_out_size(7, 2, 2, 0, 1, true, 4);
  check_out_size(5, 3, 2, 1, 1, true, 3);
  check_out_size(4, 2, 3, 1, 1, true, 2);
  check_out_size(4, 2, 3, 1, 1, false, 2);
  check_out_size(10, 3, 4, 1, 2, true, 3);
  check_out_size(10, 3, 4, 1, 2, false, 2);
  check_out_size(1, 1, 1, 0, 1, false, 1);
  check_out_size(6, 3, 3, 1, 1, true, 3);
  check_out_size(9, 2, 5, 1, 3, true, 2);
}

int main(void) {
  check_out_sizes();
  for (int workers = 0; workers < 3; workers++) {
    start_test_workers(workers);
    seed = 11;
    pwt_pool none = {.planes = 0, .window = {{1, 4, 4}, {1, 2, 2}, {1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}};
    check_max_f32(&none, false);
    check_avg_f32(&none, false, true, 0);
    pwt_pool many = none;
    many.planes = 9000;
    check_max_f32(&many, false);
    check_avg_f64(&many, true, false, 0);
    for (int i = 0; i < 40; i++)
      for (int dims = 1; dims <= 3; dims++) check_random(dims);
    stop_test_workers();
  }
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
