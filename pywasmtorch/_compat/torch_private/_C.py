"""torch._C: classes that programs import from it, and the calls of it that change nothing."""

from __future__ import annotations

import enum
from typing import Any

from ... import Generator, Size, device, dtype, layout, memory_format
from ..._core.names import absent as _absent
from ..._core.overriding import DisableTorchFunction, DisableTorchFunctionSubclass, state
from ..._core.overriding import disabled_torch_function as _disabled_torch_function_impl
from ..._core.tensor_type import Tensor
from ..._functions import autocast as _autocast

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "_disabled_torch_function_impl", "Size", "TensorBase", "device", "dtype", "layout", "memory_format"]

TensorBase = _TensorBase = Tensor


class DispatchKey(enum.Enum):
    """What an operator is called for. Those of autocast can be left out here; the others are names."""

    CPU = 1
    CUDA = 2
    XPU = 3
    Meta = 4
    Autograd = 5
    AutogradCPU = 6
    AutocastCPU = 7
    AutocastCUDA = 8
    AutocastXPU = 9
    CompositeImplicitAutograd = 10
    CompositeExplicitAutograd = 11


class DispatchKeySet:
    """A set of dispatch keys."""

    def __init__(self, *keys: DispatchKey) -> None:
        self._keys = frozenset(keys)

    def has(self, key: DispatchKey) -> bool:
        return key in self._keys

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self._keys | other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self._keys & other._keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self._keys - other._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in DispatchKey if key in self._keys)})"


class _ExcludeDispatchKeyGuard:
    """Inside of it autocast is off for the devices whose keys the set has. NotImplementedError for other keys."""

    def __init__(self, keys: DispatchKeySet) -> None:
        self._kinds = [key.name.removeprefix("Autocast").lower() for key in keys._keys if key.name.startswith("Autocast")]
        others = [key.name for key in keys._keys if not key.name.startswith("Autocast")]
        if others:
            raise NotImplementedError(f"torch._C._ExcludeDispatchKeyGuard of {others[0]}: pywasmtorch has no dispatch keys; see docs/differences.md")
        self._before: dict[str, bool] = {}

    def __enter__(self) -> None:
        for kind in self._kinds:
            self._before[kind] = _autocast.is_autocast_enabled(kind)
            _autocast.set_autocast_enabled(kind, False)

    def __exit__(self, *_: Any) -> None:
        for kind, before in self._before.items():
            _autocast.set_autocast_enabled(kind, before)


def _log_api_usage_once(name: str) -> None:
    """Nothing is logged."""


def _is_torch_function_enabled() -> bool:
    return state.subclasses


def _is_torch_function_all_disabled() -> bool:
    return state.all_disabled


def _len_torch_function_stack() -> int:
    return len(state.modes)


def _len_torch_dispatch_stack() -> int:
    return len(state.dispatch_modes)


def _get_tracing_state() -> None:
    """Nothing is traced."""


def __getattr__(name: str) -> Any:
    if name == "_nn":
        from ...nn import functional

        return functional
    return _absent("pywasmtorch._C")(name)
