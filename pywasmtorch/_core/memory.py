"""memory_allocated, max_memory_allocated, reset_peak_memory_stats: the core's memory use."""

from __future__ import annotations

from typing import Any

from . import frame
from .dispatch import asked
from .operators import NUMBERS

IN_USE, PEAK, RESET_PEAK, LIVE_TENSORS = range(4)
MEMORY = NUMBERS["_memory"]


def memory_allocated(device: Any = None) -> int:
    """Bytes of the core's memory that are in use."""
    frame.flush()
    return asked(MEMORY, IN_USE)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in use at once since the last reset."""
    return asked(MEMORY, PEAK)


def reset_peak_memory_stats(device: Any = None) -> None:
    asked(MEMORY, RESET_PEAK)


def live_tensors() -> int:
    """How many tensors the core keeps, once what Python let go of is gone."""
    memory_allocated()
    return asked(MEMORY, LIVE_TENSORS)
