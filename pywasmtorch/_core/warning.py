"""Warnings at the line of the program that called, whatever lies between."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

HERE = str(Path(__file__).parents[1]) + os.sep  # this package

_always = False  # torch.set_warn_always
_said: set[str] = set()

COMPLEX_TO_REAL = "Casting complex values to real discards the imaginary part"
COPIES = "To copy construct from a tensor, it is recommended to use source.detach().clone(), followed by requires_grad_(True) where that is wanted"
NOT_WRITABLE = "The given {} is not writable. PyTorch would share its memory and warns of that; here the elements are copied"


def set_always(always: bool) -> None:
    global _always
    _always = always


def is_always() -> bool:
    return _always


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    names = frame.f_globals
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, names.get("__name__", "<string>"), names.setdefault("__warningregistry__", {}))


def warn_once(message: str) -> None:
    """Once in a process, or always where `torch.set_warn_always` says so."""
    if _always or message not in _said:
        _said.add(message)
        warn(message)
