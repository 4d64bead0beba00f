"""Array API: elementwise functions (abs, add, clip, sign, …)."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from ._promotion import KINDS, Tensor, array, common, result_type

UNARY = {
    "abs": "abs", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atanh": "atanh", "bitwise_invert": "bitwise_not", "conj": "conj",
    "cos": "cos", "cosh": "cosh", "exp": "exp", "expm1": "expm1", "imag": "imag", "isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan", "log": "log",
    "log10": "log10", "log1p": "log1p", "log2": "log2", "logical_not": "logical_not", "negative": "neg", "real": "real", "reciprocal": "reciprocal",
    "signbit": "signbit", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "square": "square", "tan": "tan", "tanh": "tanh",
}
ROUNDING = {"ceil": "ceil", "floor": "floor", "trunc": "trunc"}
BINARY = {
    "add": "add", "atan2": "atan2", "bitwise_and": "bitwise_and", "bitwise_left_shift": "bitwise_left_shift", "bitwise_or": "bitwise_or",
    "bitwise_right_shift": "bitwise_right_shift", "bitwise_xor": "bitwise_xor", "copysign": "copysign", "divide": "div", "equal": "eq", "floor_divide": "floor_divide",
    "greater": "gt", "greater_equal": "ge", "hypot": "hypot", "less": "lt", "less_equal": "le", "logaddexp": "logaddexp", "logical_and": "logical_and",
    "logical_or": "logical_or", "logical_xor": "logical_xor", "maximum": "maximum", "minimum": "minimum", "multiply": "mul", "nextafter": "nextafter",
    "not_equal": "ne", "pow": "pow", "remainder": "remainder", "subtract": "sub",
}


def named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def unary(name: str, of: str) -> Any:
    def function(x: Tensor, /) -> Tensor:
        return getattr(torch, of)(array(x))

    return named(function, name, f"`torch.{of}`.")


def rounding(name: str, of: str) -> Any:
    def function(x: Tensor, /) -> Tensor:
        return torch.clone(x) if array(x).dtype in KINDS["integral"] else getattr(torch, of)(x)

    return named(function, name, f"`torch.{of}`; integers stay as they are.")


def binary(name: str, of: str) -> Any:
    def function(x1: Any, x2: Any, /) -> Tensor:
        return getattr(torch, of)(*common(x1, x2))

    return named(function, name, f"`torch.{of}` of arrays of a common dtype; one of the two may be a Python number.")


globals().update({name: unary(name, of) for name, of in UNARY.items()})
globals().update({name: rounding(name, of) for name, of in ROUNDING.items()})
globals().update({name: binary(name, of) for name, of in BINARY.items()})


def round(x: Tensor, /) -> Tensor:
    """To the nearest integer, halves to the even one; parts of complex numbers alone."""
    if array(x).dtype in KINDS["integral"]:
        return torch.clone(x)
    return torch.complex(torch.round(torch.real(x)), torch.round(torch.imag(x))) if x.dtype.is_complex else torch.round(x)


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1, and NaN for NaN; x / |x| for complex numbers."""
    if array(x).dtype.is_complex:
        return torch.sgn(x)
    result = torch.sign(x)
    return torch.where(torch.isnan(x), x, result) if x.dtype.is_floating_point else result


def positive(x: Tensor, /) -> Tensor:
    return torch.clone(torch.positive(array(x)))


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Each element held between `min` and `max`, arrays or numbers; the dtype stays that of x."""
    bounds = [b for b in (min, max) if b is not None]
    kind = array(x).dtype
    wide = result_type(x, *[b for b in bounds if isinstance(b, Tensor)])
    result = torch.clone(x) if wide is kind else x.to(wide)
    for bound, choose in ((min, torch.maximum), (max, torch.minimum)):
        if bound is not None:
            result = choose(result, bound.to(wide) if isinstance(bound, Tensor) else limit(bound, wide))
    return result if wide is kind else result.to(kind)


def limit(bound: Any, kind: Any) -> Tensor:
    """A number as a bound of this dtype: one beyond an integer's range is the end of that range."""
    if kind in KINDS["integral"]:
        info = torch.iinfo(kind)
        bound = info.min if bound < info.min else info.max if bound > info.max else bound
    return torch.full((), bound, dtype=kind)


__all__ = sorted([*UNARY, *ROUNDING, *BINARY, "round", "sign", "positive", "clip"])
