/* The autograd graph: Node, Edge, saved tensors, and a tensor's grad_fn, grad and views. */
#pragma once
#include "history.h"

typedef struct Node Node;

typedef struct {
  Node *fn; /* NULL: no gradient wanted */
  uint32_t output; /* which output of fn */
} Edge;

/* Size, dtype and device of one output of a node: the engine sums and casts incoming gradients to it. */
typedef struct {
  uint8_t dtype, ndim;
  bool on_meta;
  const int64_t *sizes;
} OutputMeta;

typedef struct Saved {
  Tensor *tensor; /* NULL: None, or released */
  uint32_t version;
  int32_t output;   /* of an output of the node itself: which */
  bool is_output;   /* then `tensor` is an alias without history, so that no cycle arises */
  bool of_view;     /* then a change of the base makes what a program sees an as_strided() of it */
  bool had_history; /* was no leaf when it was saved */
  bool released;
  bool outdated;      /* was changed in place since: `tensor` is an alias, too, for the same reason */
  struct Node *slices; /* not owned; of an output written to a view: what its base's history goes through */
  const char *origin;  /* of what is outdated: the name of the node that made it what it is now; may be NULL */
  int32_t host_id; /* of what a program's pack hook made of it: `tensor` has then only its size and dtype */
  Edge edge;       /* of such an input: its history; fn is owned */
  struct Saved *next, **at; /* among all that was saved of one tensor and its views */
} Saved;

typedef struct {
  const char *name; /* "MulBackward0" */
  /* Given one gradient per output (NULL where none arrived), fills one per edge. Runs inside a scope of its own;
     needs nothing for edges whose fn is NULL. */
  void (*backward)(Node *node, Tensor **grad_outputs, Tensor **grad_inputs);
  void (*destroy)(Node *node); /* frees what is neither Saved nor Edge; may be NULL */
  void (*release)(Node *node); /* frees what a backward pass used up beyond `saved`; may be NULL */
  bool keeps_undefined;        /* runs even where no gradient arrived at all */
} NodeKind;

typedef struct HookEntry HookEntry;

struct Node {
  uint32_t magic;
  int32_t refs;
  const NodeKind *kind;
  const char *name; /* the kind's, or that of a composite whose last node this is */
  uint64_t sequence;
  int32_t edge_count, output_count, saved_count;
  int32_t host_id; /* a Python Function's context, else 0 */
  int32_t bytes;   /* of the block, for its list of spares */
  bool released;   /* saved tensors were freed by a backward pass */
  bool outputs_apart; /* `outputs` is a block of its own */
  Edge *edges;       /* edge_count of them */
  OutputMeta *outputs;
  Saved *saved;      /* saved_count of them */
  HookEntry *hooks;  /* tensor pre-hooks, node pre- and post-hooks, retain_grad */
  /* the operator's own fields follow in the generated struct */
};
#define PWT_NODE_MAGIC 0x4e545750u

typedef enum {
  CREATED_NORMALLY,
  CREATED_IN_NO_GRAD,
  CREATED_BY_MULTI_OUTPUT, /* split, unbind, chunk: in-place on these is an error, as in torch */
  CREATED_IN_CUSTOM_FUNCTION,
  CREATED_IN_INFERENCE,
} ViewCreation;

struct Autograd {
  Node *grad_fn; /* owned */
  uint32_t output;
  uint32_t view_version; /* the storage version that grad_fn belongs to, of views */
  uint8_t creation;      /* ViewCreation, of views */
  bool retains_grad;
  HookEntry *retain;     /* not owned: the hook, on some node, that stores the gradient */
  Tensor *grad;          /* owned */
  Node *accumulator;     /* not owned: the node owns the tensor */
  Tensor *base;          /* owned; of differentiable views */
  Saved *saves;          /* what nodes saved of this tensor and of its views */
  HookEntry *hooks;      /* of leaves */
};

/* ---- modes ---- */
extern PWT_PER_THREAD bool pwt_saved_hooks; /* saved_tensors_hooks: the host packs what is saved */

/* ---- autocast: the dtype that operators marked in the tables convert their inputs to ---- */
typedef enum { AUTOCAST_LOWER, AUTOCAST_FLOAT32, AUTOCAST_WIDEST } Autocast;
enum { PWT_AUTOCAST_OFF = -1 };
extern PWT_PER_THREAD int pwt_autocast_type; /* a DType, or off */
Tensor *pwt_autocast(Tensor *t, Autocast how);
TensorList pwt_autocast_list(TensorList list, Autocast how);

