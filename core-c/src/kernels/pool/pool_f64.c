/* Pooling in float64. */
#define TYPE double
#define LANES 2
#define INDEX int64_t
#define NAME(x) x##_f64
#include "pool_loops.h"
