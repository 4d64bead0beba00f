"""Normalization modes and dtype promotion shared by torch.fft and stft."""

from __future__ import annotations

from .._core.dtype import bfloat16, float16, float32, get_default_dtype
from .._core.generated import ops
from .._core.names import scalar_name
from .._core.tensor_type import Tensor
from . import autocast

AS_IT_IS, BY_ROOT, BY_COUNT = range(3)


def mode_of(norm: str | None, forward: bool) -> int:
    if norm is None or norm == "backward":
        return AS_IT_IS if forward else BY_COUNT
    if norm == "forward":
        return BY_COUNT if forward else AS_IT_IS
    if norm == "ortho":
        return BY_ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def promoted(x: Tensor, complex: bool) -> Tensor:
    if autocast.state.enabled["cpu"]:
        x = autocast.cast(x, float32)
    kind = x.dtype
    if kind is float16 or kind is bfloat16:
        raise RuntimeError(f"Unsupported dtype {scalar_name(kind)}")
    if not (kind.is_floating_point or kind.is_complex):
        kind = get_default_dtype()
    if complex:
        kind = kind.to_complex()
    return x if kind is x.dtype else ops._to_dtype(x, kind)
