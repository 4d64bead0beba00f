"""Padding and the rearrangements of image channels."""

from __future__ import annotations

from typing import Any

from ..._generated import ops
from ..._tensor_type import Tensor

__all__ = ["channel_shuffle", "pad", "pixel_shuffle", "pixel_unshuffle"]

INDEX_MODES = {"reflect": 0, "replicate": 1, "circular": 2}


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """A border of the widths in `pad` (last dimension first): constant, reflect, replicate or circular."""
    widths = [int(w) for w in pad]
    if mode == "constant":
        return ops.constant_pad_nd(input, widths, 0 if value is None else value)
    if mode not in INDEX_MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(widths) % 2 or not (len(widths) in (2, 4, 6) and input.ndim in (len(widths) // 2 + 1, len(widths) // 2 + 2)):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    return ops._index_pad(input, widths, INDEX_MODES[mode])


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, C r², H, W) as (…, C, H r, W r) (Shi et al., 2016)."""
    r = upscale_factor
    if input.ndim < 3:
        raise RuntimeError(f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise RuntimeError(f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    n = len(lead)
    parts = ops.reshape(input, (*lead, c // (r * r), r, r, h, w))
    moved = ops.permute(parts, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return ops.reshape(moved, (*lead, c // (r * r), h * r, w * r))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of pixel_shuffle."""
    r = downscale_factor
    if input.ndim < 3:
        raise RuntimeError(f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    if h % r or w % r:
        raise RuntimeError(f"pixel_unshuffle expects height and width to be divisible by downscale_factor, but input.size(-2)={h}, input.size(-1)={w} are not divisible by {r}")
    n = len(lead)
    parts = ops.reshape(input, (*lead, c, h // r, r, w // r, r))
    moved = ops.permute(parts, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return ops.reshape(moved, (*lead, c * r * r, h // r, w // r))


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels dealt out anew over `groups` (Zhang et al., 2018)."""
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    n, c, *rest = input.shape
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    parts = ops.transpose(ops.reshape(input, (n, groups, c // groups, *rest)), 1, 2)
    return ops.reshape(parts, input.shape)
