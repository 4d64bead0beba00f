"""torch.layout and torch.memory_format."""

from __future__ import annotations

from typing import Any


class layout:
    """How elements are stored. Tensors are `torch.strided`; the sparse ones can be named, and are refused."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


class memory_format:
    """The order of strides that an operator is asked for."""

    def __init__(self, name: str, code: int) -> None:
        self._name, self._code = name, code

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


def checked_format(form: Any) -> memory_format:
    if not isinstance(form, memory_format):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(form).__name__}")
    return form


def format_code(form: memory_format | None) -> int:
    """The number that the core knows a format by; that of `preserve_format` where none is given."""
    return -1 if form is None else checked_format(form)._code


strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc = (layout(f"sparse_{kind}") for kind in ("coo", "csr", "csc", "bsr", "bsc"))
contiguous_format = memory_format("contiguous_format", 0)
preserve_format = memory_format("preserve_format", -1)
channels_last = memory_format("channels_last", 2)
channels_last_3d = memory_format("channels_last_3d", 3)
