#define TYPE double
#define NAME(x) x##_f64
#include "recurrent_float.h"
