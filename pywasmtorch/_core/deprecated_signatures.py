"""Deprecated signatures that PyTorch still accepts, such as add(input, alpha, other)."""

from __future__ import annotations

import warnings
from typing import Any

from .arguments import is_number, type_name
from .tensor_type import Tensor


def rearranged(name: str, given: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]] | None:
    """Tensors and factors as today's signature has them, or None where these arguments are no older form either."""
    tensors = [a for a in given if isinstance(a, Tensor)]
    kinds = "".join("t" if isinstance(a, Tensor) else "n" if is_number(a) else "?" for a in given)
    numbers = [a for a in given if not isinstance(a, Tensor)]
    if name in ("add", "sub", "subtract", "rsub"):
        if kinds == "tnn":
            return ([tensors[0], numbers[0]], {"alpha": numbers[1]}) if name == "rsub" else ([tensors[0], numbers[0] * numbers[1]], {})
        if kinds == "ttn" and not tensors[1].ndim and name != "rsub":
            return [tensors[0], numbers[0]], {"alpha": tensors[1].item()}
        return (tensors, {"alpha": numbers[0]}) if kinds == "tnt" and name != "rsub" else None
    if name in ("addcmul", "addcdiv"):
        return (tensors, {"value": numbers[0]}) if kinds == "tntt" else None
    # a function has the sum's factor first, a method has its tensor
    if kinds in ("nttt", "tntt"):
        return tensors, {"beta": numbers[0]}
    return (tensors, {"beta": numbers[0], "alpha": numbers[1]}) if kinds in ("ntntt", "tnntt") else None


def call_deprecated_signature(function: Any, given: tuple[Any, ...], out: Any) -> Any:
    """Runs the function with arguments in an older order. TypeError for what is none."""
    name = function.__name__.rstrip("_")
    found = rearranged(name, given)
    if found is None:
        raise TypeError(f"{function.__name__}() received an invalid combination of arguments - got ({', '.join(type_name(a) for a in given)})")
    tensors, factors = found
    if name != "rsub":  # of which it is no older form
        warnings.warn(f"This overload of {function.__name__} is deprecated; pass {' and '.join(factors or {'alpha': None})} by name, after the tensors", UserWarning, stacklevel=3)
    return function(*tensors, **factors, **({} if out is None else {"out": out}))
