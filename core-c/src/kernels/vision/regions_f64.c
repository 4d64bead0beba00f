/* Regions of interest in float64. */
#define TYPE double
#define LOWEST (-__DBL_MAX__)
#define NAME(x) x##_f64
#include "regions_loops.h"
