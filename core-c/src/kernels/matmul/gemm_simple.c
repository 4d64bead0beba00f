/* Matrix products of integers and complex numbers: a strip of a row of C at a time. */
#include <stddef.h>

#include "base/parallel.h"
#include "gemm.h"
#include "gemm_blocks.h"

enum { STRIP = 64 };


/* The products of the parts one by one: what `*` does about NaN for complex numbers would need a library function. */
#define COMPLEX_ADD_MUL(name, type)                                                                                   \
  static inline type add_mul_##name(type s, type a, type b) {                                                         \
    __real__ s += __real__ a * __real__ b - __imag__ a * __imag__ b;                                                  \
    __imag__ s += __real__ a * __imag__ b + __imag__ a * __real__ b;                                                  \
    return s;                                                                                                         \
  }
COMPLEX_ADD_MUL(c64, complex64)
COMPLEX_ADD_MUL(c128, complex128)

static inline uint32_t add_mul_i32(uint32_t s, uint32_t a, uint32_t b) { return s + a * b; }
static inline uint64_t add_mul_i64(uint64_t s, uint64_t a, uint64_t b) { return s + a * b; }

/* `type` is what the caller passes, `calc` what the sums are made in (unsigned for integers, so that they wrap). */
#define DEFINE(name, type, calc)                                                                                      \
  typedef struct {                                                                                                    \
    int64_t m, n, k;                                                                                                  \
    const calc *a;                                                                                                    \
    int64_t a_batch, a_row, a_col;                                                                                    \
    const calc *b;                                                                                                    \
    int64_t b_batch, b_row, b_col;                                                                                    \
    calc *c;                                                                                                          \
    int64_t c_batch, c_row;                                                                                           \
    bool accumulate;                                                                                                  \
  } task_##name;                                                                                                      \
                                                                                                                      \
  static void strip_##name(const task_##name *s, const calc *a, const calc *b, calc *c, int count) {                  \
    calc sums[STRIP];                                                                                                 \
    for (int j = 0; j < count; j++) sums[j] = s->accumulate ? c[j] : (calc)0;                                         \
    for (int64_t p = 0; p < s->k; p++, a += s->a_col, b += s->b_row) {                                                \
      calc x = *a;                                                                                                    \
      if (s->b_col == 1)                                                                                              \
        for (int j = 0; j < count; j++) sums[j] = add_mul_##name(sums[j], x, b[j]);                                   \
      else                                                                                                            \
        for (int j = 0; j < count; j++) sums[j] = add_mul_##name(sums[j], x, b[(ptrdiff_t)(j * s->b_col)]);           \
    }                                                                                                                 \
    for (int j = 0; j < count; j++) c[j] = sums[j];                                                                   \
  }                                                                                                                   \
                                                                                                                      \
  static void rows_##name(void *ctx, int64_t begin, int64_t end) {                                                    \
    const task_##name *s = ctx;                                                                                       \
    for (int64_t row = begin; row < end; row++) {                                                                     \
      int64_t t = row / s->m, i = row % s->m;                                                                         \
      for (int64_t j = 0; j < s->n; j += STRIP)                                                                       \
        strip_##name(s, s->a + t * s->a_batch + i * s->a_row, s->b + t * s->b_batch + j * s->b_col,                   \
                     s->c + t * s->c_batch + i * s->c_row + j, s->n - j < STRIP ? (int)(s->n - j) : STRIP);           \
    }                                                                                                                 \
  }                                                                                                                   \
                                                                                                                      \
  PWT_BMM_SIMPLE(name, type) {                                                                                        \
    task_##name s = {m,     n,     k,         (const calc *)a, a_batch, a_row, a_col, (const calc *)b,                \
                     b_batch, b_row, b_col, (calc *)c, c_batch, c_row, accumulate};                                   \
    if (batch > 0 && m > 0) pwt_parallel_for(batch * m, pwt_grain(GEMM_CHUNK_WORK / 8, n * k), rows_##name, &s);      \
  }

DEFINE(i32, int32_t, uint32_t)
DEFINE(i64, int64_t, uint64_t)
DEFINE(c64, complex64, complex64)
DEFINE(c128, complex128, complex128)
