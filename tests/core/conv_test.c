/* Convolutions and their gradients against plain loops. The data are small integers, so every order of summation gives
   the same value and the comparison is exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv/conv.h"
#include "parallel_threads.h"

static int failures;
static uint32_t seed = 1;

static int64_t below(int64_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)(seed >> 8) % n;
}

static int64_t size3(const int64_t x[3]) { return x[0] * x[1] * x[2]; }

/* Calls `visit` for every meeting of an input, a weight and an output element. */
typedef void visitor(void *ctx, int64_t x, int64_t w, int64_t y);

static void walk(const pwt_conv *s, visitor *visit, void *ctx) {
  const pwt_window *v = &s->window;
  int64_t ic = s->in_channels / s->groups, oc = s->out_channels / s->groups;
  for (int64_t n = 0; n < s->batch; n++)
    for (int64_t o = 0; o < s->out_channels; o++)
      for (int64_t i = 0; i < ic; i++)
        for (int64_t p = 0; p < size3(v->out); p++)
          for (int64_t t = 0; t < size3(v->kernel); t++) {
            int64_t out[3] = {p / v->out[2] / v->out[1], p / v->out[2] % v->out[1], p % v->out[2]};
            int64_t tap[3] = {t / v->kernel[2] / v->kernel[1], t / v->kernel[2] % v->kernel[1], t % v->kernel[2]};
            int64_t at = 0;
            int inside = 1;
            for (int d = 0; d < 3; d++) {
              int64_t q = out[d] * v->stride[d] + tap[d] * v->dilation[d] - v->padding[d];
              inside &= q >= 0 && q < v->in[d];
              at = at * v->in[d] + q;
            }
            if (!inside) continue;
            visit(ctx, (n * s->in_channels + o / oc * ic + i) * size3(v->in) + at,
                  (o * ic + i) * size3(v->kernel) + t, (n * s->out_channels + o) * size3(v->out) + p);
          }
}

