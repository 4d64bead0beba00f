/* The mock core, for tests of the hosts: the real ABI, operators that misbehave on purpose. */
#include "base/parallel.h"

enum { RUNTIME_ERROR = 1, MEMORY_ERROR = 6, HOST_ERROR = 7 };
enum { FRAME_SLOTS = 65536, RELEASE_SLOTS = 4096, WORKERS = 16, WORKER_STACK = 65536, PAGE = 65536, HOST_PATIENCE = 9, HOST_BREATHE = 12 };

enum {
  OP_SUM = 1,       /* the sum of `count` integers */
  OP_FAIL,          /* (kind): fails with that kind of error */
  OP_UNREACHABLE,   /* traps */
  OP_OUT_OF_BOUNDS, /* reads beyond the memory: traps */
  OP_RECURSE,       /* (depth): overflows the stack when deep: traps */
  OP_CALL_HOST,     /* (kind, id): calls back with 41 in slot 2; the result is one more than what comes in slot 3 */
  OP_NEW,           /* a handle; live tensors are counted */
  OP_LIVE,          /* the number of live handles */
  OP_HALVE,         /* (double): a double */
  OP_PARALLEL,      /* (chunks, spins): a parallel loop; the result is the number of chunks that workers took */
  OP_GROW,          /* (bytes): allocates and leaves it allocated */
  OP_HIGH_HANDLE,   /* a handle above 2^31 */
  OP_WORKER_TRAP,   /* (chunks, spins): a parallel loop in which the first worker's chunk traps */
  OP_COUNT_UP,      /* (n): fills the frame with 0 to n - 1 */
  OP_RELEASE_CALLS, /* (kind): from now on every release calls back with that kind; 0: no longer */
};

__attribute__((import_module("host"), import_name("call"))) int32_t host_call(int32_t kind, int32_t id);
extern unsigned char __heap_base;

static union { int64_t i; double d; } frame[FRAME_SLOTS];
static int64_t release_area[RELEASE_SLOTS];
static int32_t next_dead;
static struct { int32_t kind, length; char message[256]; } error_state;
static uint32_t heap;
static int64_t memory_limit = INT64_MAX, live;
static uint32_t worker_stacks[WORKERS];
static int32_t release_kind;
static struct { int32_t taken_by_workers; bool trap; int64_t spins; } job;

static int32_t fail(int32_t kind, const char *message) {
  error_state.kind = kind;
  int32_t n = 0;
  for (; message[n]; n++) error_state.message[n] = message[n];
  error_state.length = n;
  return 0;
}

int32_t pwt_alloc_buffer(int32_t bytes) {
  uint32_t at = (heap + 63) & ~63u, need = (uint32_t)bytes;
  if ((int64_t)at + need > memory_limit) return fail(MEMORY_ERROR, "the memory limit is reached");
  uint64_t end = (uint64_t)at + need, have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
  if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) == (unsigned long)-1)
    return fail(MEMORY_ERROR, "no memory left");
  heap = (uint32_t)end;
  return (int32_t)at;
}
int32_t pwt_lend(int32_t items) { return pwt_alloc_buffer(8 * items); }
void pwt_free(int32_t address) { (void)address; }
void pwt_set_memory_limit(int64_t bytes) { memory_limit = bytes; }
int32_t pwt_abi_version(void) { return 1; }
int32_t pwt_release_area(void) { return (int32_t)(uintptr_t)release_area; }
int32_t pwt_error(void) { return (int32_t)(uintptr_t)&error_state; }
static void ask_for_workers(void) { host_call(0, 0); }
static void ask_for_patience(void) { host_call(HOST_PATIENCE, 0); }
static pwt_breath ask_for_breath(void) {
  int32_t status = host_call(HOST_BREATHE, 0);
  if (status == 1) fail(HOST_ERROR, "");
  return (pwt_breath)status;
}
_Thread_local struct { int32_t kind, length; char message[1536]; } pwt_error_state; /* of the loops, which record none here */
void pwt_clear_error(void) {}
int32_t pwt_start(void) {
  pwt_ask_for_workers = ask_for_workers;
  pwt_ask_for_patience = ask_for_patience;
  pwt_ask_for_breath = ask_for_breath;
  if (!heap) heap = (uint32_t)(uintptr_t)&__heap_base;
  return (int32_t)(uintptr_t)frame;
}

