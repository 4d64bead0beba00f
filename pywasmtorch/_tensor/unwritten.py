"""What tensors hold that nobody has written yet: anything, or under `use_deterministic_algorithms` the same value in each run."""

from __future__ import annotations

from .._core import dtype as _dtype
from .._core.generated import ops
from .._core.tensor_type import Tensor

state = {"deterministic": False, "fill": True}


def known(tensor: Tensor, start: int = 0) -> Tensor:
    """The tensor, filled from element `start` on in that mode: NaN, the greatest integer, True."""
    if not (state["deterministic"] and state["fill"]) or tensor.is_meta or tensor.numel() <= start:
        return tensor
    kind = tensor.dtype
    if kind.is_floating_point or kind.is_complex:
        value: float | complex = complex(float("nan"), float("nan")) if kind.is_complex else float("nan")
    else:
        value = 1 if kind is _dtype.bool_ else _dtype.iinfo(kind).max
    rest = ops.narrow(ops.view(tensor.detach(), (-1,)), 0, start, tensor.numel() - start) if start else tensor.detach()
    ops.METHODS["fill_"](rest, value)
    return tensor
