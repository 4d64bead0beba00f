"""autocast, custom_fwd, custom_bwd."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import pywasmtorch as torch

from .._core.device import device as _device
from .._functions import autocast as _autocast
from .._functions.autocast import state

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_SUPPORTED = ("cpu", "cuda", "mps", "xpu", "hpu", "xla", "mtia", "maia")


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` knows a kind of device."""
    return _device(device_type).type in _SUPPORTED


def autocast_decorator(context: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def decorated(*arguments: Any, **names: Any) -> Any:
        with context:
            return function(*arguments, **names)

    return decorated


class autocast:
    """A context or decorator: products and convolutions in `dtype` (bfloat16 by default on the CPU), losses and the like in float32.

    ValueError for a device_type that is no str, RuntimeError for an unknown one. For devices that are not there it warns and does nothing.
    """

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        kind = _device(device_type).type
        if not is_autocast_available(kind):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{kind}'")
        self.device = kind
        self.fast_dtype = state.fast.get(kind, torch.bfloat16) if dtype is None else dtype
        self._cache_enabled = state.cache if cache_enabled is None else cache_enabled
        if enabled and kind == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and kind != "cpu":
            warnings.warn(f"{kind.upper()} is not available. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (torch.bfloat16, torch.float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.", stacklevel=2)
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        self._before = state.cache, state.enabled.get(self.device, False), state.fast.get(self.device)
        if self.device in _autocast.KNOWN:
            _autocast.set_autocast_enabled(self.device, self._enabled)
            _autocast.set_autocast_dtype(self.device, self.fast_dtype)
        _autocast.autocast_increment_nesting()
        _autocast.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *_: Any) -> bool:
        if _autocast.autocast_decrement_nesting() == 0:
            _autocast.clear_autocast_cache()
        cache, enabled, fast = self._before
        if fast is not None:
            _autocast.set_autocast_enabled(self.device, enabled)
            _autocast.set_autocast_dtype(self.device, fast)
        _autocast.set_autocast_cache_enabled(cache)
        return False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return autocast_decorator(self, function)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """For the forward of a `torch.autograd.Function`: with `cast_inputs` its tensors are converted and autocast is off inside; without,
    backward runs in the state of forward."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*arguments: Any, **names: Any) -> Any:
        ctx, on = arguments[0], _autocast.is_autocast_enabled(device_type)
        ctx._dtype = _autocast.get_autocast_dtype(device_type)
        if cast_inputs is None:
            ctx._fwd_used_autocast = on
            return fwd(*arguments, **names)
        ctx._fwd_used_autocast = False
        if not on:
            return fwd(*arguments, **names)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*(_autocast.cast(a, cast_inputs) for a in arguments), **{k: _autocast.cast(v, cast_inputs) for k, v in names.items()})

    return decorated


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """For the backward of a function whose forward has `custom_fwd`."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*arguments: Any, **names: Any) -> Any:
        ctx = arguments[0]
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*arguments, **names)

    return decorated
