"""_check and its like, _assert_async: conditions that a program states of itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._core.tensor_type import Tensor

FUNCTIONS: dict[str, Any] = {}
METHODS: dict[str, Any] = {}
UNSAID = "Expected cond to be True, but got False."


def _fail(error: type[Exception], message: Any) -> None:
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error(UNSAID if message is None else str(message()))


def _check_with(error_type: type[Exception], cond: Any, message: Callable[[], Any]) -> None:
    """Raises `error_type` with what `message()` gives where `cond` is False. TypeError for anything but a bool."""
    if isinstance(cond, Tensor):
        raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all elements are true.")
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        _fail(error_type, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Any = None) -> None:
    """Raises `error_type` where an entry of the bool tensor `cond` is False. TypeError for anything but a bool tensor."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != _bool():  # type: ignore[attr-defined]
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")  # type: ignore[attr-defined]
    if not cond.all().item():  # type: ignore[attr-defined]
        _fail(error_type, message)


def _bool() -> Any:
    from .._core.dtype import bool_

    return bool_


def _named(name: str, error: type[Exception]) -> Any:
    def check(cond: Any, message: Any = None) -> None:
        _check_with(error, cond, message)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises {error.__name__} with what `message()` gives where `cond` is False. TypeError for anything but a bool."
    return check


def _check_tensor_all(cond: Any, message: Any = None) -> None:
    """RuntimeError where an entry of the bool tensor `cond` is False."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_is_size(i: Any, message: Any = None, *, max: Any = None) -> None:
    """RuntimeError where `i` is negative or more than `max`."""
    warnings.warn("_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     Use _check(i >= 0) instead.",
                  FutureWarning, stacklevel=2)
    _check_with(RuntimeError, i >= 0, message)
    if max is not None:
        _check_with(RuntimeError, i <= max, message)


def _assert_async(self: Any, assert_msg: str | None = None) -> None:
    """RuntimeError where the only entry of a tensor is zero."""
    if not bool(self):
        raise RuntimeError("Expected Tensor with single nonzero value, but got zero" if assert_msg is None else assert_msg)


FUNCTIONS.update(
    {name: _named(name, error) for name, error in {
        "_check": RuntimeError, "_check_index": IndexError, "_check_value": ValueError, "_check_type": TypeError, "_check_not_implemented": NotImplementedError}.items()},
    _check_with=_check_with, _check_tensor_all=_check_tensor_all, _check_tensor_all_with=_check_tensor_all_with, _check_is_size=_check_is_size,
    _assert_async=_assert_async,
)
