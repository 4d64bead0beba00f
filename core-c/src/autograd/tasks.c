/* Tasks of one backward pass: a hash table from nodes to tasks, graph discovery, the ready queue. */
#include "tasks.h"

#include "blocks.h"

static void *grown(void *items, int64_t used, int64_t *capacity, int64_t needed, int64_t size) {
  if (needed <= *capacity) return items;
  int64_t wanted = PWT_MAX(needed, PWT_MAX(64, *capacity * 2));
  void *larger = pwt_alloc(wanted * size);
  if (!larger) return NULL;
  if (used) pwt_copy_bytes(larger, items, used * size);
  pwt_free(items);
  *capacity = wanted;
  return larger;
}

static uint32_t hash(const Node *node, int32_t slots) {
  return (uint32_t)(((uint64_t)(uintptr_t)node >> 6) * 0x9e3779b97f4a7c15u >> 32) & (uint32_t)(slots - 1);
}

static void enter(Run *run, int32_t task) {
  uint32_t at = hash(run->tasks[task].node, run->slot_count);
  while (run->slots[at]) at = (at + 1) & (uint32_t)(run->slot_count - 1);
  run->slots[at] = task + 1;
}

static bool make_room(Run *run) {
  int64_t capacity = run->task_capacity;
  Task *tasks = grown(run->tasks, run->task_count, &capacity, run->task_count + 1, sizeof *tasks);
  if (!tasks) return false;
  run->tasks = tasks;
  run->task_capacity = (int32_t)capacity;
  if (run->task_count * 2 < run->slot_count) return true;
  int32_t count = PWT_MAX(128, run->slot_count * 2);
  int32_t *slots = pwt_alloc_zeroed(count * (int64_t)sizeof *slots);
  if (!slots) return false;
  pwt_free(run->slots);
  run->slots = slots;
  run->slot_count = count;
  for (int32_t i = 0; i < run->task_count; i++) enter(run, i);
  return true;
}

int32_t pwt_run_find(const Run *run, const Node *node) {
  if (!run->slot_count) return -1;
  uint32_t at = hash(node, run->slot_count);
  for (; run->slots[at]; at = (at + 1) & (uint32_t)(run->slot_count - 1))
    if (run->tasks[run->slots[at] - 1].node == node) return run->slots[at] - 1;
  return -1;
}

int32_t pwt_run_task_of(Run *run, Node *node) {
  int32_t known = pwt_run_find(run, node);
  if (known >= 0) return known;
  if (!make_room(run)) return -1;
  run->tasks[run->task_count] = (Task){.node = node, .first_capture = -1};
  enter(run, run->task_count);
  return run->task_count++;
}

static bool visit(Run *run, int32_t task) {
  int edges = run->tasks[task].node->edge_count;
  int32_t *targets =
      grown(run->targets, run->target_count, &run->target_capacity, run->target_count + edges, sizeof *targets);
  if (!targets && edges) return false;
  run->targets = targets;
  run->tasks[task].visited = true;
  run->tasks[task].first_target = (int32_t)run->target_count;
  run->target_count += edges;
  return true;
}

bool pwt_run_discover(Run *run, int32_t root) {
  typedef struct {
    int32_t task, edge;
  } Frame;
  Frame *stack = NULL;
  int64_t depth = 0, capacity = 0;
  bool good = true;
  if (!run->tasks[root].visited) {
    stack = grown(NULL, 0, &capacity, 1, sizeof *stack);
    good = stack && visit(run, root);
    stack[depth++] = (Frame){root, 0};
  }
  while (good && depth) {
    Frame *top = &stack[depth - 1];
    const Task *task = &run->tasks[top->task];
    if (top->edge == task->node->edge_count) {
      if (--depth && pwt_task_wanted(run, task)) run->tasks[stack[depth - 1].task].needed = true;
      continue;
    }
    int32_t edge = top->edge++, parent = top->task;
    int64_t target_at = task->first_target + edge;
    Node *next = task->node->edges[edge].fn;
    if (!next) {
      run->targets[target_at] = -1;
      continue;
    }
    int32_t child = pwt_run_task_of(run, next);
    if (child < 0) {
      good = false;
      break;
    }
    run->targets[target_at] = child;
    run->tasks[child].dependencies++;
    if (run->tasks[child].visited) {
      if (pwt_task_wanted(run, &run->tasks[child])) run->tasks[parent].needed = true;
      continue;
    }
    Frame *larger = grown(stack, depth, &capacity, depth + 1, sizeof *stack);
    good = larger && visit(run, child);
    if (larger) stack = larger;
    if (good) stack[depth++] = (Frame){child, 0};
  }
  pwt_free(stack);
  return good;
}

bool pwt_run_prepare(Run *run) {
  run->ready = pwt_alloc(PWT_MAX(run->task_count, 1) * (int64_t)sizeof *run->ready);
  return run->ready != NULL;
}

static bool before(const Run *run, int32_t a, int32_t b) {
  const Task *x = &run->tasks[a], *y = &run->tasks[b];
  if (x->node->sequence != y->node->sequence) return x->node->sequence > y->node->sequence;
  return x->order < y->order;
}

void pwt_run_push(Run *run, int32_t task) {
  int32_t *heap = run->ready, at = run->ready_count++;
  run->tasks[task].order = run->next_order++;
  while (at && before(run, task, heap[(at - 1) / 2])) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = task;
}

int32_t pwt_run_pop(Run *run) {
  int32_t *heap = run->ready, first = heap[0], last = heap[--run->ready_count], at = 0;
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= run->ready_count) break;
    if (child + 1 < run->ready_count && before(run, heap[child + 1], heap[child])) child++;
    if (!before(run, heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}

void pwt_run_drop_gradients(Task *task) {
  if (!task->grads) return;
  int count = task->grads == &task->single ? 1 : task->node->output_count;
  for (int i = 0; i < count; i++) pwt_release(task->grads[i]);
  if (task->grads != &task->single) pwt_block_free(task->grads, count * (int64_t)sizeof *task->grads);
  task->grads = NULL;
}

void pwt_run_free(Run *run) {
  for (int32_t i = 0; i < run->task_count; i++) pwt_run_drop_gradients(&run->tasks[i]);
  for (int32_t i = 0; i < run->capture_count; i++) pwt_release(run->captures[i].grad);
  pwt_free(run->tasks);
  pwt_free(run->slots);
  pwt_free(run->targets);
  pwt_free(run->ready);
  pwt_free(run->captures);
}
