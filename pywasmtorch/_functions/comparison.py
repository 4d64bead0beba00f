"""isclose and allclose."""

from __future__ import annotations

from .._core import dtype as _dtype
from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.tensor_type import Tensor


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where `|input - other| <= atol + rtol * |other|`."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{str(input.dtype)[6:]} did not match {str(other.dtype)[6:]}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")
    close = input == other
    if equal_nan and (input.dtype.is_floating_point or input.dtype.is_complex):
        close = ops.logical_or(close, ops.logical_and(ops.isnan(input), ops.isnan(other)))
    if rtol == 0 and atol == 0:
        return close
    if not (input.dtype.is_floating_point or input.dtype.is_complex):  # a difference of integers may wrap around
        other = ops._to_dtype(other, _dtype.get_default_dtype())
    if input.dtype is _dtype.bool_:
        input = ops._to_dtype(input, other.dtype)
    allowed = atol + ops.abs_function(rtol * other)
    difference = ops.abs_function(input - other)
    return ops.logical_or(close, ops.logical_and(ops.isfinite(difference), difference <= allowed))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    return bool(ops.FUNCTIONS["all"](isclose(input, other, rtol, atol, equal_nan)).item())


def _is_all_true(self: Tensor) -> Tensor:
    """Whether all of a tensor of bools are True, as a 0-d tensor. RuntimeError for another dtype."""
    if self.dtype is not _dtype.bool_:
        raise RuntimeError("Expected self.scalar_type() == at::kBool to be true, but got false.")
    return ops.FUNCTIONS["all"](self)


def _is_any_true(self: Tensor) -> Tensor:
    """Whether any of a tensor of bools is True, as a 0-d tensor. RuntimeError for another dtype."""
    if self.dtype is not _dtype.bool_:
        raise RuntimeError("Expected self.scalar_type() == at::kBool to be true, but got false.")
    return ops.FUNCTIONS["any"](self)


FUNCTIONS = [*map(tensors_checked, (_is_all_true, _is_any_true, allclose, isclose))]
METHODS = {f.__name__: f for f in FUNCTIONS}
