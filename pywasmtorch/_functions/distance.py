"""cdist and pdist: p-norm distances between rows."""

from __future__ import annotations

from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.tensor_type import Tensor

COMPUTE_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = COMPUTE_MODES[0]) -> Tensor:
    """The p-norm distances between the rows of (…, P, M) and those of (…, R, M), as (…, P, R). Differences are taken before anything else in
    every compute mode, so that near rows lose no digits."""
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return ops._cdist(x1, x2, float(p))


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances of each row of a matrix to those below it, as a vector."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return ops._pdist(input, float(p))


FUNCTIONS = [*map(tensors_checked, (cdist, pdist))]
