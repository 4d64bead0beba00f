/* The module's exports: pwt_invoke and others read arguments from the frame and write results to it. Contract: abi.md. */
#include "autograd.h"
#include "frame.h"
#include "host.h"
#include "ops.h"
#include "base/parallel.h"

#define RELEASE_CAPACITY 4096

static int64_t first_frame[PWT_FRAME_SLOTS];
PWT_PER_THREAD int64_t *pwt_frame = first_frame;

/* The host fills it from the start and goes on from there; what was taken is 0 again. */
static int64_t release_area[RELEASE_CAPACITY];
static int32_t next_dead;

/* ---- reading ---- */
/* Dtypes that few operators compute with: the others refuse them here. */
static bool takes(const Frame *f, DType dtype) {
  if (dtype < PWT_UINT16 || pwt_stored_dtypes[f->op] & (pwt_is_float8(dtype) ? 2 : 1)) return true;
  pwt_fail(PWT_NOT_IMPLEMENTED, "\"%s\" not implemented for '%t'", pwt_call_names[f->op], dtype);
  return false;
}

static Tensor *checked(const Frame *f, int64_t handle) {
  Tensor *t = (Tensor *)(uintptr_t)handle;
#ifdef __wasm__
  uint64_t end = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  bool inside = handle > 0 && handle % 16 == 0 && (uint64_t)handle + sizeof(Tensor) <= end;
#else
  bool inside = handle != 0;
#endif
  if (!inside || t->magic != PWT_TENSOR_MAGIC)
    return pwt_fail(PWT_RUNTIME_ERROR, "the handle %i is not a living tensor", handle);
  return takes(f, (DType)t->dtype) ? t : NULL;
}

static int64_t take(Frame *f) { return f->next < PWT_FRAME_SLOTS ? f->slots[f->next++] : 0; }

static double as_double(int64_t bits) {
  double value;
  pwt_copy_bytes(&value, &bits, 8);
  return value;
}

/* ---- devices: a meta tensor among the arguments puts the call on meta, where only numbers of the memory may be (0-d tensors) ---- */
enum { HERE = 1, ON_META = 2 };

static __attribute__((noinline)) Tensor *note_device(Frame *f, Tensor *t, uint8_t device) {
  uint8_t before = f->devices;
  f->devices |= device;
  pwt_on_meta |= device == ON_META;
  if (f->devices != (HERE | ON_META) || f->mixes) return t;
  const char *const names[] = {"", "cpu", "meta"};
  return pwt_fail(PWT_RUNTIME_ERROR, "Tensor on device %s is not on the expected device %s!", names[device], names[before == (HERE | ON_META) ? 3 - device : before]);
}

static inline Tensor *noted(Frame *f, Tensor *t) {
  if (!t || (!pwt_is_meta(t) && (t->ndim == 0 || f->devices == HERE))) return t;
  return note_device(f, t, pwt_is_meta(t) ? ON_META : HERE);
}

Tensor *pwt_read_tensor(Frame *f) { return noted(f, checked(f, take(f))); }

Tensor *pwt_read_optional_tensor(Frame *f) {
  int64_t handle = take(f);
  return handle ? noted(f, checked(f, handle)) : NULL;
}

/* Indices in memory may choose from what is on meta. */
static Tensor *as_index(Frame *f, Tensor *t) { return t && pwt_is_meta(t) ? note_device(f, t, ON_META) : t; }

Tensor *pwt_read_index(Frame *f) {
  int64_t handle = take(f);
  return handle ? as_index(f, checked(f, handle)) : NULL;
}

Tensor *pwt_read_generator(Frame *f) {
  int64_t handle = take(f);
  return handle ? checked(f, handle) : NULL;
}

static Scalar scalar_of(Frame *f, ScalarKind kind) {
  switch (kind) {
    case SCALAR_BOOL: return pwt_scalar_bool(take(f) != 0);
    case SCALAR_INT: return pwt_scalar_int(take(f));
    case SCALAR_FLOAT: return pwt_scalar_float(as_double(take(f)));
    case SCALAR_COMPLEX: {
      double re = as_double(take(f));
      return pwt_scalar_complex(re, as_double(take(f)));
    }
    default: return pwt_scalar_none();
  }
}

Tensor *pwt_read_tensor_or_number(Frame *f) {
  int64_t word = take(f);
  ScalarKind kind = (ScalarKind)(word >> 32);
  if (kind == 0) return word ? noted(f, checked(f, word)) : NULL;
  return pwt_from_scalar(scalar_of(f, kind));
}

Scalar pwt_read_scalar(Frame *f) { return scalar_of(f, (ScalarKind)take(f)); }
int64_t pwt_read_int(Frame *f) { return take(f); }
double pwt_read_float(Frame *f) { return as_double(take(f)); }

