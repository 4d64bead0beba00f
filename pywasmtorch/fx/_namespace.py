"""Names in generated code: each once, none that Python or the code's own globals have."""

from __future__ import annotations

import builtins
import keyword
import math
import re
from typing import Any

import pywasmtorch as torch

#: what generated code finds without being given it: name -> (how a file imports it, the object)
CUSTOM_BUILTINS: dict[str, tuple[str, Any]] = {
    "inf": ("from math import inf", math.inf), "nan": ("from math import nan", math.nan), "NoneType": ("NoneType = type(None)", type(None)),
    "torch": ("import torch", torch), "device": ("from torch import device", torch.device), "pytree": ("import torch.utils._pytree as pytree", torch.utils._pytree),
}
_ILLEGAL = re.compile("[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")


def snake_case(s: str) -> str:
    """`ReLU6` as `re_lu6`, `myFunction` as `my_function`."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", s).lower() if s != s.lower() else s


class Namespace:
    """Gives names that are valid, and unlike those that it gave before."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self._last: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name like `candidate` for an object, always the same for the same object; `obj=None`: a new one each time."""
        if obj is not None and id(obj) in self._names:
            return self._names[id(obj)]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        numbered = _NUMBERED.match(candidate)
        if numbered is None or candidate not in self._used and not is_taken(candidate, obj):
            base, number = candidate, None
        else:
            base, number = numbered.group(1), int(numbered.group(2))
        if number is None:
            number = self._last.get(candidate, 0)
            if is_taken(candidate, obj):
                number += 1
                candidate = f"{base}_{number}"
        while candidate in self._used:
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        self._last[base] = number
        if obj is not None:
            self._names[id(obj)] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        self._names.setdefault(id(obj), name)
        self._used.add(name)


def is_taken(name: str, obj: Any) -> bool:
    """Whether Python or generated code means something else by it."""
    if keyword.iskeyword(name):
        return True
    if hasattr(builtins, name):
        return getattr(builtins, name) is not obj
    return name in CUSTOM_BUILTINS and CUSTOM_BUILTINS[name][1] is not obj
