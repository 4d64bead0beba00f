/* The frame: arguments and results between a host and the core (abi.md). */
#pragma once
#include "call.h"
#include "host.h"

#define PWT_ABI_VERSION 1

typedef struct {
  const int64_t *slots; /* a private copy of the arguments: a callback may overwrite the frame */
  int64_t next;
  int32_t given; /* how many arguments the host wrote; the rest take their defaults */
  Form form;
  uint8_t devices; /* where the tensors are that were read: HERE, ON_META */
  bool mixes;      /* the operator takes tensors of both */
  int32_t op;
} Frame;

typedef int32_t (*Caller)(Frame *frame);
extern const Caller pwt_calls[];
extern const int32_t pwt_call_count;
extern const uint8_t pwt_stored_dtypes[]; /* which of those that are only kept, moved and converted an operator takes: 1 uint16 and wider, 2 float8 */
extern const char *const pwt_call_names[];

Tensor *pwt_read_tensor(Frame *f);
Tensor *pwt_read_optional_tensor(Frame *f);
Tensor *pwt_read_index(Frame *f);
Tensor *pwt_read_generator(Frame *f);
Tensor *pwt_read_tensor_or_number(Frame *f);
TensorList pwt_read_tensors(Frame *f, bool optional_items);
TensorList pwt_read_indices(Frame *f);
int64_t pwt_read_int(Frame *f);
OptInt pwt_read_optional_int(Frame *f);
double pwt_read_float(Frame *f);
OptFloat pwt_read_optional_float(Frame *f);
IntList pwt_read_ints(Frame *f);
FloatList pwt_read_floats(Frame *f);
Scalar pwt_read_scalar(Frame *f);
ScalarList pwt_read_scalars(Frame *f);
DType pwt_read_dtype(Frame *f);
const char *pwt_read_text(Frame *f);

/* Each returns what pwt_invoke returns: 0 after a failure, else the first result's handle, or 1. */
int32_t pwt_write_tensor(Frame *f, Tensor *result);
int32_t pwt_write_tensors(Frame *f, TensorList results);
int32_t pwt_write_many(Frame *f, Tensor **results, int count);
int32_t pwt_write_int(Frame *f, int64_t value);
int32_t pwt_write_float(Frame *f, double value);
int32_t pwt_write_scalar(Frame *f, Scalar value);
