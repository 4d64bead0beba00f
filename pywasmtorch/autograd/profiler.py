"""torch.autograd.profiler: names for parts of a program. Nothing measures here; use Python's own profilers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]


class record_function:
    """Names a part of a program, as a context manager or a decorator; without effect."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exception: Any) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*arguments: Any, **names: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*arguments, **names)

        return wrapper


def _missing(name: str) -> type:
    def refuse(cls: type, *arguments: Any, **names: Any) -> Any:
        raise NotImplementedError(f"pywasmtorch has no torch.autograd.profiler.{name}")

    return type(name, (), {"__new__": refuse, "__doc__": "NotImplementedError: nothing measures here.", "__module__": __name__})


profile, emit_nvtx, emit_itt = _missing("profile"), _missing("emit_nvtx"), _missing("emit_itt")
