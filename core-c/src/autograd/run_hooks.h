/* Running hooks. Each function replaces owned gradients in place; false: the host raised. */
#pragma once
#include "autograd.h"

bool pwt_run_tensor_hooks(Node *node, Tensor **grads);
bool pwt_run_node_prehooks(Node *node, Tensor **grads);
bool pwt_run_node_posthooks(Node *node, Tensor **grad_inputs, Tensor **grad_outputs);
