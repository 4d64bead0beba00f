/* Dtypes: sizes, names, promotion, element conversion. */
#include "base.h"

const uint8_t pwt_itemsize[PWT_DTYPES] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 2, 4, 8, 1, 1, 1, 1, 1};
const uint8_t pwt_compute_size[CT_COUNT] = {1, 4, 8, 4, 8, 8, 16};
const uint8_t pwt_compute_type[PWT_DTYPES] = {CT_I32, CT_I32, CT_I32, CT_I32, CT_I32, CT_I64,
                                              CT_F32, CT_F32, CT_F32, CT_F64, CT_C64, CT_C128,
                                              CT_I32, CT_I64, CT_I64, CT_F32, CT_F32, CT_F32, CT_F32, CT_F32};
const uint8_t pwt_dtype_of_compute[CT_COUNT] = {PWT_BOOL,    PWT_INT32,     PWT_INT64,     PWT_FLOAT32,
                                                PWT_FLOAT64, PWT_COMPLEX64, PWT_COMPLEX128};
DType pwt_default_dtype = PWT_FLOAT32;

static const char *const names[PWT_DTYPES] = {"bool",    "uint8",    "int8",    "int16",   "int32",     "int64",
                                              "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
                                              "uint16",  "uint32",   "uint64",  "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
                                              "float8_e5m2fnuz", "float8_e8m0fnu"};
static const char *const message_names[PWT_DTYPES] = {"Bool", "Byte",     "Char",  "Short",  "Int",           "Long",
                                                      "Half", "BFloat16", "Float", "Double", "ComplexFloat", "ComplexDouble",
                                                      "UInt16", "UInt32", "UInt64", "Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz",
                                                      "Float8_e5m2fnuz", "Float8_e8m0fnu"};

static const char *const c_names[PWT_DTYPES] = {"bool",      "unsigned char", "signed char", "short int", "int",                 "long int",
                                                "c10::Half", "c10::BFloat16", "float",       "double",    "c10::complex<float>", "c10::complex<double>",
                                                "uint16_t", "uint32_t", "uint64_t", "c10::Float8_e4m3fn", "c10::Float8_e5m2", "c10::Float8_e4m3fnuz",
                                                "c10::Float8_e5m2fnuz", "c10::Float8_e8m0fnu"};

const char *pwt_dtype_name(DType d) { return d >= 0 && d < PWT_DTYPES ? names[d] : "none"; }
const char *pwt_dtype_message_name(DType d) { return d >= 0 && d < PWT_DTYPES ? message_names[d] : "Undefined"; }
const char *pwt_c_type_name(DType d) { return c_names[d]; }

DType pwt_real_dtype(DType d) {
  return d == PWT_COMPLEX64 ? PWT_FLOAT32 : d == PWT_COMPLEX128 ? PWT_FLOAT64 : d;
}

DType pwt_complex_dtype(DType d) {
  if (pwt_is_complex(d)) return d;
  if (d == PWT_FLOAT64) return PWT_COMPLEX128;
  if (pwt_is_floating(d)) return PWT_COMPLEX64;
  return pwt_default_dtype == PWT_FLOAT64 ? PWT_COMPLEX128 : PWT_COMPLEX64;
}

DType pwt_promote_types(DType a, DType b) {
  if (a == b) return a;
  if (a > b) {
    DType t = a;
    a = b;
    b = t;
  }
  if (b >= PWT_UINT16) {
    if (pwt_is_wide_unsigned(b) && a >= PWT_FLOAT16 && a <= PWT_COMPLEX128) return a;
    pwt_fail(PWT_RUNTIME_ERROR, "Promotion for %s is not supported, attempted to promote %t and %t",
             pwt_is_float8(b) ? "Float8 Types" : "uint16, uint32, uint64 types", b, a);
    return b;
  }
  if (a == PWT_BOOL) return b;
  if (b <= PWT_INT64) return a == PWT_UINT8 && b == PWT_INT8 ? PWT_INT16 : b;
  if (a <= PWT_INT64) return b;
  if (b >= PWT_COMPLEX64) return a == PWT_FLOAT64 || a == PWT_COMPLEX128 ? PWT_COMPLEX128 : b;
  return a == PWT_FLOAT16 && b == PWT_BFLOAT16 ? PWT_FLOAT32 : b;
}

static int category(DType d) { return d == PWT_BOOL ? 0 : pwt_is_integral(d) ? 1 : pwt_is_floating(d) ? 2 : 3; }

bool pwt_can_cast(DType from, DType to) { return category(from) <= category(to); }

