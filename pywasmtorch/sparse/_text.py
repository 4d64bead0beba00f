"""repr of sparse tensors."""

from __future__ import annotations

from typing import Any

from .._core.layout import sparse_coo, sparse_csr
from .._tensor.printing import contents, dtype_suffix, history_suffix, with_suffixes

INDENT = len("tensor(")


def part(name: str, tensor: Any, column: int) -> str:
    prefix = f"{name}=tensor("
    body = contents(tensor, column + len(prefix)) if tensor.numel() else "[]" + f", size={tuple(tensor.shape)}"
    return f"{prefix}{body})"


def sparse_text(self: Any) -> str:
    if self.layout is sparse_coo:
        parts = {"indices": self._index}
    else:
        names = ("crow_indices", "col_indices") if self.layout is sparse_csr else ("ccol_indices", "row_indices")
        parts = dict(zip(names, (self._starts, self._places)))
    text = "tensor(" + (",\n" + " " * INDENT).join(part(name, tensor, INDENT) for name, tensor in {**parts, "values": self._value.detach()}.items())
    suffixes = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}", *dtype_suffix(self.dtype), f"layout={self.layout}", *history_suffix(self)]
    return with_suffixes(text, suffixes, INDENT, self.layout is sparse_coo) + ")"
