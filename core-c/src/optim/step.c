#include "step.h"

#include "../base/parallel.h"
#include "autograd.h"
#include "ops.h"

#define PARALLEL_GRAIN 32768

typedef struct {
  int count, item;
  char *data[PWT_MAX_STEP_TENSORS];
  StepLoop loop;
  const void *options;
} Task;

/* The gradients, NULL where a parameter has none. */
TensorList pwt_kernel__grads(TensorList params) {
  TensorList grads = pwt_list_new(params.count);
  if (!grads.items) return grads;
  for (int64_t i = 0; i < params.count; i++) {
    Autograd *autograd = params.items[i]->autograd;
    grads.items[i] = autograd ? pwt_own(pwt_retain(autograd->grad)) : NULL;
  }
  return grads;
}

static void run_chunk(void *context, int64_t begin, int64_t end) {
  const Task *task = context;
  void *arguments[PWT_MAX_STEP_TENSORS];
  for (int i = 0; i < task->count; i++) arguments[i] = task->data[i] + begin * task->item;
  task->loop(arguments, end - begin, task->options);
}

bool pwt_check_step(const StepTensors *step) {
  const Tensor *param = step->tensors[0];
  if (!pwt_is_differentiable(param->dtype)) {
    pwt_fail(PWT_RUNTIME_ERROR, "an optimizer needs parameters of floating point or complex dtype, not %t", param->dtype);
    return false;
  }
  for (int i = 1; i < step->count; i++) {
    const Tensor *other = step->tensors[i];
    if (!pwt_same_sizes(param, other)) {
      pwt_fail(PWT_RUNTIME_ERROR, "a parameter of size %z has a gradient or an optimizer state of size %z", param->sizes, param->ndim,
               other->sizes, other->ndim);
      return false;
    }
    if (pwt_is_complex(other->dtype) && !pwt_is_complex(param->dtype)) {
      pwt_fail(PWT_RUNTIME_ERROR, "a parameter of dtype %t has a gradient or an optimizer state of dtype %t", param->dtype, other->dtype);
      return false;
    }
  }
  for (int i = 0; i < step->count - 1; i++)
    if (pwt_overlaps_itself(step->tensors[i])) {
      pwt_fail(PWT_RUNTIME_ERROR,
               "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
               "clone() the tensor before performing the operation.");
      return false;
    }
  return true;
}

bool pwt_run_step(const StepTensors *step, StepLoops loops, const void *options) {
  Tensor *const *tensors = step->tensors;
  DType dtype = tensors[0]->dtype;
  if (!pwt_is_complex(dtype)) dtype = pwt_dtype_of_compute[pwt_compute_type[dtype]];
  bool is_double = dtype == PWT_FLOAT64 || dtype == PWT_COMPLEX128;
  Tensor *work[PWT_MAX_STEP_TENSORS];
  Task task = {.count = step->count, .item = is_double ? 8 : 4, .loop = is_double ? loops.f64 : loops.f32, .options = options};
  for (int i = 0; i < step->count; i++) {
    work[i] = pwt_raw_contiguous_as(tensors[i], dtype);
    if (!work[i]) return false;
    task.data[i] = pwt_data(work[i]);
  }
  pwt_parallel_for(tensors[0]->numel * (pwt_is_complex(dtype) ? 2 : 1), PARALLEL_GRAIN, run_chunk, &task);
  for (int i = 0; i < step->count - 1; i++) {
    if (work[i] != tensors[i]) pwt_raw_copy(tensors[i], work[i]);
    pwt_bump_version(tensors[i]);
  }
  return !pwt_failed();
}
