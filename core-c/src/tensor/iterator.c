/* The pointwise loop: broadcasting, merged dimensions, blocks converted to the compute type and back. */
#include "iterator.h"

#include "base/parallel.h"

#define LOOP_STEP 4
#define PARALLEL_GRAIN 65536 /* elements of a pointwise loop below which waking a worker does not pay */

typedef struct {
  char *data;
  int64_t strides[PWT_MAX_DIMS]; /* in bytes, of the merged dimensions, outermost first */
  uint8_t dtype, compute, common, item, in_place; /* in_place: the loop reads or writes the memory itself when contiguous */
  bool constant; /* one element for all: its block is filled once */
} Walker;

typedef struct {
  int count, outputs, ndim;
  int64_t numel, block;
  int64_t sizes[PWT_MAX_DIMS];
  Walker walkers[PWT_MAX_OPERANDS];
  uint8_t compute[PWT_MAX_OPERANDS];
  Loop loop;
  const void *parameters;
} Plan;

/* ---- moving strided elements in and out of a contiguous block ---- */
#define MOVE_ITEMS(TYPE)                                                                \
  if (gather)                                                                           \
    for (int64_t i = 0; i < n; i++) ((TYPE *)block)[i] = *(const TYPE *)(memory + i * stride); \
  else                                                                                  \
    for (int64_t i = 0; i < n; i++) *(TYPE *)(memory + i * stride) = ((const TYPE *)block)[i];
typedef struct { uint64_t halves[2]; } Item16;

static void move_items(char *block, char *memory, int64_t stride, int64_t n, int item, bool gather) {
  if (stride == item) {
    if (gather) pwt_copy_bytes(block, memory, n * item);
    else pwt_copy_bytes(memory, block, n * item);
    return;
  }
  switch (item) {
    case 1: MOVE_ITEMS(uint8_t) break;
    case 2: MOVE_ITEMS(uint16_t) break;
    case 4: MOVE_ITEMS(uint32_t) break;
    case 8: MOVE_ITEMS(uint64_t) break;
    default: MOVE_ITEMS(Item16) break;
  }
}

/* Moves n elements that start at linear position `start` of the merged dimensions. */
static void move_block(const Plan *plan, const Walker *w, char *block, int64_t start, int64_t n, bool gather) {
  int inner = plan->ndim - 1;
  int64_t index[PWT_MAX_DIMS], rest = start;
  char *memory = w->data;
  for (int d = inner; d >= 0; d--) {
    index[d] = rest % plan->sizes[d];
    rest /= plan->sizes[d];
    memory += index[d] * w->strides[d];
  }
  for (;;) {
    int64_t run = PWT_MIN(n, plan->sizes[inner] - index[inner]);
    move_items(block, memory, w->strides[inner], run, w->item, gather);
    n -= run;
    if (!n) return;
    block += run * w->item;
    memory -= index[inner] * w->strides[inner];
    index[inner] = 0;
    for (int d = inner - 1; d >= 0; d--) {
      memory += w->strides[d];
      if (++index[d] < plan->sizes[d]) break;
      memory -= plan->sizes[d] * w->strides[d];
      index[d] = 0;
    }
  }
}

static bool is_flat(const Plan *plan, const Walker *w) { return plan->ndim == 1 && w->strides[0] == w->item; }

static bool narrows_first(const Walker *w) { return w->common != w->dtype && !pwt_stored_as_computed(w->common, w->compute); }

/* Fills `block` with n elements of the compute type. `scratch` holds a block of stored elements. */
static void fill_input(const Plan *plan, const Walker *w, char *block, char *scratch, int64_t start, int64_t n) {
  char *stored = scratch;
  if (is_flat(plan, w)) {
    stored = w->data + start * w->item;
  } else if (pwt_stored_as_computed(w->dtype, w->compute)) {
    move_block(plan, w, block, start, n, true);
    return;
  } else {
    move_block(plan, w, scratch, start, n, true);
  }
  if (narrows_first(w)) {
    pwt_convert(block, w->common, stored, w->dtype, n);
    pwt_move_bytes(scratch, block, n * pwt_itemsize[w->common]);
    pwt_load(block, w->compute, scratch, w->common, n);
  } else {
    pwt_load(block, w->compute, stored, w->dtype, n);
  }
}

