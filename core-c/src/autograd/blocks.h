/* Allocation of nodes and their arrays. */
#pragma once
#include "base.h"

void *pwt_block_new(int64_t bytes); /* zeroed; from a list of spares where possible */
void pwt_block_free(void *block, int64_t bytes);
