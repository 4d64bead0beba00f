"""The Python array API standard, version 2024.12, over tensors: the namespace that `tensor.__array_namespace__()` returns.

Names, arguments, result types and defaults are the standard's; the arrays are tensors, whose own operators keep PyTorch's semantics
(a 0-d tensor takes part in `x + y` by its kind only; the functions here promote by dtypes alone)."""

from __future__ import annotations

from typing import Any as _Any

import pywasmtorch as _torch

from ... import bool, complex64, complex128, e, float32, float64, inf, int8, int16, int32, int64, nan, pi, uint8  # noqa: F401
from . import linalg  # noqa: F401
from ._creation import *  # noqa: F403
from ._elementwise import *  # noqa: F403
from ._info import __array_namespace_info__  # noqa: F401
from ._manipulation import *  # noqa: F403
from ._statistics import *  # noqa: F403
from .linalg import matmul, matrix_transpose, tensordot, vecdot  # noqa: F401

__array_api_version__ = "2024.12"
newaxis = None
_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def __getattr__(name: str) -> _Any:
    if name == "fft" and hasattr(_torch, "fft"):
        import importlib

        return importlib.import_module(f"{__name__}.fft")
    raise AttributeError(f"the array API namespace has no {name}")


def namespace_of(api_version: str | None = None) -> _Any:
    """This module. ValueError for a version of the standard that it does not follow."""
    import sys

    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"version {api_version!r} of the array API standard is not supported, only {', '.join(_VERSIONS)}")
    return sys.modules[__name__]


def namespace_of_tensor(tensor: _Any, /, *, api_version: str | None = None) -> _Any:
    """`Tensor.__array_namespace__`."""
    return namespace_of(api_version)
