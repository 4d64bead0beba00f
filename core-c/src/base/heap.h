/* A two-level segregated-fit allocator (Masmano et al., 2004): constant time, neighbours merge on release.
   Blocks are multiples of 64 bytes; a 16-byte header stands before each 64-byte aligned payload.

   There are two kinds of ground. What may be moved lies on one, what must stay on the other: at the bottom, in room kept
   for it, which grows between calls while what may be moved makes way; and where a single call needs more, in pieces of the
   first. So what must stay seldom stands in the way when the rest is moved together. */
#pragma once
#include "base.h"

#define STEP 64
#define HEADER 16
#define SECOND_LEVEL_BITS 4
#define SECOND_LEVELS (1 << SECOND_LEVEL_BITS)
#define FIRST_LEVELS 28
#define PIECE (1u << 20)     /* of the ground for what may be moved, taken for what must stay */
#define GIVEN_BACK (4u << 20) /* free in a row, and given back */
#define FLAGS (STEP - 1u)
#define FEW 8
#define RESERVE (256u << 10) /* less than that is free on the kept ground: time for more of it */
#define GAP 2048             /* of the kept ground, worth giving away before memory is refused */
#define MANY 512             /* blocks are looked at for one gap */

enum { FREE = 1, MOVABLE = 2 };
/* Grounds: for what may be moved; for what stays, kept for it at the bottom, or taken from the first. */
enum { MOVING = 0, KEPT = 4, TAKEN = 8, GROUND = 12 };

typedef struct Block {
  uint32_t size;     /* of the whole block, header included; the lowest bits are flags */
  uint32_t previous; /* size of the block before it in memory, 0 at the start */
  union {
    struct Block *next_free;
    void **owner; /* of a movable one: the place that holds the payload's address */
  };
  struct Block *previous_free;
} Block;

typedef struct {
  Block *bins[FIRST_LEVELS][SECOND_LEVELS];
  uint32_t first_map, second_map[FIRST_LEVELS];
} Bins;

extern unsigned char __heap_base;
static Bins grounds[3]; /* MOVING, KEPT, TAKEN */
static uint64_t heap_start, heap_end; /* address past the last block */
static uint64_t kept_end;  /* up to here the ground is kept for what stays, */
static uint64_t kept_least; /* and up to here always */
static uint32_t last_size; /* size of the block that ends at heap_end */
static uint64_t free_on[3]; /* bytes, of each ground */
static bool kept_is_scarce;
static int64_t expected = 1 << 26; /* how large the whole may become */

static uint32_t block_size(const Block *b) { return b->size & ~FLAGS; }
static uint64_t address(const Block *b) { return (uint32_t)(uintptr_t)b; }
static uint32_t ground_of(const Block *b) { return b->size & GROUND; }
static bool is_free_on(const Block *b, uint32_t ground) { return (b->size & (FREE | GROUND)) == (FREE | ground); }
static Bins *bins_of(uint32_t ground) { return &grounds[ground / KEPT]; }
static uint64_t *free_bytes(uint32_t ground) { return &free_on[ground / KEPT]; }
static bool may_move(const Block *b) { return b->size & MOVABLE; }
static Block *at(uint64_t a) { return (Block *)(uintptr_t)a; }
static Block *block_of(const void *payload) { return (Block *)((char *)payload - HEADER); }
static bool is_last(const Block *b) { return address(b) + block_size(b) == heap_end; }
static Block *next_of(const Block *b) { return is_last(b) ? NULL : at(address(b) + block_size(b)); }
static Block *before(const Block *b) { return b->previous ? at(address(b) - b->previous) : NULL; }

static int64_t heap_bytes(const void *payload) { return block_size(block_of(payload)) - HEADER; }

/* ---- bins ---- */
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
  Bins *g = bins_of(ground_of(b));
  bin_of(block_size(b), &f, &s);
  b->size |= FREE;
  b->previous_free = NULL;
  b->next_free = g->bins[f][s];
  if (b->next_free) b->next_free->previous_free = b;
  g->bins[f][s] = b;
  g->first_map |= 1u << f;
  g->second_map[f] |= 1u << s;
  *free_bytes(ground_of(b)) += block_size(b);
}

