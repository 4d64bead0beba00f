/* Connectionist temporal classification (Graves et al., 2006), in logarithms and in double. States are the labels with a
   blank before, between and after them; equation numbers are the paper's. */
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

typedef struct {
  const double *logs; /* [steps, batch, classes] */
  const int64_t *targets, *input_lengths, *target_lengths, *starts; /* starts: of each sample's labels */
  const double *losses, *grad;
  double *alpha, *beta, *out; /* alpha [batch, steps, states], beta [batch, 2, states] */
  int64_t steps, batch, classes, states, blank;
  bool zero_infinity;
} Job;

static __attribute__((noinline)) double exponential(double x) { return pwt_exp_f64(x); }

static __attribute__((noinline)) double log_of_sum(double a, double b) {
  double most = PWT_MAX(a, b), least = PWT_MIN(a, b);
  if (a != a || b != b) return a + b;
  return most == -__builtin_inf() ? most : most + pwt_log1p_f64(pwt_exp_f64(least - most));
}

static int64_t label(const Job *j, int64_t n, int64_t state) { return state & 1 ? j->targets[j->starts[n] + state / 2] : j->blank; }

/* Whether a path may come from two states back: between different labels */
static bool skips(const Job *j, int64_t n, int64_t state) { return (state & 1) && state > 1 && label(j, n, state) != label(j, n, state - 2); }

static double log_at(const Job *j, int64_t t, int64_t n, int64_t state) { return j->logs[(t * j->batch + n) * j->classes + label(j, n, state)]; }

static void forward(void *context, int64_t begin, int64_t end) {
  const Job *j = context;
  for (int64_t n = begin; n < end; n++) {
    int64_t steps = j->input_lengths[n], states = 2 * j->target_lengths[n] + 1;
    double *alpha = j->alpha + n * j->steps * j->states;
    for (int64_t i = 0; i < j->steps * j->states; i++) alpha[i] = -__builtin_inf();
    if (steps == 0) {
      j->out[n] = states == 1 ? 0 : __builtin_inf();
      continue;
    }
    for (int64_t s = 0; s < PWT_MIN(states, 2); s++) alpha[s] = log_at(j, 0, n, s);
    for (int64_t t = 1; t < steps; t++) { /* (6) to (8) */
      const double *before = alpha + (t - 1) * j->states;
      for (int64_t s = 0; s < states; s++) {
        double sum = before[s];
        if (s > 0) sum = log_of_sum(sum, before[s - 1]);
        if (skips(j, n, s)) sum = log_of_sum(sum, before[s - 2]);
        alpha[t * j->states + s] = sum + log_at(j, t, n, s);
      }
    }
    const double *last = alpha + (steps - 1) * j->states;
    j->out[n] = -(states > 1 ? log_of_sum(last[states - 1], last[states - 2]) : last[0]);
  }
}

/* The gradient by the input of log_softmax, as in torch: (16), with beta of (10) and (11) one step at a time */
static void backward(void *context, int64_t begin, int64_t end) {
  const Job *j = context;
  for (int64_t n = begin; n < end; n++) {
    int64_t steps = j->input_lengths[n], states = 2 * j->target_lengths[n] + 1;
    const double *alpha = j->alpha + n * j->steps * j->states;
    double loss = j->losses[n], factor = j->grad[n];
    if (j->zero_infinity && loss == __builtin_inf()) continue;
    for (int64_t t = steps - 1; t >= 0; t--) {
      double *now = j->beta + (2 * n + (t & 1)) * j->states, *next = j->beta + (2 * n + !(t & 1)) * j->states;
      double *out = j->out + (t * j->batch + n) * j->classes;
      const double *logs = j->logs + (t * j->batch + n) * j->classes;
      for (int64_t c = 0; c < j->classes; c++) out[c] = -__builtin_inf();
      for (int64_t s = states - 1; s >= 0; s--) {
        double sum = -__builtin_inf();
        if (t == steps - 1) sum = s >= states - 2 ? 0 : sum;
        else {
          sum = next[s];
          if (s + 1 < states) sum = log_of_sum(sum, next[s + 1]);
          if (s + 2 < states && skips(j, n, s + 2)) sum = log_of_sum(sum, next[s + 2]);
        }
        now[s] = sum + log_at(j, t, n, s);
        double *to = &out[label(j, n, s)];
        *to = log_of_sum(*to, alpha[t * j->states + s] + now[s]);
      }
      for (int64_t c = 0; c < j->classes; c++) out[c] = (exponential(logs[c]) - exponential(out[c] + loss - logs[c])) * factor;
    }
  }
}

static bool check_lengths(const Tensor *lengths, int64_t batch, int64_t most, const char *name) {
  if (lengths->ndim != 1 || lengths->sizes[0] != batch) return pwt_fail(PWT_RUNTIME_ERROR, "%s must be of size batch_size", name), false;
  if (pwt_on_meta) return true;
  const int64_t *values = pwt_data(lengths);
  for (int64_t n = 0; n < batch; n++) {
    if (values[n] < 0) return pwt_fail(PWT_RUNTIME_ERROR, "Expected %s to have value at least 0, but got value %i", name, values[n]), false;
    if (most >= 0 && values[n] > most)
      return pwt_fail(PWT_RUNTIME_ERROR, "Expected %s to have value at most %i, but got value %i (while checking arguments for ctc_loss_cpu)", name, most, values[n]), false;
  }
  return true;
}

