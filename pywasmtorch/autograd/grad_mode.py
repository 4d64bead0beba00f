"""no_grad, enable_grad, set_grad_enabled, inference_mode."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Generator
from typing import Any

from .._core.generated import ops

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled"]


def is_grad_enabled() -> bool:
    """Whether operators are recorded."""
    return ops._is_grad_enabled()


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on."""
    return ops._is_inference_mode()


def _step(context: Callable[[], Any], action: Callable[..., Any], *arguments: Any) -> Any:
    with context():
        return action(*arguments)


def _wrap_generator(context: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A generator runs inside the context only while it runs; between its yields the caller's mode holds."""

    @functools.wraps(function)
    def wrapper(*arguments: Any, **names: Any) -> Generator[Any, Any, Any]:
        generator = function(*arguments, **names)
        try:
            value = _step(context, generator.send, None)
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    _step(context, generator.close)
                    raise
                except BaseException as error:
                    value = _step(context, generator.throw, error)
                else:
                    value = _step(context, generator.send, sent)
        except StopIteration as stop:
            return stop.value

    return wrapper


class _Mode:
    """A context manager that can stand in front of a function."""

    def _again(self) -> Any:
        """A fresh context manager of the same kind."""
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn("Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                          "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
                          "the `__init__` method and nothing else.", FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(self._again, function)

        @functools.wraps(function)
        def wrapper(*arguments: Any, **names: Any) -> Any:
            with self._again():
                return function(*arguments, **names)

        return wrapper


class _PlainMode(_Mode):
    """May stand in front of a function without parentheses, too."""

    enabled: bool

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return object.__new__(cls) if function is None else cls()(function)

    def __enter__(self) -> None:
        self._before = ops._set_grad_enabled(self.enabled)

    def __exit__(self, *exception: Any) -> None:
        ops._set_grad_enabled(self._before)


class no_grad(_PlainMode):
    """Operators are not recorded inside: their results do not require grad.

    A context manager, and a decorator of functions and generator functions, with or without parentheses.
    """

    enabled = False


class enable_grad(_PlainMode):
    """Operators are recorded inside, also where :class:`no_grad` is in force outside. Without effect in inference mode."""

    enabled = True


class set_grad_enabled(_Mode):
    """Turns recording on or off: at once, or as a context manager or decorator for a block or function.

    Args:
        mode (bool): True records.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self._before = ops._set_grad_enabled(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        ops._set_grad_enabled(self._before)
        return super().__call__(function)

    def _again(self) -> Any:
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        ops._set_grad_enabled(self.mode)

    def __exit__(self, *exception: Any) -> None:
        ops._set_grad_enabled(self._before)

    def __str__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    __repr__ = __str__


class inference_mode(_Mode):
    """As :class:`no_grad`, and tensors made inside keep neither version nor history: they cannot be saved for a backward
    pass later, and cannot be changed in place outside.

    Args:
        mode (bool): False turns inference mode off inside a block where it is on.
    """

    def __new__(cls, mode: Any = True) -> Any:
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def _again(self) -> Any:
        return inference_mode(self.mode)

    def __enter__(self) -> None:
        grad_mode = ops._is_grad_enabled()
        self._before = ops._set_inference_mode(self.mode), grad_mode
        ops._set_grad_enabled(not self.mode)

    def __exit__(self, *exception: Any) -> None:
        inference, grad_mode = self._before
        ops._set_inference_mode(inference)
        ops._set_grad_enabled(grad_mode)
