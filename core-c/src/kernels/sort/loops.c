/* Stable sorting: merges for short rows, a least-significant-digit radix sort for long ones (Knuth, vol. 3, 5.2.4
   and 5.2.5). Items carry their index, so that one sort serves values and indices. */
#include "base/parallel.h"
#include "loops_keys.h"

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define SHORT_PASSES 3
#define LONG_PASSES 6
/* below, clearing and summing the histograms costs more than merging */
#define SHORT_RADIX_FROM 128
#define LONG_RADIX_FROM 256
#define RUN 12
/* items between two breaths */
#define PIECE (1 << 16)

#define SHORT_BEFORE(a, b) ((a) < (b))
#define LONG_BEFORE(a, b) ((a).key < (b).key)
#define SHORT_DIGIT(item, pass) (uint32_t)((item) >> (32 + (pass) * DIGIT_BITS) & (DIGITS - 1))
#define LONG_DIGIT(item, pass) (uint32_t)((item).key >> (pass) * DIGIT_BITS & (DIGITS - 1))

#define MERGE_SORT(NAME, T, BEFORE)                                                        \
  static void NAME##_runs(T *items, int64_t n) {                                           \
    for (int64_t start = 0; start < n; start += RUN) {                                     \
      int64_t end = PWT_MIN(start + RUN, n);                                               \
      for (int64_t i = start + 1; i < end; i++) {                                          \
        T item = items[i];                                                                 \
        int64_t at = i;                                                                    \
        for (; at > start && BEFORE(item, items[at - 1]); at--) items[at] = items[at - 1]; \
        items[at] = item;                                                                  \
      }                                                                                    \
    }                                                                                      \
  }                                                                                        \
  static void NAME##_merge(const T *a, int64_t a_count, const T *b, int64_t b_count, T *to) { \
    int64_t i = 0, j = 0;                                                                  \
    while (i < a_count && j < b_count) {                                                   \
      bool second = BEFORE(b[j], a[i]);                                                    \
      *to++ = second ? b[j] : a[i];                                                        \
      j += second;                                                                         \
      i += !second;                                                                        \
    }                                                                                      \
    while (i < a_count) *to++ = a[i++];                                                    \
    while (j < b_count) *to++ = b[j++];                                                    \
  }                                                                                        \
  static T *NAME(T *items, T *spare, int64_t n) {                                          \
    NAME##_runs(items, n);                                                                 \
    for (int64_t width = RUN; width < n; width *= 2) {                                     \
      for (int64_t i = 0; i < n; i += 2 * width) {                                         \
        int64_t a_count = PWT_MIN(width, n - i), b_count = PWT_MIN(width, n - i - a_count); \
        NAME##_merge(items + i, a_count, items + i + a_count, b_count, spare + i);         \
      }                                                                                    \
      T *sorted = spare;                                                                   \
      spare = items;                                                                       \
      items = sorted;                                                                      \
    }                                                                                      \
    return items;                                                                          \
  }
MERGE_SORT(merge_sort_short, ShortItem, SHORT_BEFORE)
MERGE_SORT(merge_sort_long, LongItem, LONG_BEFORE)

/* Turns counts into first positions; false where all items share the digit, and the pass can be left out. */
static bool start_positions(uint32_t *counts, int64_t n) {
  uint32_t start = 0;
  for (int i = 0; i < DIGITS; i++) {
    uint32_t count = counts[i];
    if (count == n) return false;
    counts[i] = start;
    start += count;
  }
  return true;
}

/* An interrupted one ends with the items of its last whole pass. */
#define RADIX_SORT(NAME, T, DIGIT, PASSES)                                                \
  static T *NAME(T *items, T *spare, uint32_t *counts, int64_t n) {                       \
    pwt_fill_bytes(counts, 0, PASSES * DIGITS * sizeof *counts);                          \
    for (int64_t begin = 0; begin < n; begin += PIECE) {                                  \
      int64_t end = PWT_MIN(begin + PIECE, n);                                            \
      for (int64_t i = begin; i < end; i++)                                               \
        for (int pass = 0; pass < PASSES; pass++) counts[pass * DIGITS + DIGIT(items[i], pass)]++; \
      if (end - begin == PIECE && pwt_breathe()) return items;                            \
    }                                                                                     \
    for (int pass = 0; pass < PASSES; pass++, counts += DIGITS) {                         \
      if (!start_positions(counts, n)) continue;                                          \
      for (int64_t begin = 0; begin < n; begin += PIECE) {                                \
        int64_t end = PWT_MIN(begin + PIECE, n);                                          \
        for (int64_t i = begin; i < end; i++) spare[counts[DIGIT(items[i], pass)]++] = items[i]; \
        if (end - begin == PIECE && pwt_breathe()) return items;                          \
      }                                                                                   \
      T *sorted = spare;                                                                  \
      spare = items;                                                                      \
      items = sorted;                                                                     \
    }                                                                                     \
    return items;                                                                         \
  }
