"""Array API: `__array_namespace_info__`."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from ._promotion import KINDS


class Info:
    """The standard's inspection functions."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self) -> Any:
        return torch.device("cpu")

    def devices(self) -> list[Any]:
        return [torch.device("cpu")]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        real = torch.get_default_dtype()
        return {"real floating": real, "complex floating": real.to_complex(), "integral": torch.int64, "indexing": torch.int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The dtypes of a kind, of several, or all, by name. ValueError for an unknown kind."""
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for k in kinds:
            if k not in KINDS:
                raise ValueError(f"unrecognized data type kind: {k!r}")
        return {str(d).rpartition(".")[2]: d for k in kinds for d in KINDS[k]}


def __array_namespace_info__() -> Info:
    return Info()
