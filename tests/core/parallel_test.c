/* pwt_parallel_for: every item once, the documented chunks, nesting, many short jobs, stopping and starting again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel_threads.h"

static int failures;

#define CHECK(condition, ...)                                                                                         \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      failures++;                                                                                                     \
      printf("%s:%d: ", __FILE__, __LINE__);                                                                          \
      printf(__VA_ARGS__);                                                                                            \
      printf("\n");                                                                                                   \
    }                                                                                                                 \
  } while (0)

enum { MAX_ITEMS = 5000 };

typedef struct {
  int64_t items, grain;
  int32_t visits[MAX_ITEMS];
  int32_t wrong_borders;
} visit_task;

static void visit(void *ctx, int64_t begin, int64_t end) {
  visit_task *s = ctx;
  int64_t expected_end = begin + s->grain < s->items ? begin + s->grain : s->items;
  if (begin % s->grain != 0 || end != expected_end) __atomic_fetch_add(&s->wrong_borders, 1, __ATOMIC_RELAXED);
  for (int64_t i = begin; i < end; i++) __atomic_fetch_add(&s->visits[i], 1, __ATOMIC_RELAXED);
}

static void check_visits(int64_t items, int64_t grain) {
  static visit_task s;
  memset(&s, 0, sizeof s);
  s.items = items;
  s.grain = grain < 1 ? 1 : grain;
  pwt_parallel_for(items, grain, visit, &s);
  CHECK(s.wrong_borders == 0, "items %d grain %d: %d chunks with other borders", (int)items, (int)grain,
        s.wrong_borders);
  for (int64_t i = 0; i < MAX_ITEMS; i++)
    CHECK(s.visits[i] == (i < items), "items %d grain %d: item %d visited %d times", (int)items, (int)grain, (int)i,
          s.visits[i]);
}

static void nested_inner(void *ctx, int64_t begin, int64_t end) {
  __atomic_fetch_add((int64_t *)ctx, end - begin, __ATOMIC_RELAXED);
}

static void nested_outer(void *ctx, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) pwt_parallel_for(i, 3, nested_inner, ctx);
}

typedef struct {
  pwt_slots slots;
  int32_t overlaps;
} slot_task;

static void use_slot(void *ctx, int64_t begin, int64_t end) {
  slot_task *s = ctx;
  int32_t *slot = pwt_slot_take(&s->slots);
  if (__atomic_fetch_add(slot, 1, __ATOMIC_SEQ_CST) != 0) __atomic_fetch_add(&s->overlaps, 1, __ATOMIC_SEQ_CST);
  for (volatile int64_t i = begin; i < end + 50; i++)
    ;
  __atomic_fetch_sub(slot, 1, __ATOMIC_SEQ_CST);
  pwt_slot_give(&s->slots, slot);
}

static void check_slots(int count) {
  _Alignas(64) char workspace[8 * 64] = {0};
  slot_task s = {.slots = pwt_slots_over(workspace, 64 * count + 63, 40)};
  pwt_parallel_for(2000, 1, use_slot, &s);
  CHECK(s.overlaps == 0, "%d slots: %d chunks shared one", count, s.overlaps);
  slot_task none = {.slots = pwt_slots_over(0, 0, 0)};
  for (int i = 0; i < 100; i++) {
    void *slot = pwt_slot_take(&none.slots);
    CHECK(slot == 0, "a slot of no bytes has an address");
    pwt_slot_give(&none.slots, slot);
  }
}

static void check_all(void) {
  int64_t sizes[] = {0, 1, 2, 7, 64, 1000, MAX_ITEMS}, grains[] = {-1, 0, 1, 2, 3, 64, 4999, 100000};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (unsigned j = 0; j < sizeof grains / sizeof *grains; j++) check_visits(sizes[i], grains[j]);
  int64_t count = 0;
  pwt_parallel_for(100, 1, nested_outer, &count);
  CHECK(count == 4950, "nested loops visited %d items, not 4950", (int)count);
  for (int job = 0; job < 3000; job++) check_visits(job % 7 + 2, 1);
  check_slots(1);
  check_slots(2);
  check_slots(8);
}

static void check_huge(void *ctx, int64_t begin, int64_t end) { *(int64_t *)ctx += end - begin; }

int main(void) {
  CHECK(pwt_get_num_threads() == 1, "%d threads before any worker", pwt_get_num_threads());
  check_all();
  int64_t seen = 0;
  pwt_parallel_for(INT64_MAX, INT64_MAX / 3, check_huge, &seen);
  CHECK(seen == INT64_MAX, "a loop over INT64_MAX items missed some");
  for (int round = 0; round < 3; round++) {
    start_test_workers(3);
    CHECK(pwt_get_num_threads() == 4, "%d threads with 3 workers", pwt_get_num_threads());
    check_all();
    pwt_set_may_block(round % 2);
    pwt_set_num_threads(2);
    CHECK(pwt_get_num_threads() == 2, "%d threads, 2 asked for", pwt_get_num_threads());
    check_all();
    pwt_set_num_threads(0);
    CHECK(pwt_get_num_threads() == 1, "%d threads, at least 1 expected", pwt_get_num_threads());
    pwt_set_num_threads(100);
    stop_test_workers();
    CHECK(pwt_get_num_threads() == 1, "%d threads after stopping", pwt_get_num_threads());
  }
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
