/* Pointwise loops over tensors of any layout and dtype: broadcasting, merged dimensions, blocks. */
#pragma once
#include "tensor.h"

#define PWT_MAX_OPERANDS 8
#define PWT_BLOCK_BYTES 8192 /* of one operand's block: 2,048 floats */

/* Every argument is contiguous and of the compute type that the operator asked for; outputs come first.
   n is a multiple of four, so that a vector loop needs no scalar copy of itself for the rest. */
typedef void (*Loop)(void *const *arguments, int64_t n, const void *parameters);

typedef struct {
  int count, outputs;
  Tensor *tensors[PWT_MAX_OPERANDS]; /* outputs first; already of the broadcast size */
  uint8_t compute[PWT_MAX_OPERANDS]; /* ComputeType of each */
  uint8_t common[PWT_MAX_OPERANDS];  /* inputs convert to this DType on their way to the compute type */
} Operands;

/* Runs `loop` over all elements, in parallel where it pays. Inputs broadcast to the first output's sizes.
   An input that overlaps an output otherwise than exactly is copied first. */
bool pwt_run_loop(Operands *operands, Loop loop, const void *parameters);

/* How a pointwise operator chooses its types */
typedef enum {
  PROMOTE_COMMON,  /* the common dtype, in and out */
  PROMOTE_FLOAT,   /* integers and bool become the default float */
  PROMOTE_COMPARE, /* common dtype in, bool out */
  PROMOTE_BOOL,    /* each input as bool (CT_BOOL), bool out: logical operators */
  PROMOTE_WHERE,   /* first input is a bool condition, the rest common */
  PROMOTE_ABS,     /* complex in, real out */
} Promotion;

typedef struct {
  const char *name;
  uint8_t inputs, promotion, scalars; /* parameters are `scalars` Scalars */
  uint32_t dtypes; /* bit mask of DTypes that the common dtype may be */
  Loop loops[CT_COUNT];
} Pointwise;

/* Allocates the result (or writes to `out`, resizing it, or to self for in-place forms) and runs the loop. */
Tensor *pwt_pointwise(const Pointwise *op, Tensor *const *inputs, const void *parameters);
Tensor *pwt_pointwise_into(const Pointwise *op, Tensor *const *inputs, const void *parameters, Tensor *out, bool resize);
