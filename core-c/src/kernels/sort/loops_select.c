/* Selection by counting digits from the most significant one down: linear, whatever the keys are. */
#include "loops_keys.h"

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

/* The key at a position of the sorted row, and how many keys equal to it stand before that position. */
#define SELECT(NAME, KEY, KEY_BITS, KEY_AT)                                                        \
  static KEY NAME(ComputeType type, const void *keys, int64_t n, int64_t *position, KEY flip) {    \
    uint32_t counts[DIGITS];                                                                       \
    KEY prefix = 0, mask = 0;                                                                      \
    for (int bits = KEY_BITS; bits > 0; bits -= DIGIT_BITS) {                                      \
      int shift = PWT_MAX(bits - DIGIT_BITS, 0);                                                   \
      KEY digit_mask = ((KEY)1 << (bits - shift)) - 1;                                             \
      pwt_fill_bytes(counts, 0, sizeof counts);                                                    \
      for (int64_t i = 0; i < n; i++) {                                                            \
        KEY key = KEY_AT(type, keys, i, flip);                                                     \
        if ((key & mask) == prefix) counts[key >> shift & digit_mask]++;                           \
      }                                                                                            \
      KEY digit = 0;                                                                               \
      while (*position >= counts[digit]) *position -= counts[digit++];                             \
      prefix |= digit << shift;                                                                    \
      mask |= digit_mask << shift;                                                                 \
    }                                                                                              \
    return prefix;                                                                                 \
  }
SELECT(select_short, uint32_t, 32, short_key)
SELECT(select_long, uint64_t, 64, long_key)

int64_t pwt_select_row(ComputeType type, const void *keys, int64_t n, int64_t position, bool descending) {
  if (has_short_keys(type)) {
    uint32_t flip = descending ? UINT32_MAX : 0, key = select_short(type, keys, n, &position, flip);
    for (int64_t i = 0;; i++)
      if (short_key(type, keys, i, flip) == key && position-- == 0) return i;
  }
  uint64_t flip = descending ? UINT64_MAX : 0, key = select_long(type, keys, n, &position, flip);
  for (int64_t i = 0;; i++)
    if (long_key(type, keys, i, flip) == key && position-- == 0) return i;
}

/* ---- topk: what stands before the k-th in the sorted row, and of its equals the first ones; then sorted ---- */
#define TAKE(NAME, ITEM, KEY, SELECTED, KEY_AT, ITEM_OF)                                       \
  static void NAME(ComputeType type, const void *keys, ITEM *items, int64_t n, int64_t k, KEY flip) { \
    int64_t equals = k - 1, taken = 0;                                                         \
    KEY last = SELECTED(type, keys, n, &equals, flip);                                         \
    for (int64_t i = 0; taken < k; i++) {                                                      \
      KEY key = KEY_AT(type, keys, i, flip);                                                   \
      if (key < last || (key == last && equals-- >= 0)) items[taken++] = ITEM_OF(key, i);      \
    }                                                                                          \
  }
TAKE(take_short, ShortItem, uint32_t, select_short, short_key, short_item)
TAKE(take_long, LongItem, uint64_t, select_long, long_key, long_item)

/* A few of many are kept sorted while the row goes by: most keys fall to one comparison. */
#define FEW 16
#define KEEP(NAME, ITEM, KEY, KEY_OF, KEY_AT, ITEM_OF)                                                       \
  static void NAME(ComputeType type, const void *keys, ITEM *items, int64_t n, int64_t k, KEY flip) {        \
    int64_t kept = 0;                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      KEY key = KEY_AT(type, keys, i, flip);                                                                 \
      if (kept == k && key >= KEY_OF(items[k - 1])) continue;                                                \
      int64_t at = kept < k ? kept++ : k - 1;                                                                \
      for (; at > 0 && key < KEY_OF(items[at - 1]); at--) items[at] = items[at - 1];                         \
      items[at] = ITEM_OF(key, i);                                                                           \
    }                                                                                                        \
  }
#define KEY_OF_SHORT(item) ((uint32_t)((item) >> 32))
#define KEY_OF_LONG(item) ((item).key)
KEEP(keep_short, ShortItem, uint32_t, KEY_OF_SHORT, short_key, short_item)
KEEP(keep_long, LongItem, uint64_t, KEY_OF_LONG, long_key, long_item)

static ShortItem *first_short(ComputeType type, const void *keys, ShortItem *items, int64_t n, int64_t k, uint32_t flip) {
  if (k > FEW) {
    take_short(type, keys, items, n, k, flip);
    return pwt_sort_short_items(items, k);
  }
  if (type == CT_F32) keep_short(CT_F32, keys, items, n, k, flip);
  else keep_short(CT_I32, keys, items, n, k, flip);
  return items;
}

static LongItem *first_long(ComputeType type, const void *keys, LongItem *items, int64_t n, int64_t k, uint64_t flip) {
  if (k > FEW) {
    take_long(type, keys, items, n, k, flip);
    return pwt_sort_long_items(items, k);
  }
  keep_long(type, keys, items, n, k, flip);
  return items;
}

void pwt_topk_row(ComputeType type, const void *keys, void *values, int64_t *indices, int64_t n, int64_t k,
                  bool largest, void *workspace) {
  if (k == 0) return;
  if (has_short_keys(type))
    pwt_store_short_items(first_short(type, keys, workspace, n, k, largest ? UINT32_MAX : 0), keys, values, indices, k);
  else
    pwt_store_long_items(first_long(type, keys, workspace, n, k, largest ? UINT64_MAX : 0), keys, values, indices, k);
}

#define FIRST_NAN(T)                         \
  for (int64_t i = 0; i < n; i++)            \
    if (((const T *)keys)[i] != ((const T *)keys)[i]) return i;

int64_t pwt_first_nan(ComputeType type, const void *keys, int64_t n) {
  if (type == CT_F32) FIRST_NAN(float)
  if (type == CT_F64) FIRST_NAN(double)
  return -1;
}
