"""TorchDispatchMode: a context that sees the operators that a program runs, as `torch.ops.aten.NAME.OVERLOAD`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pywasmtorch as torch

from .. import overrides as _overrides
from .._core import overriding as _overriding
from .._core.names import absent as _absent
from .._core.overriding import state as _state
from . import _dispatched_operators

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing"]


class TorchDispatchMode:
    """A context in which ``__torch_dispatch__(func, types, args, kwargs)`` is asked for each operator; while it answers, the mode is off.

    Operators that the core runs as a whole are seen as a whole, and what a backward pass computes is not seen: it is one call of the core.
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        if _dispatch_key is not None:
            raise NotImplementedError("TorchDispatchMode(_dispatch_key): pywasmtorch has no dispatch keys; see docs/differences.md")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _overrides._modes_change(1)
        _state.dispatch_modes = [*_state.dispatch_modes, self]
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        _state.dispatch_modes = _state.dispatch_modes[:-1]
        _overrides._modes_change(-1)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        return cls(*args, **kwargs)

    def _of_operator(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        types = tuple({type(t): None for t in args if isinstance(t, torch.Tensor) and type(t) is not torch.Tensor})
        with _overriding.Without(dispatch_modes=_state.dispatch_modes[:-1]):
            return self.__torch_dispatch__(func, types, args, kwargs)

    def _of_function(self, function: Any, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = _dispatched_operators.name_of(function)
        if name is None:
            return original(*args, **kwargs)
        parts = _dispatched_operators.PARTS.get(name)
        if parts is not None:
            result = parts(original, *args, **kwargs)
            if result is not NotImplemented:
                return result
        packet = getattr(torch.ops.aten, name, None)
        if packet is None or not (packet._is(function) or _dispatched_operators.is_method(function, name)):  # one of the same name with other arguments: its parts are seen
            return original(*args, **kwargs)
        return packet(*_dispatched_operators.with_list(name, args), **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that runs each operator as it is."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode() -> Any:
    return _state.dispatch_modes[-1] if _state.dispatch_modes else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    return list(_state.dispatch_modes)


def _disable_current_modes() -> Any:
    """A context without dispatch modes."""
    return _overriding.Without(dispatch_modes=[])


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is of a class with ``__tensor_flatten__`` and ``__tensor_unflatten__``."""
    return isinstance(t, torch.Tensor) and type(t) is not torch.Tensor and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    return issubclass(t, torch.Tensor) and t is not torch.Tensor and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """What a ``__torch_dispatch__`` returns for `func`: for an operator that changes an argument that argument, else `out`."""
    schema = func._known_schema
    if schema is None or not schema.is_mutable:
        return out
    for i, argument in enumerate(schema.arguments):
        if argument.is_write:
            return args[i] if i < len(args) else kwargs[argument.name]
    return out


__getattr__ = _absent(__name__)
