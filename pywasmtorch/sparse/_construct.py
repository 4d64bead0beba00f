"""sparse_coo_tensor, sparse_csr_tensor and their relatives, and the check of what they are given."""

from __future__ import annotations

import threading
from typing import Any

from .._core import dtype as _dtype
from .._core.device import check_device
from .._core.dtype import dtype as DType
from .._core.dtype import get_default_dtype
from .._core.generated import ops
from .._core.layout import layout, sparse_coo, sparse_csc, sparse_csr
from .._core.tensor_type import Tensor
from .._functions.creation import as_tensor
from ._tensor import CompressedTensor, CooTensor, SparseTensor


class _Checking(threading.local):
    on = False


_checking = _Checking()


class check_sparse_tensor_invariants:
    """Whether making a sparse tensor checks all of its indices: a context manager, a decorator, and `enable()`, `disable()`, `is_enabled()`."""

    def __init__(self, enable: bool = True) -> None:
        self.state, self.saved = enable, None

    @staticmethod
    def is_enabled() -> bool:
        return _checking.on

    @staticmethod
    def enable() -> None:
        _checking.on = True

    @staticmethod
    def disable() -> None:
        _checking.on = False

    def __enter__(self) -> None:
        if self.saved is not None:
            raise RuntimeError("This context manager instance is already activated. Use a different context manager instance for context nesting.")
        self.saved, _checking.on = _checking.on, self.state  # type: ignore[assignment]

    def __exit__(self, *exception: Any) -> None:
        _checking.on, self.saved = bool(self.saved), None

    def __call__(self, function: Any) -> Any:
        import functools

        @functools.wraps(function)
        def checked(*arguments: Any, **names: Any) -> Any:
            with type(self)(self.state):
                return function(*arguments, **names)

        return checked


def as_index(given: Any) -> Tensor:
    index = as_tensor(given)
    return index if index.dtype is _dtype.int64 else index.to(_dtype.int64)


def as_values(given: Any, kind: DType | None, requires_grad: bool) -> Tensor:
    """Values that share memory with a tensor that is given; with its history, unless a leaf is asked for."""
    value = as_tensor(given, dtype=kind)
    if value is given:
        value = ops.view(value, value.shape) if value.requires_grad and not requires_grad else value.detach()
    return value.requires_grad_() if requires_grad else value


def sparse_coo_tensor(*arguments: Any, indices: Any = None, values: Any = None, size: Any = None, dtype: DType | None = None, device: Any = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None, is_coalesced: bool | None = None) -> CooTensor:
    """A sparse tensor of coordinates: `values` [nnz, *dense sizes] at `indices` [sparse_dim, nnz], of `size` (the smallest that holds all indices by
    default). Values at one place add up. `sparse_coo_tensor(size)` is empty. RuntimeError where sizes do not fit together, and with
    `check_invariants` for indices outside of the size."""
    check_device(device)
    if len(arguments) == 1 and values is None and indices is None:
        size = arguments[0]
    else:
        given = dict(zip(("indices", "values", "size"), arguments))
        indices, values, size = given.get("indices", indices), given.get("values", values), given.get("size", size)
    sizes = None if size is None else tuple(int(s) for s in size)
    if indices is None and values is None:
        if sizes is None:
            raise TypeError("sparse_coo_tensor() needs indices and values, or a size")
        value = ops._full((0,), 0, dtype or get_default_dtype())
        return CooTensor._of(ops._full((len(sizes), 0), 0, _dtype.int64), value.requires_grad_(requires_grad), sizes, True)
    index, value = as_index(indices), as_values(values, dtype, requires_grad)
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    value = ops.expand(value, (index.shape[1],)) if value.ndim == 0 else value
    if index.shape[1] != value.shape[0]:
        raise RuntimeError(f"indices and values must have same nnz, but got nnz from indices: {index.shape[1]}, nnz from values: {value.shape[0]}")
    if sizes is None:
        if index.numel():
            if int(ops.min_function(index)) < 0:
                raise RuntimeError(f"found negative index {int(ops.min_function(index))}")
            sizes = (*(int(n) + 1 for n in ops.amax(index, 1).tolist()), *value.shape[1:])
        else:
            sizes = ((0,) * index.shape[0]) + tuple(value.shape[1:])
    if len(sizes) != index.shape[0] + value.ndim - 1:
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(sizes)}, sparse_dim = {index.shape[0]}, dense_dim = {value.ndim - 1}")
    if tuple(value.shape[1:]) != sizes[index.shape[0] :]:
        raise RuntimeError(f"values has incorrect size, expected {[index.shape[1], *sizes[index.shape[0] :]]}, got {list(value.shape)}")
    result = CooTensor._of(index, value, sizes, bool(is_coalesced) or value.shape[0] < 2)
    if _checking.on if check_invariants is None else check_invariants:
        check_coordinates(result)
    return result


