/* pwt_parallel_for: distribution of chunks to the worker pool, and waiting. */
#ifndef __wasm__
#define _POSIX_C_SOURCE 199309L
#include <time.h>
#endif

#include "parallel.h"

#include "base.h"

enum { MOST_PIECES_BEFORE_BREATH = 24 };
enum { SPINS_BEFORE_SLEEP = 20000, MAX_SLOTS = 64, SLOT_ALIGN = 64 };
enum { TENTH_OF_A_SECOND = 100000000, FOREVER = -1 };

void (*pwt_ask_for_workers)(void);
void (*pwt_ask_for_patience)(void);
pwt_breath (*pwt_ask_for_breath)(void);
int32_t pwt_breath_held;
PWT_PER_THREAD bool pwt_on_meta;
static PWT_PER_THREAD bool is_worker;

/* A ticket is generation << 32 | chunks not yet taken. A worker reads the ticket, then the job, and takes a chunk by
   exchanging that very ticket for one less: it succeeds only while the job that it read still has chunks to give, so
   nobody can take a chunk of one job with the data of another. */
static struct {
  _Alignas(64) uint64_t ticket;
  _Alignas(64) uint32_t done;
  uint32_t caller_sleeps;
  _Alignas(64) uint32_t signal;
  uint32_t sleepers;
  _Alignas(64) uint64_t pool; /* epoch << 32 | workers that are ready */
  int32_t max_threads;
  int32_t may_not_block;
  uint32_t running;
  uint32_t failed;
  uint32_t interrupted;
  uint32_t worker_failed; /* and the error it recorded, which becomes the caller's */
  ErrorState error;
  bool asked_for_workers;
  _Alignas(64) int64_t items;
  int64_t grain;
  uint32_t chunks;
  int32_t threads;
  void (*body)(void *, int64_t, int64_t);
  void *ctx;
} job = {.max_threads = INT32_MAX};

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_SEQ_CST)
#define STORE(x, value) __atomic_store_n(&(x), value, __ATOMIC_SEQ_CST)
#define ADD(x, value) __atomic_fetch_add(&(x), value, __ATOMIC_SEQ_CST)
#define PEEK(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define POKE(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELAXED)

#ifdef __wasm__
static void sleep_while(uint32_t *word, uint32_t value, int64_t nanoseconds) {
  __builtin_wasm_memory_atomic_wait32((int *)word, (int)value, nanoseconds);
}

static void wake(uint32_t *word, uint32_t count) { __builtin_wasm_memory_atomic_notify((int *)word, count); }
#else
static void sleep_while(uint32_t *word, uint32_t value, int64_t nanoseconds) {
  (void)nanoseconds;
  if (LOAD(*word) == value) nanosleep(&(struct timespec){.tv_nsec = 50000}, 0);
}

static void wake(uint32_t *word, uint32_t count) { (void)word, (void)count; }
#endif

/* Waits until `*word` is no longer `value`: it spins, then sleeps once where it may. Whoever changes the word looks at
   `*sleepers` afterwards. */
static void wait_while(uint32_t *word, uint32_t value, uint32_t *sleepers, int64_t nanoseconds) {
  for (int32_t spins = 0; spins < SPINS_BEFORE_SLEEP; spins++)
    if (LOAD(*word) != value) return;
  if (nanoseconds == 0) return;
  ADD(*sleepers, 1);
  sleep_while(word, value, nanoseconds);
  ADD(*sleepers, -1);
}

static void run_chunk(void (*body)(void *, int64_t, int64_t), void *ctx, int64_t items, int64_t grain, int64_t chunk) {
  int64_t begin = chunk * grain;
  body(ctx, begin, items - begin < grain ? items : begin + grain);
}

