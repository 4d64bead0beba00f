/* Averaged stochastic gradient descent (Polyak and Juditsky, 1992), with Bottou's schedule of rates. */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, lambd, alpha, t0, weight_decay;
  double eta, mu;
  bool maximize;
} AsgdOptions;

/* AVERAGES is a constant to the compiler: most steps only copy. */
#define ASGD_FORM(TYPE, AVERAGES)                                                                   \
  for (int64_t i = 0; i < n; i++) {                                                                 \
    const TYPE old = params[i], grad = PWT_STEP_GRAD(TYPE, old), param = shrink * old - eta * grad; \
    params[i] = param;                                                                              \
    axs[i] = AVERAGES ? axs[i] + (param - axs[i]) * mu : param;                                     \
  }

#define ASGD_LOOP(NAME, TYPE)                                                                \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                 \
    const AsgdOptions *o = options;                                                          \
    PWT_STEP_GRADIENT(TYPE);                                                                 \
    const TYPE eta = (TYPE)o->eta, shrink = (TYPE)(1 - o->lambd * o->eta), mu = (TYPE)o->mu; \
    TYPE *restrict params = arguments[0];                                                    \
    TYPE *restrict axs = arguments[1];                                                       \
    const TYPE *restrict grads = arguments[2];                                               \
    if (o->mu != 1) ASGD_FORM(TYPE, true)                                                    \
    else ASGD_FORM(TYPE, false)                                                              \
  }
ASGD_LOOP(asgd_f32, float)
ASGD_LOOP(asgd_f64, double)

/* The numbers are the count, then the rate and the share of the average that this step uses and the next one's replace. */
static void advance(double *numbers, void *options) {
  AsgdOptions *o = options;
  double count = ++numbers[0];
  o->eta = numbers[1];
  o->mu = numbers[2];
  numbers[1] = o->lr / pwt_step_power(1 + o->lambd * o->lr * count, o->alpha);
  numbers[2] = 1 / (count - o->t0 > 1 ? count - o->t0 : 1);
}

bool pwt_kernel__asgd_step(TensorList params, TensorList axs, TensorList steps, TensorList etas, TensorList mus, double lr, double lambd,
                           double alpha, double t0, double weight_decay, bool maximize) {
  AsgdOptions options = {lr, lambd, alpha, t0, weight_decay, 0, 0, maximize};
  Step step = {{asgd_f32, asgd_f64}, &options, advance, 2, 3, {params, axs}, {steps, etas, mus}};
  return pwt_run_step(&step);
}