static void take_out(Block *b) {
  int f, s;
  Bins *g = bins_of(ground_of(b));
  bin_of(block_size(b), &f, &s);
  if (b->next_free) b->next_free->previous_free = b->previous_free;
  if (b->previous_free) {
    b->previous_free->next_free = b->next_free;
  } else {
    g->bins[f][s] = b->next_free;
    if (!g->bins[f][s]) {
      g->second_map[f] &= ~(1u << s);
      if (!g->second_map[f]) g->first_map &= ~(1u << f);
    }
  }
  b->size &= ~(uint32_t)FREE;
  *free_bytes(ground_of(b)) -= block_size(b);
}

static void set_size(Block *b, uint32_t size) {
  b->size = size | (b->size & FLAGS);
  uint64_t next = address(b) + size;
  if (next < heap_end) at(next)->previous = size;
  else last_size = size;
}

/* Where no bin has only blocks that are large enough, it looks at so many of the size's own bin. */
static Block *find_among(const Bins *g, uint32_t size, int32_t most) {
  uint32_t units = size / STEP, rounded = size;
  if (units >= SECOND_LEVELS) { /* round up so that any block of the bin is large enough */
    uint32_t round = (1u << (31 - __builtin_clz(units) - SECOND_LEVEL_BITS)) - 1;
    rounded = size > UINT32_MAX - round * STEP ? UINT32_MAX : (units + round) * STEP;
  }
  int f, s;
  bin_of(rounded, &f, &s);
  uint32_t map = f < FIRST_LEVELS ? g->second_map[f] & (~0u << s) : 0;
  if (!map) {
    uint32_t above = f + 1 < 32 ? g->first_map & (~0u << (f + 1)) : 0;
    if (above) {
      f = __builtin_ctz(above);
      map = g->second_map[f];
    }
  }
  if (map) return g->bins[f][__builtin_ctz(map)];
  /* the rounding passes over blocks of the size's own bin that are large enough */
  bin_of(size, &f, &s);
  Block *b = f < FIRST_LEVELS ? g->bins[f][s] : NULL;
  while (b && block_size(b) < size) b = most-- > 0 ? b->next_free : NULL;
  return b;
}

static Block *find(const Bins *g, uint32_t size) { return find_among(g, size, INT32_MAX); }

/* ---- blocks that come and go ---- */
static Block *release(Block *b) {
  uint32_t size = block_size(b), ground = ground_of(b);
  Block *next = next_of(b), *left = before(b);
  if (next && is_free_on(next, ground)) {
    take_out(next);
    size += block_size(next);
  }
  if (left && is_free_on(left, ground)) {
    take_out(left);
    size += block_size(left);
    b = left;
  }
  b->size = ground;
  set_size(b, size);
  insert(b);
  return b;
}

/* Leaves `size` bytes in a block that is taken; what follows is free. */
static void split(Block *b, uint32_t size) {
  uint32_t rest = block_size(b) - size;
  if (rest < STEP) return;
  Block *tail = at(address(b) + size);
  tail->size = ground_of(b);
  tail->previous = size;
  b->size = size | (b->size & FLAGS);
  set_size(tail, rest);
  release(tail);
}

/* Free ground for what stays is given to what may be moved. */
static Block *return_ground(Block *b) {
  take_out(b);
  b->size &= ~(uint32_t)GROUND;
  return release(b);
}

static void cut(Block *b, uint32_t size) {
  take_out(b);
  split(b, size);
  insert(b);
}

static uint64_t free_in_a_row(const Block *b) {
  uint64_t bytes = 0;
  for (; b && b->size & FREE; b = next_of(b)) bytes += block_size(b);
  return bytes;
}

/* The kept ground ends here; what lies beyond counts as taken. */
static void end_kept_at(Block *end) {
  uint64_t old = kept_end;
  kept_end = address(end);
  for (Block *b = end; b && address(b) < old; b = next_of(b)) {
    if (ground_of(b) != KEPT) continue;
    bool is_free = b->size & FREE;
    if (is_free) take_out(b);
    b->size = (b->size & ~(uint32_t)GROUND) | TAKEN;
    if (is_free) insert(b);
  }
}

/* What is free in rows of so many bytes at least, whatever ground it lies on. */
static void return_all_ground(uint32_t least_kept, uint32_t least_taken) {
  for (Block *b = at(heap_start); b; b = next_of(b)) {
    uint64_t row = free_in_a_row(b);
    if (row >= least_kept && ground_of(b) == KEPT) {
      if (address(b) < kept_least && address(b) + block_size(b) > kept_least) cut(b, (uint32_t)(kept_least - address(b)));
      else if (address(b) >= kept_least) end_kept_at(b);
    }
    for (; b && b->size & FREE; b = next_of(b))
      if (ground_of(b) == TAKEN && row >= least_taken) b = return_ground(b);
    if (!b) break;
  }
}

