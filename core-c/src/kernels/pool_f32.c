#define TYPE float
#define NAME(x) x##_f32
#include "pool_float.h"