def check_coordinates(self: CooTensor) -> None:
    flat = ops._sparse_flat(self._index, self._sizes[: self.sparse_dim()])
    if self._coalesced and flat.numel() > 1 and not bool(ops.all_function(ops.lt(flat[:-1], flat[1:]))):
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def compressed_tensor(name: str, kind: layout, starts: Any, places: Any, values: Any, size: Any, dtype: DType | None, requires_grad: bool, checks: bool | None) -> CompressedTensor:
    by_row = kind is sparse_csr
    start, place, value = as_tensor(starts), as_tensor(places), as_values(values, dtype, requires_grad)
    if start.ndim != 1 or place.ndim != 1 or value.ndim != 1:
        raise NotImplementedError(f"{name}: pywasmtorch has compressed matrices; batches and dense dimensions are not here")
    if start.dtype is not place.dtype or start.dtype not in (_dtype.int32, _dtype.int64):
        raise RuntimeError(f"{name}: both kinds of indices must be int32 or int64, and the same, not {start.dtype} and {place.dtype}")
    if place.shape[0] != value.shape[0]:
        raise RuntimeError(f"{name}: number of stored elements {value.shape[0]} does not match that of indices, {place.shape[0]}")
    if size is None:
        length = int(ops.max_function(place)) + 1 if place.numel() else 0
        size = (start.shape[0] - 1, length) if by_row else (length, start.shape[0] - 1)
    sizes = tuple(int(s) for s in size)
    if len(sizes) != 2:
        raise NotImplementedError(f"{name}: pywasmtorch has compressed matrices, not size {list(sizes)}")
    result = CompressedTensor._of(start, place, value, sizes, kind)
    if _checking.on if checks is None else checks:
        check_compressed(result)
    return result


def check_compressed(self: CompressedTensor) -> None:
    by_row = self.layout is sparse_csr
    starts, places = ("crow", "col") if by_row else ("ccol", "row")
    count, length = self._sizes if by_row else self._sizes[::-1]
    start = self._starts.tolist()
    if len(start) != count + 1:
        raise RuntimeError(f"{starts}_indices.shape[-1] must be equal to {count + 1}, got {len(start)}")
    if start[0]:
        raise RuntimeError(f"`{starts}_indices[..., 0] == 0` is not satisfied.")
    if start[-1] != self._nnz():
        raise RuntimeError(f"`{starts}_indices[..., -1] == nnz` is not satisfied.")
    place = self._places.tolist()
    if any(not 0 <= p < length for p in place):
        raise RuntimeError(f"`0 <= {places}_indices < {length}` is not satisfied.")
    for a, b in zip(start, start[1:]):
        if not 0 <= b - a <= length:
            raise RuntimeError(f"`0 <= {starts}_indices[..., 1:] - {starts}_indices[..., :-1] <= {length}` is not satisfied.")
        if any(x >= y for x, y in zip(place[a:b], place[a + 1 : b])):
            raise RuntimeError(f"`{places}_indices[..., {starts}_indices[..., i - 1]:{starts}_indices[..., i]] for all i = 1, ..., {count} are sorted and distinct along the last dimension values` is not satisfied.")


def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: DType | None = None, device: Any = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None) -> CompressedTensor:
    """A matrix compressed by rows: row i has the `values` (nnz) from `crow_indices[i]` to `crow_indices[i + 1]`, in the columns `col_indices` (nnz).
    RuntimeError where they do not fit together; batches raise NotImplementedError."""
    check_device(device)
    return compressed_tensor("sparse_csr_tensor", sparse_csr, crow_indices, col_indices, values, size, dtype, requires_grad, check_invariants)


def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: DType | None = None, device: Any = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None) -> CompressedTensor:
    """A matrix compressed by columns; as :func:`sparse_csr_tensor`."""
    check_device(device)
    return compressed_tensor("sparse_csc_tensor", sparse_csc, ccol_indices, row_indices, values, size, dtype, requires_grad, check_invariants)


def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype: DType | None = None, layout: Any = None, device: Any = None,
                             pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None) -> CompressedTensor:
    """:func:`sparse_csr_tensor` or :func:`sparse_csc_tensor`, by `layout`. NotImplementedError for layouts of blocks."""
    check_device(device)
    if layout not in (sparse_csr, sparse_csc):
        raise NotImplementedError(f"pywasmtorch has no tensors of layout {layout} with blocks")
    return compressed_tensor("sparse_compressed_tensor", layout, compressed_indices, plain_indices, values, size, dtype, requires_grad, check_invariants)


def _absent(name: str) -> Any:
    def refuse(*arguments: Any, **names: Any) -> Any:
        raise NotImplementedError(f"pywasmtorch has no torch.{name}: there are no tensors with blocks")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


sparse_bsr_tensor, sparse_bsc_tensor = _absent("sparse_bsr_tensor"), _absent("sparse_bsc_tensor")


def rebuilt(kind: Any, parts: tuple[Any, ...]) -> SparseTensor:
    """What a checkpoint holds of a sparse tensor, checked. ValueError for parts of other kinds."""
    if not isinstance(kind, layout) or not isinstance(parts, tuple) or len(parts) not in (3, 4) or not all(isinstance(p, Tensor) for p in parts[:2]):
        raise ValueError("a sparse tensor is made of a layout and a tuple of its indices, its values and its size")
    if kind is sparse_coo:
        index, value, size = parts[:3]
        return sparse_coo_tensor(index, value, size, check_invariants=True, is_coalesced=bool(parts[3]) if len(parts) == 4 else False)
    if len(parts) != 4 or not isinstance(parts[2], Tensor):
        raise ValueError("a compressed matrix is made of two tensors of indices, its values and its size")
    return sparse_compressed_tensor(*parts, layout=kind, check_invariants=True)