bool pwt_breathe(void) {
  static int32_t pieces, pieces_before = 1;
  if (is_worker || !pwt_ask_for_breath || pwt_breath_held || ++pieces < pieces_before) return false;
  pieces = 0;
  pwt_breath breath = pwt_ask_for_breath();
  pieces_before = breath == PWT_BREATH_LATE ? PWT_MAX(pieces_before / 4, 1) : PWT_MIN(2 * pieces_before, MOST_PIECES_BEFORE_BREATH);
  return breath == PWT_BREATH_LAST;
}

static void hand_over_error(void) {
  if (!pwt_failed()) return;
  if (!__atomic_exchange_n(&job.worker_failed, 1, __ATOMIC_SEQ_CST)) job.error = pwt_error_state;
  pwt_clear_error();
}

static void take_chunks(int32_t thread) {
  for (;;) {
    uint64_t ticket = LOAD(job.ticket);
    uint32_t left = (uint32_t)ticket, chunks = PEEK(job.chunks);
    if (left == 0 || thread >= PEEK(job.threads)) return;
    void (*body)(void *, int64_t, int64_t) = PEEK(job.body);
    void *ctx = PEEK(job.ctx);
    int64_t items = PEEK(job.items), grain = PEEK(job.grain);
    if (!__atomic_compare_exchange_n(&job.ticket, &ticket, ticket - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      continue;
    if (!LOAD(job.interrupted)) run_chunk(body, ctx, items, grain, chunks - left);
    if (is_worker) hand_over_error();
    if (ADD(job.done, 1) + 1 == chunks && LOAD(job.caller_sleeps)) wake(&job.done, 1);
    if (thread == 0 && (pwt_failed() || pwt_breathe())) STORE(job.interrupted, 1);
  }
}

static void signal_workers(void) {
  ADD(job.signal, 1);
  if (LOAD(job.sleepers)) wake(&job.signal, UINT32_MAX);
}

static void wait_for_workers(uint32_t chunks) {
  int64_t sleep = job.may_not_block ? 0 : TENTH_OF_A_SECOND;
  for (uint32_t done; (done = LOAD(job.done)) != chunks && !LOAD(job.failed);) {
    wait_while(&job.done, done, &job.caller_sleeps, sleep);
    if (sleep && LOAD(job.done) == done && pwt_ask_for_patience) pwt_ask_for_patience();
  }
  if (LOAD(job.failed)) __builtin_trap();
}

static void share(int64_t items, int64_t grain, uint32_t chunks, int32_t threads,
                  void (*body)(void *, int64_t, int64_t), void *ctx) {
  STORE(job.running, 1);
  STORE(job.interrupted, 0);
  STORE(job.worker_failed, 0);
  POKE(job.items, items);
  POKE(job.grain, grain);
  POKE(job.chunks, chunks);
  POKE(job.threads, threads);
  POKE(job.body, body);
  POKE(job.ctx, ctx);
  STORE(job.done, 0);
  uint64_t generation = (LOAD(job.ticket) >> 32) + 1;
  STORE(job.ticket, generation << 32 | chunks);
  signal_workers();
  take_chunks(0);
  wait_for_workers(chunks);
  if (LOAD(job.worker_failed) && !pwt_failed()) pwt_error_state = job.error;
  STORE(job.running, 0);
}

void pwt_parallel_for(int64_t items, int64_t grain, void (*body)(void *ctx, int64_t begin, int64_t end), void *ctx) {
  if (items <= 0 || pwt_on_meta) return;
  if (grain < 1) grain = 1;
  int64_t chunks = (items - 1) / grain + 1;
  if (chunks > INT32_MAX) {
    grain = (items - 1) / INT32_MAX + 1;
    chunks = (items - 1) / grain + 1;
  }
  bool can_share = chunks > 1 && !LOAD(job.running);
  if (can_share && !job.asked_for_workers && job.max_threads > 1 && pwt_ask_for_workers) {
    job.asked_for_workers = true;
    pwt_ask_for_workers();
  }
  int32_t threads = pwt_get_num_threads();
  if (can_share && threads > 1) {
    share(items, grain, (uint32_t)chunks, threads, body, ctx);
    return;
  }
  for (int64_t chunk = 0; chunk < chunks; chunk++) {
    run_chunk(body, ctx, items, grain, chunk);
    if (chunks > 1 && (pwt_failed() || pwt_breathe())) return;
  }
}

static __attribute__((noinline)) void serve_loops(int32_t id) {
  is_worker = true;
  uint32_t signal = LOAD(job.signal);
  uint32_t epoch = (uint32_t)(ADD(job.pool, 1) >> 32);
  while ((uint32_t)(LOAD(job.pool) >> 32) == epoch) {
    take_chunks(id);
    while (LOAD(job.signal) == signal) wait_while(&job.signal, signal, &job.sleepers, FOREVER);
    signal = LOAD(job.signal);
  }
}

#ifdef __wasm__
void __wasm_init_tls(void *);

/* A worker's own errors and modes live at the bottom of its stack. */
void pwt_worker_loop(int32_t id) {
  char state[__builtin_wasm_tls_size() + SLOT_ALIGN];
  __wasm_init_tls((void *)(((uintptr_t)state + SLOT_ALIGN - 1) & ~(uintptr_t)(SLOT_ALIGN - 1)));
  serve_loops(id);
}
#else
void pwt_worker_loop(int32_t id) { serve_loops(id); }
#endif

int32_t pwt_workers_ready(void) { return (int32_t)LOAD(job.pool); }

void pwt_workers_stop(void) {
  uint64_t epoch = (LOAD(job.pool) >> 32) + 1;
  STORE(job.ticket, ((LOAD(job.ticket) >> 32) + 1) << 32);
  STORE(job.pool, epoch << 32);
  STORE(job.running, 0);
  STORE(job.failed, 0);
  job.asked_for_workers = false;
  signal_workers();
}

void pwt_worker_failed(void) {
  STORE(job.failed, 1);
  ADD(job.done, 1);
  if (LOAD(job.caller_sleeps)) wake(&job.done, 1);
}

void pwt_set_num_threads(int32_t threads) { job.max_threads = threads < 1 ? 1 : threads; }

int32_t pwt_get_num_threads(void) {
  int32_t started = pwt_workers_ready() + 1;
  return started < job.max_threads ? started : job.max_threads;
}

void pwt_set_may_block(int32_t may_block) { job.may_not_block = !may_block; }

static int64_t aligned_slot(int64_t bytes) { return (bytes + SLOT_ALIGN - 1) & -(int64_t)SLOT_ALIGN; }

int64_t pwt_slots_bytes(int64_t slot_bytes) {
  int32_t threads = pwt_get_num_threads();
  return aligned_slot(slot_bytes) * (threads < MAX_SLOTS ? threads : MAX_SLOTS);
}

pwt_slots pwt_slots_over(void *workspace, int64_t workspace_bytes, int64_t slot_bytes) {
  int64_t bytes = aligned_slot(slot_bytes);
  int64_t count = bytes ? workspace_bytes / bytes : 0;
  uint64_t all = count < MAX_SLOTS ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
  return (pwt_slots){.data = workspace, .slot_bytes = bytes, .free = all};
}

void *pwt_slot_take(pwt_slots *slots) {
  if (slots->slot_bytes == 0) return slots->data;
  for (;;) {
    uint64_t free = LOAD(slots->free);
    if (free == 0) continue;
    if (__atomic_compare_exchange_n(&slots->free, &free, free & (free - 1), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return slots->data + __builtin_ctzll(free) * slots->slot_bytes;
  }
}

void pwt_slot_give(pwt_slots *slots, void *slot) {
  if (slots->slot_bytes == 0) return;
  int64_t index = ((char *)slot - slots->data) / slots->slot_bytes;
  __atomic_fetch_or(&slots->free, (uint64_t)1 << index, __ATOMIC_SEQ_CST);
}
