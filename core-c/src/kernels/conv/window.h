/* Sliding windows over the last one to three dimensions: geometry, im2col, col2im. */
#pragma once
#include "call.h"
#include "taps.h"

#define PWT_WINDOW_LIMIT (1 << 30) /* of strides, paddings and dilations, so that sizes cannot overflow */

/* The last `dims` of sizes; dimensions that a 3-dimensional window has beyond them come first, filled with `fill`. */
void pwt_window_axis(int64_t to[3], const int64_t *sizes, int count, int dims, int64_t fill);

/* "a x b": sizes as messages show them */
const char *pwt_window_text(char *buffer, int64_t capacity, const int64_t *sizes, int dims, const char *separator);

/* x (planes × in) as columns: planes × kernel taps × out, zero outside of the input. */
void pwt_raw_im2col(const pwt_window *window, int64_t planes, int itemsize, const void *x, void *columns);

/* Adds the columns to where they came from. False where the dtype, which is a compute type's, has no sum. */
bool pwt_raw_col2im(const pwt_window *window, int64_t planes, DType dtype, const void *columns, void *x);

