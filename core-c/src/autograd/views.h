/* Rebasing the history of a base that is changed through a view. */
#pragma once
#include "autograd.h"

Tensor *pwt_view_through(Node *slices, Tensor *view); /* what was written to a view, as the view of its base's new history */
void pwt_rebase_view(Tensor *view, Node *node); /* `node` (whose reference it takes) wrote to `view` */
