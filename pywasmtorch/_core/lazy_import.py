"""lazy_import: a function that imports its module when it is first called, the only way to call a layer above."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

PACKAGE = __name__.partition(".")[0]


def lazy_import(module: str, name: str) -> Callable[..., Any]:
    """The function `name` of a module of this package."""

    def call(*arguments: Any, **names: Any) -> Any:
        return getattr(import_module(f"{PACKAGE}.{module}"), name)(*arguments, **names)

    return call
