/* Matrix products against triple loops that sum in the documented order: equal bits for every shape, stride and thread
   count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matmul/gemm.h"
#include "matmul/gemm_blocks.h"
#include "parallel_threads.h"

static int failures;
static uint32_t seed = 1;

static uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u; }
static int64_t below(int64_t n) { return (int64_t)(next_random() >> 8) % n; }

/* How an operand lies in memory: plain, transposed, padded rows, every second column, rows and columns reversed. */
enum { PLAIN, TRANSPOSED, PADDED, STRIDED, REVERSED, REPEATED_ROW, LAYOUTS };

typedef struct {
  int64_t row, col, origin, size;
} layout;

static layout make_layout(int kind, int64_t rows, int64_t cols) {
  switch (kind) {
    case TRANSPOSED: return (layout){1, rows, 0, rows * cols};
    case PADDED: return (layout){cols + 3, 1, 2, rows * (cols + 3) + 2};
    case STRIDED: return (layout){2 * cols + 1, 2, 0, rows * (2 * cols + 1)};
    case REVERSED: return (layout){-cols, -1, rows * cols - 1, rows * cols};
    case REPEATED_ROW: return (layout){0, 1, 0, cols};
    default: return (layout){cols, 1, 0, rows * cols};
  }
}

#define FLOAT_TESTS(name, type)                                                                                       \
  static type *random_##name(int64_t size) {                                                                          \
    type *x = malloc((size_t)(size + 1) * sizeof *x);                                                                 \
    for (int64_t i = 0; i < size; i++) x[i] = (type)(int32_t)next_random() * (type)4.656612873077393e-10;             \
    return x;                                                                                                         \
  }                                                                                                                   \
  static type dot_in_order_##name(int64_t k, const type *a, int64_t a_step, const type *b, int64_t b_step) {          \
    type total = 0;                                                                                                   \
    for (int64_t first = 0; first < k; first += 4096) {                                                               \
      type sums[16] = {0};                                                                                            \
      for (int64_t p = first; p < k && p < first + 4096; p++) sums[p % 16] += a[p * a_step] * b[p * b_step];          \
      for (int half = 8; half; half /= 2)                                                                             \
        for (int i = 0; i < half; i++) sums[i] += sums[i + half];                                                     \
      total += sums[0];                                                                                               \
    }                                                                                                                 \
    return total;                                                                                                     \
  }                                                                                                                   \
  static type element_##name(int64_t m, int64_t n, int64_t k, const type *a, int64_t a_step, const type *b,           \
                             int64_t b_step, type start) {                                                            \
    if (m == 1 && n == 1) return start + dot_in_order_##name(k, a, a_step, b, b_step);                                \
    type sum = start;                                                                                                 \
    if (m == 1 || n == 1) {                                                                                           \
      int64_t p = 0;                                                                                                  \
      for (; p + 4 <= k; p += 4) {                                                                                    \
        type q[4];                                                                                                    \
        for (int i = 0; i < 4; i++) q[i] = a[(p + i) * a_step] * b[(p + i) * b_step];                                 \
        sum += (q[0] + q[1]) + (q[2] + q[3]);                                                                         \
      }                                                                                                               \
      for (; p < k; p++) sum += a[p * a_step] * b[p * b_step];                                                        \
      return sum;                                                                                                     \
    }                                                                                                                 \
    int64_t depth = k ? gemm_depth(k) : 1;                                                                            \
    for (int64_t first = 0; first < k; first += depth) {                                                              \
      type part = 0;                                                                                                  \
      for (int64_t p = first; p < k && p < first + depth; p++) part += a[p * a_step] * b[p * b_step];                 \
      sum = sum + part;                                                                                               \
    }                                                                                                                 \
    return sum;                                                                                                       \
  }                                                                                                                   \
  static void check_##name(int64_t batch, int64_t m, int64_t n, int64_t k, int a_kind, int b_kind, int64_t pad,       \
                           bool accumulate) {                                                                         \
    layout la = make_layout(a_kind, m, k), lb = make_layout(b_kind, k, n);                                            \
    int64_t c_row = n + pad, c_batch = m * c_row + pad;                                                               \
    type *a = random_##name(batch * la.size), *b = random_##name(batch * lb.size);                                    \
    type *c = random_##name(batch * c_batch), *expected = malloc((size_t)(batch * c_batch + 1) * sizeof *c);          \
    memcpy(expected, c, (size_t)(batch * c_batch) * sizeof *c);                                                       \
    for (int64_t t = 0; t < batch; t++)                                                                               \
      for (int64_t i = 0; i < m; i++)                                                                                 \
        for (int64_t j = 0; j < n; j++) {                                                                             \
          type *e = &expected[t * c_batch + i * c_row + j];                                                           \
          *e = element_##name(m, n, k, a + t * la.size + la.origin + i * la.row, la.col,                              \
                              b + t * lb.size + lb.origin + j * lb.col, lb.row, accumulate ? *e : 0);                 \
        }                                                                                                             \
    int64_t bytes = batch == 1 ? pwt_gemm_workspace_##name(m, n, k) : pwt_bmm_workspace_##name(batch, m, n, k);       \
    void *workspace = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64 + 64);                                         \
    char *end = (char *)workspace + bytes;                                                                            \
    memset(end, 123, 8);                                                                                              \
    if (batch == 1)                                                                                                   \
      pwt_gemm_##name(m, n, k, a + la.origin, la.row, la.col, b + lb.origin, lb.row, lb.col, c, c_row, accumulate,    \
                      workspace);                                                                                     \
    else                                                                                                              \
      pwt_bmm_##name(batch, m, n, k, a + la.origin, la.size, la.row, la.col, b + lb.origin, lb.size, lb.row, lb.col,  \
                     c, c_batch, c_row, accumulate, workspace, bytes);                                                \
    for (int i = 0; i < 8; i++)                                                                                       \
      if (end[i] != 123) failures++, printf("%s: written behind the workspace\n", #name);                             \
    for (int64_t i = 0; i < batch * c_batch; i++)                                                                     \
      if (memcmp(&c[i], &expected[i], sizeof *c)) {                                                                   \
        failures++;                                                                                                   \
        printf("%s batch %d m %d n %d k %d layouts %d %d accumulate %d: [%d] is %.9g, not %.9g\n", #name, (int)batch, \
               (int)m, (int)n, (int)k, a_kind, b_kind, accumulate, (int)i, (double)c[i], (double)expected[i]);        \
        break;                                                                                                        \
      }                                                                                                               \
    free(a), free(b), free(c), free(expected), free(workspace);                                                       \
  }                                                                                                                   \
  /* one NaN and one infinity in A and a B of zeros: every row that holds one is NaN, the others are 0 */             \
  static void check_nan_##name(int64_t m, int64_t n, int64_t k) {                                                     \
    type *a = calloc((size_t)(m * k), sizeof *a), *b = calloc((size_t)(k * n), sizeof *b);                            \
    type *c = calloc((size_t)(m * n), sizeof *c);                                                                     \
    void *workspace = aligned_alloc(64, (size_t)pwt_gemm_workspace_##name(m, n, k) / 64 * 64 + 64);                   \
    a[k / 2] = __builtin_nan("");                                                                                     \
    a[m * k - 1] = __builtin_inf();                                                                                   \
    pwt_gemm_##name(m, n, k, a, k, 1, b, n, 1, c, n, false, workspace);                                               \
    for (int64_t i = 0; i < m; i++)                                                                                   \
      for (int64_t j = 0; j < n; j++)                                                                                 \
        if (__builtin_isnan(c[i * n + j]) != (i == 0 || i == m - 1) || (!__builtin_isnan(c[i * n + j]) && c[i * n + j] != 0)) { \
          failures++;                                                                                                 \
          printf("%s m %d n %d k %d: NaN did not spread as it should\n", #name, (int)m, (int)n, (int)k);              \
          i = m;                                                                                                      \
          break;                                                                                                      \
        }                                                                                                             \
    free(a), free(b), free(c), free(workspace);                                                                       \
  }

FLOAT_TESTS(f32, float)
FLOAT_TESTS(f64, double)

#define SIMPLE_TESTS(name, type, calc, fill, step, zero)                                                              \
  static void check_##name(int64_t batch, int64_t m, int64_t n, int64_t k, int a_kind, int b_kind, bool accumulate) { \
    layout la = make_layout(a_kind, m, k), lb = make_layout(b_kind, k, n);                                            \
    int64_t c_row = n + 2, c_batch = m * c_row;                                                                       \
    int64_t sizes[3] = {batch * la.size, batch * lb.size, batch * c_batch};                                           \
    calc *x[3];                                                                                                       \
    for (int o = 0; o < 3; o++) {                                                                                     \
      x[o] = malloc((size_t)(sizes[o] + 1) * sizeof(calc));                                                           \
      for (int64_t i = 0; i < sizes[o]; i++) fill(x[o][i]);                                                           \
    }                                                                                                                 \
    calc *expected = malloc((size_t)(sizes[2] + 1) * sizeof(calc));                                                   \
    memcpy(expected, x[2], (size_t)sizes[2] * sizeof(calc));                                                          \
    for (int64_t t = 0; t < batch; t++)                                                                               \
      for (int64_t i = 0; i < m; i++)                                                                                 \
        for (int64_t j = 0; j < n; j++) {                                                                             \
          calc *e = &expected[t * c_batch + i * c_row + j];                                                           \
          if (!accumulate) zero((*e));                                                                                \
          for (int64_t p = 0; p < k; p++)                                                                             \
            step((*e), (x[0][t * la.size + la.origin + i * la.row + p * la.col]),                                     \
                 (x[1][t * lb.size + lb.origin + p * lb.row + j * lb.col]));                                          \
        }                                                                                                             \
    pwt_bmm_##name(batch, m, n, k, (const type *)x[0] + la.origin, la.size, la.row, la.col,                           \
                   (const type *)x[1] + lb.origin, lb.size, lb.row, lb.col, (type *)x[2], c_batch, c_row, accumulate); \
    if (memcmp(x[2], expected, (size_t)sizes[2] * sizeof(calc))) {                                                    \
      failures++;                                                                                                     \
      printf("%s batch %d m %d n %d k %d layouts %d %d: wrong\n", #name, (int)batch, (int)m, (int)n, (int)k, a_kind,  \
             b_kind);                                                                                                 \
    }                                                                                                                 \
    free(x[0]), free(x[1]), free(x[2]), free(expected);                                                               \
  }

