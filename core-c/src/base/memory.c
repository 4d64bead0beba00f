/* How much memory is in use and may be, and where it comes from: the heap in WebAssembly's memory (heap.h), or malloc. */
#include "base.h"

static int64_t allocated, peak, limit = INT64_MAX;
static int64_t refused; /* what the last allocation that failed asked for */

uint32_t pwt_changes;
bool pwt_alone;
PWT_PER_THREAD bool pwt_has_address;
static int32_t with_address; /* threads */
void (*pwt_give_up_spares)(void);

static void *count_in(void *block, int64_t bytes) {
  allocated += bytes;
  if (allocated > peak) peak = allocated;
  return block;
}

int64_t pwt_memory_allocated(void) { return allocated; }
int64_t pwt_max_memory_allocated(void) { return peak; }
void pwt_reset_max_memory_allocated(void) { peak = allocated; }

void pwt_note_address(bool given) {
  with_address += given - pwt_has_address;
  pwt_has_address = given;
}

bool pwt_nobody_has_an_address(void) { return !with_address; }

static bool fits(int64_t bytes) { return bytes >= 0 && bytes <= 0xfffe0000ll && allocated + bytes <= limit; }

static void *out_of_memory(int64_t bytes) {
  refused = bytes;
  return pwt_fail(PWT_MEMORY_ERROR, "not enough memory: tried to allocate %i bytes (%i are in use)", bytes, allocated);
}

#ifdef __wasm__

#include "heap.h"

void pwt_set_memory_limit(int64_t bytes) {
  limit = bytes;
  expected = bytes;
}

/* Small blocks that were given back, kept for the next of their size: most tensors come and go. */
enum { SPARE_SIZES = 9, MOST_SPARES = 64 };
static struct {
  void *first; /* each begins with the address of the next */
  int32_t count;
} spares[SPARE_SIZES];

static void give_back_spares(void) {
  for (int units = 0; units < SPARE_SIZES; units++) {
    for (void *next, *block = spares[units].first; block; block = next) {
      next = *(void **)block;
      heap_give_back(block);
    }
    spares[units].first = NULL;
    spares[units].count = 0;
  }
}

static inline void *take_spare(int64_t bytes) {
  int64_t units = (bytes + HEADER + STEP - 1) / STEP;
  void *block = units < SPARE_SIZES ? spares[units].first : NULL;
  if (!block) return NULL;
  spares[units].first = *(void **)block;
  spares[units].count--;
  return block;
}

static __attribute__((noinline)) void *take_after_all(int64_t bytes, void **owner) {
  if (pwt_give_up_spares) pwt_give_up_spares();
  give_back_spares();
  void *block = fits(bytes) ? heap_take((uint32_t)bytes, owner) : NULL;
  return block ? count_in(block, heap_bytes(block)) : out_of_memory(bytes);
}

static inline void *take(int64_t bytes, void **owner) {
  void *block = NULL;
  if (fits(bytes) && !(!owner && (block = take_spare(bytes)))) block = heap_take((uint32_t)bytes, owner);
  return block ? count_in(block, heap_bytes(block)) : take_after_all(bytes, owner);
}

void *pwt_alloc(int64_t bytes) { return take(bytes, NULL); }
bool pwt_alloc_movable(int64_t bytes, void **owner) { return (*owner = take(bytes, owner)) != NULL; }
void pwt_stay(void *block, bool may_go) { heap_stay(block, may_go); }
bool *const pwt_room_is_scarce = &kept_is_scarce;
void pwt_make_room(void) { heap_keep_more(); }

void pwt_free(void *block) {
  if (!block) return;
  allocated -= heap_bytes(block);
  uint32_t units = block_size(block_of(block)) / STEP;
  if (units >= SPARE_SIZES || spares[units].count == MOST_SPARES || block_of(block)->size & MOVABLE) {
    heap_give_back(block);
    return;
  }
  *(void **)block = spares[units].first;
  spares[units].first = block;
  spares[units].count++;
}

bool pwt_move_together(void) {
  give_back_spares();
  return fits(refused) && heap_move_together((uint32_t)refused);
}

#else

#include <stdlib.h>

typedef struct {
  int64_t bytes;
  char pad[56];
} Prefix;

void pwt_set_memory_limit(int64_t bytes) { limit = bytes; }

void *pwt_alloc(int64_t bytes) {
  if (!fits(bytes)) return out_of_memory(bytes);
  Prefix *p = aligned_alloc(64, sizeof(Prefix) + (size_t)((bytes + 63) / 64 * 64));
  if (!p) return out_of_memory(bytes);
  p->bytes = bytes;
  return count_in(p + 1, bytes);
}

bool pwt_alloc_movable(int64_t bytes, void **owner) { return (*owner = pwt_alloc(bytes)) != NULL; }
void pwt_stay(void *block, bool may_go) { (void)block, (void)may_go; }
static bool never;
bool *const pwt_room_is_scarce = &never;
void pwt_make_room(void) {}
bool pwt_move_together(void) { return false; }

void pwt_free(void *block) {
  if (!block) return;
  Prefix *p = (Prefix *)block - 1;
  allocated -= p->bytes;
  free(p);
}

#endif

void *pwt_alloc_zeroed(int64_t bytes) {
  void *block = pwt_alloc(bytes);
  if (block) pwt_fill_bytes(block, 0, bytes);
  return block;
}

void *pwt_alloc_uncounted(int64_t bytes) {
  int64_t before = allocated, highest = peak;
  void *block = pwt_alloc(bytes);
  allocated = before;
  peak = highest;
  return block;
}

void pwt_free_uncounted(void *block) {
  int64_t before = allocated;
  pwt_free(block);
  allocated = before;
}
