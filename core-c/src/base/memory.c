/* The allocator: two-level segregated fit (Masmano et al., 2004): constant time, neighbours merge on release.
   Blocks are multiples of 64 bytes; a 16-byte header stands before each 64-byte aligned payload. */
#include "base.h"

#define STEP 64
#define HEADER 16
#define SECOND_LEVEL_BITS 4
#define SECOND_LEVELS (1 << SECOND_LEVEL_BITS)
#define FIRST_LEVELS 28

static int64_t allocated, peak, limit = INT64_MAX;

static void *count_in(void *block, int64_t bytes) {
  allocated += bytes;
  if (allocated > peak) peak = allocated;
  return block;
}

int64_t pwt_memory_allocated(void) { return allocated; }
int64_t pwt_max_memory_allocated(void) { return peak; }
void pwt_reset_max_memory_allocated(void) { peak = allocated; }
void pwt_set_memory_limit(int64_t bytes) { limit = bytes; }

static void *out_of_memory(int64_t bytes) {
  return pwt_fail(PWT_MEMORY_ERROR, "not enough memory: tried to allocate %i bytes (%i are in use)", bytes, allocated);
}

#ifdef __wasm__

typedef struct Block {
  uint32_t size;     /* of the whole block, header included; lowest bit: free */
  uint32_t previous; /* size of the block before it in memory, 0 at the start of a region */
  struct Block *next_free, *previous_free;
} Block;

extern unsigned char __heap_base;
static Block *bins[FIRST_LEVELS][SECOND_LEVELS];
static uint32_t first_map, second_map[FIRST_LEVELS];
static uint64_t heap_end; /* address past the last block; 0 before the first growth */
static uint32_t last_size; /* size of the block that ends at heap_end */

static uint32_t block_size(const Block *b) { return b->size & ~1u; }
static bool is_free(const Block *b) { return b->size & 1; }
static uint64_t address(const Block *b) { return (uint32_t)(uintptr_t)b; }
static Block *at(uint64_t a) { return (Block *)(uintptr_t)a; }

static void bin_of(uint32_t size, int *first, int *second) {
  uint32_t units = size / STEP;
  if (units < SECOND_LEVELS) {
    *first = 0;
    *second = (int)units;
  } else {
    int log = 31 - __builtin_clz(units);
    *first = log - SECOND_LEVEL_BITS + 1;
    *second = (int)(units >> (log - SECOND_LEVEL_BITS)) & (SECOND_LEVELS - 1);
  }
}

static void insert(Block *b) {
  int f, s;
  bin_of(block_size(b), &f, &s);
  b->size |= 1;
  b->previous_free = NULL;
  b->next_free = bins[f][s];
  if (b->next_free) b->next_free->previous_free = b;
  bins[f][s] = b;
  first_map |= 1u << f;
  second_map[f] |= 1u << s;
}

static void take_out(Block *b) {
  int f, s;
  bin_of(block_size(b), &f, &s);
  if (b->next_free) b->next_free->previous_free = b->previous_free;
  if (b->previous_free) {
    b->previous_free->next_free = b->next_free;
  } else {
    bins[f][s] = b->next_free;
    if (!bins[f][s]) {
      second_map[f] &= ~(1u << s);
      if (!second_map[f]) first_map &= ~(1u << f);
    }
  }
  b->size &= ~1u;
}

static void set_size(Block *b, uint32_t size) {
  b->size = size | (b->size & 1);
  uint64_t next = address(b) + size;
  if (next < heap_end) at(next)->previous = size;
  else last_size = size;
}

