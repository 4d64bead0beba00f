/* Convolution in float32. */
#define TYPE float
#define LANES 4
#define PANEL GEMM_PANEL_F32
#define NAME(x) x##_f32
#include "conv_loops.h"
