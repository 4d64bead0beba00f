/* digamma of positive numbers, for gradients of samples. */
#ifndef PWT_DIGAMMA_H
#define PWT_DIGAMMA_H
#include "base/vmath.h"

/* Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun, 6.3.5 and 6.3.18). */
static inline double digamma(double a) {
  double shift = 0;
  for (; a < 10; a++) shift -= 1 / a;
  double r = 1 / (a * a);
  double series = r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132)))));
  return shift + pwt_log_f64(a) - 0.5 / a - series;
}

#endif
