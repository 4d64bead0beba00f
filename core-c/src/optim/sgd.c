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

static StepTensors tensors_at(int64_t i, TensorList params, TensorList grads, TensorList bufs) {
  if (bufs.count) return (StepTensors){3, {params.items[i], bufs.items[i], grads.items[i]}};
  return (StepTensors){2, {params.items[i], grads.items[i]}};
}

bool pwt_kernel__sgd_step(TensorList params, TensorList grads, TensorList bufs, double lr, double momentum, double dampening,
                          double weight_decay, bool nesterov, bool maximize) {
  if (grads.count != params.count || bufs.count != (momentum != 0 ? params.count : 0)) {
    pwt_fail(PWT_VALUE_ERROR, "%i parameters with %i gradients and %i momentum buffers", params.count, grads.count, bufs.count);
    return false;
  }
  for (int64_t i = 0; i < params.count; i++) {
    StepTensors step = tensors_at(i, params, grads, bufs);
    if (!pwt_check_step(&step)) return false;
  }
  SgdOptions options = {lr, momentum, dampening, weight_decay, maximize};
  StepLoops loops = momentum == 0 ? plain : nesterov ? with_nesterov : with_momentum;
  for (int64_t i = 0; i < params.count; i++) {
    StepTensors step = tensors_at(i, params, grads, bufs);
    if (!pwt_run_step(&step, loops, &options)) return false;
  }
  return true;
}
