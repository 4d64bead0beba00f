/* Custom Functions: nodes whose backward calls the host. */
#pragma once
#include "autograd.h"

typedef struct {
  const char *name; /* "MyFunctionBackward" */
  TensorList inputs, outputs, dirty, non_differentiable, saved;
  int32_t host_id;
  bool records;     /* grad mode is on and an input requires grad */
  bool materialize; /* zeros for gradients that did not arrive */
} FunctionCall;

/* Gives the outputs of a forward their history; the list of what the call returns. */
TensorList pwt_function_record(const FunctionCall *call);
/* Aliases of `tensors` whose backward fails with `message`. */
TensorList pwt_delayed_error(TensorList tensors, const char *message);
