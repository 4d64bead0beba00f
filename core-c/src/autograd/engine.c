/* The backward pass: a node runs when all its gradients have arrived, the highest sequence number first. */
#include "accumulate.h"
#include "blocks.h"
#include "gradients.h"
#include "hooks.h"
#include "host.h"
#include "ops.h"
#include "run_hooks.h"
#include "saved.h"
#include "tasks.h"

#define FEW 8

bool pwt_anomaly_enabled = false, pwt_anomaly_checks_nan = true;

/* ---- gradients on their way ---- */
static bool make_gradients(Task *task) {
  if (task->grads) return true;
  if (task->node->output_count == 1) {
    task->single = NULL;
    task->grads = &task->single;
  } else {
    task->grads = pwt_block_new(task->node->output_count * (int64_t)sizeof *task->grads);
  }
  return task->grads != NULL;
}

/* Adds to what arrived for the task's output. */
static bool deliver(Run *run, int32_t to, uint32_t output, Tensor *grad) {
  Task *task = &run->tasks[to];
  task->dependencies--;
  if (!pwt_task_wanted(run, task)) return true;
  if (grad) {
    if (!make_gradients(task)) return false;
    Tensor *held = task->grads[output];
    Tensor *sum = held ? pwt_add_gradients(held, grad) : grad;
    if (!sum) return false;
    if (sum != held) {
      task->grads[output] = pwt_retain(sum);
      pwt_release(held);
    }
  }
  if (task->dependencies == 0) pwt_run_push(run, to);
  return true;
}

/* ---- one node ---- */
typedef struct {
  Run *run;
  Task *task;
  Node *node;
  Tensor **grad_outputs, **grad_inputs; /* grad_inputs are owned once they are validated */
} Step;

static bool has_hook(const Node *node, HookKind kind) {
  const HookEntry *hook = node->hooks;
  while (hook && hook->kind != kind) hook = hook->next;
  return hook != NULL;
}

static bool anything(Tensor *const *tensors, int count) {
  for (int i = 0; i < count; i++)
    if (tensors[i]) return true;
  return false;
}

static bool run_tensor_hooks(const Step *s) {
  bool leaf = pwt_is_accumulator(s->node);
  if (!s->node->hooks && !(leaf && pwt_accumulator_variable(s->node)->autograd->hooks)) return true;
  return pwt_run_tensor_hooks(s->node, s->grad_outputs);
}

static void capture(const Step *s) {
  for (int32_t i = s->task->first_capture; i >= 0; i = s->run->captures[i].next) {
    Capture *c = &s->run->captures[i];
    c->grad = pwt_retain(s->grad_outputs[c->output]);
  }
}

/* Calls the node's backward with the edges hidden that lead to no wanted input. */
static void call_backward(const Step *s) {
  Node *node = s->node;
  Node *hidden[FEW];
  const int32_t *targets = s->run->targets + s->task->first_target;
  bool hide = s->run->selective && !node->host_id && node->edge_count <= FEW;
  for (int i = 0; hide && i < node->edge_count; i++) {
    hidden[i] = node->edges[i].fn;
    if (hidden[i] && !pwt_task_wanted(s->run, &s->run->tasks[targets[i]])) node->edges[i].fn = NULL;
  }
  node->kind->backward(node, s->grad_outputs, s->grad_inputs);
  for (int i = 0; hide && i < node->edge_count; i++) node->edges[i].fn = hidden[i];
}

static bool validate(const Step *s) {
  for (int i = 0; i < s->node->edge_count; i++) {
    const Edge *edge = &s->node->edges[i];
    Tensor *grad = s->grad_inputs[i];
    if (grad && edge->fn) grad = pwt_validate_gradient(grad, &edge->fn->outputs[edge->output], s->node->name, i);
    else grad = NULL;
    s->grad_inputs[i] = pwt_retain(grad);
  }
  return !pwt_failed();
}

static bool compute(const Step *s) {
  const Node *node = s->node;
  if (node->kind->keeps_undefined || anything(s->grad_outputs, node->output_count)) call_backward(s);
  if (pwt_failed()) {
    for (int i = 0; i < node->edge_count; i++) s->grad_inputs[i] = NULL;
    return false;
  }
  return validate(s);
}

