"""torch.overrides: `__torch_function__` for library functions that check for it. Operators accept tensors only."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ._core.names import absent as _absent
from ._tensor import Tensor

__all__ = [
    "handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like", "is_tensor_method_or_property",
    "resolve_name", "wrap_torch_function",
]


def _overrides(value: Any) -> bool:
    return not isinstance(value, type) and callable(getattr(type(value), "__torch_function__", None))


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments has a `__torch_function__`."""
    return any(map(_overrides, relevant_args))


def has_torch_function_unary(arg: Any) -> bool:
    return _overrides(arg)


def has_torch_function_variadic(*args: Any) -> bool:
    return has_torch_function(args)


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What the first `__torch_function__` gives that does not return NotImplemented, subclasses before their bases. TypeError for none."""
    kinds: list[type] = []
    values: list[Any] = []
    for value in relevant_args:
        kind = type(value)
        if kind in kinds or not _overrides(value):
            continue
        place = next((i for i, other in enumerate(kinds) if issubclass(kind, other)), len(kinds))
        kinds.insert(place, kind)
        values.insert(place, value)
    for value in values:
        result = value.__torch_function__(public_api, tuple(kinds), args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}")


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: asks the arguments that `dispatcher` names before it calls the function."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or has a `__torch_function__`."""
    return isinstance(inp, Tensor) or _overrides(inp)


def is_tensor_method_or_property(func: Any) -> bool:
    return any(value is func or getattr(value, "fget", None) is func for value in vars(Tensor).values()) or getattr(func, "__name__", "") == "__get__"


def resolve_name(f: Any) -> str | None:
    """The name under which a function is found, such as `torch.add`."""
    module, name = getattr(f, "__module__", None), getattr(f, "__qualname__", None) or getattr(f, "__name__", None)
    if module is None or name is None:
        return None
    top = __package__
    return f"torch.{name}" if module.startswith(top) else f"{module}.{name}"


class TorchFunctionMode:
    """Not here: operators do not ask modes. NotImplementedError."""

    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("pywasmtorch has no torch.overrides.TorchFunctionMode; see docs/differences.md")


__getattr__ = _absent(__name__)
