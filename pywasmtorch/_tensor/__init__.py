"""The Tensor class with its own methods; autograd adds gradients, `_functions` the functions of the torch namespace."""

from __future__ import annotations

from .._core.generated import ops
from .._core.tensor_type import Tensor, install
from . import absent, conversion, in_place, indexing, metadata, operators, overlapping, sparse_methods, special_methods, values

__all__ = ["Tensor"]

install(ops.METHODS, {name: (function,) for name, function in ops.PROPERTIES.items()})
for family in (absent, metadata, values, conversion, in_place, indexing, overlapping, operators, sparse_methods, special_methods):
    install(family.METHODS, getattr(family, "PROPERTIES", {}))
