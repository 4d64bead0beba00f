"""cov and corrcoef."""

from __future__ import annotations

import warnings
from typing import Any

from .._core import dtype as _dtype
from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.names import scalar_name
from .._core.tensor_type import Tensor


def _checked_weights(name: str, weights: Tensor, observations: int, integral: bool) -> Tensor:
    if weights.ndim > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions")
    fits = not (weights.dtype.is_floating_point or weights.dtype.is_complex or weights.dtype is _dtype.bool_) if integral else weights.dtype.is_floating_point
    if not fits:
        kind = "integral" if integral else "floating point"
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {scalar_name(weights.dtype)} dtype")
    if weights.numel() != observations:
        raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input but got {weights.numel()} != {observations}")
    if weights.numel() and ops.min_function(weights) < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")
    return weights


def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariance of variables (rows) over observations (columns), divided by their number less `correction`. `fweights` counts how often
    each observation stands, `aweights` says how much it weighs. RuntimeError for more than two dimensions, bool, and weights that do not fit."""
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions")
    if input.dtype is _dtype.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = ops.reshape(input, (1, -1)) if input.ndim < 2 else input
    observations = x.shape[1]
    weights = None if fweights is None else _checked_weights("fweights", fweights, observations, True)
    if aweights is not None:
        _checked_weights("aweights", aweights, observations, False)
        weights = aweights if weights is None else weights * aweights
    total: Any = observations if weights is None else ops.sum_function(weights)
    if weights is not None and total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = ops.sum_function(x if weights is None else x * weights, [1]) / total
    if aweights is None or correction == 0:
        divisor = total - correction
    else:
        divisor = total - correction * ops.sum_function(weights * aweights) / total
    if divisor <= 0:
        warnings.warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.", stacklevel=2)
        divisor = 0 if isinstance(divisor, int) else ops.zeros_like(divisor)
    x = x - ops.unsqueeze(mean, 1)
    other = x if weights is None else x * weights
    return ops.squeeze(ops.matmul(x, ops.conj_if_complex(ops.t(other))) / divisor)


def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation coefficients of variables (rows) over observations (columns), within [-1, 1]."""
    if input.ndim > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions")
    covariance = cov(input)
    if not covariance.ndim:
        return covariance / covariance
    spread = ops.sqrt(ops.diagonal(covariance))
    result = covariance / ops.unsqueeze(spread, 1) / ops.unsqueeze(spread, 0)
    if not result.dtype.is_complex:
        return ops.clamp(result, -1, 1)
    parts = ops.clamp(ops.view_as_real(result), -1, 1)
    return ops.view_as_complex(parts)


FUNCTIONS = [*map(tensors_checked, (corrcoef, cov))]
METHODS = {"corrcoef": corrcoef, "cov": cov}
