"""The functions of the torch namespace that are written in Python, by family; operators come from `_core.generated`."""

from __future__ import annotations

from typing import Any

from .._core.generated import ops
from .._core.tensor_type import install
from . import (
    arithmetic,
    autocast,
    calculus,
    comparison,
    conv,
    correlation,
    creation,
    einsum,
    factors,
    facts,
    lobpcg,
    matrices,
    moments,
    norms,
    products,
    random,
    settings,
    shapes,
    singular_values,
    sorting,
    stft,
    symbolic,
    where,
    windows,
)

FAMILIES = (
    arithmetic, autocast, calculus, comparison, conv, correlation, creation, einsum, factors, facts, lobpcg, matrices, moments, norms, products, random, settings, shapes,
    singular_values, sorting, stft, symbolic, where, windows,
)

#: what the torch namespace takes, by name: operators first, so that what Python makes of them stands over them
FUNCTIONS: dict[str, Any] = {**ops.FUNCTIONS, **{function.__name__: function for family in FAMILIES for function in family.FUNCTIONS}}
for family in FAMILIES:
    install(getattr(family, "METHODS", {}), {})
