/* Keys as unsigned integers whose order is the order of the values, and items that carry a key and its index. */
#pragma once
#include "loops.h"

static inline uint32_t key_of_i32(int32_t value) { return (uint32_t)value ^ 0x80000000u; }
static inline uint64_t key_of_i64(int64_t value) { return (uint64_t)value ^ 0x8000000000000000u; }

static inline uint32_t key_of_f32(float value) {
  uint32_t bits;
  float unsigned_zero = value + 0.0f; /* -0 becomes 0 */
  __builtin_memcpy(&bits, &unsigned_zero, 4);
  uint32_t key = bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
  return value == value ? key : UINT32_MAX;
}

static inline uint64_t key_of_f64(double value) {
  uint64_t bits;
  double unsigned_zero = value + 0.0;
  __builtin_memcpy(&bits, &unsigned_zero, 8);
  uint64_t key = bits ^ ((uint64_t)((int64_t)bits >> 63) | 0x8000000000000000u);
  return value == value ? key : UINT64_MAX;
}

static inline bool has_short_keys(ComputeType type) { return type == CT_I32 || type == CT_F32; }
static inline int key_bytes(ComputeType type) { return has_short_keys(type) ? 4 : 8; }

/* Descending is ascending in the complement, which keeps equal keys in their order. */
static inline uint32_t short_key(ComputeType type, const void *keys, int64_t i, uint32_t flip) {
  uint32_t key = type == CT_F32 ? key_of_f32(((const float *)keys)[i]) : key_of_i32(((const int32_t *)keys)[i]);
  return key ^ flip;
}

static inline uint64_t long_key(ComputeType type, const void *keys, int64_t i, uint64_t flip) {
  uint64_t key = type == CT_F64 ? key_of_f64(((const double *)keys)[i]) : key_of_i64(((const int64_t *)keys)[i]);
  return key ^ flip;
}

typedef uint64_t ShortItem; /* key above index: all differ, so their order is the stable one */
typedef struct {
  uint64_t key, index;
} LongItem;

static inline ShortItem short_item(uint32_t key, int64_t index) { return (uint64_t)key << 32 | (uint64_t)index; }
static inline LongItem long_item(uint64_t key, int64_t index) { return (LongItem){key, (uint64_t)index}; }

/* Sorts the n items at the start of a workspace; the result stands at either of its halves. */
ShortItem *pwt_sort_short_items(void *workspace, int64_t n);
LongItem *pwt_sort_long_items(void *workspace, int64_t n);

/* Values and indices in the order of the items. The values are fetched from the row, which has the payloads of NaN
   and the signs of zero. */
void pwt_store_short_items(const ShortItem *items, const void *keys, void *values, int64_t *indices, int64_t n);
void pwt_store_long_items(const LongItem *items, const void *keys, void *values, int64_t *indices, int64_t n);
