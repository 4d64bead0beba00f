"""grid_sample and affine_grid."""

from __future__ import annotations

import warnings
from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = ["affine_grid", "grid_sample"]

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
CORNERS = ("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the old behavior is desired. "
           "See the documentation of grid_sample for details.")


def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> Tensor:
    """Images (N, C, H, W) read at the places (N, H', W', 2) of `grid`, x before y, -1 and 1 at the borders; volumes likewise. Modes: bilinear,
    nearest, bicubic (Keys, 1981; images only); outside: zeros, border or reflection. ValueError for other modes, RuntimeError for sizes that do
    not fit."""
    if mode not in MODES:
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode not in PADDINGS:
        raise ValueError(f"nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{padding_mode}'")
    if align_corners is None:
        warnings.warn(CORNERS, stacklevel=3)
    return ops.grid_sampler(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), bool(align_corners))


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The places where grid_sample reads an image of `size` through the affine maps `theta`: (N, 2, 3) gives (N, H, W, 2), (N, 3, 4) gives
    (N, D, H, W, 3). ValueError for other shapes, and for integers."""
    size = tuple(size)
    if align_corners is None:
        warnings.warn(CORNERS, stacklevel=3)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}.")
    dims = len(size) - 2
    if theta.ndim != 3 or theta.shape[-2:] != (dims, dims + 1):
        raise ValueError(f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. Got {theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator(theta, size, bool(align_corners))


def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """affine_grid without its checks."""
    from ..._functions.creation import arange

    spatial, dims = tuple(size[2:]), len(size) - 2
    if theta.shape[0] != size[0]:
        raise RuntimeError(f"Expected a batch of {size[0]} affine matrices, got {theta.shape[0]}")
    axes = []
    for d, n in enumerate(spatial):
        steps = arange(n, dtype=theta.dtype)
        line = (steps * 2 - (n - 1)) / (max(n - 1, 1) if align_corners else n)
        axes.append(ops.expand(ops.reshape(line, [-1 if k == d else 1 for k in range(dims)]), spatial))
    places = ops.FUNCTIONS["stack"]([*reversed(axes), ops.ones_like(axes[0])], -1)
    rows = ops.expand(ops.reshape(places, (1, -1, dims + 1)), (size[0], -1, -1))
    return ops.reshape(ops.bmm(rows, ops.transpose(theta, 1, 2)), (size[0], *spatial, dims))