/* Branch-free so that loops over them vectorise. After Giesen's float/half conversion notes (public domain). */
static inline float half_to_float(uint16_t h) {
  union { uint32_t u; float f; } v, magic = {.u = 113u << 23};
  uint32_t exponent = h & 0x7c00u;
  v.u = ((uint32_t)h & 0x7fffu) << 13;
  uint32_t extra = exponent == 0x7c00u ? 112u << 23 : 0; /* infinity and NaN keep the top exponent */
  union { uint32_t u; float f; } subnormal = {.u = v.u + (113u << 23)};
  subnormal.f -= magic.f;
  v.u += (112u << 23) + extra;
  v.u = exponent ? v.u : subnormal.u;
  v.u |= ((uint32_t)h & 0x8000u) << 16;
  return v.f;
}

static inline uint16_t float_to_half(float value) {
  union { float f; uint32_t u; } v = {value}, small = {value}, magic = {.u = ((127u - 15u) + (23u - 10u) + 1u) << 23};
  uint32_t sign = v.u & 0x80000000u;
  v.u ^= sign;
  small.u = v.u;
  small.f += magic.f;
  uint32_t subnormal = small.u - magic.u;
  uint32_t normal = (v.u + ((uint32_t)(15 - 127) << 23) + 0xfffu + ((v.u >> 13) & 1u)) >> 13;
  uint32_t special = v.u > 0x7f800000u ? 0x7e00u : 0x7c00u;
  uint32_t result = v.u < (113u << 23) ? subnormal : normal;
  result = v.u >= (143u << 23) ? special : result;
  return (uint16_t)(result | sign >> 16);
}

static inline float bfloat16_to_float(uint16_t b) {
  union { uint32_t u; float f; } v = {.u = (uint32_t)b << 16};
  return v.f;
}

