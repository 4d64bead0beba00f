"""PyTorch's schema language: ``add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor``."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

C_TYPES = {
    "Tensor": "Tensor *",
    "Tensor?": "Tensor *",
    "Tensor[]": "TensorList ",
    "Tensor[]?": "TensorList ",
    "Tensor?[]": "TensorList ",
    "int": "int64_t ",
    "int?": "OptInt ",
    "float": "double ",
    "float?": "OptFloat ",
    "bool": "bool ",
    "bool?": "OptInt ",
    "int[]": "IntList ",
    "int[]?": "IntList ",
    "float[]": "FloatList ",
    "float[]?": "FloatList ",
    "Scalar": "Scalar ",
    "Scalar[]": "ScalarList ",
    "Scalar?": "Scalar ",
    "ScalarType": "DType ",
    "ScalarType?": "DType ",
    "str": "const char *",
    "str?": "const char *",
    "Generator?": "Tensor *",
}
RETURN_TYPES = {"Tensor", "Tensor[]", "int", "float", "bool", "Scalar", "ScalarType"}


class TableError(Exception):
    """A mistake in a table; the message names the file, the line and the entry."""


@dataclass(frozen=True)
class Argument:
    type: str
    name: str
    default: object = None
    has_default: bool = False
    keyword_only: bool = False
    list_size: int | None = None  # int[2]: a single int stands for both

    @property
    def is_tensor(self) -> bool:
        return self.type in ("Tensor", "Tensor?")

    @property
    def is_tensor_list(self) -> bool:
        return self.type in ("Tensor[]", "Tensor[]?", "Tensor?[]")

    @property
    def optional(self) -> bool:
        return self.type.endswith("?")


@dataclass(frozen=True)
class Schema:
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[tuple[str, str], ...]  # (type, name); empty: nothing
    text: str = field(compare=False, default="")

    @property
    def c_name(self) -> str:
        return f"{self.name}_{self.overload}" if self.overload else self.name

    @property
    def named_tuple(self) -> bool:
        """Whether several results come as a tuple with names; `(Tensor, Tensor)` is a plain one."""
        return len(self.returns) > 1 and not self.name.startswith("_") and self.returns[0][1] != "result0"

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "[(" or -(c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def _argument(text: str, keyword_only: bool) -> Argument:
    match = re.fullmatch(r"([A-Za-z]+\??(?:\[\d*\])?\??)\s+(\w+)(?:\s*=\s*(.+))?", text)
    if not match:
        raise TableError(f"cannot read the argument '{text}'")
    kind, name, default = match.groups()
    size = re.search(r"\[(\d+)\]", kind)
    kind = re.sub(r"\[\d+\]", "[]", kind)
    if kind not in C_TYPES:
        raise TableError(f"the argument '{text}' has the unknown type '{kind}'")
    value = None
    if default is not None:
        value = default if default in ("inf", "-inf") else ast.literal_eval(default)
        if value in ("inf", "-inf"):
            value = float(value)
    return Argument(kind, name, value, default is not None, keyword_only, int(size[1]) if size else None)


def parse(text: str) -> Schema:
    match = re.fullmatch(r"\s*(\w+)(?:\.(\w+))?\((.*)\)\s*->\s*(.+?)\s*", text, re.S)
    if not match:
        raise TableError(f"cannot read the schema '{text}'")
    name, overload, inside, result = match.groups()
    arguments: list[Argument] = []
    keyword_only = False
    for part in _split(inside):
        if part == "*":
            keyword_only = True
        else:
            arguments.append(_argument(part, keyword_only))
    names = [a.name for a in arguments]
    if len(set(names)) != len(names):
        raise TableError(f"an argument name appears twice in '{text}'")
    if result.startswith("("):
        parts = [p.split() for p in _split(result[1:-1])]
        returns = tuple((p[0], p[1] if len(p) > 1 else f"result{i}") for i, p in enumerate(parts))
    else:
        returns = ((result, "result"),)
    for kind, _ in returns:
        if kind not in RETURN_TYPES:
            raise TableError(f"unknown return type '{kind}' in '{text}'")
    return Schema(name, overload or "", tuple(arguments), returns, " ".join(text.split()))
