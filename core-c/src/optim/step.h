/* Step: an optimizer's loop, which updates one parameter and its state in place. */
#pragma once
#include "tensor.h"

#define PWT_MAX_STEP_TENSORS 5
#define PWT_MAX_STEP_NUMBERS 3

/* The arguments are contiguous and of the loop's type: the parameter, its state, its gradient, which is only read. */
typedef void (*StepLoop)(void *const *arguments, int64_t n, const void *options);

typedef struct {
  StepLoop f32, f64;
} StepLoops;

/* A step of all parameters that have gradients. The numbers are one-element tensors for each parameter, a count of
   steps first; `advance` changes them and derives what the loop needs. */
typedef struct {
  StepLoops loops;
  void *options;
  void (*advance)(double *numbers, void *options);
  int tensor_lists, number_lists;
  TensorList tensors[PWT_MAX_STEP_TENSORS - 1]; /* the parameters, then each state */
  TensorList numbers[PWT_MAX_STEP_NUMBERS];
} Step;

/* A step with gradients that are given and counts that are those of this step already, as torch._fused_adam_; divides the gradients by
   `grad_scale` first. */
bool pwt_run_given_step(const Step *step, TensorList grads, Tensor *grad_scale);

Tensor *pwt_gradient_of(const Tensor *param); /* NULL where there is none */

/* Lists of one length; floating or complex dtype, state and gradient of their parameter's size, numbers that are such. */
bool pwt_check_step(const Step *step);

/* Half precision computes in float32; a complex element is two real ones. Strided tensors go through copies. */
bool pwt_run_step(const Step *step);

/* pow(), once for all of the optimizers. */
double pwt_step_power(double base, double exponent);

bool pwt_load_numbers(const Step *step, int64_t i, double *numbers);
void pwt_store_numbers(const Step *step, int64_t i, const double *numbers);

/* What every loop starts with, given options `o` that have these members. */
#define PWT_STEP_GRADIENT(TYPE) \
  const TYPE decay = (TYPE)o->weight_decay, sign = o->maximize ? -1 : 1; \
  const bool decays = o->weight_decay != 0
#define PWT_STEP_GRAD(TYPE, param) (sign * grads[i] + (decays ? decay * (param) : (TYPE)0))
