"""resize_, detach_, set_, apply_, map_ and in-place views (transpose_, squeeze_, …)."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.dispatch import records_gradients
from .._core.generated import ops
from .._core.layout import format_code, preserve_format
from .._core.names import scalar_name
from .._core.tensor_type import Tensor
from .conversion import copy_, suggested_format
from .from_data import from_data
from .metadata import get_dtype, get_shape
from .unwritten import known
from .values import flat_values, nest


def in_place_view(name: str) -> Any:
    """The in-place form of a view: the tensor itself takes the view's sizes and strides, and its history."""
    view = ops.METHODS[name]

    def change(self: Tensor, *arguments: Any, **names: Any) -> Tensor:
        ops._take_shape(self, view(self, *arguments, **names))
        return self

    change.__name__ = change.__qualname__ = f"{name}_"
    change.__doc__ = f"`{name}` in place. RuntimeError for a leaf that requires grad."
    return change


def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Another shape in place, with more storage where it needs it; new elements hold anything."""
    if ops._requires_grad(self):
        raise RuntimeError("cannot resize variables that require grad")
    sizes = size[0] if len(size) == 1 and not hasattr(size[0], "__index__") else size
    form = format_code(memory_format)
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    before = self.numel()
    ops._resize(self, sizes, True)
    known(self, before)
    if memory_format is not None:
        ops._set_format(self, form)
    return self


def detach_(self: Tensor) -> Tensor:
    """Takes this tensor out of the graph, in place. RuntimeError for views."""
    ops._detach_(self)
    return self


def apply_(self: Tensor, function: Any) -> Tensor:
    """Replaces each element by `function(element)`; slow."""
    if self.is_meta:  # as in torch, which finds nothing to change
        return self
    values = [function(v) for v in flat_values(self)]
    return copy_(self, from_data(nest(values, get_shape(self)), get_dtype(self)))


def map_(self: Tensor, other: Tensor, function: Any) -> Tensor:
    """Replaces each element by `function(element, other's element)`; slow."""
    if self.is_meta:
        return self
    values = [function(a, b) for a, b in zip(flat_values(self), flat_values(ops.expand(other, get_shape(self))))]
    return copy_(self, from_data(nest(values, get_shape(self)), get_dtype(self)))


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replaces each element by `callable(element, x's, y's)`; slow."""
    lists = [ops.reshape(ops.expand(t, self.shape), (-1,)).tolist() for t in (self, x, y)]
    values = [callable(*v) for v in zip(*lists)]
    return self.copy_(ops.reshape(from_data(values, self.dtype), self.shape))


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Another tensor's or storage's elements from now on, shared with it. TypeError for anything but a tensor, a storage or nothing, RuntimeError for another dtype's."""
    from .rebuild import _rebuild_tensor
    from .storage import TypedStorage, UntypedStorage

    if records_gradients() and ops._requires_grad(self) and self.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if source is None:
        self.data = self.new_empty(0)
        return self
    home = getattr(source, "device", self.device)
    if home != self.device:
        raise RuntimeError(f'Attempted to set the storage of a tensor on device "{self.device}" to a storage on different device "{home}".  This is no longer allowed; the devices must match.')
    if isinstance(source, Tensor):
        if source.dtype is not self.dtype:
            raise RuntimeError(f"Could not set tensor of type {source.dtype} to a tensor of type {self.dtype}")
        if size is None:
            self.data = source.data
            return self
        source = UntypedStorage._of(source)
    if not isinstance(source, (TypedStorage, UntypedStorage)):
        raise TypeError(f"set_(): argument 'source' must be a Tensor or a storage, not {type(source).__name__}")
    if isinstance(source, TypedStorage) and source.dtype is not self.dtype:
        raise RuntimeError(f"Expected a Storage of type {scalar_name(self.dtype)} or an UntypedStorage, but got type {scalar_name(source.dtype)} for argument 1 'storage'")
    typed = TypedStorage(wrap_storage=source.untyped(), dtype=self.dtype)
    sizes = (typed.size(),) if size is None else (size,) if isinstance(size, int) else tuple(size)
    if stride is None:
        stride, step = [], 1
        for n in reversed(sizes):
            stride.insert(0, step)
            step *= max(n, 1)
    self.data = _rebuild_tensor(typed, storage_offset, sizes, (stride,) if isinstance(stride, int) else tuple(stride))
    return self


def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    return input.as_strided_(size, stride, storage_offset)


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """The shape of another tensor, in place."""
    self.resize_(the_template.shape)
    if memory_format is not None:
        ops._set_format(self, suggested_format(the_template) if memory_format is preserve_format else format_code(memory_format))
    return self


FUNCTIONS = [*map(tensors_checked, (detach_, ops.METHODS["zero_"], as_strided_, resize_as_))]
METHODS = {
    **{f"{name}_": in_place_view(name) for name in ("as_strided", "squeeze", "swapaxes", "swapdims", "t")},
    **{f"{name}_": tensors_checked(in_place_view(name)) for name in ("transpose", "unsqueeze")},
    "resize_": resize_, "detach_": detach_, "apply_": apply_, "map_": tensors_checked(map_), "map2_": tensors_checked(map2_), "set_": set_, "resize_as_": tensors_checked(resize_as_),
}