/* so that the caller is the first to be done, and waits */
enum { WORKER_IS_SLOWER = 3 };

static void spin(int64_t times) {
  for (volatile int64_t i = 0; i < times; i++) {}
}
static bool on_worker(void) { return __builtin_frame_address(0) > (void *)&__heap_base; }
static void run_chunk(void *ctx, int64_t begin, int64_t end) {
  (void)ctx, (void)begin, (void)end;
  if (on_worker()) {
    __atomic_fetch_add(&job.taken_by_workers, 1, __ATOMIC_SEQ_CST);
    if (job.trap) __builtin_trap();
    spin(WORKER_IS_SLOWER * job.spins);
  }
  spin(job.spins);
}
int32_t pwt_starter_stack(void) { return pwt_alloc_buffer(WORKER_STACK) + WORKER_STACK; }
int32_t pwt_thread_new(void) { return pwt_alloc_buffer(WORKER_STACK) + WORKER_STACK; }
int32_t pwt_thread_enter(int32_t top) { return (void)top, (int32_t)(uintptr_t)frame; }
void pwt_thread_leave(void) {}
void pwt_hold(int32_t handle) { (void)handle; }
int32_t pwt_held_once(int32_t handle) { return handle != 0; }
int32_t pwt_worker_stack(int32_t id) {
  if (!worker_stacks[id]) worker_stacks[id] = (uint32_t)pwt_alloc_buffer(WORKER_STACK);
  return worker_stacks[id] ? (int32_t)(worker_stacks[id] + WORKER_STACK) : 0;
}

static int64_t recurse(int64_t depth) {
  volatile char room[4096];
  room[depth & 4095] = (char)depth;
  return depth ? recurse(depth - 1) + room[depth & 4095] : 0;
}
static int64_t run_in_parallel(int64_t chunks, int64_t spins, bool trap) {
  job.taken_by_workers = 0;
  job.spins = spins;
  job.trap = trap;
  pwt_parallel_for(chunks, 1, run_chunk, 0);
  return job.taken_by_workers;
}

void pwt_release_dead(void) {
  int64_t handle;
  while ((handle = release_area[next_dead])) {
    release_area[next_dead] = 0;
    next_dead = (next_dead + 1) % RELEASE_SLOTS;
    live--;
    if (release_kind) host_call(release_kind, (int32_t)handle);
  }
}

int32_t pwt_invoke(int32_t op_and_count) {
  int32_t count = (int32_t)((uint32_t)op_and_count >> 16);
  pwt_release_dead();
  error_state.kind = 0;
  int64_t total = 0;
  switch (op_and_count & 0xffff) {
    case OP_SUM:
      for (int32_t i = 0; i < count; i++) total += frame[i].i;
      frame[0].i = total;
      return 1;
    case OP_FAIL: return fail((int32_t)frame[0].i, "expected \xe2\x82\xac, got nothing");
    case OP_UNREACHABLE: __builtin_trap();
    case OP_OUT_OF_BOUNDS: return *(volatile int32_t *)(uintptr_t)0xfffffff0u;
    case OP_RECURSE: frame[0].i = recurse(frame[0].i); return 1;
    case OP_CALL_HOST:
      frame[2].i = 41;
      if (host_call((int32_t)frame[0].i, (int32_t)frame[1].i)) return fail(HOST_ERROR, "");
      frame[0].i = frame[3].i + 1;
      return 1;
    case OP_NEW: live++; return (int32_t)(uintptr_t)&frame[16];
    case OP_LIVE: frame[0].i = live; return 1;
    case OP_HALVE: frame[0].d /= 2; return 1;
    case OP_PARALLEL: frame[0].i = run_in_parallel(frame[0].i, frame[1].i, false); return !error_state.kind;
    case OP_GROW: return pwt_alloc_buffer((int32_t)frame[0].i);
    case OP_HIGH_HANDLE: return (int32_t)0xfffffff0u;
    case OP_WORKER_TRAP: frame[0].i = run_in_parallel(frame[0].i, frame[1].i, true); return 1;
    case OP_COUNT_UP:
      for (int64_t n = frame[0].i, i = 0; i < n; i++) frame[i].i = i;
      return 1;
    case OP_RELEASE_CALLS: release_kind = (int32_t)frame[0].i; return 1;
    default: return fail(RUNTIME_ERROR, "unknown operator");
  }
}
