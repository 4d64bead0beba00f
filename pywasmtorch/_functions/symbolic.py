"""sym_int, sym_float, sym_max and other sym_* functions of plain numbers; _assert, which can be traced."""

from __future__ import annotations

import math
from typing import Any

from .._core.arguments import is_number
from .._core.checks import tensors_checked


def sym_int(a: Any) -> int:
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a: Any) -> float:
    return float(a)


def sym_not(a: Any) -> bool:
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float where one of them is a float."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float where one of them is a float."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def _assert(condition: Any, message: str) -> None:
    """An assertion that torch.fx records. AssertionError where the condition is false."""
    if not condition:
        raise AssertionError(message)


def sym_sum(args: Any) -> Any:
    return sum(args)


def sym_sqrt(a: Any) -> float:
    return math.sqrt(a)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    if not isinstance(b, bool) or type(t) is not type(f) or not is_number(t):
        raise AssertionError("sym_ite() takes a bool and two numbers of one type")
    return t if b else f


FUNCTIONS = [_assert, *map(tensors_checked, (sym_float, sym_int, sym_ite, sym_max, sym_min, sym_not, sym_sqrt, sym_sum))]
