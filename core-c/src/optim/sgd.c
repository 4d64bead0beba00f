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

bool pwt_kernel__sgd_step(TensorList params, TensorList bufs, double lr, double momentum, double dampening, double weight_decay,
                          bool nesterov, bool maximize) {
  SgdOptions options = {lr, momentum, dampening, weight_decay, maximize};
  StepLoops loops = momentum == 0 ? plain : nesterov ? with_nesterov : with_momentum;
  Step step = {loops, &options, NULL, momentum == 0 ? 1 : 2, 0, {params, bufs}, {{NULL, 0}}};
  return pwt_run_step(&step);
}