static bool fill_job(Job *j, Tensor *log_probs, Tensor *targets, Tensor *input_lengths, Tensor *target_lengths, int64_t blank) {
  if (log_probs->ndim != 3) return pwt_fail(PWT_RUNTIME_ERROR, "ctc_loss: expected log_probs [T, N, C], got %z", log_probs->sizes, (int)log_probs->ndim), false;
  if (log_probs->dtype != PWT_FLOAT32 && log_probs->dtype != PWT_FLOAT64)
    return pwt_fail(PWT_NOT_IMPLEMENTED, "\"ctc_loss_cpu\" not implemented for '%t'", log_probs->dtype), false;
  if (targets->dtype != PWT_INT64 && targets->dtype != PWT_INT32) return pwt_fail(PWT_RUNTIME_ERROR, "targets must be long or int, got %t", targets->dtype), false;
  *j = (Job){.steps = log_probs->sizes[0], .batch = log_probs->sizes[1], .classes = log_probs->sizes[2], .blank = blank};
  if (j->batch == 0) return pwt_fail(PWT_RUNTIME_ERROR, "Batch size must be non-zero."), false;
  if (log_probs->numel == 0) return pwt_fail(PWT_RUNTIME_ERROR, "log_probs tensor must not be empty"), false;
  if (blank < 0 || blank >= j->classes) return pwt_fail(PWT_RUNTIME_ERROR, "blank must be in label range"), false;
  Tensor *logs = pwt_raw_contiguous_as(log_probs, PWT_FLOAT64), *labels = pwt_raw_contiguous_as(targets, PWT_INT64);
  Tensor *ins = pwt_raw_contiguous_as(input_lengths, PWT_INT64), *outs = pwt_raw_contiguous_as(target_lengths, PWT_INT64);
  if (!logs || !labels || !ins || !outs || !check_lengths(ins, j->batch, j->steps, "input_lengths")) return false;
  if (!check_lengths(outs, j->batch, targets->ndim == 2 ? targets->sizes[1] : -1, "target_lengths")) return false;
  if (pwt_on_meta) { /* as if one target had all the labels that there is room for */
    j->states = 2 * (targets->ndim ? targets->sizes[targets->ndim - 1] : 1) + 1;
    return true;
  }
  int64_t *starts = pwt_scratch_items(j->batch, 8), total = 0, longest = 0;
  const int64_t *lengths = pwt_data(outs), *values = pwt_data(labels);
  if (!starts) return false;
  for (int64_t n = 0; n < j->batch; n++) {
    starts[n] = targets->ndim == 2 ? n * targets->sizes[1] : total;
    total += lengths[n];
    longest = PWT_MAX(longest, lengths[n]);
    if (total < 0 || (targets->ndim == 1 && total > targets->numel)) break;
  }
  if (targets->ndim == 1 ? total != targets->numel : targets->ndim != 2 || targets->sizes[0] != j->batch)
    return pwt_fail(PWT_RUNTIME_ERROR, "Expected targets to be one-dimensional with the sum of target_lengths (%i) as its size, or [batch, length], but got %z", total, targets->sizes, (int)targets->ndim),
           false;
  for (int64_t n = 0; n < j->batch; n++)
    for (int64_t i = 0; i < lengths[n]; i++)
      if (values[starts[n] + i] < 0 || values[starts[n] + i] >= j->classes)
        return pwt_fail(PWT_RUNTIME_ERROR, "ctc_loss: a label is %i, with %i classes", values[starts[n] + i], j->classes), false;
  j->states = 2 * longest + 1;
  j->logs = pwt_data(logs), j->targets = values, j->input_lengths = pwt_data(ins), j->target_lengths = lengths, j->starts = starts;
  return true;
}

static void run(Job *j, void (*body)(void *, int64_t, int64_t)) { pwt_parallel_for(j->batch, pwt_grain(4096, j->steps * j->states), body, j); }

Tensors2 pwt_kernel__ctc_losses(Tensor *log_probs, Tensor *targets, Tensor *input_lengths, Tensor *target_lengths, int64_t blank, bool zero_infinity) {
  (void)zero_infinity;
  Tensors2 none = {{NULL, NULL}};
  Job j;
  if (!fill_job(&j, log_probs, targets, input_lengths, target_lengths, blank)) return none;
  int64_t sizes[] = {j.batch, j.steps, j.states};
  Tensor *losses = pwt_new(1, sizes, PWT_FLOAT64), *alpha = pwt_new(3, sizes, PWT_FLOAT64);
  if (!losses || !alpha) return none;
  j.out = pwt_data(losses), j.alpha = pwt_data(alpha);
  run(&j, forward);
  return (Tensors2){{pwt_raw_cast(losses, (DType)log_probs->dtype), alpha}};
}

Tensor *pwt_kernel__ctc_losses_backward(Tensor *grad, Tensor *log_probs, Tensor *targets, Tensor *input_lengths, Tensor *target_lengths, Tensor *losses, Tensor *alpha, int64_t blank, bool zero_infinity) {
  Job j;
  if (!fill_job(&j, log_probs, targets, input_lengths, target_lengths, blank)) return NULL;
  Tensor *out = pwt_new_zeros(3, log_probs->sizes, PWT_FLOAT64), *g = pwt_raw_contiguous_as(grad, PWT_FLOAT64), *found = pwt_raw_contiguous_as(losses, PWT_FLOAT64);
  int64_t items;
  if (out && pwt_on_meta) return pwt_raw_cast(out, (DType)log_probs->dtype);
  j.beta = pwt_multiply(2 * j.batch, j.states, &items) ? pwt_scratch_items(items, 8) : NULL;
  if (!out || !g || !found || !j.beta) return NULL;
  j.out = pwt_data(out), j.grad = pwt_data(g), j.losses = pwt_data(found), j.alpha = pwt_data(alpha), j.zero_infinity = zero_infinity;
  run(&j, backward);
  return pwt_raw_cast(out, (DType)log_probs->dtype);
}