static bool make_pages(uint64_t end) {
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  if (end <= have) return true;
  uint64_t wanted = end + PWT_MAX((uint64_t)1 << 20, (end - heap_start) / 8);
  uint64_t pages = (wanted - have + 65535) >> 16, least = (end - have + 65535) >> 16;
  if (have + (pages << 16) > 0xffff0000u) pages = least;
  if (have + (pages << 16) > 0xffff0000u) return false;
  if (__builtin_wasm_memory_grow(0, pages) != (size_t)-1) return true;
  return pages != least && __builtin_wasm_memory_grow(0, least) != (size_t)-1;
}

/* A block of free ground at the end, up to an address at least. */
static bool extend(uint64_t end, uint32_t ground) {
  if (!make_pages(end + HEADER)) return false;
  uint64_t usable = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  if (ground == KEPT) usable = PWT_MIN(usable, kept_end + HEADER);
  Block *b = at(heap_end);
  uint32_t room = (uint32_t)((usable - HEADER - heap_end) / STEP * STEP);
  b->previous = last_size;
  b->size = room | ground;
  heap_end += room;
  last_size = room;
  release(b);
  return true;
}

static void begin(void) {
  heap_start = heap_end = ((uint32_t)(uintptr_t)&__heap_base + STEP - 1) / STEP * STEP + STEP - HEADER;
  int64_t kept = PWT_MIN(PWT_MAX(expected / 64, (int64_t)PIECE), (int64_t)PIECE * 64);
  kept_end = kept_least = heap_end + (uint64_t)kept / STEP * STEP;
}

static bool extend_movable(uint32_t size) {
  if (heap_end < kept_end && !extend(kept_end, KEPT)) return false;
  Block *last = at(heap_end - last_size);
  uint32_t there = is_free_on(last, MOVING) ? last_size : 0;
  return extend(heap_end + size - PWT_MIN(there, size), MOVING);
}

static Block *lowest_free(uint32_t size) {
  const Bins *g = bins_of(MOVING);
  Block *lowest = NULL;
  int first, second;
  bin_of(size, &first, &second);
  for (int f = first; f < FIRST_LEVELS; f++)
    for (uint32_t map = g->second_map[f] & (f == first ? ~0u << second : ~0u); map; map &= map - 1)
      for (Block *b = g->bins[f][__builtin_ctz(map)]; b; b = b->next_free)
        if (block_size(b) >= size && (!lowest || b < lowest)) lowest = b;
  return lowest;
}

static Block *find_to_stay(uint32_t size) {
  Block *b = find_among(bins_of(KEPT), size, FEW);
  kept_is_scarce = *free_bytes(KEPT) + (heap_end < kept_end ? kept_end - heap_end : 0) < RESERVE;
  if (b) return b;
  if (heap_end + size <= kept_end && extend(PWT_MIN(heap_end + PWT_MAX(size, PIECE), kept_end), KEPT)) return find(bins_of(KEPT), size);
  if ((b = find_among(bins_of(TAKEN), size, FEW))) return b;
  uint32_t piece = PWT_MAX(size, PIECE);
  b = lowest_free(piece);
  if (!b && extend_movable(piece)) b = lowest_free(piece);
  if (!b && ((b = find(bins_of(TAKEN), size)) || (b = find(bins_of(KEPT), size)))) return b;
  if (!b) b = lowest_free(piece = size);
  if (!b) return NULL;
  take_out(b);
  split(b, piece);
  b->size |= TAKEN;
  return release(b);
}

static Block *find_to_move(uint32_t size) {
  Block *b = find(bins_of(MOVING), size);
  if (b || (extend_movable(size) && (b = find(bins_of(MOVING), size)))) return b;
  return_all_ground(PIECE, PIECE);
  return find(bins_of(MOVING), size);
}

