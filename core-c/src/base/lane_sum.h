/* Sums of an expression, in an order that depends on the length alone. */
#pragma once

#include <stdint.h>

/* TOTAL = sum of EXPRESSION over i from BEGIN, N of them, as T: element i in lane (i - BEGIN) % LANES, and the lanes halved until one is left.
   LANES is a power of two. */
#define LANE_SUM(TOTAL, T, LANES, BEGIN, N, EXPRESSION)                   \
  {                                                                       \
    T lanes[LANES] = {0};                                                 \
    int64_t at = 0;                                                       \
    for (; at + LANES <= (N); at += LANES)                                \
      for (int k = 0; k < LANES; k++) {                                   \
        int64_t i = (BEGIN) + at + k;                                     \
        lanes[k] += EXPRESSION;                                           \
      }                                                                   \
    for (int k = 0; at + k < (N); k++) {                                  \
      int64_t i = (BEGIN) + at + k;                                       \
      lanes[k] += EXPRESSION;                                             \
    }                                                                     \
    for (int width = LANES / 2; width; width /= 2)                        \
      for (int k = 0; k < width; k++) lanes[k] += lanes[k + width];       \
    TOTAL = lanes[0];                                                     \
  }
