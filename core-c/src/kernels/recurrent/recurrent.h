/* One layer of a recurrent network in one direction. Rows of all steps stand one after the other, `batches[t]` of them for
   step t, never more than for the step before; a padded batch has as many at every step. */
#pragma once
#include "base.h"

typedef enum { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU } RecurrentMode;

typedef struct {
  const void *gates, *weight, *bias, *projection; /* [rows, G H], [G H, P], [G H], [P, H] */
  const void *hx, *cx;                            /* [batch, P], [batch, H] */
  void *output, *hidden, *cell, *saved; /* [rows, P], [batch, P], [batch, H], and by row: LSTM its gates and cell, GRU its gates and W_hn h + b_hn */
  const void *grad_output;              /* [rows, P] or NULL; the backward pass starts from `hidden` and `cell` */
  void *to_gates, *to_weight, *to_bias, *to_projection;
  void *scratch, *workspace;
  const int64_t *batches, *starts; /* starts: of each step's rows */
  int64_t steps, rows, batch, H, P, G;
  RecurrentMode mode;
  bool reverse;
} RecurrentJob;

void pwt_recurrent_forward_f32(const RecurrentJob *job);
void pwt_recurrent_forward_f64(const RecurrentJob *job);
void pwt_recurrent_backward_f32(const RecurrentJob *job);
void pwt_recurrent_backward_f64(const RecurrentJob *job);
int64_t pwt_recurrent_scratch(const RecurrentJob *job, bool backward);   /* in elements */
int64_t pwt_recurrent_workspace_f32(const RecurrentJob *job, bool backward); /* in bytes */
int64_t pwt_recurrent_workspace_f64(const RecurrentJob *job, bool backward);
