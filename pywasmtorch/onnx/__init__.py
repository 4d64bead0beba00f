"""torch.onnx stub: export raises, is_in_onnx_export() is False."""

from __future__ import annotations

from typing import Any, NoReturn

from .._core.names import absent as _absent

__all__ = ["export", "is_in_onnx_export"]


def export(*_: Any, **__: Any) -> NoReturn:
    """NotImplementedError: there is no graph to write."""
    raise NotImplementedError("pywasmtorch has no torch.onnx.export; see docs/differences.md")


def is_in_onnx_export() -> bool:
    return False

__getattr__ = _absent(__name__)
