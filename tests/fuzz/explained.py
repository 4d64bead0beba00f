"""Differences that docs/differences.md states: function, kind, answers, and the statement."""

from __future__ import annotations

import re
from typing import Any

#: Patterns of the function, the kind, PyTorch's answer and ours; the reason names what docs/differences.md says.
TABLE: list[tuple[str, str, str, str, str]] = [
    ("", "does not raise", r"not implemented for|not supported for|NotImplementedError", "", "more dtypes than PyTorch has"),
    ("", "raises|error type", "", "pywasmtorch has no", "what is not here says so"),
]
RULES = [tuple(re.compile(part) for part in row[:4]) + (row[4],) for row in TABLE]


def reason(program: Any, difference: Any) -> str:
    for target, kind, theirs, ours, text in RULES:
        if target.search(difference.target) and kind.search(difference.kind) and theirs.search(difference.theirs) and ours.search(difference.ours):
            return text
    return ""
