"""max_unpool1d, max_unpool2d, max_unpool3d."""

from __future__ import annotations

from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _listed(value: Any, dims: int) -> tuple[int, ...]:
    return (value,) * dims if isinstance(value, int) else tuple(value)


def _unpool_size(input: Tensor, kernel_size: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...], output_size: Any, dims: int) -> tuple[int, ...]:
    sizes = input.shape[input.ndim - dims :]
    default = tuple((size - 1) * s + k - 2 * p for size, s, k, p in zip(sizes, stride, kernel_size, padding))
    if output_size is None:
        return default
    wanted = tuple(output_size)
    if len(wanted) == dims + 2:
        wanted = wanted[2:]
    if len(wanted) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of '{len(wanted)}'")
    for d in range(dims):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < wanted[d] < high:
            raise ValueError(f'invalid output_size "{wanted}" (dim {d} must be between {low} and {high})')
    return wanted


def _max_unpool(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any, dims: int) -> Tensor:
    kernel, pad = _listed(kernel_size, dims), _listed(padding, dims)
    if len(kernel) != dims:
        if dims == 1:
            raise IndexError("tuple index out of range")
        sides = "two elements (height, width)" if dims == 2 else "three elements (depth, height, width)"
        raise RuntimeError(f"There should be exactly {sides} in output_size, but got {len(kernel)} elements.")
    steps = kernel if stride is None else _listed(stride, dims)
    named, name = max(dims, 2), f"max_unpooling{max(dims, 2)}d"
    if str(indices.dtype) != "torch.int64":
        raise RuntimeError(f"elements in indices should be type int64 but got: {str(indices.dtype).rpartition('.')[2].capitalize()}")
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"Input to {name} should be a {named + 1}d or {named + 2}d Tensor, but got a tensor with {input.ndim + named - dims} dimensions.")
    if input.shape != indices.shape:
        raise RuntimeError(f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}")
    if any(s <= 0 for s in steps):
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(steps)}")
    sizes = _unpool_size(input, kernel, steps, pad, output_size, dims)
    for d in range(input.ndim - dims - 1, input.ndim):
        if input.shape[d] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got {list(input.shape)} with dimension {d} being empty.")
    lead, plane, taken = tuple(input.shape[: input.ndim - dims]), 1, 1
    for size in sizes:
        plane *= size
    for size in input.shape[input.ndim - dims :]:
        taken *= size
    _check_indices(indices, plane, sizes)
    flat = ops.reshape(input, (*lead, taken))
    empty = ops._full((*lead, plane), 0, input.dtype)
    return ops.reshape(ops.scatter(empty, -1, ops.reshape(indices, (*lead, taken)), flat), (*lead, *sizes))


def _check_indices(indices: Tensor, plane: int, sizes: tuple[int, ...]) -> None:
    if not indices.numel() or indices.is_meta:
        return
    low, high = (int(found.item()) for found in ops.aminmax(indices))
    if low < 0 or high >= plane:
        volume = "x".join(map(str, sizes)) + ("x1" if len(sizes) == 1 else "")
        first = next(i for i in ops.reshape(indices, (-1,)).tolist() if not 0 <= i < plane)
        raise RuntimeError(f"Found an invalid max index: {first} (output volumes are of size {volume})")


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Values back to where max_pool1d found them, 0 elsewhere. RuntimeError for indices outside of the output, ValueError for an output_size that
    no pooling with this window shrinks to the input's."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """max_unpool1d for what max_pool2d found."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """max_unpool1d for what max_pool3d found."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 3)
