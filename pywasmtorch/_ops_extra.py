"""Small operators that Python composes."""

from __future__ import annotations

from ._arguments import warn_of_resize
from ._generated import ops
from ._tensor_type import Tensor


def write_out(out: Tensor, result: Tensor) -> Tensor:
    """What `out=` means: resized to the result, then filled with it. RuntimeError where the dtype cannot hold it."""
    if ops._is_grad_enabled() and (result.requires_grad or out.requires_grad):
        raise RuntimeError("functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.")
    if not ops._can_cast(result.dtype, out.dtype):
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    if out.shape != result.shape:
        before = out.shape
        ops._resize(out, result.shape)
        warn_of_resize(before, out)
    return ops.copy__(out, result)
