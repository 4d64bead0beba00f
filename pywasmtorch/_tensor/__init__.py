"""The Tensor class with all that it answers by itself; gradients come with autograd, functions of the torch namespace with `_functions`."""

from __future__ import annotations

from .._core.generated import ops
from .._core.tensor_type import Tensor, install
from . import absent, conversion, facts, in_place, operators, protocols, values

__all__ = ["Tensor"]

install(ops.METHODS, {name: (function,) for name, function in ops.PROPERTIES.items()})
for family in (absent, facts, values, conversion, in_place, operators, protocols):
    install(family.METHODS, getattr(family, "PROPERTIES", {}))
