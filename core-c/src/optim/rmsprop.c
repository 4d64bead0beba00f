/* RMSprop (Hinton's lecture, 2012), centered as in Graves (2013). */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, alpha, eps, weight_decay, momentum;
  bool maximize, has_momentum, centered;
} RmspropOptions;

/* HAS_MOMENTUM and CENTERED are constants to the compiler, so that each loop is vector code without branches. */
#define RMSPROP_FORM(TYPE, SQRT, HAS_MOMENTUM, CENTERED)              \
  for (int64_t i = 0; i < n; i++) {                                   \
    const TYPE param = params[i], grad = PWT_STEP_GRAD(TYPE, param);  \
    const TYPE square = alpha * squares[i] + share * grad * grad;     \
    TYPE variance = square;                                           \
    squares[i] = square;                                              \
    if (CENTERED) {                                                   \
      const TYPE average = alpha * averages[i] + share * grad;        \
      averages[i] = average;                                          \
      variance = square - average * average;                          \
    }                                                                 \
    TYPE update = grad / (SQRT(variance) + eps);                      \
    if (HAS_MOMENTUM) bufs[i] = update = momentum * bufs[i] + update; \
    params[i] = param - lr * update;                                  \
  }

#define RMSPROP_LOOP(NAME, TYPE, SQRT)                                             \
  static void NAME(void *const *arguments, int64_t n, const void *options) {       \
    const RmspropOptions *o = options;                                             \
    PWT_STEP_GRADIENT(TYPE);                                                       \
    const TYPE lr = (TYPE)o->lr, eps = (TYPE)o->eps, momentum = (TYPE)o->momentum; \
    const TYPE alpha = (TYPE)o->alpha, share = (TYPE)(1 - o->alpha);               \
    TYPE *restrict params = arguments[0];                                          \
    TYPE *restrict squares = arguments[1];                                         \
    TYPE *restrict bufs = arguments[2];                                            \
    TYPE *restrict averages = arguments[o->has_momentum ? 3 : 2];                  \
    const TYPE *restrict grads = arguments[2 + o->has_momentum + o->centered];     \
    if (o->has_momentum && o->centered) RMSPROP_FORM(TYPE, SQRT, true, true)       \
    else if (o->has_momentum) RMSPROP_FORM(TYPE, SQRT, true, false)                \
    else if (o->centered) RMSPROP_FORM(TYPE, SQRT, false, true)                    \
    else RMSPROP_FORM(TYPE, SQRT, false, false)                                    \
  }
RMSPROP_LOOP(rmsprop_f32, float, __builtin_sqrtf)
RMSPROP_LOOP(rmsprop_f64, double, __builtin_sqrt)

static void advance(double *numbers, void *options) {
  (void)options;
  numbers[0]++;
}

bool pwt_kernel__rmsprop_step(TensorList params, TensorList square_avgs, TensorList momentum_buffers, TensorList grad_avgs,
                              TensorList steps, double lr, double alpha, double eps, double weight_decay, double momentum, bool centered,
                              bool maximize) {
  RmspropOptions options = {lr, alpha, eps, weight_decay, momentum, maximize, momentum > 0, centered};
  Step step = {{rmsprop_f32, rmsprop_f64}, &options, advance, 2, 1, {params, square_avgs}, {steps}};
  if (options.has_momentum) step.tensors[step.tensor_lists++] = momentum_buffers;
  if (centered) step.tensors[step.tensor_lists++] = grad_avgs;
  return pwt_run_step(&step);
}
