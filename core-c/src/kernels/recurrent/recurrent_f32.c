/* The steps of recurrent networks in float32. */
#define TYPE float
#define NAME(x) x##_f32
#include "recurrent_loops.h"
