/* Adamax, Adam with the infinity norm (Kingma and Ba, 2015, section 7.1). */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, rate, beta1, beta2, eps, weight_decay;
  bool maximize;
} AdamaxOptions;

#define ADAMAX_LOOP(NAME, TYPE, SUFFIX)                                                       \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                  \
    const AdamaxOptions *o = options;                                                         \
    PWT_STEP_GRADIENT(TYPE);                                                                  \
    const TYPE rate = (TYPE)o->rate, eps = (TYPE)o->eps;                                      \
    const TYPE beta1 = (TYPE)o->beta1, share1 = (TYPE)(1 - o->beta1), beta2 = (TYPE)o->beta2; \
    TYPE *restrict params = arguments[0];                                                     \
    TYPE *restrict averages = arguments[1];                                                   \
    TYPE *restrict norms = arguments[2];                                                      \
    const TYPE *restrict grads = arguments[3];                                                \
    for (int64_t i = 0; i < n; i++) {                                                         \
      const TYPE param = params[i], grad = PWT_STEP_GRAD(TYPE, param);                        \
      const TYPE average = beta1 * averages[i] + share1 * grad;                               \
      const TYPE norm = pwt_maximum_##SUFFIX(beta2 * norms[i], pwt_abs_##SUFFIX(grad) + eps); \
      averages[i] = average;                                                                  \
      norms[i] = norm;                                                                        \
      params[i] = param - rate * average / norm;                                              \
    }                                                                                         \
  }
ADAMAX_LOOP(adamax_f32, float, f32)
ADAMAX_LOOP(adamax_f64, double, f64)

static void advance(double *numbers, void *options) {
  AdamaxOptions *o = options;
  o->rate = o->lr / (1 - pwt_step_power(o->beta1, ++numbers[0]));
}

bool pwt_kernel__adamax_step(TensorList params, TensorList exp_avgs, TensorList exp_infs, TensorList steps, double lr, double beta1,
                             double beta2, double eps, double weight_decay, bool maximize) {
  AdamaxOptions options = {lr, 0, beta1, beta2, eps, weight_decay, maximize};
  Step step = {{adamax_f32, adamax_f64}, &options, advance, 3, 1, {params, exp_avgs, exp_infs}, {steps}};
  return pwt_run_step(&step);
}