static bool check_nan(const Step *s) {
  for (int i = 0; i < s->node->edge_count; i++) {
    if (!s->grad_inputs[i] || !pwt_has_nan(s->grad_inputs[i])) continue;
    pwt_fail(PWT_RUNTIME_ERROR, "Function '%s' returned nan values in its %dth output.", s->node->name, i);
    return false;
  }
  return true;
}

static void report_anomaly(Node *node) {
  HookEntry *trace = pwt_find_hook(node->hooks, HOOK_TRACE, 0);
  if (pwt_error_state.kind == PWT_HOST_ERROR) return;
  ErrorState state = pwt_error_state;
  pwt_clear_error();
  pwt_frame[0] = (int64_t)(uintptr_t)node;
  pwt_host_call(HOST_TRACE_REPORT, trace ? trace->id : 0);
  pwt_error_state = state;
}

static bool send(const Step *s) {
  const int32_t *targets = s->run->targets + s->task->first_target;
  for (int i = 0; i < s->node->edge_count; i++)
    if (targets[i] >= 0 && !deliver(s->run, targets[i], s->node->edges[i].output, s->grad_inputs[i])) return false;
  return true;
}

static bool run_node(const Step *s, bool retain_graph) {
  Node *node = s->node;
  bool needed = !s->run->selective || s->task->needed;
  if (!needed && !run_tensor_hooks(s)) return false;
  capture(s);
  if (!needed) return true;
  bool good = run_tensor_hooks(s) && (!node->hooks || pwt_run_node_prehooks(node, s->grad_outputs)) && compute(s) &&
              (!has_hook(node, HOOK_NODE_POST) || pwt_run_node_posthooks(node, s->grad_inputs, s->grad_outputs)) &&
              (!pwt_anomaly_enabled || !pwt_anomaly_checks_nan || check_nan(s));
  if (!good) {
    if (pwt_anomaly_enabled) report_anomaly(node);
    return false;
  }
  if (!retain_graph) pwt_node_release_saved(node);
  pwt_run_drop_gradients(s->task);
  return send(s);
}

/* Whether a node computes for meta tensors: its outputs were, or what arrived is. */
static bool runs_on_meta(const Node *node, Tensor *const *grads) {
  for (int i = 0; i < node->output_count; i++)
    if (node->outputs[i].on_meta || (grads[i] && pwt_is_meta(grads[i]))) return true;
  return false;
}

static bool run_task(Run *run, int32_t index, bool retain_graph) {
  Task *task = &run->tasks[index];
  Node *node = task->node;
  if (!make_gradients(task)) return false;
  int64_t mark = pwt_scope_open(), bytes = node->edge_count * (int64_t)sizeof(Tensor *);
  Tensor *few[FEW] = {NULL};
  Tensor **grad_inputs = node->edge_count > FEW ? pwt_block_new(bytes) : few;
  bool outer = pwt_on_meta;
  pwt_on_meta = runs_on_meta(node, task->grads);
  bool good = grad_inputs && run_node(&(Step){run, task, node, task->grads, grad_inputs}, retain_graph);
  for (int i = 0; grad_inputs && i < node->edge_count; i++) pwt_release(grad_inputs[i]);
  if (grad_inputs != few) pwt_block_free(grad_inputs, bytes);
  pwt_run_drop_gradients(task);
  pwt_scope_close(mark);
  pwt_on_meta = outer;
  return good;
}

/* ---- a whole run ---- */
static Tensor *given_gradient(const Tensor *root, Tensor *given, int index) {
  if (!pwt_same_sizes(given, root))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "Mismatch in shape: grad_output[%d] has a shape of torch.Size(%z) and output[%d] has a shape of "
                    "torch.Size(%z).",
                    index, given->sizes, given->ndim, index, root->sizes, root->ndim);
  if (pwt_is_complex(given->dtype) != pwt_is_complex(root->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR,
                    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                    "dtype: grad_output[%d] has a dtype of torch.%s and output[%d] has a dtype of torch.%s.",
                    index, pwt_dtype_name(given->dtype), index, pwt_dtype_name(root->dtype));
  return given->dtype == root->dtype ? given : pwt__to_dtype(given, root->dtype);
}

