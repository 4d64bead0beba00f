"""Functions of the torch namespace written in Python, gathered over the operators of `_core.generated`."""

from __future__ import annotations

from typing import Any

from .._core.generated import ops
from .._core.tensor_type import install
from .._tensor import in_place, indexing
from . import (
    arithmetic,
    autocast,
    calculus,
    comparison,
    conv,
    correlation,
    creation,
    distance,
    einsum,
    foreach,
    grouped,
    lobpcg,
    lu,
    matrices,
    moments,
    norms,
    products,
    queries,
    random,
    settings,
    shape,
    singular_values,
    statistics,
    stft,
    symbolic,
    where,
    windows,
)

FAMILIES = (
    arithmetic, autocast, calculus, comparison, conv, correlation, creation, distance, einsum, foreach, grouped, lobpcg, lu, matrices, moments, norms, products, queries, random,
    settings, shape, singular_values, statistics, stft, symbolic, where, windows,
)

#: what the torch namespace takes, by name: operators first, so that what Python makes of them stands over them
FUNCTIONS: dict[str, Any] = {**ops.FUNCTIONS, **{function.__name__: function for family in (*FAMILIES, in_place, indexing) for function in family.FUNCTIONS}}
for family in FAMILIES:
    install(getattr(family, "METHODS", {}), {})