static inline uint16_t float_to_bfloat16(float value) {
  union { float f; uint32_t u; } v = {value};
  uint32_t rounded = (v.u + 0x7fffu + ((v.u >> 16) & 1u)) >> 16;
  return (uint16_t)((v.u & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

float pwt_half_to_float(uint16_t bits) { return half_to_float(bits); }
uint16_t pwt_float_to_half(float value) { return float_to_half(value); }
float pwt_bfloat16_to_float(uint16_t bits) { return bfloat16_to_float(bits); }
uint16_t pwt_float_to_bfloat16(float value) { return float_to_bfloat16(value); }

/* ---- eight bits: exponent and mantissa, the exponent's bias, the largest finite code, what is beyond it ---- */
typedef struct {
  int mantissa, bias, largest, overflow, nan;
  bool signed_zero;
} Float8;

static const Float8 *float8_of(DType dtype) {
  static const Float8 kinds[] = {{3, 7, 0x7e, 0x7e, 0x7f, true}, {2, 15, 0x7b, 0x7c, 0x7f, true}, {3, 8, 0x7f, 0x80, 0x80, false}, {2, 16, 0x7f, 0x80, 0x80, false}};
  return &kinds[dtype - PWT_FLOAT8_E4M3FN];
}

static double power_of_two(int exponent) {
  union { uint64_t u; double f; } v = {.u = (uint64_t)(exponent + 1023) << 52};
  return v.f;
}

float pwt_float8_to_float(uint8_t bits, DType dtype) {
  if (dtype == PWT_FLOAT8_E8M0FNU) return bits == 255 ? __builtin_nanf("") : (float)power_of_two(bits - 127);
  const Float8 *kind = float8_of(dtype);
  int code = bits & 0x7f, exponent = code >> kind->mantissa, rest = code & ((1 << kind->mantissa) - 1);
  if (kind->signed_zero ? code > kind->largest : bits == kind->nan) {
    if (code != kind->overflow) return __builtin_nanf("");
    return bits & 0x80 ? -__builtin_inff() : __builtin_inff();
  }
  double value = exponent ? ((1 << kind->mantissa) + rest) * power_of_two(exponent - kind->bias - kind->mantissa) : rest * power_of_two(1 - kind->bias - kind->mantissa);
  return (float)(bits & 0x80 ? -value : value);
}

/* To the nearest, ties to even. */
uint8_t pwt_float_to_float8(float value, DType dtype) {
  union { float f; uint32_t u; } v = {value};
  uint32_t magnitude = v.u & 0x7fffffffu;
  int exponent = (int)(magnitude >> 23);
  if (dtype == PWT_FLOAT8_E8M0FNU) return (uint8_t)(exponent == 255 ? 255 : exponent + ((magnitude & 0x7fffffu) >= 0x400000u + (exponent == 0)));
  const Float8 *kind = float8_of(dtype);
  int sign = (int)(v.u >> 24) & 0x80, lowest = 1 - kind->bias, code;
  if (magnitude > 0x7f800000u) return (uint8_t)kind->nan;
  if (magnitude == 0x7f800000u) {
    code = kind->overflow;
  } else {
    int unit = PWT_MAX(exponent - 127, lowest) - kind->mantissa;
    v.u = magnitude;
    double steps = (double)v.f * power_of_two(-unit), whole = (double)(int64_t)steps, rest = steps - whole;
    int64_t rounded = (int64_t)whole + (rest > 0.5 || (rest == 0.5 && ((int64_t)whole & 1)));
    int64_t all = rounded + ((int64_t)(unit + kind->mantissa - lowest) << kind->mantissa);
    code = all > kind->largest ? kind->overflow : (int)all;
  }
  if (!kind->signed_zero && (code == 0 || code == kind->nan)) return (uint8_t)code;
  return (uint8_t)(code | sign);
}

#ifdef __wasm__
#define TO_I32(x) ((int32_t)(x)) /* saturating: nontrapping-fptoint */
#define TO_I64(x) ((int64_t)(x))
#else
#define TO_I32(x) ((x) != (x) ? 0 : (x) >= 2147483647.0 ? INT32_MAX : (x) <= -2147483648.0 ? INT32_MIN : (int32_t)(x))
#define TO_I64(x) ((x) != (x) ? 0 : (x) >= 9223372036854775807.0 ? INT64_MAX : (x) <= -9223372036854775808.0 ? INT64_MIN : (int64_t)(x))
#endif

#define SAME(x) (x)
#define REAL32(x) (__real__(x))
#define NONZERO(x) ((x) != 0)
#define REAL_TO_I32(x) TO_I32(__real__(x))
#define REAL_TO_I64(x) TO_I64(__real__(x))

#define LOOP(FROM, TO, OF)                                    \
  {                                                           \
    const FROM *restrict f = from;                            \
    TO *restrict t = to;                                      \
    for (int64_t i = 0; i < n; i++) t[i] = (TO)OF(f[i]);      \
    return;                                                   \
  }

#define FROM_REAL(CT, FROM, I32, I64)          \
  case CT:                                     \
    switch (to_type) {                         \
      case CT_BOOL: LOOP(FROM, uint8_t, NONZERO) \
      case CT_I32: LOOP(FROM, int32_t, I32)    \
      case CT_I64: LOOP(FROM, int64_t, I64)    \
      case CT_F32: LOOP(FROM, float, SAME)     \
      case CT_F64: LOOP(FROM, double, SAME)    \
      case CT_C64: LOOP(FROM, complex64, SAME) \
      case CT_C128: LOOP(FROM, complex128, SAME) \
      default: return;                         \
    }
/* true where the byte is not 0: memory that was written as something else may hold other bytes than 0 and 1 */
#define FROM_BOOL                                   \
  case CT_BOOL:                                     \
    switch (to_type) {                              \
      case CT_I32: LOOP(uint8_t, int32_t, NONZERO)  \
      case CT_I64: LOOP(uint8_t, int64_t, NONZERO)  \
      case CT_F32: LOOP(uint8_t, float, NONZERO)    \
      case CT_F64: LOOP(uint8_t, double, NONZERO)   \
      case CT_C64: LOOP(uint8_t, complex64, NONZERO) \
      case CT_C128: LOOP(uint8_t, complex128, NONZERO) \
      default: return;                              \
    }
#define FROM_COMPLEX(CT, FROM)                       \
  case CT:                                           \
    switch (to_type) {                               \
      case CT_BOOL: LOOP(FROM, uint8_t, NONZERO)     \
      case CT_I32: LOOP(FROM, int32_t, REAL_TO_I32)  \
      case CT_I64: LOOP(FROM, int64_t, REAL_TO_I64)  \
      case CT_F32: LOOP(FROM, float, REAL32)         \
      case CT_F64: LOOP(FROM, double, REAL32)        \
      case CT_C64: LOOP(FROM, complex64, SAME)       \
      case CT_C128: LOOP(FROM, complex128, SAME)     \
      default: return;                               \
    }

void pwt_convert_compute(void *to, ComputeType to_type, const void *from, ComputeType from_type, int64_t n) {
  if (to_type == from_type) {
    pwt_copy_bytes(to, from, n * pwt_compute_size[to_type]);
    return;
  }
  switch (from_type) {
    FROM_BOOL
    FROM_REAL(CT_I32, int32_t, SAME, SAME)
    FROM_REAL(CT_I64, int64_t, SAME, SAME)
    FROM_REAL(CT_F32, float, TO_I32, TO_I64)
    FROM_REAL(CT_F64, double, TO_I32, TO_I64)
    FROM_COMPLEX(CT_C64, complex64)
    FROM_COMPLEX(CT_C128, complex128)
    default: return;
  }
}

/* ---- stored <-> its natural compute type ---- */
static inline void load_natural(void *to, const void *from, DType dtype, int64_t n) {
  switch (dtype) {
    case PWT_BOOL: LOOP(uint8_t, int32_t, NONZERO)
    case PWT_UINT8: LOOP(uint8_t, int32_t, SAME)
    case PWT_INT8: LOOP(int8_t, int32_t, SAME)
    case PWT_INT16: LOOP(int16_t, int32_t, SAME)
    case PWT_FLOAT16: LOOP(uint16_t, float, half_to_float)
    case PWT_BFLOAT16: LOOP(uint16_t, float, bfloat16_to_float)
    case PWT_UINT16: LOOP(uint16_t, int32_t, SAME)
    case PWT_UINT32: LOOP(uint32_t, int64_t, SAME)
    case PWT_FLOAT8_E4M3FN:
    case PWT_FLOAT8_E5M2:
    case PWT_FLOAT8_E4M3FNUZ:
    case PWT_FLOAT8_E5M2FNUZ:
    case PWT_FLOAT8_E8M0FNU:
      for (int64_t i = 0; i < n; i++) ((float *)to)[i] = pwt_float8_to_float(((const uint8_t *)from)[i], dtype);
      return;
    default: pwt_copy_bytes(to, from, n * pwt_itemsize[dtype]);
  }
}

static inline void store_natural(void *to, DType dtype, const void *from, int64_t n) {
  switch (dtype) {
    case PWT_BOOL: LOOP(int32_t, uint8_t, NONZERO)
    case PWT_UINT8: LOOP(int32_t, uint8_t, SAME)
    case PWT_INT8: LOOP(int32_t, int8_t, SAME)
    case PWT_INT16: LOOP(int32_t, int16_t, SAME)
    case PWT_FLOAT16: LOOP(float, uint16_t, float_to_half)
    case PWT_BFLOAT16: LOOP(float, uint16_t, float_to_bfloat16)
    case PWT_UINT16: LOOP(int32_t, uint16_t, SAME)
    case PWT_UINT32: LOOP(int64_t, uint32_t, SAME)
    case PWT_FLOAT8_E4M3FN:
    case PWT_FLOAT8_E5M2:
    case PWT_FLOAT8_E4M3FNUZ:
    case PWT_FLOAT8_E5M2FNUZ:
    case PWT_FLOAT8_E8M0FNU:
      for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = pwt_float_to_float8(((const float *)from)[i], dtype);
      return;
    default: pwt_copy_bytes(to, from, n * pwt_itemsize[dtype]);
  }
}

static bool stored_as_computed(DType dtype, ComputeType type) {
  if (dtype >= PWT_UINT16) return dtype == PWT_UINT64 && type == CT_I64; /* the same bits */
  return dtype == PWT_BOOL ? type == CT_BOOL : dtype != PWT_UINT8 && dtype != PWT_INT8 && dtype != PWT_INT16 &&
                                                   dtype != PWT_FLOAT16 && dtype != PWT_BFLOAT16 &&
                                                   pwt_compute_type[dtype] == type;
}

bool pwt_stored_as_computed(DType dtype, ComputeType type) { return stored_as_computed(dtype, type); }

#define CHUNK 512

/* What is beyond int32 becomes 0 in a narrower integer, as in torch: it is no number that could wrap around. */
static void drop_saturated(int32_t *block, int64_t n) {
  for (int64_t i = 0; i < n; i++) block[i] = block[i] == INT32_MAX ? 0 : block[i];
}

static bool is_narrow_integer(DType dtype) { return (dtype >= PWT_UINT8 && dtype <= PWT_INT16) || dtype == PWT_UINT16; }

/* What is at least 2**63 is negative as int64. */
static bool load_uint64(void *to, ComputeType type, const uint64_t *from, int64_t n) {
  switch (type) {
    case CT_F32: for (int64_t i = 0; i < n; i++) ((float *)to)[i] = (float)from[i]; return true;
    case CT_F64: for (int64_t i = 0; i < n; i++) ((double *)to)[i] = (double)from[i]; return true;
    case CT_C64: for (int64_t i = 0; i < n; i++) ((complex64 *)to)[i] = (float)from[i]; return true;
    case CT_C128: for (int64_t i = 0; i < n; i++) ((complex128 *)to)[i] = (double)from[i]; return true;
    default: return false;
  }
}

static uint64_t to_uint64(double value) {
  if (value != value) return 0;
  return value >= 18446744073709551616.0 ? UINT64_MAX : value >= 9223372036854775808.0 ? (uint64_t)(int64_t)(value - 9223372036854775808.0) + (1ull << 63) : (uint64_t)TO_I64(value);
}

static bool store_uint64(uint64_t *to, const void *from, ComputeType type, int64_t n) {
  switch (type) {
    case CT_F32: for (int64_t i = 0; i < n; i++) to[i] = to_uint64(((const float *)from)[i]); return true;
    case CT_F64: for (int64_t i = 0; i < n; i++) to[i] = to_uint64(((const double *)from)[i]); return true;
    default: return false;
  }
}

void pwt_load(void *to, ComputeType type, const void *from, DType dtype, int64_t n) {
  if (dtype == PWT_UINT64 && load_uint64(to, type, from, n)) return;
  ComputeType natural = dtype == PWT_BOOL ? CT_BOOL : pwt_compute_type[dtype];
  if (natural == CT_BOOL || stored_as_computed(dtype, natural)) {
    pwt_convert_compute(to, type, from, natural, n);
  } else if (natural == type) {
    load_natural(to, from, dtype, n);
  } else {
    _Alignas(16) char block[CHUNK * 8];
    for (int64_t i = 0; i < n; i += CHUNK) {
      int64_t count = PWT_MIN(CHUNK, n - i);
      load_natural(block, (const char *)from + i * pwt_itemsize[dtype], dtype, count);
      pwt_convert_compute((char *)to + i * pwt_compute_size[type], type, block, natural, count);
    }
  }
}

void pwt_store(void *to, DType dtype, const void *from, ComputeType type, int64_t n) {
  if (dtype == PWT_UINT64 && store_uint64(to, from, type, n)) return;
  ComputeType natural = dtype == PWT_BOOL ? CT_BOOL : pwt_compute_type[dtype];
  if (natural == CT_BOOL || stored_as_computed(dtype, natural)) {
    pwt_convert_compute(to, natural, from, type, n);
  } else if (natural == type) {
    store_natural(to, dtype, from, n);
  } else {
    _Alignas(16) char block[CHUNK * 8];
    for (int64_t i = 0; i < n; i += CHUNK) {
      int64_t count = PWT_MIN(CHUNK, n - i);
      pwt_convert_compute(block, natural, (const char *)from + i * pwt_compute_size[type], type, count);
      if (is_narrow_integer(dtype) && type >= CT_F32) drop_saturated((int32_t *)block, count);
      store_natural((char *)to + i * pwt_itemsize[dtype], dtype, block, count);
    }
  }
}

void pwt_convert(void *to, DType to_dtype, const void *from, DType from_dtype, int64_t n) {
  if (to_dtype == from_dtype) {
    pwt_move_bytes(to, from, n * pwt_itemsize[to_dtype]);
    return;
  }
  if (to_dtype == PWT_UINT64 && pwt_is_floating(from_dtype)) {
    double block[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
      int64_t count = PWT_MIN(CHUNK, n - i);
      pwt_load(block, CT_F64, (const char *)from + i * pwt_itemsize[from_dtype], from_dtype, count);
      store_uint64((uint64_t *)to + i, block, CT_F64, count);
    }
    return;
  }
  ComputeType type = to_dtype == PWT_BOOL ? CT_BOOL : pwt_compute_type[to_dtype];
  if (stored_as_computed(to_dtype, type)) {
    pwt_load(to, type, from, from_dtype, n);
    return;
  }
  _Alignas(16) char block[CHUNK * 8];
  for (int64_t i = 0; i < n; i += CHUNK) {
    int64_t count = PWT_MIN(CHUNK, n - i);
    pwt_load(block, type, (const char *)from + i * pwt_itemsize[from_dtype], from_dtype, count);
    if (is_narrow_integer(to_dtype) && pwt_is_differentiable(from_dtype)) drop_saturated((int32_t *)block, count);
    store_natural((char *)to + i * pwt_itemsize[to_dtype], to_dtype, block, count);
  }
}
