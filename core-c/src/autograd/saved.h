/* Saved tensors: lists per tensor, and their release. */
#pragma once
#include "autograd.h"

void pwt_drop_saved(Saved *saved);
void pwt_outdate_saves(Tensor *root); /* after a change in place of root or of a view of it */
void pwt_forget_saves(Saved *list);   /* as the tensor dies */
void pwt_node_release_saved(Node *node);
void *pwt_fail_released(void);
