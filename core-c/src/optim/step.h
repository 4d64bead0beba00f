/* What the optimizers share: a loop that updates one parameter and its state in place. */
#pragma once
#include "../../include/tensor.h"

#define PWT_MAX_STEP_TENSORS 5

/* The arguments are contiguous and of the loop's type, in the order of the tensors. */
typedef void (*StepLoop)(void *const *arguments, int64_t n, const void *options);

typedef struct {
  StepLoop f32, f64;
} StepLoops;

/* A parameter, then its state, then its gradient, which is only read. */
typedef struct {
  int count;
  Tensor *tensors[PWT_MAX_STEP_TENSORS];
} StepTensors;

/* Whether a step can be made: floating or complex dtype, state and gradient of the parameter's size. */
bool pwt_check_step(const StepTensors *step);

/* Half precision computes in float32; a complex element is two real ones. Strided tensors go through copies. */
bool pwt_run_step(const StepTensors *step, StepLoops loops, const void *options);
