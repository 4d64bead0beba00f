/* real, imag, complex, angle, view_as_real, view_as_complex, conj for any dtype: real tensors pass through. */
#include "ops.h"

static Tensor *integer(int64_t value) { return pwt_from_scalar(pwt_scalar_int(value)); }
static bool is_complex(const Tensor *t) { return pwt_is_complex((DType)t->dtype); }

Tensor *pwt_kernel_conj_if_complex(Tensor *self) {
  if (!is_complex(self)) return self;
  if (!(self->flags & TENSOR_NUMBER)) return pwt__conj(self);
  Scalar value = pwt_item(self);
  value.im = -value.im;
  return pwt_from_scalar(value);
}

Tensor *pwt_kernel_mul_conj(Tensor *self, Scalar factor) {
  if (factor.re == 1 && factor.im == 0) return self;
  factor.im = -factor.im;
  return pwt_mul(self, pwt_from_scalar(factor));
}

bool pwt_check_real(Tensor *self, const char *name) {
  if (is_complex(self))
    pwt_fail(PWT_RUNTIME_ERROR, pwt_same_text(name, "nansum on CPU") ? "%s does not support complex inputs" : "%s is not supported for complex tensors.", name);
  return !pwt_failed();
}

/* b may be NULL */
bool pwt_check_no_complex(Tensor *a, Tensor *b, const char *message) {
  if (is_complex(a) || (b && is_complex(b))) pwt_fail(PWT_RUNTIME_ERROR, "%s", message);
  return !pwt_failed();
}

bool pwt_check_abs(Tensor *self, bool inplace) {
  if (inplace && is_complex(self)) pwt_fail(PWT_RUNTIME_ERROR, "In-place abs is not supported for complex tensors.");
  return !pwt_failed();
}

/* ---- the parts as views ---- */
static Tensor *view_with_dtype(Tensor *self, DType dtype, int ndim, const int64_t *sizes, const int64_t *strides, int64_t offset) {
  Tensor *view = pwt_alias(self, ndim, sizes, strides, offset);
  if (view) view->dtype = (uint8_t)dtype;
  return view;
}

Tensor *pwt_kernel_view_as_real(Tensor *self) {
  if (!is_complex(self)) return pwt_fail(PWT_RUNTIME_ERROR, "view_as_real is only supported for complex tensors");
  int n = self->ndim;
  if (n >= PWT_MAX_DIMS) return pwt_fail(PWT_RUNTIME_ERROR, "a tensor may have at most %d dimensions, got %d", PWT_MAX_DIMS, n + 1);
  int64_t sizes[PWT_MAX_DIMS], strides[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, self->sizes, n * 8);
  for (int i = 0; i < n; i++) strides[i] = 2 * self->strides[i];
  sizes[n] = 2, strides[n] = 1;
  return view_with_dtype(self, pwt_real_dtype((DType)self->dtype), n + 1, sizes, strides, 2 * self->offset);
}

Tensor *pwt_kernel_view_as_complex(Tensor *self) {
  int n = self->ndim - 1;
  int64_t strides[PWT_MAX_DIMS];
  if (self->dtype != PWT_FLOAT32 && self->dtype != PWT_FLOAT64) {
    if (self->dtype == PWT_FLOAT16) return pwt_fail(PWT_NOT_IMPLEMENTED, "pywasmtorch has no complex32, the view_as_complex of float16");
    return pwt_fail(PWT_RUNTIME_ERROR, "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: %t", self->dtype);
  }
  if (n < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Input tensor must have one or more dimensions");
  if (self->sizes[n] != 2) return pwt_fail(PWT_RUNTIME_ERROR, "Tensor must have a last dimension of size 2");
  if (self->strides[n] != 1) return pwt_fail(PWT_RUNTIME_ERROR, "Tensor must have a last dimension with stride 1");
  for (int i = 0; i < n; i++) {
    if (self->strides[i] % 2) return pwt_fail(PWT_RUNTIME_ERROR, "Tensor must have a stride divisible by 2 for all but last dimension");
    strides[i] = self->strides[i] / 2;
  }
  if (self->offset % 2) return pwt_fail(PWT_RUNTIME_ERROR, "Tensor must have a storage_offset divisible by 2");
  return view_with_dtype(self, pwt_complex_dtype((DType)self->dtype), n, self->sizes, strides, self->offset / 2);
}

Tensor *pwt_kernel_real(Tensor *self) { return is_complex(self) ? pwt_select(pwt_view_as_real(self), -1, 0) : self; }

Tensor *pwt_kernel_imag(Tensor *self) {
  if (!is_complex(self)) return pwt_fail(PWT_RUNTIME_ERROR, "imag is not implemented for tensors with non-complex dtypes.");
  return pwt_select(pwt_view_as_real(self), -1, 1);
}

Tensor *pwt_kernel_isreal(Tensor *self) { return is_complex(self) ? pwt_eq(pwt_imag(self), integer(0)) : pwt_eq(pwt_zeros_like(self), integer(0)); }

Tensor *pwt_kernel_angle(Tensor *self) { return is_complex(self) ? pwt_angle_complex(self) : pwt_angle_real(self); }

Tensor *pwt_kernel_angle_backward(Tensor *grad, Tensor *self) {
  Tensor *turned = pwt_mul(pwt_div(pwt_mul(grad, pwt_sgn(self)), pwt_abs(self)), pwt_from_scalar(pwt_scalar_complex(0, 1)));
  return pwt_where(pwt_eq(self, integer(0)), integer(0), turned);
}

/* ---- from parts ---- */
static bool may_be_part(const Tensor *t) { return t->dtype == PWT_FLOAT16 || t->dtype == PWT_FLOAT32 || t->dtype == PWT_FLOAT64; }

bool pwt_check_parts(Tensor *a, Tensor *b, Tensor *out) {
  if (!may_be_part(a) || !may_be_part(b))
    pwt_fail(PWT_RUNTIME_ERROR, "Expected both inputs to be Half, Float or Double tensors but got %t and %t", a->dtype, b->dtype);
  else if (a->dtype != b->dtype)
    pwt_fail(PWT_RUNTIME_ERROR, "Expected object of scalar type %t but got scalar type %t for second argument", a->dtype, b->dtype);
  else if (a->dtype == PWT_FLOAT16)
    pwt_fail(PWT_NOT_IMPLEMENTED, "pywasmtorch has no complex32, which complex numbers of float16 would be");
  else if (out && out->dtype != pwt_complex_dtype((DType)a->dtype))
    pwt_fail(PWT_RUNTIME_ERROR, "Expected object of scalar type %t but got scalar type %t for argument 'out'", pwt_complex_dtype((DType)a->dtype), out->dtype);
  return !pwt_failed();
}

Tensor *pwt_kernel_complex(Tensor *real, Tensor *imag) {
  int ndim = real->ndim;
  int64_t sizes[PWT_MAX_DIMS];
  pwt_copy_bytes(sizes, real->sizes, ndim * 8);
  if (!pwt_broadcast_sizes(&ndim, sizes, imag)) return NULL;
  Tensor *result = pwt_new(ndim, sizes, pwt_complex_dtype((DType)real->dtype)), *parts[] = {real, imag};
  int64_t strides[PWT_MAX_DIMS];
  for (int i = 0; result && i < ndim; i++) strides[i] = 2 * result->strides[i];
  for (int part = 0; result && part < 2; part++)
    pwt_raw_copy(view_with_dtype(result, (DType)real->dtype, ndim, sizes, strides, part), parts[part]);
  return result;
}
