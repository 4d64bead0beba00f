/* Parallel loops over a pool of workers that the host starts.

   A loop over `items` is cut into chunks of `grain` items (the last one may be shorter), so chunk borders depend on
   `items` and `grain` only. The caller and the workers take chunks from one counter; with no worker the caller runs
   them all, in order. A body that computes each item (or each chunk) on its own therefore gives the same bits at any
   number of threads.

   Grain: a chunk should take 0.05 ms or more. Waking a sleeping worker costs up to 0.15 ms, so a job of less than about
   0.2 ms should be one chunk (grain >= items), which never leaves the caller.

   One thread at a time may call into the core. A loop inside a body runs inline. Workers allocate nothing and need a
   stack of 64 KiB. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Runs body(ctx, begin, end) once for every chunk of [0, items); a grain below 1 counts as 1. */
void pwt_parallel_for(int64_t items, int64_t grain, void (*body)(void *ctx, int64_t begin, int64_t end), void *ctx);

/* The life of one worker: returns after pwt_workers_stop. Ids are 1, 2, 3, …; the caller counts as thread 0. */
void pwt_worker_loop(int32_t id);

/* How many workers have entered pwt_worker_loop. */
int32_t pwt_workers_ready(void);

/* Sends every worker home, and drops what is left of a loop whose caller is gone. After a fork the child calls it too,
   to forget the parent's workers. */
void pwt_workers_stop(void);

/* A worker ended in the middle of a chunk: the caller of the loop traps. The host then stops the pool. */
void pwt_worker_failed(void);

/* What the host is asked for, where it set these: workers, before the first loop that could use any; and its patience,
   whenever the caller has slept for a tenth of a second, so that the host's other threads can go on. */
extern void (*pwt_ask_for_workers)(void);
extern void (*pwt_ask_for_patience)(void);

/* Between pieces of long work the host may let other threads of the program run and interrupts arrive, where it set this: about every
   millisecond, since it says when it was asked late. True of pwt_breathe: the program was interrupted; what is left of the loop is
   skipped, and the operator fails. A loop that is not cut into
   chunks calls pwt_breathe itself, once for each piece of 0.05 ms or more. While pwt_breath_held is not 0 nothing of the kind happens:
   what writes to memory that the program can see must not stop halfway. */
typedef enum { PWT_BREATH_TAKEN, PWT_BREATH_LAST, PWT_BREATH_LATE } pwt_breath;
extern pwt_breath (*pwt_ask_for_breath)(void);
extern int32_t pwt_breath_held;
bool pwt_breathe(void);

/* At most `threads` threads (the caller and workers of ids below `threads`) share a loop; 1 means the caller alone. */
void pwt_set_num_threads(int32_t threads);

/* The number of threads that may share the next loop: never more than the caller and the workers that are ready. */
int32_t pwt_get_num_threads(void);

/* Whether the caller may sleep while workers finish (true at first). A page's main thread may not: there it spins. */
void pwt_set_may_block(int32_t may_block);

/* Scratch memory for bodies: as many equal slots as the workspace holds, each used by one chunk at a time. Which slot
   a chunk gets is left to chance, so a chunk must not read what an earlier one wrote there. */
typedef struct {
  char *data;
  int64_t slot_bytes;
  uint64_t free;
} pwt_slots;

/* Bytes for one slot per thread of the next loop; `slot_bytes` is rounded up to the alignment of 64. */
int64_t pwt_slots_bytes(int64_t slot_bytes);
pwt_slots pwt_slots_over(void *workspace, int64_t workspace_bytes, int64_t slot_bytes);
void *pwt_slot_take(pwt_slots *slots);
void pwt_slot_give(pwt_slots *slots, void *slot);

/* The grain at which a chunk does at least `chunk_work` units when one item does `item_work` of them. */
static inline int64_t pwt_grain(int64_t chunk_work, int64_t item_work) {
  return item_work >= chunk_work || item_work < 1 ? 1 : (chunk_work + item_work - 1) / item_work;
}
