/* The matrix product in float64. */
#define TYPE double
#define LANES 2
#define PANEL GEMM_PANEL_F64
#define NAME(x) x##_f64
#include "gemm_loops.h"
