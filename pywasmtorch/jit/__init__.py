"""torch.jit as under PYTORCH_JIT=0: script and trace return their argument, which runs eagerly.

There are no graphs, so files of TorchScript are neither read nor written, and what asks for a graph raises NotImplementedError."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Any, Final, NoReturn, Union, get_args, get_origin

from .._core.names import absent as _absent
from ..nn.modules.module import Module

__all__ = [
    "Attribute", "Error", "Final", "ScriptFunction", "ScriptModule", "annotate", "export", "fork", "freeze", "ignore", "interface", "is_scripting", "is_tracing",
    "isinstance", "load", "optimize_for_inference", "optimized_execution", "save", "script", "script_if_tracing", "script_method", "set_fusion_strategy", "strict_fusion",
    "trace", "trace_module", "unused", "wait",
]


class Error(RuntimeError):
    """What a scripted program would raise."""


class TracerWarning(Warning):
    """What tracing would warn of."""


class ScriptFunction:
    """Nothing is an instance: a scripted function is the function itself."""


class ScriptModule(Module):
    """A module that its program calls scripted; `script` makes none."""


class RecursiveScriptModule(ScriptModule):
    """Nothing is an instance: a scripted module is the module itself."""


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """`obj` itself: a module, a function or a class."""
    return obj


def script_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def _overload_method(func: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a signature for the compiler, which is not here."""
    return func


_script_if_tracing, _overload = script_if_tracing, _overload_method


def trace(func: Any, example_inputs: Any = None, optimize: Any = None, check_trace: bool = True, *_: Any, **__: Any) -> Any:
    """`func` itself, not run: what depends on the input's values goes on doing so."""
    return func


def trace_module(mod: Any, inputs: Any, *_: Any, **__: Any) -> Any:
    """`mod` itself, not run."""
    return mod


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def unused(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def ignore(drop: Any = False, **_: Any) -> Any:
    """A decorator, with and without arguments, that changes nothing."""
    return drop if callable(drop) else lambda fn: fn


def interface(obj: type) -> type:
    return obj


def is_scripting() -> bool:
    return False


def is_tracing() -> bool:
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    return the_value


def Attribute(value: Any, type: Any) -> Any:
    return value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether `obj` is an instance of a class or of a container type with the types of its elements; a tuple means any of them."""
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, t) for t in target_type)
    origin, arguments = get_origin(target_type), get_args(target_type)
    if origin is None:
        return obj is None if target_type is None else builtins.isinstance(obj, target_type)
    if origin in (Union, UnionType):
        return any(isinstance(obj, t) for t in arguments)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, arguments[0]) and isinstance(v, arguments[1]) for k, v in obj.items())
    if origin is tuple and arguments[-1:] != (...,):
        return len(obj) == len(arguments) and all(map(isinstance, obj, arguments))
    return all(isinstance(element, arguments[0]) for element in obj)


class _Done:
    def __init__(self, value: Any) -> None:
        self._value = value

    def wait(self) -> Any:
        return self._value

    value = wait

    def done(self) -> bool:
        return True

    def then(self, callback: Callable[[Any], Any]) -> _Done:
        return _Done(callback(self))


Future = _Done


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> _Done:
    """Calls the function at once; `wait` gives what it returned."""
    return _Done(func(*args, **kwargs))


def wait(future: Any) -> Any:
    return future.wait()


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    yield


class strict_fusion:
    """A context that changes nothing: operators are not fused by a compiler."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


def set_fusion_strategy(strategy: Any) -> list[Any]:
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Nothing to switch."""


def onednn_fusion_enabled() -> bool:
    return False


def _without_graphs(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"pywasmtorch has no torch.jit.{name}: there are no TorchScript graphs; see docs/differences.md")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


freeze, load, optimize_for_inference, save = map(_without_graphs, ("freeze", "load", "optimize_for_inference", "save"))

__getattr__ = _absent(__name__)
