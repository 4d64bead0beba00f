/* Random integers: random_(), randint and randperm. */
#include "random_draw.h"

static int mantissa_digits(DType dtype) {
  switch (dtype) {
    case PWT_FLOAT16: return 11;
    case PWT_BFLOAT16: return 8;
    case PWT_FLOAT32: return 24;
    default: return 53;
  }
}

static int64_t largest_integer(DType dtype) {
  switch (dtype) {
    case PWT_BOOL: return 1;
    case PWT_UINT8: return UINT8_MAX;
    case PWT_INT8: return INT8_MAX;
    case PWT_INT16: return INT16_MAX;
    case PWT_INT32: return INT32_MAX;
    default: return INT64_MAX;
  }
}

static int64_t smallest_integer(DType dtype) {
  return dtype == PWT_BOOL || dtype == PWT_UINT8 ? 0 : -largest_integer(dtype) - 1;
}

/* ---- bounds ---- */
static int64_t rounded_to(DType dtype, int64_t value) {
  uint64_t stored;
  double back;
  pwt_convert(&stored, dtype, &value, PWT_INT64, 1);
  pwt_convert(&back, PWT_FLOAT64, &stored, dtype, 1);
  bool fits = back >= -0x1p63 && back < 0x1p63;
  return fits ? (int64_t)back : INT64_MIN; /* what the conversion gives on torch's x86 */
}

static int64_t gap_above(DType dtype, int64_t value) {
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  int exponent = magnitude ? 63 - __builtin_clzll(magnitude) : 0;
  int shift = exponent - mantissa_digits(dtype) + 1;
  return shift >= 0 ? (int64_t)1 << shift : 0;
}

/* A bound that the dtype rounds to the wrong side moves to the next value on the right side. */
static int64_t representable_from(DType dtype, int64_t from) {
  int64_t next = (int64_t)((uint64_t)from + 1), rounded = rounded_to(dtype, next);
  return rounded < from ? rounded + gap_above(dtype, next) : from;
}

static int64_t representable_to(DType dtype, int64_t to) {
  int64_t last = to - 1, rounded = rounded_to(dtype, last);
  return rounded >= to ? rounded - gap_above(dtype, last) : to;
}

static bool check_bound(DType dtype, const char *name, int64_t value) {
  bool inside;
  if (dtype == PWT_FLOAT16) inside = value >= -65504 && value <= 65504;
  else inside = pwt_is_floating(dtype) || (value >= smallest_integer(dtype) && value <= largest_integer(dtype));
  return inside || pwt_fail(PWT_RUNTIME_ERROR, "%s is out of bounds for %s", name, pwt_dtype_cpp_name(dtype));
}

static bool check_bounds(DType dtype, int64_t from, int64_t last) {
  return check_bound(dtype, "from", from) && check_bound(dtype, "to - 1", last);
}

/* ---- fills ---- */
enum { ALL_64_BITS = 0 }; /* a range */

static void draw_narrow(PwtGenerator *g, int64_t *block, int64_t n, uint32_t range, int64_t base) {
  uint32_t words[DRAW_BLOCK];
  pwt_random_words(g, words, n);
  for (int64_t i = 0; i < n; i++) block[i] = (int64_t)(words[i] % range) + base;
}

static void draw_wide(PwtGenerator *g, int64_t *block, int64_t n, uint64_t range, int64_t base) {
  for (int64_t i = 0; i < n; i++) {
    uint64_t word = pwt_random64(g);
    block[i] = (int64_t)((range == ALL_64_BITS ? word : word % range) + (uint64_t)base);
  }
}

static bool fill_range(PwtGenerator *g, DType dtype, void *out, int64_t n, uint64_t range, int64_t base, bool wide) {
  int64_t block[DRAW_BLOCK];
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    if (wide) draw_wide(g, block, count, range, base);
    else draw_narrow(g, block, count, (uint32_t)range, base);
    pwt_convert((char *)out + done * pwt_itemsize[dtype], dtype, block, PWT_INT64, count);
  }
  return true;
}

/* Two words from here on, which keeps the modulo's skew small. */
static bool is_wide(uint64_t range) { return range >= 1u << 28; }

bool pwt_fill_random(PwtGenerator *g, DType dtype, void *out, int64_t n) {
  if (pwt_is_complex(dtype)) return pwt_fail_dtype("random_kernel_cpu", dtype);
  uint64_t last = pwt_is_floating(dtype) ? (uint64_t)1 << mantissa_digits(dtype) : (uint64_t)largest_integer(dtype);
  return fill_range(g, dtype, out, n, last + 1, 0, dtype == PWT_INT64 || dtype == PWT_FLOAT64);
}