static Tensor *implicit_gradient(const Tensor *root) {
  if (root->numel != 1) return pwt_fail(PWT_RUNTIME_ERROR, "grad can be implicitly created only for scalar outputs");
  if (pwt_is_complex(root->dtype))
    return pwt_fail(PWT_RUNTIME_ERROR, "grad can be implicitly created only for real scalar outputs but got torch.%s",
                    pwt_dtype_name(root->dtype));
  bool outer = pwt_on_meta;
  pwt_on_meta = pwt_is_meta(root);
  Tensor *one = pwt_new(root->ndim, root->sizes, root->dtype);
  pwt_on_meta = outer;
  if (one && !pwt_is_meta(one)) pwt_scalar_store(pwt_scalar_int(1), root->dtype, pwt_data(one));
  return one;
}

typedef struct {
  Run run;
  TensorList roots, inputs;
  Tensor **root_grads;
  Node **held; /* the nodes of roots, then of inputs: user code that runs in between may drop its tensors */
  int64_t held_count;
  int64_t number;
} Pass;

/* The task of a tensor's gradient; -1: a view that only its base lets require grad has none, or a failure. */
static int32_t hold(Pass *p, Tensor *t, uint32_t *output) {
  Node *node = pwt_gradient_edge(t, output);
  if (!node) return -1;
  p->held[p->held_count++] = node;
  return pwt_run_task_of(&p->run, node);
}

static bool enter_input(Pass *p, int32_t i, bool accumulate) {
  Tensor *input = p->inputs.items[i];
  if (accumulate && !pwt_retain_grad(input)) return false;
  if (!pwt_requires_grad(input)) {
    pwt_fail(PWT_RUNTIME_ERROR, "One of the differentiated Tensors does not require grad");
    return false;
  }
  uint32_t output;
  int32_t index = hold(p, input, &output);
  if (index < 0) return !pwt_failed();
  Task *task = &p->run.tasks[index];
  if (accumulate) {
    task->needed = true;
  } else {
    p->run.captures[i] = (Capture){.next = task->first_capture, .output = output};
    task->first_capture = i;
  }
  return true;
}

static bool enter_inputs(Pass *p, bool accumulate) {
  if (p->inputs.count <= 0) return true;
  if (!accumulate) {
    p->run.captures = pwt_alloc_zeroed(p->inputs.count * (int64_t)sizeof(Capture));
    if (!p->run.captures) return false;
    p->run.capture_count = (int32_t)p->inputs.count;
  }
  for (int32_t i = 0; i < p->inputs.count; i++)
    if (!enter_input(p, i, accumulate)) return false;
  return true;
}

static bool refuse_root(int64_t i) {
  pwt_fail(PWT_RUNTIME_ERROR, "element %i of tensors does not require grad and does not have a grad_fn", i);
  return false;
}

static bool make_root_gradients(Pass *p, TensorList gradients) {
  for (int64_t i = 0; i < p->roots.count; i++) {
    Tensor *root = p->roots.items[i], *given = i < gradients.count ? gradients.items[i] : NULL;
    p->root_grads[i] = NULL;
    if (!given && !pwt_requires_grad(root)) continue;
    p->root_grads[i] = given ? given_gradient(root, given, (int)i) : implicit_gradient(root);
    if (!p->root_grads[i]) return false;
  }
  for (int64_t i = 0; i < p->roots.count; i++) {
    if (!pwt_requires_grad(p->roots.items[i])) return refuse_root(i);
  }
  return true;
}

static bool enter_roots(Pass *p) {
  Run *run = &p->run;
  int64_t count = p->roots.count;
  int32_t *tasks = pwt_scratch(PWT_MAX(count, 1) * (int64_t)sizeof *tasks);
  uint32_t *outputs = pwt_scratch(PWT_MAX(count, 1) * (int64_t)sizeof *outputs);
  if (!tasks || !outputs) return false;
  for (int64_t i = 0; i < count; i++) {
    tasks[i] = hold(p, p->roots.items[i], &outputs[i]);
    if (tasks[i] < 0) return refuse_root(i);
    if (!pwt_run_discover(run, tasks[i])) return false;
    run->tasks[tasks[i]].dependencies++;
  }
  if (!pwt_run_prepare(run)) return false;
  for (int64_t i = 0; i < count; i++)
    if (!deliver(run, tasks[i], outputs[i], p->root_grads[i])) return false;
  return true;
}

