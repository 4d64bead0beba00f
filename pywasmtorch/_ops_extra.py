"""Small operators that Python composes."""

from __future__ import annotations

from ._generated import ops
from ._tensor_type import Tensor


def write_out(out: Tensor, result: Tensor) -> Tensor:
    """What `out=` means: resized to the result, then filled with it. RuntimeError where the dtype cannot hold it."""
    if not ops._can_cast(result.dtype, out.dtype):
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    if out.shape != result.shape:
        ops._resize(out, result.shape)
    return ops.copy__(out, result)
