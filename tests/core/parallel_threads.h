/* Workers for the core's native tests. */
#pragma once

#include <pthread.h>
#include <sched.h>

#include "base/parallel.h"

enum { MAX_TEST_WORKERS = 8 };

static pthread_t test_workers[MAX_TEST_WORKERS];
static int test_worker_count;

static void *test_worker(void *id) {
  pwt_worker_loop((int32_t)(intptr_t)id);
  return 0;
}

static void start_test_workers(int count) {
  for (int i = 0; i < count; i++) pthread_create(&test_workers[i], 0, test_worker, (void *)(intptr_t)(i + 1));
  test_worker_count = count;
  while (pwt_workers_ready() < count) sched_yield();
}

static void stop_test_workers(void) {
  pwt_workers_stop();
  for (int i = 0; i < test_worker_count; i++) pthread_join(test_workers[i], 0);
  test_worker_count = 0;
}
