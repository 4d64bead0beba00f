"""Helpers around the core: data loading and hook handles."""

from . import data, hooks

__all__ = ["data", "hooks"]
