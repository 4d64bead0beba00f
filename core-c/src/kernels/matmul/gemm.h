/* Matrix products C = A B or C += A B on plain buffers.

   A is m × k with element (i, p) at a[i * a_row + p * a_col], B is k × n with (p, j) at b[p * b_row + j * b_col]: any
   strides, in elements, so a transpose costs nothing to pass. C is m × n, row-major with rows c_row elements apart, and
   overlaps neither A nor B. With k = 0 the product is zero.

   Each element's sum has an order that follows from m, n and k alone:
     m, n > 1: p ascends within blocks of gemm_depth(k), and the blocks' sums are added one after the other;
     m = 1 or n = 1: ((p0 + p1) + (p2 + p3)) for every four steps of p, added one after the other;
     m = n = 1: sixteen interleaved sums per 4,096 steps.
   Nothing is skipped for being zero: NaN and infinities spread as in the plain triple loop.

   A workspace is aligned to 64 bytes and holds what the function of the same name with `_workspace` says. */
#pragma once

#include "base.h"

int64_t pwt_gemm_workspace_f32(int64_t m, int64_t n, int64_t k);
int64_t pwt_gemm_workspace_f64(int64_t m, int64_t n, int64_t k);

void pwt_gemm_f32(int64_t m, int64_t n, int64_t k, const float *a, int64_t a_row, int64_t a_col, const float *b,
                  int64_t b_row, int64_t b_col, float *c, int64_t c_row, bool accumulate, void *workspace);
void pwt_gemm_f64(int64_t m, int64_t n, int64_t k, const double *a, int64_t a_row, int64_t a_col, const double *b,
                  int64_t b_row, int64_t b_col, double *c, int64_t c_row, bool accumulate, void *workspace);

/* A batch of products; matrix number t starts at a + t * a_batch, b + t * b_batch, c + t * c_batch. The workspace may
   be of any size from one matrix's upwards; what pwt_bmm_workspace_* says lets every thread work. */
int64_t pwt_bmm_workspace_f32(int64_t batch, int64_t m, int64_t n, int64_t k);
int64_t pwt_bmm_workspace_f64(int64_t batch, int64_t m, int64_t n, int64_t k);

void pwt_bmm_f32(int64_t batch, int64_t m, int64_t n, int64_t k, const float *a, int64_t a_batch, int64_t a_row,
                 int64_t a_col, const float *b, int64_t b_batch, int64_t b_row, int64_t b_col, float *c,
                 int64_t c_batch, int64_t c_row, bool accumulate, void *workspace, int64_t workspace_bytes);
void pwt_bmm_f64(int64_t batch, int64_t m, int64_t n, int64_t k, const double *a, int64_t a_batch, int64_t a_row,
                 int64_t a_col, const double *b, int64_t b_batch, int64_t b_row, int64_t b_col, double *c,
                 int64_t c_batch, int64_t c_row, bool accumulate, void *workspace, int64_t workspace_bytes);

/* The other types: batched (batch = 1 for one product), without a workspace, p ascending from 0 to k. Integers wrap. */
#define PWT_BMM_SIMPLE(name, type)                                                                                    \
  void pwt_bmm_##name(int64_t batch, int64_t m, int64_t n, int64_t k, const type *a, int64_t a_batch, int64_t a_row,  \
                      int64_t a_col, const type *b, int64_t b_batch, int64_t b_row, int64_t b_col, type *c,           \
                      int64_t c_batch, int64_t c_row, bool accumulate)
PWT_BMM_SIMPLE(i32, int32_t);
PWT_BMM_SIMPLE(i64, int64_t);
PWT_BMM_SIMPLE(c64, complex64);
PWT_BMM_SIMPLE(c128, complex128);
