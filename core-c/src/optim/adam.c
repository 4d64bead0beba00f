/* Adam (Kingma and Ba, 2015), AMSGrad (Reddi et al., 2018) and decoupled weight decay (Loshchilov and Hutter, 2019). */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, step_size, beta1, beta2, root_correction2, eps;
  double shrink, weight_decay; /* decoupled decay is a factor, the other kind a part of the gradient */
  bool amsgrad, maximize;
} AdamOptions;

/* AMSGRAD is a constant to the compiler, so that each loop is vector code without branches. */
#define ADAM_FORM(TYPE, SUFFIX, SQRT, AMSGRAD)                                                        \
  for (int64_t i = 0; i < n; i++) {                                                                   \
    const TYPE param = shrink * params[i], grad = sign * grads[i] + (decays ? decay * param : 0);     \
    averages[i] = beta1 * averages[i] + share1 * grad;                                                \
    TYPE square = beta2 * squares[i] + share2 * grad * grad;                                          \
    squares[i] = square;                                                                              \
    if (AMSGRAD) largest[i] = square = pwt_maximum_##SUFFIX(largest[i], square);                      \
    params[i] = param - step_size * averages[i] / (SQRT(square) / root_correction2 + eps);            \
  }

#define ADAM_LOOP(NAME, TYPE, SUFFIX, SQRT)                                                           \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                          \
    const AdamOptions *o = options;                                                                   \
    const bool amsgrad = o->amsgrad, decays = o->weight_decay != 0;                                   \
    const TYPE beta1 = (TYPE)o->beta1, share1 = (TYPE)(1 - o->beta1);                                 \
    const TYPE beta2 = (TYPE)o->beta2, share2 = (TYPE)(1 - o->beta2);                                 \
    const TYPE root_correction2 = (TYPE)o->root_correction2, eps = (TYPE)o->eps;                      \
    const TYPE decay = (TYPE)o->weight_decay, shrink = (TYPE)o->shrink;                               \
    const TYPE step_size = (TYPE)o->step_size, sign = o->maximize ? -1 : 1;                           \
    TYPE *restrict params = arguments[0];                                                             \
    TYPE *restrict averages = arguments[1];                                                           \
    TYPE *restrict squares = arguments[2];                                                            \
    TYPE *restrict largest = arguments[3];                                                            \
    const TYPE *restrict grads = arguments[amsgrad ? 4 : 3];                                          \
    if (amsgrad) ADAM_FORM(TYPE, SUFFIX, SQRT, true)                                                  \
    else ADAM_FORM(TYPE, SUFFIX, SQRT, false)                                                         \
  }
ADAM_LOOP(adam_f32, float, f32, __builtin_sqrtf)
ADAM_LOOP(adam_f64, double, f64, __builtin_sqrt)

static void advance(double *numbers, void *options) {
  AdamOptions *o = options;
  double count = ++numbers[0];
  o->step_size = o->lr / (1 - pwt_step_power(o->beta1, count));
  o->root_correction2 = __builtin_sqrt(1 - pwt_step_power(o->beta2, count));
}

static AdamOptions options_of(double lr, double beta1, double beta2, double eps, double weight_decay, bool decoupled, bool amsgrad,
                              bool maximize) {
  AdamOptions options = {
      .lr = lr, .beta1 = beta1, .beta2 = beta2, .eps = eps, .shrink = 1, .amsgrad = amsgrad, .maximize = maximize};
  if (decoupled) options.shrink = 1 - lr * weight_decay;
  else options.weight_decay = weight_decay;
  return options;
}

bool pwt_kernel__adam_step(TensorList params, TensorList exp_avgs, TensorList exp_avg_sqs, TensorList max_exp_avg_sqs, TensorList steps,
                           double lr, double beta1, double beta2, double eps, double weight_decay, bool decoupled_weight_decay,
                           bool amsgrad, bool maximize) {
  AdamOptions options = options_of(lr, beta1, beta2, eps, weight_decay, decoupled_weight_decay, amsgrad, maximize);
  Step step = {{adam_f32, adam_f64},  &options, advance, amsgrad ? 4 : 3, 1, {params, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
               {steps}};
  return pwt_run_step(&step);
}

bool pwt_kernel__given_adam_step(TensorList params, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
                                 TensorList max_exp_avg_sqs, TensorList steps, double lr, double beta1, double beta2,
                                 double weight_decay, double eps, bool decoupled_weight_decay, bool amsgrad, bool maximize,
                                 Tensor *grad_scale) {
  AdamOptions options = options_of(lr, beta1, beta2, eps, weight_decay, decoupled_weight_decay, amsgrad, maximize);
  Step step = {{adam_f32, adam_f64},  &options, advance, amsgrad ? 4 : 3, 1, {params, exp_avgs, exp_avg_sqs, max_exp_avg_sqs},
               {steps}};
  return pwt_run_given_step(&step, grads, grad_scale);
}
