/* Running sums, products, extremes over one contiguous row, below tensors. `to` may be `from`.
   Accumulators are torch's: double for float32, float32 for float16 and bfloat16 (`narrow`: the row holds widened
   halves), 64 bits for integers. */
#pragma once
#include "base.h"

void pwt_cumsum_row(ComputeType type, const void *from, void *to, int64_t n, bool narrow);
void pwt_cumprod_row(ComputeType type, const void *from, void *to, int64_t n, bool narrow);
/* CT_F32, CT_F64, CT_C64, CT_C128 */
void pwt_logcumsumexp_row(ComputeType type, const void *from, void *to, int64_t n, bool narrow);
/* Of equal values the last index counts, and a NaN stays. CT_I32, CT_I64, CT_F32, CT_F64 */
void pwt_cummax_row(ComputeType type, const void *from, void *to, int64_t *indices, int64_t n);
void pwt_cummin_row(ComputeType type, const void *from, void *to, int64_t *indices, int64_t n);