#define FILL_INT(x) (x = next_random() * (next_random() | 1u))
#define STEP_INT(e, a, b) (e += a * b)
#define ZERO_INT(e) (e = 0)
#define FILL_WIDE(x) (x = (uint64_t)next_random() << 32 | next_random())
#define FILL_COMPLEX(x) (x[0] = (int32_t)next_random() * 0x1p-31, x[1] = (int32_t)next_random() * 0x1p-31)
#define STEP_COMPLEX(e, a, b)                                                                                         \
  (e[0] = e[0] + (a[0] * b[0] - a[1] * b[1]), e[1] = e[1] + (a[0] * b[1] + a[1] * b[0]))
#define ZERO_COMPLEX(e) (e[0] = 0, e[1] = 0)

typedef float pair_f32[2];
typedef double pair_f64[2];
SIMPLE_TESTS(i32, int32_t, uint32_t, FILL_INT, STEP_INT, ZERO_INT)
SIMPLE_TESTS(i64, int64_t, uint64_t, FILL_WIDE, STEP_INT, ZERO_INT)
SIMPLE_TESTS(c64, complex64, pair_f32, FILL_COMPLEX, STEP_COMPLEX, ZERO_COMPLEX)
SIMPLE_TESTS(c128, complex128, pair_f64, FILL_COMPLEX, STEP_COMPLEX, ZERO_COMPLEX)

