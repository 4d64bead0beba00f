/* Adagrad (Duchi, Hazan and Singer, 2011) and Adadelta (Zeiler, 2012). */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, rate, lr_decay, rho, eps, weight_decay;
  bool maximize;
} AdagradOptions;

#define ADAGRAD_LOOP(NAME, TYPE, SQRT)                                       \
  static void NAME(void *const *arguments, int64_t n, const void *options) { \
    const AdagradOptions *o = options;                                       \
    PWT_STEP_GRADIENT(TYPE);                                                 \
    const TYPE rate = (TYPE)o->rate, eps = (TYPE)o->eps;                     \
    TYPE *restrict params = arguments[0];                                    \
    TYPE *restrict sums = arguments[1];                                      \
    const TYPE *restrict grads = arguments[2];                               \
    for (int64_t i = 0; i < n; i++) {                                        \
      const TYPE param = params[i], grad = PWT_STEP_GRAD(TYPE, param);       \
      const TYPE sum = sums[i] + grad * grad;                                \
      sums[i] = sum;                                                         \
      params[i] = param - rate * grad / (SQRT(sum) + eps);                   \
    }                                                                        \
  }
ADAGRAD_LOOP(adagrad_f32, float, __builtin_sqrtf)
ADAGRAD_LOOP(adagrad_f64, double, __builtin_sqrt)

#define ADADELTA_LOOP(NAME, TYPE, SQRT)                                                              \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                         \
    const AdagradOptions *o = options;                                                               \
    PWT_STEP_GRADIENT(TYPE);                                                                         \
    const TYPE lr = (TYPE)o->lr, eps = (TYPE)o->eps, rho = (TYPE)o->rho, share = (TYPE)(1 - o->rho); \
    TYPE *restrict params = arguments[0];                                                            \
    TYPE *restrict squares = arguments[1];                                                           \
    TYPE *restrict deltas = arguments[2];                                                            \
    const TYPE *restrict grads = arguments[3];                                                       \
    for (int64_t i = 0; i < n; i++) {                                                                \
      const TYPE param = params[i], grad = PWT_STEP_GRAD(TYPE, param);                               \
      const TYPE square = rho * squares[i] + share * grad * grad;                                    \
      const TYPE delta = SQRT(deltas[i] + eps) / SQRT(square + eps) * grad;                          \
      squares[i] = square;                                                                           \
      deltas[i] = rho * deltas[i] + share * delta * delta;                                           \
      params[i] = param - lr * delta;                                                                \
    }                                                                                                \
  }
ADADELTA_LOOP(adadelta_f32, float, __builtin_sqrtf)
ADADELTA_LOOP(adadelta_f64, double, __builtin_sqrt)

static void advance(double *numbers, void *options) {
  AdagradOptions *o = options;
  o->rate = o->lr / (1 + numbers[0] * o->lr_decay);
  numbers[0]++;
}

bool pwt_kernel__adagrad_step(TensorList params, TensorList sums, TensorList steps, double lr, double lr_decay, double weight_decay,
                              double eps, bool maximize) {
  AdagradOptions options = {.lr = lr, .lr_decay = lr_decay, .eps = eps, .weight_decay = weight_decay, .maximize = maximize};
  Step step = {{adagrad_f32, adagrad_f64}, &options, advance, 2, 1, {params, sums}, {steps}};
  return pwt_run_step(&step);
}

bool pwt_kernel__given_adagrad_step(TensorList params, TensorList grads, TensorList sums, TensorList steps, double lr, double lr_decay,
                                    double weight_decay, double eps, bool maximize, Tensor *grad_scale) {
  AdagradOptions options = {.lr = lr, .lr_decay = lr_decay, .eps = eps, .weight_decay = weight_decay, .maximize = maximize};
  Step step = {{adagrad_f32, adagrad_f64}, &options, advance, 2, 1, {params, sums}, {steps}};
  return pwt_run_given_step(&step, grads, grad_scale);
}

bool pwt_kernel__adadelta_step(TensorList params, TensorList square_avgs, TensorList acc_deltas, TensorList steps, double lr, double rho,
                               double eps, double weight_decay, bool maximize) {
  AdagradOptions options = {.lr = lr, .rho = rho, .eps = eps, .weight_decay = weight_decay, .maximize = maximize};
  Step step = {{adadelta_f32, adadelta_f64}, &options, advance, 3, 1, {params, square_avgs, acc_deltas}, {steps}};
  return pwt_run_step(&step);
}
