"""torch.lu and Tensor.lu."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.dispatch import write_out
from .._core.generated import ops
from .._core.tensor_type import Tensor


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> tuple[Tensor, ...]:
    """L and U of (…, M, N) matrices in one, and the rows that changed places (from 1); with `get_infos` also 0 or the number of the first pivot
    that is zero, for each matrix."""
    results = ops.linalg_lu_factor_ex(A, pivot=pivot)
    if not get_infos:
        results = results[:2]
    if out is not None:
        if len(out) != len(results):
            raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
        return tuple(write_out(to, result) for to, result in zip(out, results))
    return results


def method_lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    return lu(self, pivot, get_infos)


FUNCTIONS = [tensors_checked(lu)]
METHODS = {"lu": method_lu}
