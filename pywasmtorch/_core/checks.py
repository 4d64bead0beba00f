"""Argument checks of functions written in Python, with PyTorch's error messages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from . import device as _device
from . import dtype as _dtype
from .overriding import originals
from .tensor_type import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])


def tensors_checked(function: Function, numpy_names: bool = True, follows: bool = True) -> Function:
    """When the function fails and an argument is not of the type it is annotated with, TypeError names that, as torch's parser does,
    which looks at types before anything runs. PyTorch's functions that are written in Python take no
    `numpy_names`. What a function makes of meta tensors is on meta, unless it `follows` no argument's device but its own rules."""

    @functools.wraps(function)
    def checked(*arguments: Any, **names: Any) -> Any:
        try:
            if _device.in_use and follows and is_for_meta(arguments, names):
                return for_meta(function, arguments, names)
            return function(*arguments, **names)
        except (AttributeError, TypeError, KeyError, IndexError, RuntimeError, ValueError) as error:
            if names and numpy_names and isinstance(error, TypeError):
                renamed = with_torch_names(function, names)
                if renamed != names:
                    return checked(*arguments, **renamed)
            refuse_other_types(function, arguments, names)
            raise

    return checked  # type: ignore[return-value]


def is_for_meta(arguments: tuple[Any, ...], names: dict[str, Any]) -> bool:
    from .meta import any_on_meta

    return any_on_meta(arguments) or any_on_meta(names.values())


def for_meta(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """A function of meta tensors: what it makes on its way is on meta, too."""
    from .meta import on_meta

    return on_meta(function, *arguments, **names)


def with_torch_names(function: Callable[..., Any], names: dict[str, Any]) -> dict[str, Any]:
    from .arguments import torch_names

    code = originals.get(function, function).__code__  # type: ignore[call-overload]
    return torch_names(function.__name__, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], names)


def tensor_first(function: Function) -> Function:
    """For functions that might not touch their first argument: TypeError where it is no tensor."""

    @functools.wraps(function)
    def checked(input: Any, *arguments: Any, **names: Any) -> Any:
        if not isinstance(input, Tensor):
            raise TypeError(f"{function.__name__}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return function(input, *arguments, **names)

    return checked  # type: ignore[return-value]


def is_int(value: Any) -> bool:
    from .arguments import is_int

    return is_int(value)


def is_real(value: Any) -> bool:
    from .arguments import is_number

    return (is_number(value) and not isinstance(value, complex)) or (isinstance(value, Tensor) and value.numel() == 1)


def is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool_"


def is_tensors(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(v, Tensor) for v in value)


#: annotation -> (whether a value is of it, its name in messages)
FITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "Tensor": (lambda value: isinstance(value, Tensor), "Tensor"),
    "int": (is_int, "int"),
    "float": (is_real, "float"),
    "bool": (is_bool, "bool"),
    "str": (lambda value: isinstance(value, str), "str"),
    "dtype": (lambda value: isinstance(value, _dtype.dtype) or _dtype.of_python_type(value) is not None, "torch.dtype"),
    "tuple[Tensor, ...]": (is_tensors, "tuple of Tensors"),
}


def refuse_other_types(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> None:
    import inspect

    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **names).arguments
    except TypeError:
        return
    first = next(iter(signature.parameters), "") != "self"
    for position, (name, parameter) in enumerate(signature.parameters.items(), first):
        kind, _, optional = str(parameter.annotation).partition(" | ")
        if name not in given or kind not in FITS or optional not in ("", "None"):
            continue
        fits, wanted = FITS[kind]
        value = given[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            check_elements(value)
        elif not fits(value) and not (optional and value is None):
            found = type(value).__name__
            if kind == "tuple[Tensor, ...]" and isinstance(value, (list, tuple)):
                place = next(k for k, v in enumerate(value) if not isinstance(v, Tensor))
                raise TypeError(f"{function.__name__}(): argument '{name}' (position {position}) must be {wanted}, but found element of type "
                                f"{type(value[place]).__name__} at pos {place}") from None
            raise TypeError(f"{function.__name__}(): argument '{name}' (position {position}) must be {wanted}, not {found}") from None


def check_elements(values: Any) -> None:
    """Of tensors given one by one, or in one list."""
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = values[0]
    for place, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(value).__name__}") from None
