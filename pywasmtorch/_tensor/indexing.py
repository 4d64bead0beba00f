"""Indexing and index assignment: integers, slices, `...`, None, boolean masks and integer tensors; index_put."""

from __future__ import annotations

from typing import Any

from .._core import device as _device
from .._core import dtype as _dtype
from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._core.warning import COMPLEX_TO_REAL, warn, warn_once
from . import overlapping
from .from_data import from_data, is_nested

TOO_MANY = "too many indices for tensor of dimension {}"


def is_int(item: Any) -> bool:
    if isinstance(item, (Tensor, bool)):
        return False
    return isinstance(item, int) or hasattr(item, "__index__") and getattr(item, "shape", ()) == ()


def as_index_tensor(item: Any) -> Any:
    """Sequences and NumPy arrays as tensors; other items as they are."""
    if isinstance(item, (Tensor, slice)) or item is None or item is Ellipsis or isinstance(item, bool) or is_int(item):
        return item
    if is_nested(item) or hasattr(item, "__array__"):
        t = from_data(item, None)
        return t if t.numel() else ops._to_dtype(t, _dtype.int64)
    if isinstance(item, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
    raise IndexError(f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {type(item).__name__})")


def normalized(index: Any) -> list[Any]:
    if not isinstance(index, tuple):
        # a short list that holds slices, tensors or other lists is a tuple in all but name
        if isinstance(index, list) and len(index) < 32 and any(isinstance(i, (slice, type(None), type(Ellipsis), list, tuple, Tensor)) for i in index):
            index = tuple(index)
        else:
            index = (index,)
    return [as_index_tensor(i) for i in index]


def select(view: Tensor, dim: int, index: int, place: int) -> Tensor:
    """One slice; IndexError naming the place of the subscript."""
    try:
        return ops.select(view, dim, index)
    except IndexError:
        raise IndexError(f"index {index} is out of bounds for dimension {place} with size {view.shape[dim]}") from None


def consumed(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item.dtype in (_dtype.bool_, _dtype.uint8):
        return item.ndim
    return 1


def parse(self: Tensor, index: Any) -> tuple[Tensor, list[Tensor | None]]:
    """Applies what views can do; returns the view and, per dimension of it, the tensor that still indexes it."""
    items = normalized(index)
    dims = sum(map(consumed, items))
    if dims > self.ndim:
        raise IndexError(TOO_MANY.format(self.ndim))
    view, dim, tensors = self, 0, []
    seen_ellipsis, place = False, 0
    for item in items:
        if item is Ellipsis:
            skip = self.ndim - dims
            if seen_ellipsis and skip:  # a second one passes over as many again, and what is behind it finds no dimension
                dim += skip
                tensors += [None] * skip
                continue
            seen_ellipsis = True
            place += skip
            dim += skip
            tensors += [None] * skip
        elif item is None:
            view = ops.unsqueeze(view, dim)
            dim += 1
            tensors.append(None)
        elif isinstance(item, bool):
            view = ops.unsqueeze(view, dim)
            tensors.append(from_data([0] if item else [], _dtype.int64))
            dim += 1
        elif isinstance(item, slice):
            view = sliced(view, dim, item)
            dim += 1
            tensors.append(None)
        elif isinstance(item, Tensor):
            if item.dtype.is_floating_point or item.dtype.is_complex:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            if item.ndim == 0 and item.dtype in (_dtype.bool_, _dtype.uint8):
                view = ops.unsqueeze(view, dim)
                tensors.append(from_data([0] if item.item() else [], _dtype.int64))
                dim += 1
            elif is_mask(item):
                check_mask(view, dim, item)
                places = ops.unbind(ops.nonzero(item), 1)
                dim += len(places)
                tensors += places
            elif item.ndim == 0 and not item.is_meta:
                view = select(view, dim, int(item.item()), place)
            else:
                dim += 1
                tensors.append(item)
        else:
            if view.ndim == 0:
                raise IndexError(TOO_MANY.format(self.ndim))
            view = select(view, dim, item.__index__(), place)
        place += consumed(item)
    if any(t is not None for t in tensors[view.ndim :]):
        raise IndexError(TOO_MANY.format(self.ndim))
    return view, tensors[: view.ndim]


def check_mask(view: Tensor, dim: int, mask: Tensor) -> None:
    have, want = view.shape[dim : dim + mask.ndim], mask.shape
    for i, (a, b) in enumerate(zip(have, want)):
        if a != b:
            raise IndexError(f"The shape of the mask {list(want)} at index {i} does not match the shape of the indexed tensor {list(view.shape)} at index {dim + i}")


def sliced(view: Tensor, dim: int, item: slice) -> Tensor:
    step = 1 if item.step is None else clipped(item.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    if item.start is None and item.stop is None and step == 1:
        if view.ndim == 0:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        return ops.slice(view, dim)
    return ops.slice(view, dim, clipped(item.start), clipped(item.stop), step)


def clipped(bound: Any) -> int | None:
    if bound is not None and not hasattr(bound, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return None if bound is None else max(-(1 << 62), min(1 << 62, bound.__index__()))


def is_mask(item: Tensor) -> bool:
    if item.dtype is _dtype.uint8:
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
        return True
    return item.dtype is _dtype.bool_


def without_masks(self: Tensor, indices: Any) -> tuple[Tensor, list[Tensor | None]]:
    """Boolean masks as the index tensors that they stand for. A mask without dimensions indexes one that it adds to the tensor."""
    result: list[Tensor | None] = []
    for item in indices:
        if item is None:
            result.append(None)
        elif not is_mask(item):
            if item.dtype not in (_dtype.int64, _dtype.int32):
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            result.append(item)
        elif item.ndim:
            result += ops.unbind(ops.nonzero(item), 1)
        else:
            self = ops.unsqueeze(self, len(result))
            result.append(from_data([0] if item.item() else [], _dtype.int64))
    return self, result


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    view, places = without_masks(input, indices)
    return ops.reshape(ops.index_put(view, places, values, accumulate), input.shape)


def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    view, places = without_masks(input, indices)
    put_at(view, indices, places, values, accumulate)
    return input


def put_at(view: Tensor, items: Any, places: list[Tensor | None], values: Tensor, accumulate: bool = False) -> None:
    try:
        overlapping.index_put_(view, places, values, accumulate)
    except RuntimeError:
        tensors = [i for i in items if isinstance(i, Tensor)]
        if accumulate or len(tensors) != 1 or tensors[0].dtype not in (_dtype.bool_, _dtype.uint8) or values.numel() != 1:
            raise
        overlapping.index_put_(view, places, ops.clone(values))  # under a mask one number may come from what it is written to


def get(self: Tensor, index: Any) -> Tensor:
    if type(index) is int and self.ndim:
        return select(self, 0, index, 0)
    if self.ndim == 0 and is_int(index):
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
    view, tensors = parse(self, index)
    if any(t is not None for t in tensors):
        return ops.index(view, tensors)
    return ops._alias(view) if view is self else view


def fills(self: Tensor, mask: Tensor, value: Any) -> bool:
    """Puts one number where a mask on meta is true, which needs no places; False for what is no mask of bools or no number."""
    if mask.dtype is not _dtype.bool_ or not mask.ndim or mask.shape != self.shape[: mask.ndim] or (isinstance(value, Tensor) and value.numel() != 1):
        return False
    number = ops.reshape(value, ()) if isinstance(value, Tensor) else from_data(value, self.dtype)
    if number.ndim:
        return False
    for _ in range(self.ndim - mask.ndim):
        mask = ops.unsqueeze(mask, -1)
    ops.masked_fill_(self, mask, ops._to_dtype(number, self.dtype))
    return True


def has_tensors(index: Any) -> bool:
    return any(isinstance(item, Tensor) for item in normalized(index))


def is_one_mask(index: Any) -> bool:
    """Whether a mask is all that chooses elements: one number then fills it, of whatever dtype."""
    chosen = [item for item in normalized(index) if isinstance(item, Tensor) and (item.ndim or item.dtype is _dtype.bool_)]
    return not chosen or len(chosen) == 1 and chosen[0].ndim > 0 and chosen[0].dtype in (_dtype.bool_, _dtype.uint8)


def put(self: Tensor, index: Any, value: Any) -> None:
    if self.ndim == 0 and is_int(index):
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
    if index is False:
        return
    if isinstance(index, tuple) and len(index) == 1 or not isinstance(index, tuple):
        mask = index[0] if isinstance(index, tuple) else index
        if isinstance(mask, Tensor) and mask.ndim and mask.dtype is _dtype.uint8 and (not isinstance(value, Tensor) or value.numel() == 1):
            raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
        if _device.in_use and isinstance(mask, Tensor) and mask.is_meta and fills(self, mask, value):
            return
    view, tensors = parse(self, index)
    if any(t is not None for t in tensors):
        if isinstance(index, tuple) and is_one_mask(index) and any(isinstance(i, Tensor) and i.ndim and i.dtype is _dtype.uint8 for i in index) and not any(isinstance(i, bool) for i in index) and (
                not isinstance(value, Tensor) or value.numel() == 1):
            raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
        if not isinstance(value, Tensor):
            value = from_data(value, view.dtype)
        elif value.dtype is not view.dtype:
            if value.dtype.is_complex and not view.dtype.is_complex:
                warn_once(COMPLEX_TO_REAL)
            if (value.ndim and has_tensors(index)) or not is_one_mask(index):
                raise RuntimeError(f"Index put requires the source and destination dtypes match, got {view.dtype._scalar_name} for the destination and {value.dtype._scalar_name} for the source.")
            value = ops._to_dtype(value, view.dtype)
        while value.ndim and value.shape[0] == 1:
            value = ops.select(value, 0, 0)
        put_at(view, index if isinstance(index, tuple) else (index,), tensors, value)
        return
    if isinstance(value, (bool, int, float, complex)):
        ops._set_item_(view, value)
        return
    if not isinstance(value, Tensor):
        value = from_data(value, view.dtype)
    while value.ndim > view.ndim and value.shape[0] == 1:
        value = ops.select(value, 0, 0)
    if value.ndim > view.ndim:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of shape {list(view.shape)}")
    if value.dtype.is_complex and not view.dtype.is_complex:
        warn_once(COMPLEX_TO_REAL)
    try:
        ops.copy__(view, value)
    except RuntimeError:
        if value.shape == view.shape:
            raise
        ops.copy__(view, ops.expand(value, view.shape))  # it may lie within what it is written to


FUNCTIONS = [tensors_checked(index_put)]
METHODS = {f.__name__: tensors_checked(f) for f in (index_put, index_put_)}
