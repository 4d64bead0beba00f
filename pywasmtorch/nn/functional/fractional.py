"""fractional_max_pool2d and fractional_max_pool3d (Graham, "Fractional max-pooling", 2014)."""

from __future__ import annotations

from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from .margin import refuse_gradient

__all__ = ["fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d", "fractional_max_pool3d_with_indices"]


def listed(value: Any, dims: int) -> tuple[Any, ...]:
    return (value,) * dims if isinstance(value, (int, float)) else tuple(value)


def pooled(input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Tensor | None, dims: int) -> tuple[Tensor, Tensor]:
    from ..._functions.random import rand

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
        if o < 1 or k < 1 or o + k - 1 > size - (dims == 3):  # torch leaves one element more in three dimensions
            raise RuntimeError(f"{name}: pool of {k} with output size {o} is too large relative to input size {size}")
    single = input.ndim == dims + 1
    x = ops.unsqueeze(input, 0) if single else input
    n, c = x.shape[:2]
    if samples is None:
        samples = rand(n, c, dims, dtype=input.dtype)
    refuse_gradient(samples, name, "random_samples")
    if samples.dtype is not input.dtype:
        raise RuntimeError(f"Expect _random_samples to have the same dtype as input, got {samples.dtype} and {input.dtype}")
    if samples.ndim != 3 or samples.shape[0] < n or samples.shape[1] != c or samples.shape[2] != dims:
        raise RuntimeError(f"Expect _random_samples to have sizes [{n}, {c}, {dims}], got {list(samples.shape)}")
    values, indices = ops._fractional_max_pool(x, ops.narrow(ops.narrow(samples, 0, 0, n), 1, 0, c), kernel, out, dims)
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
