"""Errors of functions that are written in Python, as torch words them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ._tensor_type import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])


def tensors_checked(function: Function) -> Function:
    """When the function stumbles over an argument that should be a tensor and is none, TypeError names it."""

    @functools.wraps(function)
    def checked(*arguments: Any, **names: Any) -> Any:
        try:
            return function(*arguments, **names)
        except (AttributeError, TypeError, KeyError):
            refuse_other_types(function, arguments, names)
            raise

    return checked  # type: ignore[return-value]


def refuse_other_types(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> None:
    import inspect

    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **names).arguments
    except TypeError:
        return
    for position, (name, parameter) in enumerate(signature.parameters.items(), 1):
        if name not in given or "Tensor" not in str(parameter.annotation):
            continue
        several = parameter.kind is parameter.VAR_POSITIONAL
        for value in given[name] if several else (given[name],):
            if isinstance(value, Tensor) or (value is None and "None" in parameter.annotation) or (several and isinstance(value, (list, tuple))):
                continue
            if "Any" in parameter.annotation or "tuple" in parameter.annotation or "Sequence" in parameter.annotation:
                continue
            raise TypeError(f"{function.__name__}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}") from None