static bool start(Pass *p, TensorList gradients, bool accumulate) {
  int64_t count = p->roots.count + PWT_MAX(p->inputs.count, 0);
  int64_t bytes = PWT_MAX(count, 1) * (int64_t)sizeof(void *);
  p->held = pwt_alloc(bytes);
  p->root_grads = pwt_scratch(bytes);
  return p->held && p->root_grads && make_root_gradients(p, gradients) && enter_inputs(p, accumulate) && enter_roots(p);
}

static bool hand_out(Pass *p, bool allow_unused, Tensor **results) {
  for (int32_t i = 0; i < p->run.capture_count; i++) {
    Capture *c = &p->run.captures[i];
    if (!c->grad && !allow_unused) {
      pwt_fail(PWT_RUNTIME_ERROR,
               "The differentiated Tensor at index %d appears to not have been used in the graph. Set allow_unused=True if "
               "this is the desired behavior.",
               i);
      return false;
    }
    results[i] = pwt_own(c->grad);
    c->grad = NULL;
  }
  return true;
}

static PWT_PER_THREAD const Pass *running; /* the innermost pass */
static int64_t passes;

const void *pwt_innermost_pass(void) { return running; }
void pwt_back_to_pass(const void *pass) { running = pass; }
int64_t pwt_running_pass(void) { return running ? running->number : 0; }

bool pwt_will_run(const Node *node) {
  int32_t task = running ? pwt_run_find(&running->run, node) : -1;
  return task >= 0 && running->run.tasks[task].visited && pwt_task_wanted(&running->run, &running->run.tasks[task]);
}

static bool run_all(Pass *p, bool retain_graph) {
  const Pass *outer = running;
  running = p;
  bool good = true;
  while (good && p->run.ready_count) good = run_task(&p->run, pwt_run_pop(&p->run), retain_graph) && !pwt_failed();
  running = outer;
  return good;
}

bool pwt_backward(TensorList roots, TensorList gradients, bool retain_graph, bool create_graph, TensorList inputs,
                  bool accumulate, bool allow_unused, Tensor **results) {
  Pass p = {.run = {.selective = inputs.count >= 0}, .roots = roots, .inputs = inputs, .number = ++passes};
  pwt_changes++;
  bool grad_mode = pwt_grad_enabled;
  int autocast = pwt_autocast_type; /* gradients have the dtypes of what they belong to */
  pwt_autocast_type = PWT_AUTOCAST_OFF;
  pwt_grad_enabled = create_graph;
  int64_t mark = pwt_scope_open();
  bool good = start(&p, gradients, accumulate);
  pwt_scope_close(mark);
  good = good && run_all(&p, retain_graph);
  pwt_grad_enabled = grad_mode;
  pwt_autocast_type = autocast;
  good = good && (accumulate || hand_out(&p, allow_unused, results));
  pwt_run_free(&p.run);
  for (int64_t i = 0; i < p.held_count; i++) pwt_node_release(p.held[i]);
  pwt_free(p.held);
  return good;
}

bool pwt_reaches_other_leaves(TensorList roots, TensorList known) {
  Run run = {0};
  bool found = false;
  Node **held = pwt_alloc_zeroed((roots.count + 1) * (int64_t)sizeof *held);
  for (int64_t i = 0; held && i < roots.count && !pwt_failed(); i++) {
    uint32_t output;
    held[i] = pwt_gradient_edge(roots.items[i], &output);
    int32_t task = held[i] ? pwt_run_task_of(&run, held[i]) : -1;
    if (task >= 0) pwt_run_discover(&run, task);
  }
  for (int32_t i = 0; i < run.task_count && !found; i++) {
    if (!pwt_is_accumulator(run.tasks[i].node)) continue;
    const Tensor *leaf = pwt_accumulator_variable(run.tasks[i].node);
    found = pwt_requires_grad(leaf) && !(leaf->flags & TENSOR_CLOSED);
    for (int64_t k = 0; k < known.count; k++) found &= known.items[k] != leaf;
  }
  pwt_run_free(&run);
  for (int64_t i = 0; held && i < roots.count; i++) pwt_node_release(held[i]);
  pwt_free(held);
  return found;
}
