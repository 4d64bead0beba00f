/* Recurrent operators: checks, memory, dtypes. Loops: recurrent_loops.h. */
#include "recurrent.h"
#include "ops.h"

static bool expect(const Tensor *t, const char *name, int ndim, int64_t first, int64_t second, DType dtype) {
  if (t->ndim != ndim || (ndim > 0 && t->sizes[0] != first) || (ndim > 1 && t->sizes[1] != second))
    return pwt_fail(PWT_RUNTIME_ERROR, "recurrent layer: %s has sizes %z, which do not fit", name, t->sizes, (int)t->ndim), false;
  if (t->dtype != dtype) return pwt_fail(PWT_RUNTIME_ERROR, "expected all tensors of a recurrent layer to be %t, but %s is %t", dtype, name, (DType)t->dtype), false;
  return true;
}

/* Sizes and steps; `wide`: G H, by the weight */
static bool plan(RecurrentJob *j, Tensor *hx, Tensor *cx, Tensor *weight, Tensor *projection, IntList batch_sizes, int64_t mode, bool reverse) {
  static const int64_t gates[] = {1, 1, 4, 3};
  DType dtype = (DType)hx->dtype;
  if (mode < RNN_RELU || mode > RNN_GRU) return pwt_fail(PWT_RUNTIME_ERROR, "recurrent layer: unknown mode %i", mode), false;
  if (dtype != PWT_FLOAT32 && dtype != PWT_FLOAT64) return pwt_fail(PWT_NOT_IMPLEMENTED, "\"rnn_steps\" not implemented for '%t'", dtype), false;
  if (hx->ndim != 2 || weight->ndim != 2) return pwt_fail(PWT_RUNTIME_ERROR, "recurrent layer: hidden state and weight must be matrices"), false;
  *j = (RecurrentJob){.batch = hx->sizes[0], .P = hx->sizes[1], .G = gates[mode], .mode = (RecurrentMode)mode, .reverse = reverse, .steps = batch_sizes.count, .batches = batch_sizes.items};
  j->H = weight->sizes[0] / j->G;
  if (!expect(weight, "weight_hh", 2, j->G * j->H, j->P, dtype)) return false;
  if ((mode == RNN_LSTM) != (cx != NULL)) return pwt_fail(PWT_RUNTIME_ERROR, "recurrent layer: only an LSTM has a cell state"), false;
  if (cx && !expect(cx, "the cell state", 2, j->batch, j->H, dtype)) return false;
  if (projection ? mode != RNN_LSTM || !expect(projection, "weight_hr", 2, j->P, j->H, dtype) : j->P != j->H)
    return pwt_failed() ? false : (pwt_fail(PWT_RUNTIME_ERROR, "recurrent layer: hidden size %i does not fit %i states", j->H, j->P), false);
  if (j->steps < 1 || j->steps > INT32_MAX) return pwt_fail(PWT_RUNTIME_ERROR, "Expected sequence length to be larger than 0 in RNN"), false;
  int64_t *starts = pwt_scratch_items(j->steps, 8);
  if (!starts) return false;
  for (int64_t t = 0; t < j->steps; t++) {
    int64_t b = j->batches[t];
    if (b < 0 || b > (t ? j->batches[t - 1] : j->batch)) return pwt_fail(PWT_RUNTIME_ERROR, "batch_sizes must not increase, and start at the batch size %i", j->batch), false;
    starts[t] = j->rows;
    j->rows += b;
  }
  if (j->batches[0] != j->batch) return pwt_fail(PWT_RUNTIME_ERROR, "batch_sizes[0] is %i, but the hidden state has a batch of %i", j->batches[0], j->batch), false;
  j->starts = starts;
  return true;
}

int64_t pwt_recurrent_scratch(const RecurrentJob *j, bool backward) {
  double wide = (double)j->G * (double)j->H, rows = (double)j->rows, P = (double)j->P, H = (double)j->H, batch = (double)j->batch, count;
  if (backward) count = rows * P + batch * H + (j->mode == RNN_GRU ? rows * wide : 0) + (j->projection ? rows * (P + H) : 0);
  else count = P * wide + batch * wide + (j->projection ? P * H : 0);
  return count < 9e15 ? (int64_t)count : INT64_MAX / 16;
}

static bool make_room(RecurrentJob *j, DType dtype, bool backward) {
  j->scratch = pwt_scratch_items(pwt_recurrent_scratch(j, backward), pwt_itemsize[dtype]);
  j->workspace = j->scratch ? pwt_scratch_items(dtype == PWT_FLOAT32 ? pwt_recurrent_workspace_f32(j, backward) : pwt_recurrent_workspace_f64(j, backward), 1) : NULL;
  return j->workspace != NULL;
}

static Tensor *matrix(int64_t rows, int64_t columns, DType dtype) { return pwt_new(2, (int64_t[]){rows, columns}, dtype); }

static const void *data_or_null(Tensor *t) { return t ? pwt_data(t) : NULL; }