bool pwt_fill_random_from(PwtGenerator *g, DType dtype, void *out, int64_t n, int64_t from) {
  if (from == INT64_MIN) {
    if (dtype == PWT_BOOL || dtype == PWT_FLOAT16 || pwt_is_complex(dtype))
      return pwt_fail_dtype("random_full_64_bits_range_kernel_cpu", dtype);
    if (dtype != PWT_INT64 && !pwt_is_floating(dtype))
      return pwt_fail(PWT_RUNTIME_ERROR,
                      "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16");
    return fill_range(g, dtype, out, n, ALL_64_BITS, 0, true);
  }
  if (pwt_is_complex(dtype))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "random_from_to_impl handles only integral, floating-point and boolean types");
  int64_t last = largest_integer(dtype);
  if (pwt_is_floating(dtype)) {
    last = (int64_t)1 << mantissa_digits(dtype);
    from = representable_from(dtype, from);
    if (from >= last)
      return pwt_fail(PWT_RUNTIME_ERROR,
                      "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
                      "but got from=%i > to_inc=%i", from, last);
  }
  if (!check_bounds(dtype, from, last)) return false;
  uint64_t range = (uint64_t)last - (uint64_t)from + 1;
  return fill_range(g, dtype, out, n, range, from, is_wide(range));
}

bool pwt_fill_random_from_to(PwtGenerator *g, DType dtype, void *out, int64_t n, int64_t from, int64_t to) {
  if (from >= to)
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "random_ expects 'from' to be less than 'to', but got from=%i >= to=%i", from, to);
  if (pwt_is_complex(dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "check_random_bounds handles only integral, floating-point and boolean types");
  if (pwt_is_floating(dtype)) {
    from = representable_from(dtype, from);
    to = representable_to(dtype, to);
    if (from >= to)
      return pwt_fail(PWT_RUNTIME_ERROR,
                      "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                      "but got from=%i >= to=%i", from, to);
  }
  if (!check_bounds(dtype, from, to - 1)) return false;
  uint64_t range = (uint64_t)to - (uint64_t)from;
  return fill_range(g, dtype, out, n, range, from, is_wide(range));
}

/* ---- permutations ---- */
static bool check_permutation(DType dtype, int64_t n) {
  if (n < 0)
    return pwt_fail(PWT_RUNTIME_ERROR, "Trying to create tensor with negative dimension %i: [%i]", n, n);
  if (dtype == PWT_FLOAT16 && n > (1 << 11) + 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "n cannot be greater than 2049 for Half type.");
  if (dtype == PWT_FLOAT32 && n > (1 << 24) + 1)
    return pwt_fail(PWT_RUNTIME_ERROR, "n cannot be greater than 2^24+1 for Float type.");
  static const char *const c_names[PWT_DTYPES] = {
      [PWT_UINT8] = "uint8_t", [PWT_INT8] = "int8_t", [PWT_INT16] = "int16_t", [PWT_INT32] = "int"};
  if (c_names[dtype] && n > 0 && n - 1 > largest_integer(dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "value cannot be converted to type %s without overflow", c_names[dtype]);
  if (dtype == PWT_BOOL || pwt_is_complex(dtype)) return pwt_fail_dtype("randperm", dtype);
  return true;
}

static void count_up(DType dtype, void *out, int64_t n) {
  int64_t block[DRAW_BLOCK];
  for (int64_t done = 0; done < n; done += DRAW_BLOCK) {
    int64_t count = PWT_MIN(n - done, DRAW_BLOCK);
    for (int64_t i = 0; i < count; i++) block[i] = done + i;
    pwt_convert((char *)out + done * pwt_itemsize[dtype], dtype, block, PWT_INT64, count);
  }
}

#define SHUFFLE_FROM_FRONT(T)                              \
  for (int64_t i = 0; i < n - 1; i++) {                    \
    T *a = (T *)out + i, *b = a + pwt_random32(g) % (n - i); \
    T kept = *a;                                           \
    *a = *b;                                               \
    *b = kept;                                             \
  }

#define SHUFFLE_INSIDE_OUT(T)                                                     \
  for (int64_t i = 0; i < n; i++) {                                               \
    T *a = (T *)out + i, *b = (T *)out + pwt_random64(g) % (uint64_t)(i + 1);     \
    T kept = *a;                                                                  \
    *a = *b;                                                                      \
    *b = kept;                                                                    \
  }

#define FOR_ITEM_SIZE(SHUFFLE)               \
  switch (pwt_itemsize[dtype]) {             \
    case 1: SHUFFLE(uint8_t) break;          \
    case 2: SHUFFLE(uint16_t) break;         \
    case 4: SHUFFLE(uint32_t) break;         \
    default: SHUFFLE(uint64_t) break;        \
  }

bool pwt_fill_randperm(PwtGenerator *g, DType dtype, void *out, int64_t n) {
  if (!check_permutation(dtype, n)) return false;
  count_up(dtype, out, n);
  /* Fisher-Yates either way; one word no longer suffices for a fair draw among very many. */
  if (n < UINT32_MAX / 20) FOR_ITEM_SIZE(SHUFFLE_FROM_FRONT)
  else FOR_ITEM_SIZE(SHUFFLE_INSIDE_OUT)
  return true;
}
