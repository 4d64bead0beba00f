/* Stochastic gradient descent, with momentum and Nesterov's form of it (Sutskever et al., 2013). */
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, momentum, dampening, weight_decay;
  bool maximize;
} SgdOptions;

#define SGD_LOOP(NAME, TYPE, HAS_MOMENTUM, NESTEROV)                                             \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                     \
    const SgdOptions *o = options;                                                               \
    const TYPE lr = (TYPE)o->lr, momentum = (TYPE)o->momentum, share = (TYPE)(1 - o->dampening); \
    const TYPE decay = (TYPE)o->weight_decay, sign = o->maximize ? -1 : 1;                       \
    const bool decays = o->weight_decay != 0;                                                    \
    TYPE *restrict params = arguments[0];                                                        \
    TYPE *restrict bufs = arguments[1];                                                          \
    const TYPE *restrict grads = arguments[HAS_MOMENTUM ? 2 : 1];                                \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const TYPE param = params[i];                                                              \
      TYPE grad = sign * grads[i] + (decays ? decay * param : 0);                                \
      if (HAS_MOMENTUM) {                                                                        \
        const TYPE buf = momentum * bufs[i] + share * grad;                                      \
        bufs[i] = buf;                                                                           \
        grad = NESTEROV ? grad + momentum * buf : buf;                                           \
      }                                                                                          \
      params[i] = param - lr * grad;                                                             \
    }                                                                                            \
  }
SGD_LOOP(plain_f32, float, false, false)
SGD_LOOP(plain_f64, double, false, false)
SGD_LOOP(momentum_f32, float, true, false)
SGD_LOOP(momentum_f64, double, true, false)
SGD_LOOP(nesterov_f32, float, true, true)
SGD_LOOP(nesterov_f64, double, true, true)

static const StepLoops plain = {plain_f32, plain_f64}, with_momentum = {momentum_f32, momentum_f64};
static const StepLoops with_nesterov = {nesterov_f32, nesterov_f64};

static Step step_of(TensorList params, TensorList bufs, SgdOptions *options, bool nesterov) {
  StepLoops loops = options->momentum == 0 ? plain : nesterov ? with_nesterov : with_momentum;
  return (Step){loops, options, NULL, options->momentum == 0 ? 1 : 2, 0, {params, bufs}, {{NULL, 0}}};
}

bool pwt_kernel__sgd_step(TensorList params, TensorList bufs, double lr, double momentum, double dampening, double weight_decay,
                          bool nesterov, bool maximize) {
  SgdOptions options = {lr, momentum, dampening, weight_decay, maximize};
  Step step = step_of(params, bufs, &options, nesterov);
  return pwt_run_step(&step);
}

bool pwt_kernel__given_sgd_step(TensorList params, TensorList grads, TensorList bufs, double weight_decay, double momentum, double lr,
                                double dampening, bool nesterov, bool maximize, bool is_first_step, Tensor *grad_scale) {
  SgdOptions options = {lr, momentum, is_first_step ? 0 : dampening, weight_decay, maximize};
  Step step = step_of(params, bufs, &options, nesterov);
  if (is_first_step && momentum != 0) {
    if (!pwt_check_step(&step)) return false;
    for (int64_t i = 0; i < bufs.count; i++) /* what is there before the first step may be anything */
      if (!pwt_zero_(bufs.items[i])) return false;
  }
  return pwt_run_given_step(&step, grads, grad_scale);
}
