"""pixel_shuffle, pixel_unshuffle, channel_shuffle."""

from __future__ import annotations

from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from ..._functions.padding import pad
from .layouts import keeps_channels_last

__all__ = ["channel_shuffle", "pad", "pixel_shuffle", "pixel_unshuffle"]



@keeps_channels_last
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


@keeps_channels_last
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


@keeps_channels_last
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
    return ops.reshape(ops.clone(parts), input.shape)