static Block *find(uint32_t size) {
  uint32_t units = size / STEP;
  if (units >= SECOND_LEVELS) { /* round up so that any block of the bin is large enough */
    uint32_t round = (1u << (31 - __builtin_clz(units) - SECOND_LEVEL_BITS)) - 1;
    if (size > UINT32_MAX - round * STEP) return NULL;
    size = (units + round) * STEP;
  }
  int f, s;
  bin_of(size, &f, &s);
  uint32_t map = f < FIRST_LEVELS ? second_map[f] & (~0u << s) : 0;
  if (!map) {
    uint32_t above = f + 1 < 32 ? first_map & (~0u << (f + 1)) : 0;
    if (!above) return NULL;
    f = __builtin_ctz(above);
    map = second_map[f];
  }
  return bins[f][__builtin_ctz(map)];
}

static bool grow(uint32_t size) {
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  if (!heap_end) {
    heap_end = ((uint32_t)(uintptr_t)&__heap_base + STEP - 1) / STEP * STEP + STEP - HEADER;
    last_size = 0;
  }
  uint64_t end = heap_end + size;
  uint64_t usable = have;
  if (end + HEADER > have) {
    uint64_t wanted = end + HEADER + PWT_MAX((uint64_t)1 << 20, (end - (uint32_t)(uintptr_t)&__heap_base) / 8);
    uint64_t pages = (wanted - have + 65535) >> 16, least = (end + HEADER - have + 65535) >> 16;
    if (have + (pages << 16) > 0xffff0000u) pages = least;
    if (have + (pages << 16) > 0xffff0000u) return false;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) {
      if (pages == least || __builtin_wasm_memory_grow(0, least) == (size_t)-1) return false;
      pages = least;
    }
    usable = have + (pages << 16);
  }
  Block *b = at(heap_end);
  uint32_t room = (uint32_t)((usable - HEADER - heap_end) / STEP * STEP);
  b->size = room;
  b->previous = last_size;
  uint32_t before = last_size;
  heap_end += room;
  last_size = room;
  if (before && is_free(at(address(b) - before))) {
    Block *left = at(address(b) - before);
    take_out(left);
    set_size(left, before + room);
    b = left;
  }
  insert(b);
  return true;
}

void *pwt_alloc(int64_t bytes) {
  if (bytes < 0 || bytes > 0xfffe0000ll || allocated + bytes > limit) return out_of_memory(bytes);
  uint32_t size = (uint32_t)(((uint64_t)bytes + HEADER + STEP - 1) / STEP * STEP);
  Block *b = find(size);
  if (!b) {
    if (!grow(size) || !(b = find(size))) {
      /* the rounding in find() can pass over the one block that grew; take it where it is */
      b = last_size >= size && is_free(at(heap_end - last_size)) ? at(heap_end - last_size) : NULL;
      if (!b) return out_of_memory(bytes);
    }
  }
  take_out(b);
  uint32_t rest = b->size - size;
  if (rest >= STEP) {
    Block *tail = at(address(b) + size);
    tail->size = rest;
    tail->previous = size;
    b->size = size;
    set_size(tail, rest);
    insert(tail);
  }
  return count_in((char *)b + HEADER, b->size - HEADER);
}

void pwt_free(void *block) {
  if (!block) return;
  Block *b = (Block *)((char *)block - HEADER);
  allocated -= b->size - HEADER;
  uint32_t size = b->size;
  uint64_t next = address(b) + size;
  if (next < heap_end && is_free(at(next))) {
    size += block_size(at(next));
    take_out(at(next));
  }
  if (b->previous && is_free(at(address(b) - b->previous))) {
    Block *left = at(address(b) - b->previous);
    take_out(left);
    size += left->size;
    b = left;
  }
  b->size = size;
  set_size(b, size);
  insert(b);
}

#else

#include <stdlib.h>

typedef struct {
  int64_t bytes;
  char pad[56];
} Prefix;

void *pwt_alloc(int64_t bytes) {
  if (bytes < 0 || bytes > 0xfffe0000ll || allocated + bytes > limit) return out_of_memory(bytes);
  Prefix *p = aligned_alloc(STEP, sizeof(Prefix) + (size_t)((bytes + STEP - 1) / STEP * STEP));
  if (!p) return out_of_memory(bytes);
  p->bytes = bytes;
  return count_in(p + 1, bytes);
}

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
