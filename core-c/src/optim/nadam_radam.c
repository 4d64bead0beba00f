/* NAdam (Dozat, 2016) and RAdam (Liu et al., 2020). */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double lr, beta1, beta2, eps, momentum_decay;
  double shrink, weight_decay; /* decoupled decay is a factor, the other kind a part of the gradient */
  double grad_rate, average_rate, root_correction2;
  bool maximize, is_rectified;
} MomentOptions;

/* The step is the rates' mix of the gradient and its average, over the root of the average square where it is rectified. */
#define MOMENT_FORM(TYPE, SQRT, UPDATE)                                       \
  for (int64_t i = 0; i < n; i++) {                                           \
    const TYPE param = shrink * params[i], grad = PWT_STEP_GRAD(TYPE, param); \
    const TYPE average = beta1 * averages[i] + share1 * grad;                 \
    const TYPE square = beta2 * squares[i] + share2 * grad * grad;            \
    averages[i] = average;                                                    \
    squares[i] = square;                                                      \
    params[i] = param - (UPDATE);                                             \
  }

#define MOMENT_LOOP(NAME, TYPE, SQRT)                                                                                                   \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                                                            \
    const MomentOptions *o = options;                                                                                                   \
    PWT_STEP_GRADIENT(TYPE);                                                                                                            \
    const TYPE beta1 = (TYPE)o->beta1, share1 = (TYPE)(1 - o->beta1), shrink = (TYPE)o->shrink;                                         \
    const TYPE beta2 = (TYPE)o->beta2, share2 = (TYPE)(1 - o->beta2), eps = (TYPE)o->eps;                                               \
    const TYPE grad_rate = (TYPE)o->grad_rate, average_rate = (TYPE)o->average_rate;                                                    \
    const TYPE root_correction2 = (TYPE)o->root_correction2;                                                                            \
    TYPE *restrict params = arguments[0];                                                                                               \
    TYPE *restrict averages = arguments[1];                                                                                             \
    TYPE *restrict squares = arguments[2];                                                                                              \
    const TYPE *restrict grads = arguments[3];                                                                                          \
    if (o->is_rectified) MOMENT_FORM(TYPE, SQRT, (grad_rate * grad + average_rate * average) / (SQRT(square) / root_correction2 + eps)) \
    else MOMENT_FORM(TYPE, SQRT, average_rate * average)                                                                                \
  }
MOMENT_LOOP(moment_f32, float, __builtin_sqrtf)
MOMENT_LOOP(moment_f64, double, __builtin_sqrt)

static void advance_nadam(double *numbers, void *options) {
  MomentOptions *o = options;
  double count = ++numbers[0];
  double mu = o->beta1 * (1 - 0.5 * pwt_step_power(0.96, count * o->momentum_decay));
  double mu_next = o->beta1 * (1 - 0.5 * pwt_step_power(0.96, (count + 1) * o->momentum_decay));
  numbers[1] *= mu;
  o->grad_rate = o->lr * (1 - mu) / (1 - numbers[1]);
  o->average_rate = o->lr * mu_next / (1 - numbers[1] * mu_next);
  o->root_correction2 = __builtin_sqrt(1 - pwt_step_power(o->beta2, count));
}

/* Equations 5 and 6 of the paper; up to a length of 5 the variance is intractable and the step plain momentum. */
static void advance_radam(double *numbers, void *options) {
  MomentOptions *o = options;
  double count = ++numbers[0], power = pwt_step_power(o->beta2, count);
  double longest = 2 / (1 - o->beta2) - 1, length = longest - 2 * count * power / (1 - power);
  o->average_rate = o->lr / (1 - pwt_step_power(o->beta1, count));
  o->is_rectified = length > 5;
  if (!o->is_rectified) return;
  double rectifier = __builtin_sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
  o->average_rate *= rectifier * __builtin_sqrt(1 - power);
}

static MomentOptions options_of(double lr, double beta1, double beta2, double eps, double weight_decay, bool decoupled, bool maximize) {
  MomentOptions options = {.lr = lr, .beta1 = beta1, .beta2 = beta2, .eps = eps, .shrink = 1, .root_correction2 = 1};
  options.maximize = maximize;
  options.is_rectified = true;
  if (decoupled) options.shrink = 1 - lr * weight_decay;
  else options.weight_decay = weight_decay;
  return options;
}

bool pwt_kernel__nadam_step(TensorList params, TensorList exp_avgs, TensorList exp_avg_sqs, TensorList steps, TensorList mu_products,
                            double lr, double beta1, double beta2, double eps, double weight_decay, double momentum_decay,
                            bool decoupled_weight_decay, bool maximize) {
  MomentOptions options = options_of(lr, beta1, beta2, eps, weight_decay, decoupled_weight_decay, maximize);
  options.momentum_decay = momentum_decay;
  Step step = {{moment_f32, moment_f64}, &options, advance_nadam, 3, 2, {params, exp_avgs, exp_avg_sqs}, {steps, mu_products}};
  return pwt_run_step(&step);
}

bool pwt_kernel__radam_step(TensorList params, TensorList exp_avgs, TensorList exp_avg_sqs, TensorList steps, double lr, double beta1,
                            double beta2, double eps, double weight_decay, bool decoupled_weight_decay, bool maximize) {
  MomentOptions options = options_of(lr, beta1, beta2, eps, weight_decay, decoupled_weight_decay, maximize);
  Step step = {{moment_f32, moment_f64}, &options, advance_radam, 3, 1, {params, exp_avgs, exp_avg_sqs}, {steps}};
  return pwt_run_step(&step);
}
