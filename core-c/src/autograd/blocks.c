/* Allocation of nodes and their arrays: one free list per size. */
#include "blocks.h"

#include "history.h"

#define UNIT 64
#define SPARE_CLASSES 8
#define MOST_SPARES 1024

static struct {
  void *first; /* each spare block begins with the address of the next */
  int count;
} spares[SPARE_CLASSES];

static int64_t units_of(int64_t bytes) { return (bytes + UNIT - 1) / UNIT; }

typedef uint64_t Lanes __attribute__((vector_size(16)));

/* Stores in a row: for so little, WebAssembly's memory.fill, a call, takes longer. */
static void clear_units(void *block, int64_t units) {
  for (Lanes *at = block; units; units--, at += UNIT / 16) {
    at[0] = at[1] = at[2] = at[3] = (Lanes){0, 0};
    __asm__ volatile("" ::: "memory"); /* or the compiler makes it a memory.fill again */
  }
}

void *pwt_block_new(int64_t bytes) {
  int64_t units = units_of(bytes);
  void *block;
  if (units <= SPARE_CLASSES && spares[units - 1].first) {
    block = spares[units - 1].first;
    spares[units - 1].first = *(void **)block;
    spares[units - 1].count--;
  } else {
    block = pwt_alloc(units * UNIT);
    if (!block) return NULL;
  }
  clear_units(block, units);
  return block;
}

void pwt_block_free(void *block, int64_t bytes) {
  int64_t units = units_of(bytes);
  if (!block) return;
  if (units > SPARE_CLASSES || spares[units - 1].count == MOST_SPARES) {
    pwt_free(block);
    return;
  }
  *(void **)block = spares[units - 1].first;
  spares[units - 1].first = block;
  spares[units - 1].count++;
}

void pwt_free_spare_nodes(void) {
  for (int i = 0; i < SPARE_CLASSES; i++) {
    while (spares[i].first) {
      void *next = *(void **)spares[i].first;
      pwt_free(spares[i].first);
      spares[i].first = next;
    }
    spares[i].count = 0;
  }
}
