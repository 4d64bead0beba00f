/* Scalars: read from and written to memory of any dtype, arithmetic. */
#include "base.h"

DType pwt_scalar_dtype(Scalar s) {
  switch (s.kind) {
    case SCALAR_BOOL: return PWT_BOOL;
    case SCALAR_INT: return PWT_INT64;
    case SCALAR_FLOAT: return pwt_default_dtype;
    case SCALAR_COMPLEX: return pwt_complex_dtype(pwt_default_dtype);
    default: return PWT_NO_DTYPE;
  }
}

void pwt_scalar_store(Scalar s, DType dtype, void *to) {
  if (s.kind <= SCALAR_INT) {
    pwt_convert(to, dtype, &s.i, PWT_INT64, 1);
  } else if (s.kind == SCALAR_FLOAT) {
    pwt_convert(to, dtype, &s.re, PWT_FLOAT64, 1);
  } else {
    complex128 value;
    __real__ value = s.re;
    __imag__ value = s.im;
    pwt_convert(to, dtype, &value, PWT_COMPLEX128, 1);
  }
}

Scalar pwt_scalar_load(DType dtype, const void *from) {
  if (dtype == PWT_BOOL || pwt_is_integral(dtype)) {
    int64_t value;
    pwt_convert(&value, PWT_INT64, from, dtype, 1);
    return dtype == PWT_BOOL ? pwt_scalar_bool(value != 0) : pwt_scalar_int(value);
  }
  if (pwt_is_floating(dtype)) {
    double value;
    pwt_convert(&value, PWT_FLOAT64, from, dtype, 1);
    return pwt_scalar_float(value);
  }
  complex128 value;
  pwt_convert(&value, PWT_COMPLEX128, from, dtype, 1);
  return pwt_scalar_complex(__real__ value, __imag__ value);
}

static ScalarKind wider(Scalar a, Scalar b) { return PWT_MAX(PWT_MAX(a.kind, b.kind), SCALAR_INT); }

Scalar pwt_scalar_add(Scalar a, Scalar b) {
  ScalarKind kind = wider(a, b);
  if (kind == SCALAR_INT) return pwt_scalar_int((int64_t)((uint64_t)a.i + (uint64_t)b.i));
  return (Scalar){kind, 0, a.re + b.re, a.im + b.im};
}

Scalar pwt_scalar_neg(Scalar a) {
  if (a.kind <= SCALAR_INT) return pwt_scalar_int((int64_t)(0 - (uint64_t)a.i));
  return (Scalar){a.kind, 0, -a.re, -a.im};
}

Scalar pwt_scalar_sub(Scalar a, Scalar b) { return pwt_scalar_add(a, pwt_scalar_neg(b)); }

Scalar pwt_scalar_mul(Scalar a, Scalar b) {
  ScalarKind kind = wider(a, b);
  if (kind == SCALAR_INT) return pwt_scalar_int((int64_t)((uint64_t)a.i * (uint64_t)b.i));
  if (kind == SCALAR_FLOAT) return pwt_scalar_float(a.re * b.re);
  return pwt_scalar_complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

Scalar pwt_scalar_div(Scalar a, Scalar b) {
  if (wider(a, b) <= SCALAR_FLOAT) return pwt_scalar_float(a.re / b.re);
  double scale = b.re * b.re + b.im * b.im;
  return pwt_scalar_complex((a.re * b.re + a.im * b.im) / scale, (a.im * b.re - a.re * b.im) / scale);
}

bool pwt_scalar_equal(Scalar a, Scalar b) {
  if (a.kind <= SCALAR_INT && b.kind <= SCALAR_INT) return a.i == b.i;
  return a.re == b.re && a.im == b.im;
}

bool pwt_check_fits(Scalar value, DType dtype) {
  static const double largest[PWT_DTYPES] = {1,       255,    127,          32767,        2147483647., 9223372036854775807.,
                                             65504., 3.3895313892515355e38, 3.4028234663852886e38, 1.7976931348623157e308, 3.4028234663852886e38, 1.7976931348623157e308,
                                             65535., 4294967295., 18446744073709551615., 448., 57344., 240., 57344., 1.7014118346046923e38};
  if (dtype == PWT_BOOL || value.kind == SCALAR_BOOL) return true;
  bool fits = pwt_is_complex(dtype) || value.im == 0;
  if (value.kind == SCALAR_INT && (dtype == PWT_INT64 || dtype == PWT_UINT64)) return true;
  double low = dtype == PWT_UINT8 ? (value.kind == SCALAR_INT ? -255 : 0) : pwt_is_wide_unsigned(dtype) ? (value.kind == SCALAR_INT ? -largest[dtype] : 0) : dtype <= PWT_INT64 ? -largest[dtype] - 1 : -largest[dtype], x = value.re;
  if (pwt_is_integral(dtype)) fits = fits && x >= low && x <= largest[dtype];
  else fits = fits && (x != x || x - x != 0 || (x >= low && x <= largest[dtype]));
  static const char *const c_names[PWT_DTYPES] = {"bool", "uint8_t", "int8_t", "int16_t", "int", "int64_t", "c10::Half", "c10::BFloat16", "float", "double",
                                                  "c10::complex<float>", "c10::complex<double>", "uint16_t", "uint32_t", "uint64_t", "c10::Float8_e4m3fn", "c10::Float8_e5m2",
                                                  "c10::Float8_e4m3fnuz", "c10::Float8_e5m2fnuz", "c10::Float8_e8m0fnu"};
  if (!fits) pwt_fail(PWT_RUNTIME_ERROR, "value cannot be converted to type %s without overflow", c_names[dtype]);
  return fits;
}

bool pwt_check_fills(Scalar value, DType dtype) { return ((dtype == PWT_FLOAT16 || dtype == PWT_BFLOAT16) && value.im == 0) || pwt_check_fits(value, dtype); }
