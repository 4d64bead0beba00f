"""torch._C: classes that programs import from it, and the calls of it that change nothing."""

from __future__ import annotations

from typing import Any

from ... import Generator, Size, device, dtype, layout, memory_format
from ..._core.names import absent as _absent
from ..._core.overriding import DisableTorchFunction, DisableTorchFunctionSubclass, state
from ..._core.overriding import disabled_torch_function as _disabled_torch_function_impl
from ..._core.tensor_type import Tensor

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "_disabled_torch_function_impl", "Size", "TensorBase", "device", "dtype", "layout", "memory_format"]

TensorBase = _TensorBase = Tensor


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
