/* im2col and col2im of sliding windows, in any dtype. */
#include "window.h"

#include "math.h"

void pwt_window_axis(int64_t to[3], const int64_t *sizes, int count, int dims, int64_t fill) {
  for (int i = 0; i < 3; i++) to[i] = i < 3 - dims ? fill : sizes[count - 3 + i];
}

const char *pwt_window_text(char *buffer, int64_t capacity, const int64_t *sizes, int dims, const char *separator) {
  int64_t at = 0;
  for (int i = 0; i < dims; i++) at += pwt_format(buffer + at, capacity - at, "%s%i", i ? separator : "", sizes[i]);
  return buffer;
}

typedef void (*RowMove)(char *column, char *x, int64_t stride, int64_t n);

/* Calls `move` for each run of a row of outputs that one tap reads from inside of the input. */
static void walk(const pwt_window *w, int64_t planes, int itemsize, char *columns, char *x, RowMove move) {
  int64_t taps = product3(w->kernel), positions = product3(w->out), inputs = product3(w->in);
  for (int64_t plane = 0; plane < planes; plane++)
    for (int64_t k = 0; k < taps; k++) {
      tap t = tap_of(w, k);
      char *column = columns + (plane * taps + k) * positions * itemsize;
      place at = {0};
      for (int64_t row = 0; row < positions; row += w->out[2], next_row(w, &at)) {
        row_overlap o = overlap_of(w, &t, at, w->out[2]);
        if (o.end > o.first)
          move(column + (row + o.first) * itemsize, x + (plane * inputs + o.start + o.first * w->stride[2]) * itemsize, w->stride[2], o.end - o.first);
      }
    }
}

#define GATHER(bits, T)                                                                  \
  static void gather_##bits(char *column, char *x, int64_t stride, int64_t n) {          \
    PWT_SCALAR_LOOP for (int64_t i = 0; i < n; i++) ((T *)column)[i] = ((const T *)x)[i * stride];       \
  }
GATHER(8, uint8_t)
GATHER(16, uint16_t)
GATHER(32, uint32_t)
GATHER(64, uint64_t)
GATHER(128, complex128)

void pwt_raw_im2col(const pwt_window *w, int64_t planes, int itemsize, const void *x, void *columns) {
  RowMove moves[] = {gather_8, gather_16, gather_32, gather_64, gather_128};
  pwt_fill_bytes(columns, 0, planes * product3(w->kernel) * product3(w->out) * itemsize);
  if (product3(w->out)) walk(w, planes, itemsize, columns, (char *)x, moves[__builtin_ctz((unsigned)itemsize)]);
}

#define SCATTER(name, T)                                                                 \
  static void scatter_##name(char *column, char *x, int64_t stride, int64_t n) {         \
    PWT_SCALAR_LOOP for (int64_t i = 0; i < n; i++) ((T *)x)[i * stride] += ((const T *)column)[i];      \
  }
SCATTER(i32, uint32_t)
SCATTER(i64, uint64_t)
SCATTER(f32, float)
SCATTER(f64, double)
SCATTER(c64, complex64)
SCATTER(c128, complex128)

bool pwt_raw_col2im(const pwt_window *w, int64_t planes, DType dtype, const void *columns, void *x) {
  static const RowMove moves[PWT_DTYPES] = {[PWT_INT32] = scatter_i32,   [PWT_INT64] = scatter_i64,     [PWT_FLOAT32] = scatter_f32,
                                            [PWT_FLOAT64] = scatter_f64, [PWT_COMPLEX64] = scatter_c64, [PWT_COMPLEX128] = scatter_c128};
  if (!moves[dtype]) return false;
  if (product3(w->out)) walk(w, planes, pwt_itemsize[dtype], (char *)columns, x, moves[dtype]);
  return true;
}
