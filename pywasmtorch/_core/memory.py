"""memory_allocated, max_memory_allocated, reset_peak_memory_stats: the core's memory use."""

from __future__ import annotations

from typing import Any

from . import frame
from .operators import NUMBERS

IN_USE, PEAK, RESET_PEAK, LIVE_TENSORS = range(4)
MEMORY = NUMBERS["_memory"] | 1 << 16


def asked(what: int) -> int:
    if frame.dead:
        frame.flush()
    frame.words[0] = what
    if not frame.invoke(MEMORY):
        frame.raise_error()
    return frame.words[0]


def memory_allocated(device: Any = None) -> int:
    """Bytes of the core's memory that are in use."""
    frame.flush()
    return asked(IN_USE)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in use at once since the last reset."""
    return asked(PEAK)


def reset_peak_memory_stats(device: Any = None) -> None:
    asked(RESET_PEAK)


def live_tensors() -> int:
    """How many tensors the core keeps, once what Python let go of is gone."""
    memory_allocated()
    return asked(LIVE_TENSORS)