Tensors4 pwt_kernel__rnn_steps(Tensor *gates, Tensor *hx, Tensor *cx, Tensor *weight, Tensor *bias, Tensor *projection, IntList batch_sizes, int64_t mode, bool reverse) {
  Tensors4 none = {0};
  RecurrentJob j;
  if (!plan(&j, hx, cx, weight, projection, batch_sizes, mode, reverse)) return none;
  DType dtype = (DType)hx->dtype;
  int64_t wide = j.G * j.H;
  if (!expect(gates, "the input's product", 2, j.rows, wide, dtype) || (bias && !expect(bias, "bias_hh", 1, wide, 0, dtype))) return none;
  gates = pwt_raw_contiguous(gates), hx = pwt_raw_contiguous(hx), weight = pwt_raw_contiguous(weight);
  cx = cx ? pwt_raw_contiguous(cx) : NULL, bias = bias ? pwt_raw_contiguous(bias) : NULL, projection = projection ? pwt_raw_contiguous(projection) : NULL;
  Tensor *output = matrix(j.rows, j.P, dtype), *hidden = matrix(j.batch, j.P, dtype), *cell = matrix(mode == RNN_LSTM ? j.batch : 0, j.H, dtype);
  Tensor *saved = matrix(j.rows, mode == RNN_LSTM ? 5 * j.H : mode == RNN_GRU ? 4 * j.H : 0, dtype);
  if (!gates || !hx || !weight || !output || !hidden || !cell || !saved || pwt_failed()) return none;
  j.gates = pwt_data(gates), j.hx = pwt_data(hx), j.weight = pwt_data(weight), j.cx = data_or_null(cx), j.bias = data_or_null(bias), j.projection = data_or_null(projection);
  j.output = pwt_data(output), j.hidden = pwt_data(hidden), j.saved = pwt_data(saved), j.cell = mode == RNN_LSTM ? pwt_data(cell) : NULL;
  if (pwt_on_meta) return (Tensors4){{output, hidden, cell, saved}};
  if (!make_room(&j, dtype, false)) return none;
  if (dtype == PWT_FLOAT32) pwt_recurrent_forward_f32(&j);
  else pwt_recurrent_forward_f64(&j);
  return (Tensors4){{output, hidden, cell, saved}};
}

/* A gradient to start from, which the steps change */
static Tensor *start_of(Tensor *grad, const Tensor *like) {
  return grad ? pwt_raw_clone(pwt_raw_contiguous_as(grad, (DType)like->dtype)) : pwt_new_zeros(2, like->sizes, (DType)like->dtype);
}

Tensors6 pwt_kernel__rnn_steps_backward(Tensor *grad_output, Tensor *grad_hidden, Tensor *grad_cell, Tensor *output, Tensor *saved, Tensor *hx, Tensor *cx, Tensor *weight, Tensor *projection,
                                        IntList batch_sizes, int64_t mode, bool reverse) {
  Tensors6 none = {0};
  RecurrentJob j;
  if (!plan(&j, hx, cx, weight, projection, batch_sizes, mode, reverse)) return none;
  DType dtype = (DType)hx->dtype;
  int64_t wide = j.G * j.H, width = mode == RNN_LSTM ? 5 * j.H : mode == RNN_GRU ? 4 * j.H : 0;
  if (!expect(output, "output", 2, j.rows, j.P, dtype) || !expect(saved, "saved", 2, j.rows, width, dtype)) return none;
  if (grad_output && !expect(grad_output, "grad_output", 2, j.rows, j.P, dtype)) return none;
  if (grad_hidden && !expect(grad_hidden, "grad_hidden", 2, j.batch, j.P, dtype)) return none;
  if (mode != RNN_LSTM) grad_cell = NULL;
  if (grad_cell && !expect(grad_cell, "grad_cell", 2, j.batch, j.H, dtype)) return none;
  output = pwt_raw_contiguous(output), saved = pwt_raw_contiguous(saved), hx = pwt_raw_contiguous(hx), weight = pwt_raw_contiguous(weight);
  grad_output = grad_output ? pwt_raw_contiguous(grad_output) : NULL, cx = cx ? pwt_raw_contiguous(cx) : NULL, projection = projection ? pwt_raw_contiguous(projection) : NULL;
  Tensor *dh = start_of(grad_hidden, hx), *dc = cx ? start_of(grad_cell, cx) : matrix(0, j.H, dtype), *to_gates = matrix(j.rows, wide, dtype);
  Tensor *to_weight = matrix(wide, j.P, dtype), *to_bias = pwt_new(1, &wide, dtype), *to_projection = matrix(projection ? j.P : 0, j.H, dtype);
  if (!output || !saved || !hx || !weight || !dh || !dc || !to_gates || !to_weight || !to_bias || !to_projection || pwt_failed()) return none;
  j.output = pwt_data(output), j.saved = pwt_data(saved), j.hx = pwt_data(hx), j.weight = pwt_data(weight), j.cx = data_or_null(cx), j.projection = data_or_null(projection);
  j.grad_output = data_or_null(grad_output), j.hidden = pwt_data(dh), j.cell = cx ? pwt_data(dc) : NULL;
  j.to_gates = pwt_data(to_gates), j.to_weight = pwt_data(to_weight), j.to_bias = pwt_data(to_bias), j.to_projection = pwt_data(to_projection);
  if (pwt_on_meta) return (Tensors6){{to_gates, dh, dc, to_weight, to_bias, to_projection}};
  if (!make_room(&j, dtype, true)) return none;
  if (dtype == PWT_FLOAT32) pwt_recurrent_backward_f32(&j);
  else pwt_recurrent_backward_f64(&j);
  return (Tensors6){{to_gates, dh, dc, to_weight, to_bias, to_projection}};
}
