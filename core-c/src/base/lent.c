/* Lists in the frame, and the memory that is lent for those which are too long for it. */
#include "host.h"

struct Lent {
  Lent *next;
  int64_t items[];
};

PWT_PER_THREAD Lent *pwt_lent;

int64_t *pwt_lend(int32_t items) {
  Lent *lent = pwt_alloc_uncounted((int64_t)sizeof *lent + (int64_t)items * 8);
  if (!lent) return NULL;
  lent->next = pwt_lent;
  pwt_lent = lent;
  return lent->items;
}

void pwt_give_back(Lent *lent) {
  while (lent) {
    Lent *next = lent->next;
    pwt_free_uncounted(lent);
    lent = next;
  }
}

int64_t *pwt_frame_place(int64_t slot, int64_t count) {
  pwt_frame[slot] = count;
  if (count <= PWT_LIST_IN_FRAME) return pwt_frame + slot + 1;
  int64_t *items = pwt_lend((int32_t)count);
  pwt_frame[slot + 1] = (int64_t)(uintptr_t)items;
  return items;
}

const int64_t *pwt_frame_items(int64_t slot) {
  return pwt_frame[slot] <= PWT_LIST_IN_FRAME ? pwt_frame + slot + 1 : (const int64_t *)(uintptr_t)pwt_frame[slot + 1];
}

int64_t pwt_frame_end(int64_t slot) {
  int64_t count = pwt_frame[slot];
  return slot + 1 + (count <= PWT_LIST_IN_FRAME ? PWT_MAX(count, 0) : 1);
}
