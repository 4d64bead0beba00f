/* Binary search and runs of equal keys. */
#include "loops.h"

/* Written with negations so that a NaN among the values goes behind everything, as in torch. */
#define SEARCH(NAME, T)                                                                                        \
  static void NAME(const T *sorted, const int64_t *sorter, int64_t n, const T *values, int64_t *positions,     \
                   int64_t count, bool right) {                                                                \
    for (int64_t i = 0; i < count; i++) {                                                                      \
      T value = values[i];                                                                                     \
      int64_t start = 0, end = n;                                                                              \
      while (start < end) {                                                                                    \
        int64_t middle = start + (end - start) / 2;                                                            \
        T key = sorted[sorter ? sorter[middle] : middle];                                                      \
        bool before = right ? !(key > value) : !(key >= value);                                                \
        if (before) start = middle + 1;                                                                        \
        else end = middle;                                                                                     \
      }                                                                                                        \
      positions[i] = start;                                                                                    \
    }                                                                                                          \
  }
SEARCH(search_i32, int32_t)
SEARCH(search_i64, int64_t)
SEARCH(search_f32, float)
SEARCH(search_f64, double)

void pwt_searchsorted_row(ComputeType type, const void *sorted, const int64_t *sorter, int64_t n, const void *values,
                          int64_t *positions, int64_t count, bool right) {
  switch (type) {
    case CT_F32: search_f32(sorted, sorter, n, values, positions, count, right); break;
    case CT_F64: search_f64(sorted, sorter, n, values, positions, count, right); break;
    case CT_I64: search_i64(sorted, sorter, n, values, positions, count, right); break;
    default: search_i32(sorted, sorter, n, values, positions, count, right);
  }
}

#define UNIQUE(NAME, T)                                                                                     \
  static int64_t NAME(const T *sorted, const int64_t *order, int64_t n, T *values, int64_t *inverse,        \
                      int64_t *counts) {                                                                    \
    int64_t runs = 0, start = 0;                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                                       \
      if (i == 0 || sorted[i] != sorted[i - 1]) {                                                           \
        if (counts && runs) counts[runs - 1] = i - start;                                                   \
        if (values) values[runs] = sorted[i];                                                               \
        start = i;                                                                                          \
        runs++;                                                                                             \
      }                                                                                                     \
      if (inverse) inverse[order ? order[i] : i] = runs - 1;                                                \
    }                                                                                                       \
    if (counts && runs) counts[runs - 1] = n - start;                                                       \
    return runs;                                                                                            \
  }
UNIQUE(unique_i32, int32_t)
UNIQUE(unique_i64, int64_t)
UNIQUE(unique_f32, float)
UNIQUE(unique_f64, double)

int64_t pwt_unique_row(ComputeType type, const void *sorted, const int64_t *order, int64_t n, void *values,
                       int64_t *inverse, int64_t *counts) {
  switch (type) {
    case CT_F32: return unique_f32(sorted, order, n, values, inverse, counts);
    case CT_F64: return unique_f64(sorted, order, n, values, inverse, counts);
    case CT_I64: return unique_i64(sorted, order, n, values, inverse, counts);
    default: return unique_i32(sorted, order, n, values, inverse, counts);
  }
}
