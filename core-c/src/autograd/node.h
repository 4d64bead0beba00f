/* Nodes, as the files of this folder see them beyond autograd.h. */
#pragma once
#include "autograd.h"

bool pwt_node_set_outputs(Node *node, Tensor *const *results, int count);
void pwt_operator_name(const char *full, char *name, int64_t capacity); /* AddBackward0 -> Add */