static void check_both(int64_t batch, int64_t m, int64_t n, int64_t k, int a_kind, int b_kind, int64_t pad, bool add) {
  check_f32(batch, m, n, k, a_kind, b_kind, pad, add);
  check_f64(batch, m, n, k, a_kind, b_kind, pad, add);
}

static void check_shapes(void) {
  static const int64_t sides[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 33, 70};
  static const int64_t depths[] = {0, 1, 2, 3, 4, 7, 31, 127, 128, 129, 257};
  const int count = sizeof sides / sizeof *sides;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      for (int d = 0; d < count; d++) {
        int64_t pad = below(3);
        check_both(1, sides[i], sides[j], depths[d], (int)below(LAYOUTS), (int)below(LAYOUTS), pad, below(2));
      }
  for (int a = 0; a < LAYOUTS; a++)
    for (int b = 0; b < LAYOUTS; b++) {
      check_both(1, 37, 149, 131, a, b, 0, a % 2);
      check_both(1, 9, 130, 67, a, b, 1, b % 2);
      check_both(1, 1, 67, 45, a, b, 2, a % 2);
      check_both(1, 67, 1, 45, a, b, 2, b % 2);
      check_both(1, 1, 1, 5000, a, b, 0, a % 2);
      check_both(5, 6, 19, 23, a, b, 1, b % 2);
    }
  check_both(1, 3, 2200, 150, PLAIN, PLAIN, 0, false);
  check_both(1, 19, 2200, 150, PLAIN, TRANSPOSED, 5, true);
  check_both(1, 330, 320, 300, TRANSPOSED, PLAIN, 0, false);
  check_both(1, 1, 3000, 900, PLAIN, PLAIN, 0, false);
  check_both(1, 3000, 1, 900, PLAIN, PLAIN, 0, true);
  check_both(40, 64, 64, 64, PLAIN, TRANSPOSED, 0, false);
  check_both(2, 300, 300, 300, PLAIN, PLAIN, 0, false);
  check_both(0, 3, 3, 3, PLAIN, PLAIN, 0, false);
}