static void fill_constant(const Walker *w, char *block, int64_t n) {
  char item[16];
  int size = pwt_compute_size[w->compute];
  if (narrows_first(w)) {
    char narrow[16];
    pwt_convert(narrow, w->common, w->data, w->dtype, 1);
    pwt_load(item, w->compute, narrow, w->common, 1);
  } else {
    pwt_load(item, w->compute, w->data, w->dtype, 1);
  }
  if (size == 4) for (int64_t i = 0; i < n; i++) ((uint32_t *)block)[i] = *(uint32_t *)item;
  else if (size == 8) for (int64_t i = 0; i < n; i++) ((uint64_t *)block)[i] = *(uint64_t *)item;
  else for (int64_t i = 0; i < n; i++) pwt_copy_bytes(block + i * size, item, size);
}

/* Loops take whole groups of four. What is left goes through a padded copy, which repeats its last element. */
static void call_loop(Loop loop, void *const *arguments, const uint8_t *compute, int count, int outputs, int64_t n, const void *parameters) {
  int64_t whole = n & ~(int64_t)(LOOP_STEP - 1), rest = n - whole;
  if (whole) loop(arguments, whole, parameters);
  if (!rest) return;
  _Alignas(16) char padded[PWT_MAX_OPERANDS][LOOP_STEP * 16];
  void *tail[PWT_MAX_OPERANDS];
  for (int i = 0; i < count; i++) {
    int size = pwt_compute_size[compute[i]];
    const char *from = (const char *)arguments[i] + whole * size;
    tail[i] = padded[i];
    if (i < outputs) continue;
    for (int k = 0; k < LOOP_STEP; k++) pwt_copy_bytes(padded[i] + k * size, from + PWT_MIN(k, rest - 1) * size, size);
  }
  loop(tail, LOOP_STEP, parameters);
  for (int i = 0; i < outputs; i++) {
    int size = pwt_compute_size[compute[i]];
    pwt_copy_bytes((char *)arguments[i] + whole * size, padded[i], rest * size);
  }
}

static void run_range(void *context, int64_t begin, int64_t end) {
  const Plan *plan = context;
  _Alignas(64) char blocks[PWT_MAX_OPERANDS][PWT_BLOCK_BYTES], scratch[PWT_BLOCK_BYTES];
  void *arguments[PWT_MAX_OPERANDS];
  int64_t block = plan->block;
  for (int i = plan->outputs; i < plan->count; i++)
    if (plan->walkers[i].constant) fill_constant(&plan->walkers[i], blocks[i], PWT_MIN(block, end - begin));
  for (int64_t start = begin; start < end; start += block) {
    int64_t n = PWT_MIN(block, end - start);
    for (int i = 0; i < plan->count; i++) {
      const Walker *w = &plan->walkers[i];
      bool direct = w->in_place && is_flat(plan, w);
      arguments[i] = direct ? w->data + start * w->item : blocks[i];
      if (i >= plan->outputs && !direct && !w->constant) fill_input(plan, w, blocks[i], scratch, start, n);
    }
    call_loop(plan->loop, arguments, plan->compute, plan->count, plan->outputs, n, plan->parameters);
    for (int i = 0; i < plan->outputs; i++) {
      const Walker *w = &plan->walkers[i];
      if (arguments[i] != blocks[i]) continue;
      if (pwt_stored_as_computed(w->dtype, w->compute)) {
        move_block(plan, w, blocks[i], start, n, false);
      } else if (is_flat(plan, w)) {
        pwt_store(w->data + start * w->item, w->dtype, blocks[i], w->compute, n);
      } else {
        pwt_store(scratch, w->dtype, blocks[i], w->compute, n);
        move_block(plan, w, scratch, start, n, false);
      }
    }
  }
}

/* Orders dimensions by the first output's strides, then merges neighbours that all operands walk as one. */
static void merge_dimensions(Plan *plan) {
  for (int i = 1; i < plan->ndim; i++)
    for (int j = i; j > 0; j--) {
      int wins = 0;
      for (int k = 0; k < plan->count && !wins; k++) {
        int64_t outer = plan->walkers[k].strides[j - 1], inner = plan->walkers[k].strides[j];
        if (outer && inner) wins = outer < inner ? 1 : outer > inner ? -1 : 0;
      }
      if (wins <= 0) break;
      int64_t size = plan->sizes[j];
      plan->sizes[j] = plan->sizes[j - 1];
      plan->sizes[j - 1] = size;
      for (int k = 0; k < plan->count; k++) {
        int64_t *s = plan->walkers[k].strides, stride = s[j];
        s[j] = s[j - 1];
        s[j - 1] = stride;
      }
    }
  int kept = 0;
  for (int d = 1; d < plan->ndim; d++) {
    bool joins = true;
    for (int k = 0; k < plan->count && joins; k++)
      joins = plan->walkers[k].strides[kept] == plan->walkers[k].strides[d] * plan->sizes[d];
    if (joins) {
      plan->sizes[kept] *= plan->sizes[d];
    } else {
      plan->sizes[++kept] = plan->sizes[d];
    }
    for (int k = 0; k < plan->count; k++) plan->walkers[k].strides[kept] = plan->walkers[k].strides[d];
  }
  plan->ndim = kept + 1;
}

