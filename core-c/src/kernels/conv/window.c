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

static bool channels_last(const Tensor *t) {
  static const int orders[2][5] = {{1, 3, 2, 0}, {1, 4, 3, 2, 0}};
  if (t->ndim < 4 || t->ndim > 5) return false;
  int64_t least = 0;
  for (int i = 0; i < t->ndim; i++) {
    int d = orders[t->ndim - 4][i];
    if (t->sizes[d] == 0 || t->strides[d] < least || (d == 1 && t->strides[d] == 0) || (d == 0 && least == t->strides[1])) return false;
    least = t->strides[d] * PWT_MAX(t->sizes[d], 1);
  }
  return true;
}

Tensor *pwt_laid_out(Tensor *result, DType dtype, const Tensor *a, const Tensor *b) {
  result = pwt_raw_cast(result, dtype);
  if (!result || !(channels_last(a) || (b && channels_last(b)))) return result;
  int n = result->ndim;
  int64_t strides[PWT_MAX_DIMS], stride = result->sizes[1];
  for (int d = n - 1; d > 1; d--) strides[d] = stride, stride *= PWT_MAX(result->sizes[d], 1);
  strides[1] = 1, strides[0] = stride;
  Tensor *moved = pwt_new_strided(n, result->sizes, strides, dtype);
  if (moved) pwt_raw_copy(moved, result);
  return moved;
}