OptInt pwt_read_optional_int(Frame *f) {
  OptInt r = {take(f) != 0, 0};
  if (r.given) r.value = take(f);
  return r;
}

OptFloat pwt_read_optional_float(Frame *f) {
  OptFloat r = {take(f) != 0, 0};
  if (r.given) r.value = as_double(take(f));
  return r;
}

static bool fits(Frame *f, int64_t count) {
  if (count <= PWT_FRAME_SLOTS - f->next) return true;
  pwt_fail(PWT_VALUE_ERROR, "a list of %i items does not fit into a frame", count);
  return false;
}

static const int64_t *long_list(int64_t address, int64_t count) {
#ifdef __wasm__
  int64_t end = (int64_t)__builtin_wasm_memory_size(0) << 16;
  if (address <= 0 || address % 8 || address >= end || count > (end - address) / 8)
    return pwt_fail(PWT_VALUE_ERROR, "a list of %i items at %i is outside of the memory", count, address);
#endif
  return (const int64_t *)(uintptr_t)address;
}

IntList pwt_read_ints(Frame *f) {
  int64_t count = take(f);
  if (count <= 0) return (IntList){f->slots, count < 0 ? -1 : 0};
  if (count > PWT_LIST_IN_FRAME) {
    const int64_t *items = long_list(take(f), count);
    return (IntList){items, items ? count : 0};
  }
  if (!fits(f, count)) return (IntList){NULL, 0};
  IntList list = {f->slots + f->next, count};
  f->next += count;
  return list;
}

FloatList pwt_read_floats(Frame *f) {
  IntList bits = pwt_read_ints(f);
  return (FloatList){(const double *)bits.items, bits.count};
}

ScalarList pwt_read_scalars(Frame *f) {
  int64_t count = take(f);
  Scalar *items = count > PWT_FRAME_SLOTS ? NULL : pwt_scratch_items(count, sizeof *items);
  for (int64_t i = 0; items && i < count; i++) items[i] = pwt_read_scalar(f);
  return (ScalarList){items, items ? count : 0};
}

static TensorList read_list(Frame *f, bool optional_items, Tensor *(*note)(Frame *, Tensor *)) {
  IntList handles = pwt_read_ints(f);
  if (handles.count < 0) return (TensorList){NULL, -1};
  TensorList list = pwt_list_new(handles.count);
  for (int64_t i = 0; i < list.count; i++) list.items[i] = handles.items[i] || !optional_items ? note(f, checked(f, handles.items[i])) : NULL;
  return list;
}

TensorList pwt_read_tensors(Frame *f, bool optional_items) { return read_list(f, optional_items, noted); }
TensorList pwt_read_indices(Frame *f) { return read_list(f, true, as_index); }

DType pwt_read_dtype(Frame *f) {
  int64_t code = take(f);
  return code >= 0 && code < PWT_DTYPES && takes(f, (DType)code) ? (DType)code : PWT_NO_DTYPE;
}

const char *pwt_read_text(Frame *f) {
  int64_t length = take(f);
  if (length < 0) return NULL;
  if (length > 4096 || !fits(f, (length + 7) / 8)) return pwt_fail(PWT_VALUE_ERROR, "a text of %i bytes is too long", length);
  char *text = pwt_scratch_items(length + 1, 1);
  if (!text) return NULL;
  pwt_copy_bytes(text, f->slots + f->next, length);
  text[length] = 0;
  f->next += (length + 7) / 8;
  return text;
}

/* ---- writing ---- */
static int32_t hand_over(int64_t *slot, Tensor *t) {
  *slot = (int64_t)(uintptr_t)pwt_retain(t);
  return (int32_t)(uintptr_t)t;
}

int32_t pwt_write_tensor(Frame *f, Tensor *result) {
  if (pwt_failed()) return 0;
  /* in-place and out= forms give back what the host already holds */
  if (f->form != FORM_NEW) return 1;
  if (!result) {
    pwt_frame[0] = 0;
    return 1;
  }
  if (result->flags & TENSOR_NUMBER) {
    result->flags &= (uint8_t)~TENSOR_NUMBER;
    if (result->dtype >= PWT_FLOAT16) result = pwt_raw_cast(result, pwt_is_complex((DType)result->dtype) ? pwt_complex_dtype(pwt_default_dtype) : pwt_default_dtype);
    if (!result) return 0;
  }
  return hand_over(&pwt_frame[0], result);
}

int32_t pwt_write_many(Frame *f, Tensor **results, int count) {
  (void)f;
  if (pwt_failed()) return 0;
  for (int i = 0; i < count; i++) hand_over(&pwt_frame[i], results[i]);
  return 1;
}

int32_t pwt_write_tensors(Frame *f, TensorList results) {
  (void)f;
  if (pwt_failed()) return 0;
  int64_t *items = pwt_frame_place(0, results.count);
  if (!items) return 0;
  for (int64_t i = 0; i < results.count; i++) hand_over(&items[i], results.items[i]);
  return 1;
}

