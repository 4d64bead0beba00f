"""Pooling over windows that a random number places (Graham, "Fractional max-pooling", 2014)."""

from __future__ import annotations

import math
from typing import Any

from ..._dtype import int64
from ..._generated import ops
from ..._tensor_type import Tensor

__all__ = ["fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d", "fractional_max_pool3d_with_indices"]


def listed(value: Any, dims: int) -> tuple[Any, ...]:
    return (value,) * dims if isinstance(value, (int, float)) else tuple(value)


def starts(samples: Tensor, size: int, out: int, kernel: int) -> Tensor:
    """Where the windows begin, [N, C, out]: pseudo-random steps, the last window at the end."""
    from ..._creation import arange

    last = ops._full((*samples.shape, 1), size - kernel, int64)
    if out == 1:
        return last
    alpha = (size - kernel) / (out - 1)
    u = ops.unsqueeze(samples, -1)
    steps = arange(out - 1, dtype=samples.dtype)
    first = ops._to_dtype((steps + u) * alpha, int64) - ops._to_dtype(u * alpha, int64)
    return ops.FUNCTIONS["cat"]([first, last], -1)


def pooled(input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Tensor | None, dims: int) -> tuple[Tensor, Tensor]:
    from ..._creation import arange
    from ..._random import rand

    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        output_size = [int(size * ratio) for size, ratio in zip(input.shape[-dims:], listed(output_ratio, dims))]
    kernel, out = listed(kernel_size, dims), listed(output_size, dims)
    if len(kernel) != dims or len(out) != dims:
        raise RuntimeError(f"{name}: kernel_size and output_size must be a number or {dims} of them")
    if input.ndim not in (dims + 1, dims + 2) or not all(input.shape[-dims - 1 :]):
        raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got {list(input.shape)}")
    sizes = tuple(input.shape[-dims:])
    for k, o, size in zip(kernel, out, sizes):
        if o < 1 or k < 1 or o + k - 1 > size:
            raise RuntimeError(f"{name}: pool of {k} with output size {o} is too large relative to input size {size}")
    single = input.ndim == dims + 1
    x = ops.unsqueeze(input, 0) if single else input
    n, c = x.shape[:2]
    if samples is None:
        samples = rand(n, c, dims, dtype=input.dtype)
    if samples.dtype is not input.dtype:
        raise RuntimeError(f"Expect _random_samples to have the same dtype as input, got {samples.dtype} and {input.dtype}")
    if samples.ndim != 3 or samples.shape[0] < n or samples.shape[1] < c or samples.shape[2] != dims:
        raise RuntimeError(f"Expect _random_samples to have sizes [{n}, {c}, {dims}], got {list(samples.shape)}")
    places = None
    for d in range(dims):
        # torch's samples count from the last dimension of images, and from the first of volumes
        u = ops.select(samples, 2, dims - 1 - d if dims == 2 else d)
        shape = [1] * (2 * dims)
        shape[d], shape[dims + d] = out[d], kernel[d]
        taps = ops.unsqueeze(starts(u, sizes[d], out[d], kernel[d]), -1) + arange(kernel[d])
        taps = ops.reshape(taps, (*taps.shape[:2], *shape))
        places = taps if places is None else places * sizes[d] + taps
    plane, window = math.prod(sizes), math.prod(kernel)
    places = ops.reshape(places, (n, c, *out, window))
    flat, count = ops.reshape(x, (n, c, plane)), math.prod(out)
    found = ops.reshape(ops.gather(flat.detach(), 2, ops.reshape(places, (n, c, count * window))), places.shape)
    indices = ops.squeeze(ops.gather(places, -1, ops.FUNCTIONS["argmax"](found, -1, True)), -1)
    values = ops.reshape(ops.gather(flat, 2, ops.reshape(indices, (n, c, count))), indices.shape)
    return (values[0], indices[0]) if single else (values, indices)


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
                                       _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return pooled(input, kernel_size, output_size, output_ratio, _random_samples, 2)


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
                                       _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return pooled(input, kernel_size, output_size, output_ratio, _random_samples, 3)


def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
                          _random_samples: Tensor | None = None) -> Any:
    """The largest element of each of `output_size` windows of (N, C, H, W) or (C, H, W), which one random number a channel and dimension places.
    ValueError without a size or ratio, RuntimeError for windows that do not fit."""
    found = pooled(input, kernel_size, output_size, output_ratio, _random_samples, 2)
    return found if return_indices else found[0]


def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
                          _random_samples: Tensor | None = None) -> Any:
    """fractional_max_pool2d for (N, C, D, H, W) or (C, D, H, W)."""
    found = pooled(input, kernel_size, output_size, output_ratio, _random_samples, 3)
    return found if return_indices else found[0]