static void add_walker(Plan *plan, const Operands *o, int i, const Tensor *shape) {
  const Tensor *t = o->tensors[i];
  Walker *w = &plan->walkers[i];
  int lead = shape->ndim - t->ndim, kept = 0;
  *w = (Walker){.data = pwt_data(t), .dtype = t->dtype, .compute = o->compute[i], .item = pwt_itemsize[t->dtype]};
  w->common = i < o->outputs ? t->dtype : o->common[i];
  w->in_place = w->common == t->dtype && pwt_stored_as_computed(t->dtype, w->compute);
  w->constant = i >= o->outputs;
  for (int d = 0; d < shape->ndim; d++) {
    if (shape->sizes[d] == 1) continue;
    int64_t stride = d < lead || t->sizes[d - lead] == 1 ? 0 : t->strides[d - lead] * w->item;
    if (stride) w->constant = false;
    w->strides[kept] = stride;
    plan->sizes[kept++] = shape->sizes[d];
  }
  if (kept == 0) {
    w->strides[0] = w->item;
    plan->sizes[kept++] = 1;
    w->constant = false;
  }
  plan->ndim = kept;
}

/* Windows that overlap are written one after the other, so that each sees what those before it wrote, as in torch. */
static bool run_windows(Operands *o, Loop loop, const void *parameters) {
  Tensor parts[PWT_MAX_OPERANDS];
  Operands part = *o;
  const Tensor *shape = o->tensors[0];
  for (int i = 0; i < o->count; i++) {
    Tensor *t = o->tensors[i];
    if (!pwt_same_sizes(t, shape) && !(t = pwt_raw_expand(t, shape->ndim, shape->sizes))) return false;
    parts[i] = *t;
    parts[i].ndim--;
    pwt_move_bytes(parts[i].sizes, t->sizes + 1, parts[i].ndim * 8);
    pwt_move_bytes(parts[i].strides, t->strides + 1, parts[i].ndim * 8);
    parts[i].numel = t->numel / t->sizes[0];
    parts[i].contiguous = pwt_compute_contiguous(&parts[i]);
    part.tensors[i] = &parts[i];
    o->tensors[i] = t;
  }
  for (int64_t k = 0; k < shape->sizes[0]; k++) {
    for (int i = 0; i < o->count; i++) parts[i].offset = o->tensors[i]->offset + k * o->tensors[i]->strides[0];
    Operands window = part;
    if (!pwt_run_loop(&window, loop, parameters)) return false;
  }
  return true;
}

bool pwt_run_loop(Operands *o, Loop loop, const void *parameters) {
  Tensor *shape = o->tensors[0];
  if (shape->numel == 0 || pwt_is_meta(shape)) return true;
  bool flat = true;
  for (int i = 0; i < o->count && flat; i++) {
    const Tensor *t = o->tensors[i];
    flat = t->contiguous && t->numel == shape->numel && pwt_stored_as_computed(t->dtype, o->compute[i]) &&
           (i < o->outputs || o->common[i] == t->dtype) && pwt_same_sizes(t, shape);
    if (i >= o->outputs && flat)
      for (int k = 0; k < o->outputs; k++)
        if (t->storage == o->tensors[k]->storage && t->offset != o->tensors[k]->offset) flat = false;
  }
  if (flat && shape->numel <= PARALLEL_GRAIN) {
    void *arguments[PWT_MAX_OPERANDS];
    for (int i = 0; i < o->count; i++) arguments[i] = pwt_data(o->tensors[i]);
    call_loop(loop, arguments, o->compute, o->count, o->outputs, shape->numel, parameters);
    return true;
  }
  for (int i = o->outputs; i < o->count; i++) {
    for (int k = 0; k < o->outputs; k++) {
      Tensor *in = o->tensors[i], *out = o->tensors[k];
      if (!pwt_share_memory(in, out)) continue;
      bool exact = in->offset == out->offset && in->dtype == out->dtype && pwt_same_sizes(in, out);
      for (int d = 0; d < in->ndim && exact; d++) exact = in->sizes[d] == 1 || in->strides[d] == out->strides[d];
      if (!exact && !(o->tensors[i] = pwt_raw_clone(in))) return false;
    }
  }
  if (!shape->contiguous && !pwt_overlaps_itself(shape) && pwt_shares_elements(shape)) return run_windows(o, loop, parameters);
  Plan plan = {.count = o->count, .outputs = o->outputs, .numel = shape->numel, .loop = loop, .parameters = parameters};
  int widest = 4;
  for (int i = 0; i < o->count; i++) {
    add_walker(&plan, o, i, shape);
    plan.compute[i] = o->compute[i];
    widest = PWT_MAX(widest, PWT_MAX(pwt_compute_size[o->compute[i]], pwt_itemsize[o->tensors[i]->dtype]));
  }
  plan.block = PWT_BLOCK_BYTES / widest;
  merge_dimensions(&plan);
  if (plan.numel < PARALLEL_GRAIN) run_range(&plan, 0, plan.numel);
  else pwt_parallel_for(plan.numel, PARALLEL_GRAIN / 2, run_range, &plan);
  return true;
}

