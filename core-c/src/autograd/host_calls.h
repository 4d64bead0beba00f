/* Calls into the host, which may raise; tensors in the frame. */
#pragma once
#include "host.h"
#include "tensor.h"

bool pwt_call_host(HostCall kind, int32_t id); /* false: the host raised */
void pwt_host_release(int32_t id);
bool pwt_frame_give(int64_t slot, Tensor *const *tensors, int64_t count); /* as a list; false: no memory for it */
Tensor *pwt_taken(int64_t handle); /* what the host left and held; NULL for 0 */
