"""SparseTensor, CooTensor and CompressedTensor: indices, and values that carry the history.

Their values are a tensor of the core, of which everything is computed and recorded; a sparse tensor has no handle of its own, so that an
operator that is not in `_operators.py` refuses it by name.
"""

from __future__ import annotations

from math import prod
from typing import Any, NoReturn

from .._core import dtype as _dtype
from .._core.arguments import is_int
from .._core.device import CPU
from .._core.generated import ops
from .._core.layout import layout, sparse_coo, sparse_csc, sparse_csr
from .._core.overriding import disabled_torch_function
from .._core.size import Size
from .._core.tensor_type import Tensor
from .._core.warning import warn
from ._text import sparse_text

LAYOUT_NAMES = {sparse_coo: "Sparse", sparse_csr: "SparseCsr", sparse_csc: "SparseCsc"}


def refuse(self: SparseTensor) -> NoReturn:
    raise NotImplementedError(f"pywasmtorch has not got this operator for tensors of layout {self.layout}; use to_dense()")


def no_storage(self: SparseTensor, *arguments: Any) -> NoReturn:
    raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


class SparseTensor(Tensor):
    """What sparse tensors of all layouts share."""

    __slots__ = ()
    _sparse = True
    __torch_function__ = disabled_torch_function
    _value: Tensor
    _sizes: tuple[int, ...]
    layout: layout

    _h = property(refuse)  # type: ignore[assignment]

    def __new__(cls, *arguments: Any, **names: Any) -> Any:
        return object.__new__(cls)

    def __del__(self) -> None:
        """There is no handle to give back."""

    def _with(self, value: Tensor) -> Any:
        """Other values at the same places."""
        raise NotImplementedError

    def _coo(self) -> CooTensor:
        raise NotImplementedError

    def _back(self, result: CooTensor) -> Any:
        """What was computed of `_coo()`, in this layout."""
        raise NotImplementedError

    # ---- what it is ----
    shape = property(lambda self: Size(self._sizes))
    ndim = property(lambda self: len(self._sizes))
    dtype = property(lambda self: self._value.dtype)
    itemsize = property(lambda self: self._value.itemsize)
    requires_grad = property(lambda self: self._value.requires_grad, lambda self, on: setattr(self._value, "requires_grad", on))
    is_leaf = property(lambda self: self._value.is_leaf)
    grad_fn = property(lambda self: self._value.grad_fn)
    _version = property(lambda self: self._value._version)
    _base = property(lambda self: None)
    is_meta = property(lambda self: False)
    device = property(lambda self: CPU)
    is_sparse = property(lambda self: self.layout is sparse_coo)
    is_sparse_csr = property(lambda self: self.layout is sparse_csr)
    data = property(lambda self: self.detach(), lambda self, data: self._set_data(data))
    T = property(lambda self: self.t() if self.ndim <= 2 else self.permute(*range(self.ndim - 1, -1, -1)))
    mT = property(lambda self: self.transpose(-1, -2))

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self._sizes[dim]

    def dim(self) -> int:
        return len(self._sizes)

    ndimension = dim

    def numel(self) -> int:
        return prod(self._sizes)

    nelement = numel

    def element_size(self) -> int:
        return self._value.element_size()

    def is_floating_point(self) -> bool:
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        return self.dtype.is_complex

    def is_signed(self) -> bool:
        return self.dtype.is_signed

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return False

    def is_inference(self) -> bool:
        return self._value.is_inference()

    def is_same_size(self, other: Tensor) -> bool:
        return self.shape == other.shape

    def _nnz(self) -> int:
        return self._value.shape[0]

    def _values(self) -> Tensor:
        return self._value.detach() if self.is_leaf else self._value

    def __len__(self) -> int:
        if not self._sizes:
            raise TypeError("len() of a 0-d tensor")
        return self._sizes[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return sparse_text(self)

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec)

    __hash__ = Tensor.__hash__
    data_ptr = tolist = no_storage

    def item(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(f"Boolean value of Tensor with {'no values' if not self.numel() else 'more than one value'} is ambiguous")
        return bool(self.item())

    def storage(self) -> NoReturn:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    untyped_storage = storage

    def numpy(self, *, force: bool = False) -> NoReturn:
        raise TypeError(f"can't convert {LAYOUT_NAMES[self.layout]} layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self.numpy()

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise NotImplementedError(f"pywasmtorch does not write to parts of tensors of layout {self.layout}")

    def _set_data(self, data: Any) -> None:
        if not isinstance(data, SparseTensor) or data.layout is not self.layout or data.shape != self.shape:
            raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.")
        requires_grad = self.requires_grad
        self.__dict__.update(data.detach().__dict__)
        self._value.requires_grad_(requires_grad and self.is_floating_point())

    # ---- gradients ----
    @property
    def grad(self) -> Any:
        value = self._value.grad
        return None if value is None else self._with(value)

    @grad.setter
    def grad(self, grad: Any) -> None:
        if grad is not None and not (isinstance(grad, SparseTensor) and grad._value.shape == self._value.shape and grad.shape == self.shape):
            raise NotImplementedError("pywasmtorch keeps the gradient of a sparse tensor at its own places; assign a sparse one that has these, or None")
        self._value.grad = None if grad is None else grad._value

    @grad.deleter
    def grad(self) -> None:
        self._value.grad = None

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        self._value.requires_grad_(requires_grad)
        return self

    def retain_grad(self) -> None:
        self._value.retain_grad()

    def detach(self) -> Any:
        return self._with(self._value.detach())

    def detach_(self) -> Any:
        self._value.detach_()
        return self

    def backward(self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None) -> None:
        from ..autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Any) -> NoReturn:
        raise NotImplementedError("pywasmtorch calls no hooks on sparse tensors; register one on what they are computed from")

    register_post_accumulate_grad_hook = register_hook

    # ---- copies and conversions ----
    def clone(self, *, memory_format: Any = None) -> Any:
        return self._with(self._value.clone())

    def contiguous(self, memory_format: Any = None) -> NoReturn:
        raise RuntimeError("unsupported memory format option Contiguous")

    def to(self, *arguments: Any, **names: Any) -> Any:
        if arguments and isinstance(arguments[0], SparseTensor):
            arguments = (arguments[0].dtype, *arguments[1:])
        value = self._value.to(*arguments, **names)
        return self if value is self._value else self._with(value)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is None:
            return f"torch.sparse.{self.dtype._scalar_name}Tensor"
        return self.to(dtype)

    def type_as(self, other: Tensor) -> Any:
        return self.to(other.dtype)

    def cpu(self, memory_format: Any = None) -> Any:
        return self

    def to_sparse(self, *sparse_dim: int, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None) -> Any:
        if sparse_dim and sparse_dim[0] != self.sparse_dim():
            raise RuntimeError(f"to_sparse: conversion from {LAYOUT_NAMES[self.layout]} to Sparse with sparse_dim argument !=self.sparse_dim() is not supported")
        if blocksize is not None or layout not in (None, *LAYOUT_NAMES):
            raise NotImplementedError(f"pywasmtorch has no tensors of layout {layout} with blocks")
        return {sparse_csr: self.to_sparse_csr, sparse_csc: self.to_sparse_csc}.get(layout, self._coo)()  # type: ignore[call-overload]

    def to_sparse_coo(self) -> CooTensor:
        return self._coo()

    def to_sparse_csr(self, dense_dim: int | None = None) -> CompressedTensor:
        return compressed(self, sparse_csr)

    def to_sparse_csc(self, dense_dim: int | None = None) -> CompressedTensor:
        return compressed(self, sparse_csc)

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
        if dtype is not None:
            raise RuntimeError("dtype argument is not supported by sparse_to_dense")
        coo = self._coo()
        dims = coo.sparse_dim()
        value = coo._value if self.dtype is not _dtype.bool_ else coo._value.to(_dtype.uint8)
        flat = ops._sparse_flat(coo._index, coo._sizes[:dims])
        whole = ops._full((prod(coo._sizes[:dims]), *coo._sizes[dims:]), 0, value.dtype)
        return ops.reshape(ops.index_add(whole, 0, flat, value), coo._sizes).to(self.dtype)

    def __copy__(self) -> Any:
        return self._with(self._value.detach().requires_grad_(self.requires_grad))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            import copy

            memo[id(self)] = self._with(copy.deepcopy(self._value, memo))
        return memo[id(self)]

    def _parts(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __reduce_ex__(self, protocol: Any) -> Any:
        from .._tensor.rebuild import _rebuild_sparse_tensor

        if self.requires_grad and not self.is_leaf:
            warn("a sparse tensor is saved without its history")
        return _rebuild_sparse_tensor, (self.layout, self._parts())

    # ---- what another layout has ----
    def _wanted(self, name: str, kind: str) -> NoReturn:
        raise RuntimeError(f"{name} expected sparse {kind} tensor layout but got {LAYOUT_NAMES[self.layout]}")

    def indices(self) -> Tensor:
        self._wanted("indices", "coordinate")

    _indices = indices

    def coalesce(self) -> Any:
        self._wanted("coalesce", "coordinate")

    def is_coalesced(self) -> bool:
        self._wanted("is_coalesced", "coordinate")

    def crow_indices(self) -> Tensor:
        self._wanted("crow_indices", "row compressed")

    def col_indices(self) -> Tensor:
        self._wanted("col_indices", "row compressed")

    def ccol_indices(self) -> Tensor:
        self._wanted("ccol_indices", "column compressed")

    def row_indices(self) -> Tensor:
        self._wanted("row_indices", "column compressed")


class CooTensor(SparseTensor):
    """Coordinates: indices [sparse_dim, nnz] and values [nnz, *dense sizes]. Coalesced ones are sorted, without repetitions."""

    __slots__ = ()
    layout = sparse_coo
    _index: Tensor
    _coalesced: bool

    @classmethod
    def _of(cls, index: Tensor, value: Tensor, sizes: Any, coalesced: bool = False) -> CooTensor:
        self = object.__new__(cls)
        self._index, self._value, self._sizes, self._coalesced = index, value, tuple(sizes), coalesced
        return self

    def _with(self, value: Tensor) -> CooTensor:
        return CooTensor._of(self._index, value, self._sizes, self._coalesced)

    def _coo(self) -> CooTensor:
        return self

    def _back(self, result: CooTensor) -> CooTensor:
        return result

    def _parts(self) -> tuple[Any, ...]:
        return self._index, self._value.detach(), self.shape, self._coalesced

    def _indices(self) -> Tensor:
        return self._index

    def indices(self) -> Tensor:
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._index

    def values(self) -> Tensor:
        if not self._coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return ops.view(self._value, self._value.shape)

    def is_coalesced(self) -> bool:
        return self._coalesced

    def _coalesced_(self, coalesced: bool) -> CooTensor:
        self._coalesced = coalesced
        return self

    def sparse_dim(self) -> int:
        return self._index.shape[0]

    def dense_dim(self) -> int:
        return self._value.ndim - 1

    def stride(self, dim: int | None = None) -> Any:
        return (0,) * self.ndim if dim is None else 0

    def coalesce(self) -> CooTensor:
        """Sorted, with the values of repeated indices added up; itself where it is so already."""
        if self._coalesced:
            return self
        sizes = self._sizes[: self.sparse_dim()]
        places, slots, _ = ops._unique2(ops._sparse_flat(self._index, sizes), True, True)
        return summed(self, places, slots, sizes)


def summed(self: CooTensor, places: Tensor, slots: Tensor, sizes: Any) -> CooTensor:
    """Each value added to its slot; `places` says where the slots are among `sizes`."""
    value = self._value if self.dtype is not _dtype.bool_ else self._value.to(_dtype.uint8)
    into = ops._full((places.shape[0], *value.shape[1:]), 0, value.dtype)
    value = ops.index_add(into, 0, slots, value).to(self.dtype)
    return CooTensor._of(ops._sparse_unflat(places, sizes), value, (*sizes, *value.shape[1:]), True)


class CompressedTensor(SparseTensor):
    """A matrix by rows (CSR) or columns (CSC): where each starts, the places in it, the values."""

    __slots__ = ()
    _starts: Tensor
    _places: Tensor
    _kind: layout
    layout = property(lambda self: self._kind)  # type: ignore[assignment]

    @classmethod
    def _of(cls, starts: Tensor, places: Tensor, value: Tensor, sizes: Any, kind: layout) -> CompressedTensor:
        self = object.__new__(cls)
        self._starts, self._places, self._value, self._sizes, self._kind = starts, places, value, tuple(sizes), kind
        return self

    def _with(self, value: Tensor) -> CompressedTensor:
        return CompressedTensor._of(self._starts, self._places, value, self._sizes, self.layout)

    def _coo(self) -> CooTensor:
        index = ops._convert_indices_from_csr_to_coo(self._starts, self._places, transpose=self.layout is sparse_csc)
        return CooTensor._of(index, self._value, self._sizes, self.layout is sparse_csr)

    def _back(self, result: CooTensor) -> Any:
        return compressed(result, self.layout) if result.ndim == 2 else result

    def _parts(self) -> tuple[Any, ...]:
        return self._starts, self._places, self._value.detach(), self.shape

    def values(self) -> Tensor:
        return ops.view(self._value, self._value.shape)

    def sparse_dim(self) -> int:
        return 2

    def dense_dim(self) -> int:
        return 0

    def stride(self, dim: int | None = None) -> NoReturn:
        raise RuntimeError("Sparse CSR tensors do not have strides")

    def _indices_of(self, name: str, kind: layout, which: Tensor) -> Tensor:
        if self.layout is not kind:
            self._wanted(name, "row compressed" if kind is sparse_csr else "column compressed")
        return which

    def crow_indices(self) -> Tensor:
        return self._indices_of("crow_indices", sparse_csr, self._starts)

    def col_indices(self) -> Tensor:
        return self._indices_of("col_indices", sparse_csr, self._places)

    def ccol_indices(self) -> Tensor:
        return self._indices_of("ccol_indices", sparse_csc, self._starts)

    def row_indices(self) -> Tensor:
        return self._indices_of("row_indices", sparse_csc, self._places)


def compressed(self: SparseTensor, kind: layout) -> CompressedTensor:
    """A matrix compressed by rows or by columns."""
    if isinstance(self, CompressedTensor) and self.layout is kind:
        return self
    coo = self._coo()
    if coo.ndim != 2 or coo.dense_dim():
        raise NotImplementedError(f"pywasmtorch has tensors of layout {kind} for matrices without dense dimensions, not for size {list(coo.shape)} with {coo.dense_dim()}")
    if kind is sparse_csr:
        coo = coo.coalesce()
        rows, cols = ops.unbind(coo._index, 0)
        return CompressedTensor._of(ops._convert_indices_from_coo_to_csr(rows, coo._sizes[0]), cols, coo._value, coo._sizes, kind)
    turned = CooTensor._of(ops.flip(coo._index, (0,)), coo._value, coo._sizes[::-1]).coalesce()
    cols, rows = ops.unbind(turned._index, 0)
    return CompressedTensor._of(ops._convert_indices_from_coo_to_csr(cols, coo._sizes[1]), rows, turned._value, coo._sizes, kind)


def converting(kind: _dtype.dtype) -> Any:
    return lambda self, **names: self.to(kind)


for name, kind in {"bool": _dtype.bool_, "bfloat16": _dtype.bfloat16, **_dtype.ALIASES}.items():
    setattr(SparseTensor, name, converting(kind))


def from_dense(self: Tensor, *sparse_dim: Any, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None) -> SparseTensor:
    """The elements that are not 0 as a sparse tensor. `sparse_dim` leading dimensions are sparse (all by default), in layout sparse_coo;
    sparse_csr and sparse_csc take matrices. RuntimeError for a number of dimensions that the tensor has not got."""
    if sparse_dim and not is_int(sparse_dim[0]):
        layout, sparse_dim = sparse_dim[0], ()
    if layout in (sparse_csr, sparse_csc) and blocksize is None:
        if self.ndim != 2 or dense_dim:
            raise NotImplementedError(f"pywasmtorch has tensors of layout {layout} for matrices without dense dimensions, not for size {list(self.shape)}")
        return compressed(from_dense(self), layout)
    if layout not in (None, sparse_coo) or blocksize is not None:
        raise NotImplementedError(f"pywasmtorch has no tensors of layout {layout} with blocks")
    dims = int(sparse_dim[0]) if sparse_dim else self.ndim - (dense_dim or 0)
    if not 0 <= dims <= self.ndim or (self.ndim and not dims):
        raise RuntimeError(f"sparse_dim must be between 1 and {self.ndim}, got {dims}")
    found = ops.ne(self.detach(), 0)
    if dims < self.ndim:
        found = ops.any_function(ops.reshape(found, (*self.shape[:dims], -1)), -1)
    index = ops.t(ops.reshape(ops.nonzero(found), (-1, dims)))
    flat = ops._sparse_flat(index, self.shape[:dims])
    value = ops.index_select(ops.reshape(self, (prod(self.shape[:dims]), *self.shape[dims:])), 0, flat)
    return CooTensor._of(index.contiguous(), value, self.shape, True)


def masked(self: Tensor, mask: SparseTensor) -> SparseTensor:
    """The elements of a dense tensor at the places of a sparse one. RuntimeError where the sizes differ."""
    if not isinstance(mask, SparseTensor):
        raise RuntimeError("sparse_mask(): the mask must be sparse")
    if self.shape != mask.shape:
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size {list(mask.shape)}")
    return mask._with(elements_at(self.to_dense() if isinstance(self, SparseTensor) else self, mask._coo()))


def elements_at(self: Tensor, coo: CooTensor) -> Tensor:
    """What of a dense tensor of the same size stands at the places of a sparse one."""
    dims = coo.sparse_dim()
    flat = ops._sparse_flat(coo._index, coo._sizes[:dims])
    return ops.index_select(ops.reshape(self, (prod(coo._sizes[:dims]), *coo._sizes[dims:])), 0, flat)
