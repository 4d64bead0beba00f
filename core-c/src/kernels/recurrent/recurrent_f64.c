/* The steps of recurrent networks in float64. */
#define TYPE double
#define NAME(x) x##_f64
#include "recurrent_loops.h"
