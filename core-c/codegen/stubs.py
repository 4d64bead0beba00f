"""Writes ``ops.pyi``: the signatures for type checkers and editors."""

from __future__ import annotations

from .python_ops import HEADER, default_text, python_name
from .tables import Entry

PYTHON_TYPES = {
    "Tensor": "Tensor", "Tensor[]": "Sequence[Tensor]", "Tensor?[]": "Sequence[Tensor | None]", "int": "int", "float": "float", "bool": "bool",
    "int[]": "int | Sequence[int]", "float[]": "Sequence[float]", "Scalar": "Number", "Scalar[]": "Sequence[Number]", "ScalarType": "dtype", "str": "str", "Generator": "Generator",
}


def python_type(kind: str, number: bool = False) -> str:
    base = PYTHON_TYPES.get(kind) or PYTHON_TYPES[kind.removesuffix("?")]
    if number:
        base = f"{base} | Number"
    return f"{base} | None" if kind.endswith("?") else base


def _result(entry: Entry) -> str:
    parts = [{"Tensor[]": "tuple[Tensor, ...]", "Scalar": "Number", "ScalarType": "dtype"}.get(k, k) for k, _ in entry.schema.returns]
    return parts[0] if len(parts) == 1 else f"tuple[{', '.join(parts)}]"


def _signature(entry: Entry, name: str, out: bool) -> str:
    parts, star = [], False
    for a in entry.schema.arguments:
        if a.keyword_only and not star:
            parts.append("*")
            star = True
        text = f"{python_name(a)}: {python_type(a.type, a.name in entry.numbers)}"
        parts.append(text + (f" = {default_text(a)}" if a.has_default else ""))
    if out:
        parts += ([] if star else ["*"]) + ["out: Tensor | None = None"]
    return f"def {name}({', '.join(parts)}) -> {_result(entry)}: ..."


def stubs(entries: list[Entry]) -> str:
    out = [HEADER, "from collections.abc import Sequence\nfrom typing import overload\n\nfrom ..._functions.random import Generator\nfrom ..dtype import dtype\nfrom ..tensor_type import Tensor\n\nNumber = bool | int | float | complex\n\n"]
    counts: dict[str, int] = {}
    for e in entries:
        counts[e.schema.name] = counts.get(e.schema.name, 0) + 1
    for e in sorted(entries, key=lambda e: e.schema.name):
        if counts[e.schema.name] > 1:
            out.append("@overload\n")
        out.append(_signature(e, e.schema.name, e.has_out) + "\n")
    inplace: dict[str, int] = {}
    for e in entries:
        if e.has_inplace:
            inplace[e.schema.name] = inplace.get(e.schema.name, 0) + 1
    for e in sorted((e for e in entries if e.has_inplace), key=lambda e: e.schema.name):
        if inplace[e.schema.name] > 1:
            out.append("@overload\n")
        out.append(_signature(e, f"{e.schema.name}_", False) + "\n")
    return "".join(out)
