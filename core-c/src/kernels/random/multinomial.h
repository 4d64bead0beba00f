/* multinomial, below tensors. */
#pragma once
#include "base/random.h"

/* out[rows, samples] of contiguous weights[rows, classes], which need not sum to one. Fails as torch does on
   weights that are negative, infinite, NaN or all zero, and without replacement on more samples than classes.
   by_class: one drawing for each class of all rows comes before those of the next class, as of weights that lie so. */
bool pwt_sample_multinomial(PwtGenerator *g, DType dtype, const void *weights, int64_t rows, int64_t classes,
                            int64_t *out, int64_t samples, bool replacement, bool by_class);