/* ---- copies ---- */
static void copy_loop_1(void *const *a, int64_t n, const void *p) { (void)p, pwt_copy_bytes(a[0], a[1], n); }
static void copy_loop_4(void *const *a, int64_t n, const void *p) { (void)p, pwt_copy_bytes(a[0], a[1], n * 4); }
static void copy_loop_8(void *const *a, int64_t n, const void *p) { (void)p, pwt_copy_bytes(a[0], a[1], n * 8); }
static void copy_loop_16(void *const *a, int64_t n, const void *p) { (void)p, pwt_copy_bytes(a[0], a[1], n * 16); }

static void copy_same_item(Tensor *to, Tensor *from) {
  /* as raw items, whatever they mean; two-byte items have no compute type of their own and go through int16 */
  static const struct { uint8_t dtype, compute; Loop loop; } by_size[17] = {
      [1] = {PWT_BOOL, CT_BOOL, copy_loop_1}, [2] = {PWT_INT16, CT_I32, copy_loop_4}, [4] = {PWT_INT32, CT_I32, copy_loop_4},
      [8] = {PWT_INT64, CT_I64, copy_loop_8}, [16] = {PWT_COMPLEX128, CT_C128, copy_loop_16}};
  int size = pwt_itemsize[to->dtype];
  Tensor a = *to, b = *from;
  a.dtype = b.dtype = by_size[size].dtype;
  Operands o = {.count = 2, .outputs = 1, .tensors = {&a, &b}, .compute = {by_size[size].compute, by_size[size].compute}};
  o.common[1] = b.dtype;
  pwt_run_loop(&o, by_size[size].loop, NULL);
}

void pwt_raw_copy(Tensor *to, const Tensor *source) {
  Tensor *from = (Tensor *)source;
  if (!to || !from || pwt_is_meta(to) || to->numel == 0) return;
  if (pwt_is_meta(from)) {
    pwt_fail(PWT_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
    return;
  }
  if (to->dtype == from->dtype) {
    if (to->contiguous && from->contiguous && pwt_same_sizes(to, from))
      pwt_move_bytes(pwt_data(to), pwt_data(from), to->numel * pwt_itemsize[to->dtype]);
    else
      copy_same_item(to, from);
    return;
  }
  /* a float narrows to 8 or 16 bits in one step, which knows what is out of range */
  bool to_narrow = (to->dtype >= PWT_UINT8 && to->dtype <= PWT_INT16) || to->dtype == PWT_UINT16 || (to->dtype == PWT_UINT64 && !pwt_is_complex(from->dtype));
  bool narrows = to_narrow && pwt_is_differentiable(from->dtype);
  ComputeType compute = to->dtype == PWT_BOOL ? CT_BOOL : pwt_compute_type[narrows ? from->dtype : to->dtype];
  static const Loop loops[CT_COUNT] = {copy_loop_1, copy_loop_4, copy_loop_8, copy_loop_4, copy_loop_8, copy_loop_8, copy_loop_16};
  Operands o = {.count = 2, .outputs = 1, .tensors = {to, from}, .compute = {compute, compute}};
  o.common[1] = from->dtype;
  pwt_run_loop(&o, loops[compute], NULL);
}
