/* Nodes: creation, output metadata, reference counts, release. */
#include "node.h"

#include "blocks.h"
#include "hooks.h"
#include "host_calls.h"
#include "saved.h"

#define INLINE_SIZES 4 /* a node's block has room for one output of so many dimensions */

static uint64_t next_sequence = 1;

static int64_t aligned(int64_t bytes) { return (bytes + 7) & ~(int64_t)7; }

static void record_trace(Node *node) {
  if (pwt_call_host(HOST_TRACE_CREATE, 0)) pwt_add_hook(&node->hooks, HOOK_TRACE, 0, (int32_t)pwt_frame[0]);
}

Node *pwt_node_new(const NodeKind *kind, int64_t bytes, int edges, int saved) {
  int64_t edges_at = aligned(bytes);
  int64_t saved_at = aligned(edges_at + edges * (int64_t)sizeof(Edge));
  int64_t outputs_at = aligned(saved_at + saved * (int64_t)sizeof(Saved));
  int64_t total = outputs_at + aligned(sizeof(OutputMeta)) + INLINE_SIZES * 8;
  Node *node = pwt_block_new(total);
  if (!node) return NULL;
  node->magic = PWT_NODE_MAGIC;
  node->refs = 1;
  node->kind = kind;
  node->name = kind ? kind->name : NULL;
  node->sequence = next_sequence++;
  node->edge_count = edges;
  node->saved_count = saved;
  node->bytes = (int32_t)total;
  node->edges = (Edge *)((char *)node + edges_at);
  node->saved = (Saved *)((char *)node + saved_at);
  node->outputs = (OutputMeta *)((char *)node + outputs_at);
  if (pwt_anomaly_enabled) record_trace(node);
  return node;
}

bool pwt_node_set_outputs(Node *node, Tensor *const *results, int count) {
  if (node->outputs_apart) pwt_free(node->outputs);
  node->outputs_apart = false;
  int64_t *sizes;
  if (count == 1 && (!results[0] || results[0]->ndim <= INLINE_SIZES)) {
    node->outputs = (OutputMeta *)((char *)node + node->bytes - INLINE_SIZES * 8 - aligned(sizeof(OutputMeta)));
    sizes = (int64_t *)((char *)node + node->bytes - INLINE_SIZES * 8);
  } else {
    int64_t dims = 0;
    for (int i = 0; i < count; i++) dims += results[i] ? results[i]->ndim : 0;
    int64_t metas = aligned(count * (int64_t)sizeof(OutputMeta));
    OutputMeta *outputs = pwt_alloc_zeroed(metas + dims * 8 + 8);
    if (!outputs) {
      node->output_count = 0;
      return false;
    }
    node->outputs = outputs;
    node->outputs_apart = true;
    sizes = (int64_t *)((char *)outputs + metas);
  }
  node->output_count = count;
  for (int i = 0; i < count; i++) {
    const Tensor *t = results[i];
    node->outputs[i] = (OutputMeta){t ? t->dtype : PWT_FLOAT32, t ? t->ndim : 0, t && pwt_is_meta(t), sizes};
    if (!t) continue;
    pwt_copy_bytes(sizes, t->sizes, t->ndim * 8);
    sizes += t->ndim;
  }
  return true;
}

void pwt_node_retain(Node *node) {
  if (node) node->refs++;
}

static void free_node(Node *node) {
  if (node->kind->destroy) node->kind->destroy(node);
  for (int i = 0; i < node->saved_count; i++) pwt_drop_saved(&node->saved[i]);
  for (int i = 0; i < node->edge_count; i++) pwt_node_release(node->edges[i].fn);
  pwt_free_hooks(node->hooks);
  if (node->host_id) pwt_host_release(node->host_id);
  if (node->outputs_apart) pwt_free(node->outputs);
  node->magic = 0;
  pwt_block_free(node, node->bytes);
}

/* What dies while another node is being freed waits in a list: a chain of any length needs no stack. */
void pwt_node_release(Node *node) {
  static Node *waiting;
  static bool freeing;
  if (!node || --node->refs) return;
  node->sequence = (uintptr_t)waiting;
  waiting = node;
  if (freeing) return;
  freeing = true;
  while (waiting) {
    Node *next = waiting;
    waiting = (Node *)(uintptr_t)next->sequence;
    free_node(next);
  }
  freeing = false;
}

void pwt_operator_name(const char *full, char *name, int64_t capacity) {
  const char *end = full;
  for (const char *c = full; *c; c++) {
    static const char backward[] = "Backward";
    int n = 0;
    while (backward[n] && c[n] == backward[n]) n++;
    const char *rest = c + n;
    while (*rest >= '0' && *rest <= '9') rest++;
    end = c + 1;
    if (!backward[n] && !*rest) {
      end = c;
      break;
    }
  }
  int64_t length = PWT_MIN(end - full, capacity - 1);
  pwt_copy_bytes(name, full, length);
  name[length] = 0;
}
