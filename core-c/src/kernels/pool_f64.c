#define TYPE double
#define NAME(x) x##_f64
#include "pool_float.h"