/* ---- recording: what a generated operator calls ---- */
typedef struct { /* a short list that a node keeps */
  int64_t count;
  int64_t items[PWT_MAX_DIMS];
} Sizes;
static inline IntList pwt_list_of(const Sizes *s) { return (IntList){s->items, s->count}; }
void pwt_keep_list(Sizes *to, IntList from);
const char *pwt_intern(const char *text); /* one permanent copy per distinct text: names of modes that nodes keep */

/* One block: the struct of `bytes` (Node first), edges and saved slots. Returns NULL on lack of memory. */
Node *pwt_node_new(const NodeKind *kind, int64_t bytes, int edges, int saved);
void pwt_node_retain(Node *node);
void pwt_node_release(Node *node); /* frees chains of any length without recursion */
void pwt_set_edge(Node *node, int index, Tensor *input); /* the gradient edge of an input; NULL input: none */
Node *pwt_gradient_edge(Tensor *t, uint32_t *output);     /* grad_fn or accumulator; the caller owns it; NULL: none */
Node *pwt_grad_fn(Tensor *t);                             /* not owned; regenerates a view's after in-place on its base */
void pwt_save(Node *node, int slot, Tensor *input);       /* saves an input */
void pwt_save_shape(Node *node, int slot, Tensor *input); /* its size and dtype alone */
void pwt_save_output(Node *node, int slot, Tensor *result, int output);
Tensor *pwt_unpack(Node *node, int slot); /* checks version and release, with torch's messages; NULL: None or failure */
TensorList pwt_unpack_list(Node *node, int first); /* the saved slots from `first` on */
int64_t pwt_wanted(const Node *node);              /* bit i: the gradient of edge i is wanted */
void pwt_fill_gradients(Node *node, Tensor **wants, int first, TensorList gradients);
/* After edges and inputs were set, before the operator runs. After a failure it lets go of the node and returns false. */
bool pwt_node_ready(Node *node);
/* Makes `results` the outputs of node (takes over the caller's reference to node). Non-differentiable dtypes stay plain.
   After a failure of the operator it only lets go of the node. */
void pwt_set_history(Tensor **results, int count, Node *node);
void pwt_set_history1(Tensor *result, Node *node);
/* For in-place operators, after the data changed: bumps nothing; makes `self` (and, for a view, its base) the node's output.
   Takes over the caller's reference to node. */
void pwt_rebase_history(Tensor *self, Node *node);
/* After an operator that returned a view: links it to its base (also outside of grad mode). */
void pwt_mark_view(Tensor *view, Tensor *source, bool multi_output);

/* ---- what a tensor knows ---- */
Autograd *pwt_autograd_of(Tensor *t); /* made on first use; NULL on lack of memory */
bool pwt_is_leaf(const Tensor *t); /* as torch decides for its refusals: a view of a base that was changed may still count as one */
bool pwt_set_requires_grad(Tensor *t, bool requires_grad);
bool pwt_set_grad(Tensor *t, Tensor *grad);
bool pwt_set_data(Tensor *t, Tensor *data);
Tensor *pwt_detach_inplace(Tensor *t);
bool pwt_retain_grad(Tensor *t);
/* Gives `t` a history of which the caller's reference becomes its own; moves retain_grad() along. */
void pwt_set_grad_fn(Tensor *t, Node *fn, uint32_t output);

/* ---- running ---- */
/* roots and their gradients (NULL entries: ones for scalars); inputs.count < 0: every leaf.
   accumulate: into .grad; else `results` receives the gradient of each input, in the open scope
   (NULL where unused and allow_unused). */
bool pwt_backward(TensorList roots, TensorList gradients, bool retain_graph, bool create_graph, TensorList inputs,
                  bool accumulate, bool allow_unused, Tensor **results);
const void *pwt_innermost_pass(void);
void pwt_back_to_pass(const void *pass); /* after a trap */
int64_t pwt_running_pass(void);       /* a number for the innermost pass that is running; 0: none is */
bool pwt_will_run(const Node *node);  /* whether that pass reaches the node (and did, where it already ran) */
bool pwt_reaches_other_leaves(TensorList roots, TensorList known); /* whether the roots depend on a leaf that is not among the known */
extern bool pwt_anomaly_enabled, pwt_anomaly_checks_nan;
