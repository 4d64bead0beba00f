/* Pooling in float32. */
#define TYPE float
#define LANES 4
#define INDEX int32_t
#define NAME(x) x##_f32
#include "pool_loops.h"
