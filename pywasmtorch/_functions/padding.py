"""nn.functional.pad: constant, reflect, replicate and circular."""

from __future__ import annotations

from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor

INDEX_MODES = {"reflect": 0, "replicate": 1, "circular": 2}


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """A border of the widths in `pad` (last dimension first): constant, reflect, replicate or circular."""
    widths = [int(w) for w in pad]
    if mode == "constant":
        if isinstance(value, complex):
            raise TypeError("pad(): argument 'value' (position 4) must be float, not complex")
        return ops.constant_pad_nd(input, widths, 0.0 if value is None else float(value))
    if mode not in INDEX_MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(widths) % 2 or not (len(widths) in (2, 4, 6) and input.ndim in (len(widths) // 2 + 1, len(widths) // 2 + 2)):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    return ops._index_pad(input, widths, INDEX_MODES[mode])
