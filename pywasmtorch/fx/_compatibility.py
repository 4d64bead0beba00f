"""compatibility: marks what a release keeps as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Marked = TypeVar("Marked", bound=Callable[..., Any])


def compatibility(is_backward_compatible: bool) -> Callable[[Marked], Marked]:
    """A decorator that changes nothing."""
    return lambda function: function
