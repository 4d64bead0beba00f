/* Calls into the host, which may raise; tensors in the frame. */
#pragma once
#include "host.h"
#include "tensor.h"

bool pwt_call_host(HostCall kind, int32_t id); /* false: the host raised */
void pwt_host_release(int32_t id);
int64_t pwt_frame_give(int64_t slot, Tensor *const *tensors, int64_t count); /* count and handles; returns the next slot */
Tensor *pwt_frame_take(int64_t slot); /* a handle that the host left; NULL for 0 */
