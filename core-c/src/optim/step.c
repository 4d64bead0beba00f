/* pwt_run_step: checks an optimizer's tensor lists and runs its loop over them in parallel. */
#include "step.h"

#include "autograd.h"
#include "base/parallel.h"
#include "math.h"
#include "ops.h"

#define PARALLEL_GRAIN 32768

typedef struct {
  int count, item;
  char *data[PWT_MAX_STEP_TENSORS];
  StepLoop loop;
  const void *options;
} Task;

double pwt_step_power(double base, double exponent) { return pwt_pow_f64(base, exponent); }

Tensor *pwt_gradient_of(const Tensor *param) {
  return param->autograd ? param->autograd->grad : NULL;
}

/* The gradients, NULL where a parameter has none. */
TensorList pwt_kernel__grads(TensorList params) {
  TensorList grads = pwt_list_new(params.count);
  if (!grads.items) return grads;
  for (int64_t i = 0; i < params.count; i++) grads.items[i] = pwt_own(pwt_retain(pwt_gradient_of(params.items[i])));
  return grads;
}

/* `given`: NULL for the gradients that the parameters have. */
static Tensor *gradient(const Step *step, const TensorList *given, int64_t i) {
  return given ? given->items[i] : pwt_gradient_of(step->tensors[0].items[i]);
}

static void run_chunk(void *context, int64_t begin, int64_t end) {
  const Task *task = context;
  void *arguments[PWT_MAX_STEP_TENSORS];
  for (int i = 0; i < task->count; i++) arguments[i] = task->data[i] + begin * task->item;
  task->loop(arguments, end - begin, task->options);
}

static bool fits_parameter(const Tensor *param, const Tensor *other) {
  if (!pwt_same_sizes(param, other)) {
    pwt_fail(PWT_RUNTIME_ERROR, "a parameter of size %z has a gradient or an optimizer state of size %z", param->sizes, param->ndim,
             other->sizes, other->ndim);
    return false;
  }
  if (pwt_is_complex(other->dtype) && !pwt_is_complex(param->dtype)) {
    pwt_fail(PWT_RUNTIME_ERROR, "a parameter of dtype %t has a gradient or an optimizer state of dtype %t", param->dtype, other->dtype);
    return false;
  }
  return true;
}

static bool can_be_written(Tensor *tensor) {
  if (!pwt_check_inplace_recording(tensor, false)) return false;
  if (!pwt_overlaps_itself(tensor)) return true;
  pwt_fail(PWT_RUNTIME_ERROR,
           "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
           "clone() the tensor before performing the operation.");
  return false;
}

static bool check_numbers(const Step *step, int64_t i) {
  for (int k = 0; k < step->number_lists; k++) {
    const Tensor *number = step->numbers[k].items[i];
    if (number->numel != 1 || !(pwt_is_floating(number->dtype) || pwt_is_integral(number->dtype))) {
      pwt_fail(PWT_RUNTIME_ERROR, "the optimizer state `step` must be one real number, not size %z of dtype %t", number->sizes,
               number->ndim, number->dtype);
      return false;
    }
  }
  return true;
}

static bool check_lengths(const Step *step, const TensorList *given) {
  int64_t n = step->tensors[0].count;
  for (int k = 0; k < step->tensor_lists + step->number_lists; k++) {
    int64_t other = k < step->tensor_lists ? step->tensors[k].count : step->numbers[k - step->tensor_lists].count;
    if (other != n) {
      pwt_fail(PWT_VALUE_ERROR, "%i parameters with %i tensors of an optimizer state", n, other);
      return false;
    }
  }
  if (!given || given->count == n) return true;
  pwt_fail(PWT_RUNTIME_ERROR, "%i parameters with %i gradients", n, given->count);
  return false;
}

static bool check_step(const Step *step, const TensorList *given) {
  if (!check_lengths(step, given)) return false;
  for (int64_t i = 0; i < step->tensors[0].count; i++) {
    const Tensor *param = step->tensors[0].items[i], *grad = gradient(step, given, i);
    if (!grad) continue;
    if (!pwt_is_differentiable(param->dtype)) {
      pwt_fail(PWT_RUNTIME_ERROR, "an optimizer needs parameters of floating point or complex dtype, not %t", param->dtype);
      return false;
    }
    if (!fits_parameter(param, grad) || !check_numbers(step, i)) return false;
    for (int k = 0; k < step->tensor_lists; k++) {
      Tensor *tensor = step->tensors[k].items[i];
      if (!fits_parameter(param, tensor) || !can_be_written(tensor)) return false;
    }
  }
  return true;
}

