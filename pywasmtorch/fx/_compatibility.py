"""compatibility: marks what a release keeps as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Marked = TypeVar("Marked", bound=Callable[..., Any])


#: what is marked as kept, and all that is marked
_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}


def compatibility(is_backward_compatible: bool) -> Callable[[Marked], Marked]:
    """A decorator that notes whether a later release keeps a function or class as it is."""

    def mark(thing: Marked) -> Marked:
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS.setdefault(thing)
        _MARKED_WITH_COMPATIBILITY.setdefault(thing)
        return thing

    return mark