int32_t pwt_write_int(Frame *f, int64_t value) {
  (void)f;
  pwt_frame[0] = value;
  return !pwt_failed();
}

int32_t pwt_write_float(Frame *f, double value) {
  (void)f;
  pwt_copy_bytes(&pwt_frame[0], &value, 8);
  return !pwt_failed();
}

int32_t pwt_write_scalar(Frame *f, Scalar value) {
  pwt_frame[1] = value.i;
  if (value.kind >= SCALAR_FLOAT) pwt_copy_bytes(&pwt_frame[1], &value.re, 8);
  pwt_copy_bytes(&pwt_frame[2], &value.im, 8);
  return pwt_write_int(f, value.kind);
}

/* ---- exports: wasm/binary.py lists them ---- */
int32_t pwt_abi_version(void) { return PWT_ABI_VERSION; }

static void ask_for_workers(void) { pwt_host_call(HOST_START_THREADS, 0); }
static void ask_for_patience(void) { pwt_host_call(HOST_PATIENCE, 0); }
static pwt_breath ask_for_breath(void) {
  if (pwt_failed()) return PWT_BREATH_LAST;
  int32_t status = pwt_host_call(HOST_BREATHE, 0);
  if (status == 0) return PWT_BREATH_TAKEN;
  if (status == HOST_LATE) return PWT_BREATH_LATE;
  pwt_fail(PWT_HOST_ERROR, "the program was interrupted");
  return PWT_BREATH_LAST;
}

static void give_up_spares(void) {
  pwt_free_spare_nodes();
  pwt_free_spare_tensors();
}

int32_t pwt_start(void) {
  pwt_give_up_spares = give_up_spares;
  pwt_ask_for_workers = ask_for_workers;
  pwt_ask_for_patience = ask_for_patience;
  pwt_ask_for_breath = ask_for_breath;
  return (int32_t)(uintptr_t)pwt_frame;
}

int32_t pwt_release_area(void) { return (int32_t)(uintptr_t)release_area; }

int32_t pwt_error(void) { return (int32_t)(uintptr_t)&pwt_error_state; }

/* A release may call back, and the host may add handles meanwhile: take one at a time. */
void pwt_release_dead(void) {
  int64_t handle;
  while ((handle = release_area[next_dead])) {
    release_area[next_dead] = 0;
    next_dead = (next_dead + 1) % RELEASE_CAPACITY;
    Tensor *t = (Tensor *)(uintptr_t)handle;
    if (t->magic == PWT_TENSOR_MAGIC) pwt_release(t);
    else if (t->magic == PWT_NODE_MAGIC) pwt_node_release((Node *)t);
  }
}

/* Holds what a callback leaves in the frame until the core has taken it: its object may be gone before that, and another thread in between
   releases what is dead. */
void pwt_hold(int32_t handle) { pwt_retain((Tensor *)(uintptr_t)(uint32_t)handle); }

/* Whether the host alone holds a tensor and, through it, the node that made it: then hooks on it can go with it. */
int32_t pwt_held_once(int32_t handle) {
  const Tensor *t = (const Tensor *)(uintptr_t)(uint32_t)handle;
  if (t->magic != PWT_TENSOR_MAGIC || t->refs != 1) return 0;
  const Autograd *a = t->autograd;
  return !a || (!a->accumulator && (!a->grad_fn || a->grad_fn->refs == 1));
}

/* What an operator changes for a while and a trap leaves changed. */
typedef struct Entered {
  struct Entered *outer;
  const void *pass;
  bool grad_enabled, on_meta;
} Entered;
static PWT_PER_THREAD Entered *innermost;
static int32_t calls_at_work; /* of all threads */

/* The stack grows down, so whoever entered at or below this call's place is gone by a trap. */
static void enter(Entered *self) {
#ifdef __wasm__
  for (; innermost && innermost <= self; innermost = innermost->outer) {
    pwt_grad_enabled = innermost->grad_enabled;
    pwt_back_to_pass(innermost->pass);
    pwt_on_meta = innermost->on_meta;
    calls_at_work--;
  }
#endif
  if (!innermost) pwt_breath_held = 0; /* a trap may have left it */
  *self = (Entered){innermost, pwt_innermost_pass(), pwt_grad_enabled, pwt_on_meta};
  innermost = self;
  calls_at_work++;
}

/* After an operator that found no memory, and with none at work: whether there is enough now. */
static __attribute__((noinline)) bool have_room(void) {
  ErrorState state = pwt_error_state;
  if (release_area[next_dead]) pwt_release_dead();
  give_up_spares();
  pwt_error_state = state;
  return pwt_alone && pwt_move_together();
}