bool pwt_check_step(const Step *step) { return check_step(step, NULL); }

bool pwt_load_numbers(const Step *step, int64_t i, double *numbers) {
  for (int k = 0; k < step->number_lists; k++) numbers[k] = pwt_item(step->numbers[k].items[i]).re;
  return !pwt_failed();
}

void pwt_store_numbers(const Step *step, int64_t i, const double *numbers) {
  for (int k = 0; k < step->number_lists; k++) {
    Tensor *number = step->numbers[k].items[i];
    pwt_scalar_store(pwt_scalar_float(numbers[k]), number->dtype, pwt_data(number));
    pwt_bump_version(number);
  }
}

static bool update(const Step *step, const TensorList *given, int64_t i) {
  Tensor *tensors[PWT_MAX_STEP_TENSORS], *work[PWT_MAX_STEP_TENSORS];
  int written = step->tensor_lists, count = written + 1;
  for (int k = 0; k < written; k++) tensors[k] = step->tensors[k].items[i];
  tensors[written] = gradient(step, given, i);
  DType dtype = tensors[0]->dtype;
  if (!pwt_is_complex(dtype)) dtype = pwt_dtype_of_compute[pwt_compute_type[dtype]];
  bool is_double = dtype == PWT_FLOAT64 || dtype == PWT_COMPLEX128;
  Task task = {
      .count = count,
      .item = is_double ? 8 : 4,
      .loop = is_double ? step->loops.f64 : step->loops.f32,
      .options = step->options,
  };
  for (int k = 0; k < count; k++) {
    work[k] = pwt_raw_contiguous_as(tensors[k], dtype);
    if (!work[k]) return false;
    task.data[k] = pwt_data(work[k]);
  }
  pwt_parallel_for(tensors[0]->numel * (pwt_is_complex(dtype) ? 2 : 1), PARALLEL_GRAIN, run_chunk, &task);
  for (int k = 0; k < written; k++) {
    if (work[k] != tensors[k]) pwt_raw_copy(tensors[k], work[k]);
    pwt_bump_version(tensors[k]);
  }
  return !pwt_failed();
}

static bool run_step(const Step *step, const TensorList *given) {
  if (!check_step(step, given)) return false;
  pwt_changes++;
  for (int64_t i = 0; i < step->tensors[0].count; i++) {
    if (!gradient(step, given, i)) continue;
    double numbers[PWT_MAX_STEP_NUMBERS];
    if (!pwt_load_numbers(step, i, numbers)) return false;
    if (given) numbers[0]--; /* `advance` counts this step */
    if (step->advance) step->advance(numbers, step->options);
    int64_t mark = pwt_scope_open();
    bool done = update(step, given, i);
    pwt_scope_close(mark);
    if (!done) return false;
    if (!given) pwt_store_numbers(step, i, numbers);
  }
  return true;
}

static bool run_whole_step(const Step *step, const TensorList *given) {
  pwt_breath_held++; /* all parameters of a step change, or none */
  bool done = run_step(step, given);
  pwt_breath_held--;
  return done;
}

bool pwt_run_step(const Step *step) { return run_whole_step(step, NULL); }

bool pwt_run_given_step(const Step *step, TensorList grads, Tensor *grad_scale) {
  if (!check_step(step, &grads)) return false;
  for (int64_t i = 0; i < grads.count; i++) {
    const Tensor *param = step->tensors[0].items[i];
    if (grads.items[i]->dtype != param->dtype) {
      pwt_fail(PWT_RUNTIME_ERROR, "expected scalar type %t but found %t", param->dtype, grads.items[i]->dtype);
      return false;
    }
    if (grad_scale && !pwt_div_(grads.items[i], grad_scale)) return false;
  }
  return run_whole_step(step, &grads);
}
