"""Calls whose results are meta tensors: shape, dtype and strides without values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import device as _device
from . import frame
from .operators import NUMBERS
from .tensor_type import Tensor

_MAKE_META = NUMBERS["_make_meta"] | 1 << 16


def _make(enabled: bool) -> bool:
    words, _, invoke = frame.here()
    words[0] = enabled
    if not invoke(_MAKE_META):
        frame.raise_error()
    return words[0] != 0


def on_meta(function: Callable[..., Any], *arguments: Any, **names: Any) -> Any:
    """What the function gives where every tensor that it makes is on meta."""
    _device.in_use = True
    before = _make(True)
    try:
        return function(*arguments, **names)
    finally:
        _make(before)


def refuse(name: str, *tensors: Any) -> None:
    """NotImplementedError where one of these is a meta tensor: what the function gives depends on values."""
    if any_on_meta(tensors):
        raise NotImplementedError(f"aten::{name}: attempted to run this operator with Meta tensors, but what it gives depends on values, which these have not got")


def any_on_meta(values: Any) -> bool:
    """Whether a meta tensor is among these, or in a list or tuple of them."""
    return any(v.is_meta if isinstance(v, Tensor) else isinstance(v, (list, tuple)) and any_on_meta(v) for v in values)
