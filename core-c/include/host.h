/* Callbacks into the host, with arguments and results in the frame. */
#pragma once
#include "base.h"

#define PWT_FRAME_SLOTS 65536
extern PWT_PER_THREAD int64_t *pwt_frame; /* PWT_FRAME_SLOTS of them */
#define PWT_LIST_IN_FRAME 4096 /* items; the frame holds the address of a longer list's items */

/* Memory for a long list, on its way from the host or to it: it lives until the end of the next call. */
typedef struct Lent Lent;
int64_t *pwt_lend(int32_t items); /* NULL and MemoryError where there is none */
extern PWT_PER_THREAD Lent *pwt_lent; /* what was lent so far; the next call takes it, and gives it back */
void pwt_give_back(Lent *lent);

/* Enters a list's length at a slot; where its items are to be written, in the frame or lent. NULL and MemoryError. */
int64_t *pwt_frame_place(int64_t slot, int64_t count);
const int64_t *pwt_frame_items(int64_t slot); /* where the items of the list at a slot are */
int64_t pwt_frame_end(int64_t slot);          /* the slot behind it */

/* What `id` names, what the frame holds, and what the host leaves in it: wasm/callbacks.md. */
typedef enum {
  HOST_START_THREADS = 0,
  HOST_TENSOR_HOOK = 1,
  HOST_POST_ACCUMULATE_HOOK = 2,
  HOST_NODE_PREHOOK = 3,
  HOST_NODE_POSTHOOK = 4,
  HOST_FUNCTION_BACKWARD = 5,
  HOST_RELEASE = 6,
  HOST_TRACE_CREATE = 7,
  HOST_TRACE_REPORT = 8,
  HOST_PATIENCE = 9,
  HOST_PACK = 10,
  HOST_UNPACK = 11,
  HOST_BREATHE = 12,
} HostCall;

/* What HOST_BREATHE gives where the last breath was two milliseconds ago or more. */
enum { HOST_LATE = 2 };

/* Not 0: the host raised and keeps the exception. */
int32_t pwt_host_call(int32_t kind, int32_t id);
