/* frexp: mantissa and binary exponent. */
#include "ops.h"

Tensors2 pwt_kernel_frexp(Tensor *self) {
  if (!pwt_is_floating((DType)self->dtype)) return pwt_fail(PWT_RUNTIME_ERROR, "torch.frexp() only supports floating-point dtypes"), (Tensors2){0};
  Tensor *wide = pwt_raw_contiguous_as(self, PWT_FLOAT64), *parts = pwt_new(self->ndim, self->sizes, PWT_FLOAT64), *exponents = pwt_new(self->ndim, self->sizes, PWT_INT32);
  if (!wide || !parts || !exponents) return (Tensors2){0};
  const double *from = pwt_data(wide);
  double *part = pwt_data(parts);
  int32_t *exponent = pwt_data(exponents);
  for (int64_t i = 0; i < wide->numel && !pwt_on_meta; i++) {
    union { double value; uint64_t bits; } x = {from[i]};
    int shift = 0;
    if ((x.bits >> 52 & 0x7FF) == 0 && x.value != 0) x.value *= 0x1p54, shift = 54; /* subnormal */
    int e = (int)(x.bits >> 52 & 0x7FF);
    bool plain = x.value != 0 && e != 0x7FF;
    exponent[i] = plain ? e - 1022 - shift : 0;
    if (plain) x.bits = (x.bits & ~(0x7FFull << 52)) | 1022ull << 52;
    part[i] = x.value;
  }
  return (Tensors2){{pwt_raw_cast(parts, (DType)self->dtype), exponents}};
}