#define TESTS(name, type)                                                                                             \
  typedef struct {                                                                                                    \
    const type *x, *w, *grad;                                                                                         \
    type *y, *dx, *dw;                                                                                                \
  } sums_##name;                                                                                                      \
  static void add_##name(void *ctx, int64_t x, int64_t w, int64_t y) {                                                \
    sums_##name *s = ctx;                                                                                             \
    s->y[y] += s->x[x] * s->w[w];                                                                                     \
    s->dx[x] += s->grad[y] * s->w[w];                                                                                 \
    s->dw[w] += s->grad[y] * s->x[x];                                                                                 \
  }                                                                                                                   \
  static type *numbers_##name(int64_t size) {                                                                         \
    type *x = malloc((size_t)(size + 1) * sizeof *x);                                                                 \
    for (int64_t i = 0; i < size; i++) x[i] = (type)(below(9) - 4);                                                   \
    return x;                                                                                                         \
  }                                                                                                                   \
  /* a result's place, filled with what must not stay there */                                                        \
  static type *unset_##name(int64_t size) {                                                                           \
    type *x = malloc((size_t)(size + 1) * sizeof *x);                                                                 \
    for (int64_t i = 0; i <= size; i++) x[i] = (type)1e6;                                                             \
    return x;                                                                                                         \
  }                                                                                                                   \
  static void compare_##name(const pwt_conv *s, const char *what, const type *got, const type *expected,              \
                             int64_t size) {                                                                          \
    const pwt_window *v = &s->window;                                                                                 \
    for (int64_t i = 0; i < size; i++)                                                                                \
      if (!(got[i] == expected[i])) {                                                                                 \
        failures++;                                                                                                   \
        printf("%s %s: [%d] is %g, not %g; batch %d groups %d channels %d %d in %d %d %d out %d %d %d kernel %d %d "  \
               "%d stride %d %d %d padding %d %d %d dilation %d %d %d\n",                                             \
               #name, what, (int)i, (double)got[i], (double)expected[i], (int)s->batch, (int)s->groups,               \
               (int)s->in_channels, (int)s->out_channels, (int)v->in[0], (int)v->in[1], (int)v->in[2],                \
               (int)v->out[0], (int)v->out[1], (int)v->out[2], (int)v->kernel[0], (int)v->kernel[1],                  \
               (int)v->kernel[2], (int)v->stride[0], (int)v->stride[1], (int)v->stride[2], (int)v->padding[0],        \
               (int)v->padding[1], (int)v->padding[2], (int)v->dilation[0], (int)v->dilation[1],                      \
               (int)v->dilation[2]);                                                                                  \
        return;                                                                                                       \
      }                                                                                                               \
    if (got[size] != (type)1e6) failures++, printf("%s %s: written behind the end\n", #name, what);                   \
  }                                                                                                                   \
  static void check_##name(const pwt_conv *s, int with_bias) {                                                        \
    const pwt_window *v = &s->window;                                                                                 \
    int64_t nx = s->batch * s->in_channels * size3(v->in), ny = s->batch * s->out_channels * size3(v->out);           \
    int64_t nw = s->out_channels * (s->in_channels / s->groups) * size3(v->kernel);                                   \
    type *x = numbers_##name(nx), *w = numbers_##name(nw), *grad = numbers_##name(ny);                                \
    type *bias = numbers_##name(s->out_channels), *in_bias = numbers_##name(s->in_channels);                          \
    type *y = unset_##name(ny), *dx = unset_##name(nx), *dw = unset_##name(nw), *db = unset_##name(s->out_channels);  \
    sums_##name e = {x, w, grad, calloc((size_t)ny + 1, sizeof(type)), calloc((size_t)nx + 1, sizeof(type)),          \
                     calloc((size_t)nw + 1, sizeof(type))};                                                           \
    type *edb = calloc((size_t)s->out_channels + 1, sizeof(type));                                                    \
    for (int64_t i = 0; i < ny; i++) {                                                                                \
      int64_t c = i / size3(v->out) % s->out_channels;                                                                \
      e.y[i] = with_bias ? bias[c] : 0;                                                                               \
      edb[c] += grad[i];                                                                                              \
    }                                                                                                                 \
    for (int64_t i = 0; i < nx; i++) e.dx[i] = with_bias ? in_bias[i / size3(v->in) % s->in_channels] : 0;            \
    walk(s, add_##name, &e);                                                                                          \
    int64_t bytes[3] = {pwt_conv_workspace_##name(s), pwt_conv_grad_input_workspace_##name(s),                        \
                        pwt_conv_grad_weight_workspace_##name(s)};                                                    \
    for (int i = 0; i < 3; i++) {                                                                                     \
      void *workspace = aligned_alloc(64, (size_t)(bytes[i] + 63) / 64 * 64);                                         \
      if (i == 0) pwt_conv_##name(s, x, w, with_bias ? bias : 0, y, workspace, bytes[i]);                             \
      if (i == 1) pwt_conv_grad_input_##name(s, grad, w, with_bias ? in_bias : 0, dx, workspace, bytes[i]);           \
      if (i == 2) pwt_conv_grad_weight_##name(s, x, grad, dw, workspace, bytes[i]);                                   \
      free(workspace);                                                                                                \
    }                                                                                                                 \
    pwt_conv_grad_bias_##name(s->batch, s->out_channels, size3(v->out), grad, db);                                    \
    compare_##name(s, "forward", y, e.y, ny);                                                                         \
    compare_##name(s, "gradient by the input", dx, e.dx, nx);                                                         \
    compare_##name(s, "gradient by the weight", dw, e.dw, nw);                                                        \
    compare_##name(s, "gradient by the bias", db, edb, s->out_channels);                                              \
    free(x), free(w), free(grad), free(bias), free(in_bias), free(y), free(dx), free(dw), free(db), free(edb);        \
    free(e.y), free(e.dx), free(e.dw);                                                                                \
  }

TESTS(f32, float)
TESTS(f64, double)

static int64_t out_size(const pwt_window *v, int d) {
  return pwt_conv_out_size(v->in[d], v->kernel[d], v->stride[d], v->padding[d], v->dilation[d]);
}

static void check(pwt_conv s, int with_bias) {
  for (int d = 0; d < 3; d++)
    if (s.window.out[d] == 0) s.window.out[d] = out_size(&s.window, d);
  check_f32(&s, with_bias);
  check_f64(&s, with_bias);
}

static void check_random(int dims) {
  static const int64_t group_counts[] = {1, 1, 1, 2, 3};
  pwt_conv s = {.batch = 1 + below(4), .groups = group_counts[below(5)]};
  s.in_channels = s.groups * (1 + below(dims == 1 ? 9 : 5));
  s.out_channels = s.groups * (1 + below(dims == 1 ? 20 : 7));
  pwt_window *v = &s.window;
  for (int d = 0; d < 3; d++) {
    int used = d >= 3 - dims;
    v->kernel[d] = used ? 1 + below(4) : 1;
    v->stride[d] = used ? 1 + below(3) : 1;
    v->padding[d] = used ? below(4) : 0;
    v->dilation[d] = used ? 1 + below(3) : 1;
    v->in[d] = used ? 1 + below(dims == 1 ? 200 : dims == 2 ? 24 : 9) : 1;
    v->out[d] = out_size(v, d);
    /* fewer or more positions than a symmetric padding gives, as "same" padding and output_padding ask for */
    if (used && below(4) == 0) v->out[d] += below(3) - 1;
    if (v->out[d] < 0) v->out[d] = 0;
  }
  check(s, (int)below(2));
}

static pwt_conv conv2d(int64_t batch, int64_t in_channels, int64_t out_channels, int64_t groups, int64_t side,
                       int64_t kernel, int64_t stride, int64_t padding) {
  return (pwt_conv){batch,
                    groups,
                    in_channels,
                    out_channels,
                    {{1, side, side},
                     {0, 0, 0},
                     {1, kernel, kernel},
                     {1, stride, stride},
                     {0, padding, padding},
                     {1, 1, 1}}};
}

static void check_known(void) {
  check(conv2d(5, 8, 24, 1, 28, 3, 1, 1), 1);
  check(conv2d(1, 16, 150, 1, 14, 1, 1, 0), 0);
  check(conv2d(3, 140, 5, 1, 5, 3, 2, 1), 1);
  check(conv2d(70, 3, 6, 1, 2, 2, 1, 0), 1);
  check(conv2d(40, 1, 16, 1, 8, 3, 1, 1), 1);
  check(conv2d(2, 12, 12, 12, 20, 3, 1, 1), 1);
  check(conv2d(2, 5, 10, 5, 19, 5, 2, 2), 0);
  check(conv2d(1, 4, 16, 4, 33, 3, 1, 0), 0);
  check(conv2d(1, 20, 200, 2, 7, 3, 1, 1), 1);
  check(conv2d(0, 3, 4, 1, 8, 3, 1, 1), 1);
  check(conv2d(2, 0, 4, 1, 8, 3, 1, 1), 1);
  check(conv2d(2, 3, 0, 1, 8, 3, 1, 1), 1);
  check(conv2d(2, 3, 4, 1, 1, 3, 1, 0), 1);
}

int main(void) {
  for (int workers = 0; workers < 3; workers++) {
    start_test_workers(workers);
    seed = 3;
    check_known();
    for (int i = 0; i < 60; i++)
      for (int dims = 1; dims <= 3; dims++) check_random(dims);
    stop_test_workers();
  }
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
