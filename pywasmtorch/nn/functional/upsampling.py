"""interpolate and upsample, one dimension at a time."""

from __future__ import annotations

import math
from typing import Any

from ..._core.dtype import float32, uint8
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from . import pooling
from .layouts import keeps_channels_last

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
CORNERED = ("linear", "bilinear", "bicubic", "trilinear", "lanczos")
NEEDS = {"linear": 3, "bilinear": 4, "bicubic": 4, "lanczos": 4, "trilinear": 5}
KERNELS = {"bicubic": 1, "lanczos": 2}


@keeps_channels_last
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """The spatial dimensions of (N, C, …) resampled to `size`, or by `scale_factor`: nearest, nearest-exact, linear, bilinear, trilinear, bicubic
    (Keys, 1981, with a = -0.75; a = -0.5 where antialias), lanczos (Duchon, 1979, with antialias only) or area. With antialias the kernel widens as
    the input shrinks. ValueError and NotImplementedError for arguments that do not fit the mode or the input."""
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    else:
        align_corners = bool(align_corners)
    dims = input.ndim - 2
    if input.ndim not in (3, 4, 5):
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {MODES} (got {mode})")
    sizes, scales = _output(input, size, scale_factor, recompute_scale_factor, dims)
    if antialias and (mode not in ("bilinear", "bicubic", "lanczos") or input.ndim != 4):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input")
    if mode == "lanczos" and not antialias:
        raise ValueError("lanczos mode requires antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if input.ndim not in (3, 4, 5) or mode not in ("nearest", "nearest-exact", "area", *NEEDS) or (NEEDS.get(mode) == 4 and input.ndim != 4):
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {MODES} (got {mode})")
    if input.ndim != NEEDS.get(mode, input.ndim):
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {NEEDS[mode]}D input")
    if mode == "area":
        return (ops.adaptive_avg_pool1d, pooling.adaptive_avg_pool2d, pooling.adaptive_avg_pool3d)[dims - 1](input, sizes)
    _check(input, sizes, mode, dims)
    if "nearest" in mode:
        for d in range(dims):
            places = ops._nearest_indices(input.shape[2 + d], sizes[d], scales[d] or 0.0, mode == "nearest-exact", dims == 2)
            input = ops.index_select(input, 2 + d, places)
        return input
    return _weighted(input, sizes, scales, mode, bool(align_corners), antialias)


# ---- sizes ----
def _output(input: Tensor, size: Any, scale_factor: Any, recompute: bool | None, dims: int) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """The output's sizes, and the scales that source positions are computed with (None: the ratio of sizes)."""
    spatial = tuple(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,) * dims
        if len(sizes) != dims:
            raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {list(spatial)} and output size of {size}. "
                             "Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
        for s in sizes:
            if isinstance(s, float):
                raise TypeError(f"interpolate(): argument 'size' must be tuple of ints, but found element of type float: {s}")
        return tuple(int(s) for s in sizes), (None,) * dims
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * dims
    if len(factors) != dims:
        raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of {list(spatial)} and scale_factor of shape {scale_factor}. "
                         "Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.")
    sizes = tuple(math.floor(float(s) * float(f)) for s, f in zip(spatial, factors))
    return sizes, (None,) * dims if recompute else tuple(float(f) for f in factors)


def _check(input: Tensor, sizes: tuple[int, ...], mode: str, dims: int) -> None:
    def text(values: Any) -> str:
        return ", ".join(f"{axis}: {v}" for axis, v in zip("DHW"[3 - dims :], values))

    spatial = tuple(input.shape[2:])
    if any(s <= 0 for s in (*spatial, *sizes)):
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({text(spatial)}) output ({text(sizes)})")
    if math.prod((*input.shape[:2], *sizes)) * input.dtype.itemsize > 1 << 32 and not input.is_meta:
        raise MemoryError(f"not enough memory: a tensor of size {[*input.shape[:2], *sizes]} does not fit into 4 GiB")
    if input.shape[1] == 0:
        raise RuntimeError(f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}")
    if not input.dtype.is_floating_point and not (input.dtype is uint8 and mode not in ("linear", "trilinear")):
        raise NotImplementedError(f"pywasmtorch has no interpolate(mode={mode!r}) of {input.dtype}")


def _weighted(input: Tensor, sizes: tuple[int, ...], scales: tuple[float | None, ...], mode: str, corners: bool, antialias: bool) -> Tensor:
    half = input.dtype.itemsize == 2
    x = ops._to_dtype(input, float32) if half else input
    moves = mode == "bicubic" and not antialias and input.dtype is not uint8  # all others keep a dimension of the same size, whatever its scale
    for d in reversed(range(len(sizes))):
        if x.shape[2 + d] != sizes[d] or moves and (scales[d] or 1.0) != 1.0:
            x = ops._resample(x, 2 + d, sizes[d], scales[d] or 0.0, KERNELS.get(mode, 0), corners, antialias)
    return ops._to_dtype(x, input.dtype) if half else x if x is not input else ops.clone(x)


def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    return interpolate(input, size, scale_factor, "bilinear", True)