/* word: operator in the low 16 bits, number of arguments given in the next 8, form in the next 2 */
int32_t pwt_invoke(int32_t word) {
  if (release_area[next_dead]) pwt_release_dead();
  int32_t op = word & 0xffff;
  pwt_clear_error();
  if (op >= pwt_call_count) {
    pwt_fail(PWT_NOT_IMPLEMENTED, "operator %d is not in this binary", op);
    return 0;
  }
  Entered entered;
  enter(&entered);
  if (pwt_has_address) pwt_note_address(false);
  pwt_alone = calls_at_work == 1 && pwt_nobody_has_an_address();
  if (pwt_alone && *pwt_room_is_scarce) pwt_make_room();
  Lent *lent = pwt_lent;
  pwt_lent = NULL;
  uint32_t changes = pwt_changes;
  int32_t result, held = pwt_breath_held;
  for (bool again = false;; again = true) {
    int64_t mark = pwt_scope_open();
    Frame frame = {.slots = pwt_frame, .given = word >> 16 & 0xff, .form = (Form)(word >> 24 & 3), .op = op};
    pwt_on_meta = pwt_makes_meta;
    pwt_breath_held = held + (frame.form != FORM_NEW);
    result = pwt_calls[op](&frame);
    pwt_breath_held = held;
    pwt_scope_close(mark);
    if (pwt_error_state.kind != PWT_MEMORY_ERROR || again || !have_room()) break;
    if (pwt_changes != changes || frame.form == FORM_INPLACE) break;
    pwt_clear_error(); /* it failed before it changed anything */
  }
  if (lent) pwt_give_back(lent);
  pwt_on_meta = entered.on_meta;
  innermost = entered.outer;
  calls_at_work--;
  if (pwt_failed()) return 0;
  return result;
}

int32_t pwt_alloc_buffer(int32_t bytes) { return (int32_t)(uintptr_t)pwt_alloc((uint32_t)bytes); }

/* ---- threads of the program: each calls through an instance of its own, on a stack and with a state of its own ---- */
#define THREAD_STACK (1 << 20)
typedef struct {
  int64_t *frame;
  void *state; /* what PWT_PER_THREAD variables are */
} Thread;

/* The top of the stack on which an instance stands until it has its own: for one at a time. */
int32_t pwt_starter_stack(void) {
  static _Alignas(16) char stack[32 << 10];
  return (int32_t)(uintptr_t)(stack + sizeof stack);
}

/* Memory for a thread: the top of its stack, below which the rest lies. 0: there is none. */
int32_t pwt_thread_new(void) {
#ifdef __wasm__
  char *block = pwt_alloc_uncounted(THREAD_STACK + (int64_t)sizeof(Thread) + 64);
  int64_t *frame = pwt_alloc_uncounted(PWT_FRAME_SLOTS * 8);
  char *state = pwt_alloc_uncounted((int64_t)__builtin_wasm_tls_size() + 64);
  if (!block || !frame || !state) {
    pwt_free_uncounted(block);
    pwt_free_uncounted(frame);
    pwt_free_uncounted(state);
    return 0;
  }
  char *top = (char *)(((uintptr_t)block + THREAD_STACK) & ~(uintptr_t)63);
  *(Thread *)top = (Thread){frame, (void *)(((uintptr_t)state + 63) & ~(uintptr_t)63)};
  return (int32_t)(uintptr_t)top;
#else
  return 0;
#endif
}

#ifdef __wasm__
void __wasm_init_tls(void *);
#endif

/* Called on the instance of a new thread once its stack pointer stands at what pwt_thread_new gave; and again where another thread
   takes it over. Returns the frame. */
int32_t pwt_thread_enter(int32_t top) {
#ifdef __wasm__
  const Thread *thread = (const Thread *)(uintptr_t)(uint32_t)top;
  __wasm_init_tls(thread->state);
  pwt_frame = thread->frame;
#else
  (void)top;
#endif
  return (int32_t)(uintptr_t)pwt_frame;
}

/* A thread of the program ended: another one may take over its stack and its frame, but nothing else. */
void pwt_thread_leave(void) {
  pwt_kernel__clear_autocast_cache();
  pwt_grad_enabled = true;
  pwt_inference_enabled = pwt_saved_hooks = pwt_makes_meta = false;
  pwt_autocast_type = PWT_AUTOCAST_OFF;
  pwt_clear_error();
  if (pwt_has_address) pwt_note_address(false);
}

#define WORKERS 16
#define WORKER_STACK (256 << 10)
int32_t pwt_worker_stack(int32_t id) {
  static char *stacks[WORKERS];
  if (id < 0 || id >= WORKERS) return 0;
  if (!stacks[id]) stacks[id] = pwt_alloc_uncounted(WORKER_STACK);
  return stacks[id] ? (int32_t)(uintptr_t)(stacks[id] + WORKER_STACK) : 0;
}
