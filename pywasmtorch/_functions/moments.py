"""Variances and standard deviations, with torch's warning where a correction leaves nothing to divide by."""

from __future__ import annotations

from typing import Any

from .._core.generated import ops
from .._core.warning import warn

NAMES = ("std", "std_mean", "var", "var_mean")


def with_warning(name: str) -> Any:
    function = ops.FUNCTIONS[name]

    def moment(*arguments: Any, **names: Any) -> Any:
        result = function(*arguments, **names)
        input = arguments[0] if arguments else names.get("input")
        if input is not None:
            out = result[0] if name.endswith("_mean") else result
            count = input.numel() / max(out.numel(), 1)
            if count < 2 or "correction" in names:
                check_freedom(name, count, arguments, names)
        return result

    moment.__name__ = moment.__qualname__ = name
    moment.__doc__ = function.__doc__
    return moment


def check_freedom(name: str, count: float, arguments: tuple[Any, ...], names: dict[str, Any]) -> None:
    unbiased = next((a for a in arguments[1:3] if isinstance(a, bool)), names.get("unbiased"))
    correction = names.get("correction")
    if correction is None:
        correction = 0 if unbiased is False else 1
    if count <= correction:
        warn(f"{name}(): degrees of freedom is <= 0: {count:g} elements for each result, less a correction of {correction:g}")


FUNCTIONS = [with_warning(name) for name in NAMES]
METHODS = {function.__name__: function for function in FUNCTIONS if not function.__name__.endswith("_mean")}