static void check_simple(void) {
  static const int64_t shapes[][4] = {{1, 1, 1, 1}, {1, 3, 5, 7}, {2, 17, 70, 33}, {1, 4, 130, 0}, {0, 2, 2, 2},
                                      {3, 0, 5, 2}, {3, 5, 0, 2}, {7, 40, 64, 50}};
  for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int kind = 0; kind < LAYOUTS; kind++) {
      const int64_t *x = shapes[s];
      int other = (int)below(LAYOUTS), add = (int)below(2);
      check_i32(x[0], x[1], x[2], x[3], kind, other, add);
      check_i64(x[0], x[1], x[2], x[3], other, kind, add);
      check_c64(x[0], x[1], x[2], x[3], kind, other, add);
      check_c128(x[0], x[1], x[2], x[3], other, kind, add);
    }
}

static void check_nan(void) {
  static const int64_t shapes[][3] = {{2, 2, 2}, {5, 40, 40}, {40, 100, 130}, {2, 1, 9}, {33, 1, 64}, {20, 17, 300}};
  for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    check_nan_f32(shapes[s][0], shapes[s][1], shapes[s][2]);
    check_nan_f64(shapes[s][0], shapes[s][1], shapes[s][2]);
  }
}

int main(void) {
  for (int workers = 0; workers < 3; workers++) {
    start_test_workers(workers);
    seed = 7;
    check_shapes();
    check_simple();
    check_nan();
    stop_test_workers();
  }
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
