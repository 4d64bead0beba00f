"""Autocast state: is_autocast_enabled, get_autocast_dtype and their setters. The core converts operator inputs by its tables."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import type_name
from .._core.device import device
from .._core.dtype import dtype
from .._core.generated import ops
from .._core.tensor_type import Tensor

KNOWN = ("cpu", "cuda", "mps", "xpu", "hpu", "xla")


class _State(threading.local):
    """Of each thread, as in torch."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = dict.fromkeys(KNOWN, False)
        self.fast: dict[str, dtype] = {k: _dtype.bfloat16 if k in ("cpu", "hpu", "xla") else _dtype.float16 for k in KNOWN}
        self.cache, self.nesting = True, 0


state = _State()


def _tell() -> None:
    ops._set_autocast(state.enabled["cpu"], state.fast["cpu"], state.cache)


def checked(device_type: Any) -> str:
    if not isinstance(device_type, str):
        raise TypeError(f"autocast(): argument 'device_type' must be str, not {type_name(device_type)}")
    kind = device(device_type).type
    if kind not in KNOWN:
        raise RuntimeError("unsupported scalarType")
    return kind


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a kind of device; without one, for cuda, as in torch."""
    return state.enabled[checked(device_type)]


def set_autocast_enabled(*arguments: Any) -> None:
    """set_autocast_enabled(device_type, enabled), or (enabled) for cuda."""
    kind, value = arguments if len(arguments) == 2 else ("cuda", *arguments)
    state.enabled[checked(kind)] = bool(value)
    _tell()


def get_autocast_dtype(device_type: str) -> dtype:
    return state.fast[checked(device_type)]


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    state.fast[checked(device_type)] = dtype
    _tell()


def is_autocast_cache_enabled() -> bool:
    return state.cache


def set_autocast_cache_enabled(enabled: bool) -> None:
    state.cache = bool(enabled)
    _tell()


def clear_autocast_cache() -> None:
    """Forgets the casts of weights."""
    ops._clear_autocast_cache()


def autocast_increment_nesting() -> int:
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting() -> int:
    state.nesting -= 1
    return state.nesting


def _deprecated(name: str, use: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def old(*arguments: Any) -> Any:
        warnings.warn(f"torch.{name}() is deprecated. Please use torch.{use} instead.", DeprecationWarning, stacklevel=2)
        return function(*arguments)

    old.__name__ = old.__qualname__ = name
    return old


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    is_autocast_enabled, set_autocast_enabled, get_autocast_dtype, set_autocast_dtype, is_autocast_cache_enabled, set_autocast_cache_enabled,
    clear_autocast_cache, autocast_increment_nesting, autocast_decrement_nesting,
    _deprecated("is_autocast_cpu_enabled", "is_autocast_enabled('cpu')", lambda: state.enabled["cpu"]),
    _deprecated("set_autocast_cpu_enabled", "set_autocast_enabled('cpu', enabled)", lambda on: set_autocast_enabled("cpu", on)),
    _deprecated("get_autocast_cpu_dtype", "get_autocast_dtype('cpu')", lambda: state.fast["cpu"]),
    _deprecated("set_autocast_cpu_dtype", "set_autocast_dtype('cpu', dtype)", lambda kind: set_autocast_dtype("cpu", kind)),
    _deprecated("get_autocast_gpu_dtype", "get_autocast_dtype('cuda')", lambda: state.fast["cuda"]),
    _deprecated("set_autocast_gpu_dtype", "set_autocast_dtype('cuda', dtype)", lambda kind: set_autocast_dtype("cuda", kind)),
)


def cast(value: Any, kind: dtype) -> Any:
    """The floating tensors that autocast may convert, in another dtype; also inside of lists, tuples and dicts."""
    if isinstance(value, Tensor):
        convert = value.dtype.is_floating_point and value.dtype is not _dtype.float64 and value.dtype is not kind
        return ops._to_dtype(value, kind) if convert else value
    if isinstance(value, dict):
        return {k: cast(v, kind) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        items = [cast(v, kind) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _casting(function: Callable[..., Any], kind: Callable[[], dtype]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*arguments: Any, **names: Any) -> Any:
        if state.enabled["cpu"]:
            wanted = kind()
            arguments, names = tuple(cast(a, wanted) for a in arguments), {k: cast(v, wanted) for k, v in names.items()}
        return function(*arguments, **names)

    return wrapper


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of this package that autocast computes in float32."""
    return _casting(function, lambda: _dtype.float32)


def in_lower(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of this package that autocast computes in the lower dtype."""
    return _casting(function, lambda: state.fast["cpu"])