RADIX_SORT(radix_sort_short, ShortItem, SHORT_DIGIT, SHORT_PASSES)
RADIX_SORT(radix_sort_long, LongItem, LONG_DIGIT, LONG_PASSES)

int64_t pwt_sort_workspace(ComputeType type, int64_t n) {
  bool is_short = has_short_keys(type);
  int64_t items = 2 * n * (int64_t)(is_short ? sizeof(ShortItem) : sizeof(LongItem));
  int64_t counts = n < (is_short ? SHORT_RADIX_FROM : LONG_RADIX_FROM) ? 0 : (is_short ? SHORT_PASSES : LONG_PASSES) * DIGITS * (int64_t)sizeof(uint32_t);
  return items + counts;
}

ShortItem *pwt_sort_short_items(void *workspace, int64_t n) {
  ShortItem *items = workspace, *spare = items + n;
  return n < SHORT_RADIX_FROM ? merge_sort_short(items, spare, n) : radix_sort_short(items, spare, (uint32_t *)(spare + n), n);
}

LongItem *pwt_sort_long_items(void *workspace, int64_t n) {
  LongItem *items = workspace, *spare = items + n;
  return n < LONG_RADIX_FROM ? merge_sort_long(items, spare, n) : radix_sort_long(items, spare, (uint32_t *)(spare + n), n);
}

#define STORE(NAME, T, ITEM, INDEX_OF)                                                               \
  void NAME(const ITEM *items, const void *keys, void *values, int64_t *indices, int64_t n) {        \
    for (int64_t begin = 0; begin < n; begin += PIECE) {                                             \
      int64_t end = PWT_MIN(begin + PIECE, n);                                                       \
      if (values)                                                                                    \
        for (int64_t i = begin; i < end; i++) ((T *)values)[i] = ((const T *)keys)[INDEX_OF(items[i])]; \
      if (indices)                                                                                   \
        for (int64_t i = begin; i < end; i++) indices[i] = (int64_t)INDEX_OF(items[i]);              \
      if (end - begin == PIECE && pwt_breathe()) return;                                             \
    }                                                                                                \
  }
#define SHORT_INDEX(item) ((item) & UINT32_MAX)
#define LONG_INDEX(item) ((item).index)
STORE(pwt_store_short_items, uint32_t, ShortItem, SHORT_INDEX)
STORE(pwt_store_long_items, uint64_t, LongItem, LONG_INDEX)

static void sort_short_row(ComputeType type, const void *keys, void *values, int64_t *indices, int64_t n,
                           bool descending, void *workspace) {
  ShortItem *items = workspace;
  uint32_t flip = descending ? UINT32_MAX : 0;
  if (type == CT_F32)
    for (int64_t i = 0; i < n; i++) items[i] = short_item(short_key(CT_F32, keys, i, flip), i);
  else
    for (int64_t i = 0; i < n; i++) items[i] = short_item(short_key(CT_I32, keys, i, flip), i);
  ShortItem *sorted = pwt_sort_short_items(items, n);
  if (pwt_failed()) return;
  if (values == keys) {
    void *copy = sorted == items ? items + n : items;
    keys = pwt_copy_bytes(copy, keys, n * 4);
  }
  pwt_store_short_items(sorted, keys, values, indices, n);
}

static void sort_long_row(ComputeType type, const void *keys, void *values, int64_t *indices, int64_t n,
                          bool descending, void *workspace) {
  LongItem *items = workspace;
  uint64_t flip = descending ? UINT64_MAX : 0;
  for (int64_t i = 0; i < n; i++) items[i] = long_item(long_key(type, keys, i, flip), i);
  LongItem *sorted = pwt_sort_long_items(items, n);
  if (pwt_failed()) return;
  if (values == keys) {
    void *copy = sorted == items ? items + n : items;
    keys = pwt_copy_bytes(copy, keys, n * 8);
  }
  pwt_store_long_items(sorted, keys, values, indices, n);
}

void pwt_sort_row(ComputeType type, const void *keys, void *values, int64_t *indices, int64_t n, bool descending,
                  void *workspace) {
  if (n == 0) return;
  if (has_short_keys(type)) sort_short_row(type, keys, values, indices, n, descending, workspace);
  else sort_long_row(type, keys, values, indices, n, descending, workspace);
}
