"""names_in: the globals that a pickle names, without loading it."""

from __future__ import annotations

import pickletools
from typing import Any

from ._restricted import PYTHON_2, steps_for


def names_in(data: bytes, stored: int) -> set[str]:
    """The full names. ValueError where the pickle is broken, or has too many opcodes for the `stored` bytes that it takes in a file."""
    found: set[str] = set()
    texts: list[Any] = []  # the last two, of which a name may be made
    memo: dict[int, Any] = {}
    most = steps_for(stored)
    for step, (operation, argument, _) in enumerate(pickletools.genops(data)):
        if step == most:
            raise ValueError("the pickle has too many opcodes for the bytes that it takes in the file")
        name = operation.name
        if name == "GLOBAL":
            module, _, attribute = argument.partition(" ")
            found.add(f"{PYTHON_2.get(module, module)}.{attribute}")
        elif name == "STACK_GLOBAL":
            if len(texts) == 2 and all(isinstance(t, str) for t in texts):
                found.add(".".join(texts))
        elif isinstance(argument, str) and "UNICODE" in name:
            texts = [*texts[-1:], argument]
        elif name == "MEMOIZE":
            memo[len(memo)] = texts[-1] if texts else None
        elif name in ("BINPUT", "LONG_BINPUT"):
            memo[argument] = texts[-1] if texts else None
        elif name in ("BINGET", "LONG_BINGET"):
            texts = [*texts[-1:], memo.get(argument)]
    return found
