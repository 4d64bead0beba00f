"""Functions of modules above, loaded when they are first called: the one way in which a room reaches up."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

PACKAGE = __name__.partition(".")[0]


def later(module: str, name: str) -> Callable[..., Any]:
    """The function `name` of a module of this package."""

    def call(*arguments: Any, **names: Any) -> Any:
        return getattr(import_module(f"{PACKAGE}.{module}"), name)(*arguments, **names)

    return call
