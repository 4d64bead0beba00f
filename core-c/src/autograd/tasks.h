/* Tasks of one backward pass: the nodes reachable from the roots, and the ready queue. */
#pragma once
#include "autograd.h"

typedef struct {
  Node *node;
  Tensor **grads;        /* owned gradients, one per output; NULL until the first arrives */
  Tensor *single;        /* where `grads` points for nodes with one output */
  int32_t dependencies;  /* edges whose gradients have not arrived */
  int32_t order;         /* of becoming ready, among equals */
  int32_t first_target;  /* into `targets`: the tasks of this node's edges */
  int32_t first_capture; /* into `captures`; -1: none */
  bool visited;
  bool needed; /* leads to an input, or all leaves are wanted */
} Task;

typedef struct {
  int32_t next; /* another capture of the same task; -1: none */
  uint32_t output;
  Tensor *grad; /* owned */
} Capture;

typedef struct {
  Task *tasks;
  int32_t task_count, task_capacity;
  int32_t *slots; /* open addressing: 1 + the task of a node, 0 where empty */
  int32_t slot_count;
  int32_t *targets; /* -1: no edge */
  int64_t target_count, target_capacity;
  int32_t *ready; /* a heap: the latest node first, of equals the one that was ready first */
  int32_t ready_count, next_order;
  Capture *captures;
  int32_t capture_count;
  bool selective; /* inputs were named */
} Run;

static inline bool pwt_task_wanted(const Run *run, const Task *task) {
  return !run->selective || task->needed || task->first_capture >= 0;
}
int32_t pwt_run_find(const Run *run, const Node *node); /* -1: unknown */
int32_t pwt_run_task_of(Run *run, Node *node);        /* finds or adds; -1 on lack of memory */
bool pwt_run_discover(Run *run, int32_t root);        /* counts the dependencies of all that `root` reaches */
bool pwt_run_prepare(Run *run);                       /* after the last discovery: tasks stay where they are */
void pwt_run_push(Run *run, int32_t task);
int32_t pwt_run_pop(Run *run);
void pwt_run_drop_gradients(Task *task);
void pwt_run_free(Run *run);
