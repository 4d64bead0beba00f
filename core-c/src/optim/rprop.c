/* Resilient backpropagation (Riedmiller and Braun, 1993). */
#include "math.h"
#include "ops.h"
#include "step.h"

typedef struct {
  double shrink, grow, smallest, largest;
  bool maximize;
} RpropOptions;

/* Where the gradient changed its sign the step is shorter and not taken, and the next one does not compare. */
#define RPROP_LOOP(NAME, TYPE, SUFFIX)                                                           \
  static void NAME(void *const *arguments, int64_t n, const void *options) {                     \
    const RpropOptions *o = options;                                                             \
    const TYPE shrink = (TYPE)o->shrink, grow = (TYPE)o->grow, sign = o->maximize ? -1 : 1;      \
    const TYPE smallest = (TYPE)o->smallest, largest = (TYPE)o->largest;                         \
    TYPE *restrict params = arguments[0];                                                        \
    TYPE *restrict prevs = arguments[1];                                                         \
    TYPE *restrict step_sizes = arguments[2];                                                    \
    const TYPE *restrict grads = arguments[3];                                                   \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const TYPE product = sign * grads[i] * prevs[i], grad = product < 0 ? 0 : sign * grads[i]; \
      TYPE size = step_sizes[i] * (product > 0 ? grow : product < 0 ? shrink : 1);               \
      size = size < smallest ? smallest : size > largest ? largest : size;                       \
      step_sizes[i] = size;                                                                      \
      prevs[i] = grad;                                                                           \
      params[i] -= pwt_sign_or_zero_##SUFFIX(grad) * size;                                       \
    }                                                                                            \
  }
RPROP_LOOP(rprop_f32, float, f32)
RPROP_LOOP(rprop_f64, double, f64)

static void advance(double *numbers, void *options) {
  (void)options;
  numbers[0]++;
}

bool pwt_kernel__rprop_step(TensorList params, TensorList prevs, TensorList step_sizes, TensorList steps, double shrink, double grow,
                            double smallest, double largest, bool maximize) {
  RpropOptions options = {shrink, grow, smallest, largest, maximize};
  Step step = {{rprop_f32, rprop_f64}, &options, advance, 3, 1, {params, prevs, step_sizes}, {steps}};
  return pwt_run_step(&step);
}
