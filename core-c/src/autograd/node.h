/* Functions of nodes that only src/autograd calls. */
#pragma once
#include "autograd.h"

bool pwt_node_set_outputs(Node *node, Tensor *const *results, int count);
void pwt_operator_name(const char *full, char *name, int64_t capacity); /* AddBackward0 -> Add */