/* A block of at least so many bytes, or NULL. With an owner, the place that holds its address, it may be moved. */
static void *heap_take(uint32_t bytes, void **owner) {
  uint32_t size = (uint32_t)(((uint64_t)bytes + HEADER + STEP - 1) / STEP * STEP);
  if (!heap_end) begin();
  Block *b = owner ? find_to_move(size) : find_to_stay(size);
  if (!b) return NULL;
  take_out(b);
  split(b, size);
  if (owner) {
    b->size |= MOVABLE;
    b->owner = owner;
  }
  return (char *)b + HEADER;
}

static void heap_give_back(void *payload) {
  Block *b = release(block_of(payload));
  if (ground_of(b) == TAKEN && block_size(b) >= GIVEN_BACK) return_ground(b);
}

/* ---- moving ---- */
static void note_move(Block *b) { *b->owner = (char *)b + HEADER; }

/* The block behind a free one changes places with it. */
static Block *slide(Block *gap, Block *b) {
  uint32_t room = block_size(gap), size = block_size(b), previous = gap->previous;
  take_out(gap);
  pwt_move_bytes(gap, b, size);
  gap->previous = previous;
  note_move(gap);
  Block *rest = at(address(gap) + size);
  rest->size = 0;
  rest->previous = size;
  set_size(rest, room);
  return release(rest);
}

/* What stood in a block goes to another one, which is free. */
static void settle(Block *to, Block *from) {
  uint32_t size = block_size(from);
  take_out(to);
  split(to, size);
  pwt_copy_bytes((char *)to + HEADER, (char *)from + HEADER, size - HEADER);
  to->owner = from->owner;
  to->size |= MOVABLE;
  note_move(to);
  from->size &= ~(uint32_t)MOVABLE;
}

/* The largest of the last blocks that fits comes into a gap which nothing can slide into. */
static Block *fill(Block *gap) {
  Block *best = NULL;
  int32_t most = MANY;
  for (Block *b = at(heap_end - last_size); b > gap && most-- > 0; b = before(b))
    if (may_move(b) && block_size(b) <= block_size(gap) && (!best || block_size(b) > block_size(best))) best = b;
  if (!best) return NULL;
  settle(gap, best);
  release(best);
  return next_of(gap);
}

static bool move_together(uint32_t size, uint32_t least_kept) {
  return_all_ground(least_kept, STEP);
  uint64_t there = *free_bytes(MOVING);
  if (there < size && !extend(heap_end + size - there, MOVING)) return false;
  for (Block *b = at(heap_start); b;) {
    Block *next = next_of(b);
    if (next && is_free_on(b, MOVING)) {
      if (may_move(next)) next = slide(b, next);
      else if ((b = fill(b))) next = b;
    }
    b = next;
  }
  return find(bins_of(MOVING), size) || extend_movable(size);
}

/* Moves blocks together where so many bytes are free, but not in one piece. Whether there is such a piece now. */
static bool heap_move_together(uint32_t bytes) {
  uint32_t size = (uint32_t)(((uint64_t)bytes + HEADER + STEP - 1) / STEP * STEP);
  return move_together(size, PIECE) || move_together(size, GAP);
}

/* The first block beyond the kept ground becomes part of it, up to an address. */
static bool keep_first(uint64_t end) {
  Block *b = at(kept_end);
  if (may_move(b)) {
    Block *to = find_among(bins_of(MOVING), block_size(b), FEW);
    if (!to && (!extend_movable(block_size(b)) || !(to = find_among(bins_of(MOVING), block_size(b), FEW)))) return false;
    settle(to, b);
  } else if (b->size & FREE) {
    take_out(b);
  } else {
    b->size = block_size(b) | KEPT;
    kept_end += block_size(b);
    return true;
  }
  split(b, (uint32_t)PWT_MIN(block_size(b), end - kept_end));
  b->size = block_size(b) | KEPT;
  kept_end += block_size(b);
  release(b);
  return true;
}

static void heap_keep_more(void) {
  kept_is_scarce = false;
  if (heap_end <= kept_end) return;
  uint64_t end = kept_end + PIECE;
  while (kept_end < end && kept_end < heap_end && keep_first(end)) continue;
}

/* What somebody outside looks at from now on: small ones go to what stays. */
static void heap_stay(void *payload, bool may_go) {
  Block *b = block_of(payload);
  if (!may_move(b)) return;
  Block *to = may_go ? find_to_stay(block_size(b)) : NULL;
  if (to) {
    settle(to, b);
    to->size &= ~(uint32_t)MOVABLE;
    release(b);
  } else {
    b->size &= ~(uint32_t)MOVABLE;
  }
}
