/* Regions of interest in float32. */
#define TYPE float
#define LOWEST (-__FLT_MAX__)
#define NAME(x) x##_f32
#include "regions_loops.h"
