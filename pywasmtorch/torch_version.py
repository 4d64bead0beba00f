"""TorchVersion: a str that compares as a version."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ._core.version import __version__ as _own

_FORM = re.compile(
    r"v?(?P<release>\d+(?:\.\d+)*)(?:[-_.]?(?P<stage>dev|alpha|a|beta|b|preview|pre|rc|c|post|rev|r)[-_.]?(?P<number>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$"
)
_STAGES = {"dev": -4, "alpha": -3, "a": -3, "beta": -2, "b": -2, "preview": -1, "pre": -1, "rc": -1, "c": -1, "post": 1, "rev": 1, "r": 1}


def _key(version: Any) -> tuple | None:
    """What orders versions (Python Packaging Authority's specification); None where the text is none."""
    if not isinstance(version, str) and isinstance(version, Iterable):
        version = ".".join(map(str, version))
    match = _FORM.match(str(version).strip().lower())
    if not match:
        return None
    release = [int(part) for part in match["release"].split(".")]
    while release and not release[-1]:
        release.pop()
    local = [(part.isdigit(), int(part) if part.isdigit() else part) for part in re.split("[-_.]", match["local"])] if match["local"] else []
    return release, _STAGES.get(match["stage"], 0), int(match["number"] or 0), local


def _comparison(name: str) -> Any:
    def compare(self: TorchVersion, other: Any) -> bool:
        mine, its = _key(self), _key(other)
        if mine is None or its is None:
            return getattr(str, name)(self, other)
        return getattr(tuple, name)(mine, its)

    return compare


class TorchVersion(str):
    """A version that compares with a text, a tuple of numbers or a packaging.version.Version by its numbers, not by its letters."""

    __slots__ = ()
    __gt__, __lt__, __eq__, __ge__, __le__, __ne__ = (_comparison(f"__{name}__") for name in ("gt", "lt", "eq", "ge", "le", "ne"))
    __hash__ = str.__hash__


REFERENCE = "2.13.0"
__version__ = TorchVersion(f"{REFERENCE}+pywasmtorch{_own}")
