"""What operators of the core mean for sparse tensors, by the operator's name: the slow path of a call comes here (`_core/dispatch.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from .._core.arguments import is_int, is_number
from .._core.generated import ops
from .._core.layout import sparse_csc, sparse_csr
from .._core.tensor_type import Tensor
from ._tensor import CompressedTensor, CooTensor, SparseTensor, elements_at, from_dense, masked, summed

#: functions of one element that keep 0; those that are linear need not coalesce first
LINEAR = "neg conj positive real imag deg2rad rad2deg".split()
KEEP_ZERO = (
    "abs angle asin asinh atan atanh ceil erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p nan_to_num relu round sgn sign signbit sin sinh "
    "sqrt tan tanh threshold trunc square"
).split()


def run(name: str, in_place: bool, arguments: Sequence[Any], out: Any = None) -> Any:
    """The operator of this name on arguments of which one is sparse. NotImplementedError where it has no meaning here."""
    function = (IN_PLACE if in_place else FUNCTIONS).get(name)
    if function is None or out is not None:
        kind = next(v.layout for a in arguments for v in (a if isinstance(a, (list, tuple)) else [a]) if isinstance(v, SparseTensor))
        shown = f"{name}_" if in_place else name if out is None else f"{name}(out=)"
        raise NotImplementedError(f"pywasmtorch has no torch.{shown} for tensors of layout {kind}; use to_dense()")
    return function(*arguments)


# ---- elementwise ----
def of_values(name: str) -> Callable[..., Any]:
    def function(self: SparseTensor, *rest: Any) -> Any:
        if name not in LINEAR and isinstance(self, CooTensor):
            self = self.coalesce()
        return self._with(ops.FUNCTIONS[name](self._value, *rest))

    return function


def promoted(a: Any, b: Any) -> tuple[Any, Any]:
    kind = ops._promote_types(a.dtype, b.dtype)
    return a.to(kind), b.to(kind)


def check_same_size(name: str, a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise RuntimeError(f"{name}: expected 'self' and 'other' to have same size, but self has size {list(a.shape)} while other has size {list(b.shape)} "
                           "(FYI: dense-sparse addition does not currently support broadcasting)")


def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    if not isinstance(self, SparseTensor):
        return add_to_dense(self if isinstance(self, Tensor) else ops._full((), self, other.dtype), other, alpha)
    if not isinstance(other, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    check_same_size("add", self, other)
    a, b = self._coo(), other._coo()
    dims = a.sparse_dim()
    if dims != b.sparse_dim():
        raise RuntimeError(f"add: expected 'self' and 'other' to have same number of sparse dimensions, but got {dims} and {b.sparse_dim()}")
    a, b = promoted(a, b * alpha if alpha != 1 else b)
    sizes = a._sizes[:dims]
    a_places, b_places, merged = ops._sparse_merge(ops._sparse_flat(a._index, sizes), ops._sparse_flat(b._index, sizes))
    both = CooTensor._of(merged, ops.cat([a._value, b._value], 0), a._sizes)
    result = summed(both, merged, ops.cat([a_places, b_places], 0), sizes)
    return self._back(result._coalesced_(a._coalesced and b._coalesced))


def add_to_dense(self: Tensor, other: SparseTensor, alpha: Any = 1) -> Tensor:
    check_same_size("add", self, other)
    coo = other._coo()
    dims = coo.sparse_dim()
    kind = ops._promote_types(self.dtype, other.dtype)
    flat = ops._sparse_flat(coo._index, coo._sizes[:dims])
    whole = ops.reshape(self.to(kind), (prod(coo._sizes[:dims]), *coo._sizes[dims:]))
    return ops.reshape(ops.index_add(whole, 0, flat, coo._value.to(kind), alpha=alpha), self.shape)


def add_into(self: Tensor, other: SparseTensor, alpha: Any) -> Tensor:
    """The same in place, in the rows that the sparse tensor has."""
    check_same_size("add", self, other)
    coo = other._coo()
    dims = coo.sparse_dim()
    rows = ops.view(self, (prod(coo._sizes[:dims]), *coo._sizes[dims:]))
    ops.index_add_(rows, 0, ops._sparse_flat(coo._index, coo._sizes[:dims]), coo._value.to(self.dtype), alpha=alpha)
    return self


def sub(self: Any, other: Any, alpha: Any = 1) -> Any:
    return add(self, other, -alpha)


def is_scalar(value: Any) -> bool:
    return is_number(value) or (isinstance(value, Tensor) and not isinstance(value, SparseTensor) and value.ndim == 0)


def mul(self: Any, other: Any) -> Any:
    if not isinstance(self, SparseTensor):
        self, other = other, self
    if is_scalar(other):
        return self._with(ops.mul(self._value, other))
    if isinstance(other, SparseTensor):
        return product_of_two(self, other)
    if other.ndim > self.ndim:
        raise NotImplementedError("pywasmtorch multiplies a sparse tensor by a dense one of no more dimensions")
    coo = self._coo()
    return self._with(ops.mul(self._value, elements_at(ops.expand(other, self.shape), coo)))


def product_of_two(self: SparseTensor, other: SparseTensor) -> Any:
    if self.shape != other.shape:
        raise NotImplementedError(f"pywasmtorch multiplies sparse tensors of one size, not {list(self.shape)} and {list(other.shape)}")
    a, b = self._coo().coalesce(), other._coo().coalesce()
    dims = a.sparse_dim()
    if dims != b.sparse_dim():
        raise RuntimeError("mul operands have incompatible sparse dimensions")
    a_flat, b_flat = (ops._sparse_flat(x._index, x._sizes[:dims]) for x in (a, b))
    at = ops.reshape(ops.nonzero(ops.isin(a_flat, b_flat)), (-1,))
    common = ops.index_select(a_flat, 0, at)
    of_b = ops.searchsorted(b_flat, common)
    value = ops.mul(ops.index_select(a._value, 0, at), ops.index_select(b._value, 0, of_b))
    both = self._coo()._coalesced and other._coo()._coalesced
    return self._back(CooTensor._of(ops.index_select(a._index, 1, at), value, a._sizes, both))


def div(self: Any, other: Any, rounding_mode: str | None = None) -> Any:
    if not isinstance(self, SparseTensor) or not is_scalar(other):
        shape = list(other.shape) if isinstance(other, Tensor) else []
        raise RuntimeError(f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {shape} for divisor)")
    function = ops.FUNCTIONS["div"]
    return self._with(function(self._value, other) if rounding_mode is None else function(self._value, other, rounding_mode=rounding_mode))


def power(self: Any, exponent: Any) -> Any:
    if not isinstance(self, SparseTensor) or not is_number(exponent):
        raise NotImplementedError("pywasmtorch raises sparse tensors to powers that are numbers")
    if exponent == 0:
        raise RuntimeError("pow(self, exponent) of a sparse tensor with exponent 0 would be dense")
    self = self.coalesce() if isinstance(self, CooTensor) else self
    return self._with(ops.pow_function(self._value, exponent))


# ---- products ----
def mm(self: Any, mat2: Any) -> Any:
    if self.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"mm: expected 2D tensors, but got {self.ndim}D and {mat2.ndim}D")
    if self.shape[1] != mat2.shape[0] and isinstance(self, SparseTensor) and not isinstance(mat2, SparseTensor):
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {self.shape[1]}, got {mat2.shape[0]}")
    if self.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({self.shape[0]}x{self.shape[1]} and {mat2.shape[0]}x{mat2.shape[1]})")
    if not isinstance(self, SparseTensor):
        return ops.t(mm(mat2.t(), ops.t(self)))
    a = matrix(self)
    if isinstance(mat2, SparseTensor):
        return product_of_sparse(self, a, matrix(mat2))
    rows, cols = ops.unbind(a._index, 0)
    if not a.dtype.is_floating_point and not a.dtype.is_complex:
        parts = ops.mul(ops.unsqueeze(a._value, 1), ops.index_select(mat2, 0, cols))
        return ops.index_add(ops._full((a._sizes[0], mat2.shape[1]), 0, parts.dtype), 0, rows, parts)
    return ops._spmm(rows, cols, a._value, mat2, a._sizes[0])


def matrix(self: SparseTensor) -> CooTensor:
    coo = self._coo()
    if coo.dense_dim() or coo.ndim != 2:
        raise RuntimeError(f"expected a sparse matrix without dense dimensions, got {coo.sparse_dim()} sparse and {coo.dense_dim()} dense dimensions")
    return coo


def product_of_sparse(self: SparseTensor, a: CooTensor, b: CooTensor) -> Any:
    """Sparse times sparse: each entry of one with all entries in its row of the other, added up where they meet."""
    b = b.coalesce()
    rows, cols = ops.unbind(a._index, 0)
    b_rows, b_cols = ops.unbind(b._index, 0)
    left, right = ops._sparse_pairs(cols, ops._convert_indices_from_coo_to_csr(b_rows, b._sizes[0]))
    index = ops.stack([ops.index_select(rows, 0, left), ops.index_select(b_cols, 0, right)], 0)
    value = ops.mul(ops.index_select(a._value, 0, left), ops.index_select(b._value, 0, right))
    return self._back(CooTensor._of(index, value, (a._sizes[0], b._sizes[1])).coalesce())


def mv(self: Any, vec: Any) -> Any:
    return ops.squeeze(mm(self, ops.unsqueeze(vec, 1)), 1)


def matmul(self: Any, other: Any) -> Any:
    if self.ndim == 2 and other.ndim == 2:
        return mm(self, other)
    if self.ndim == 2 and other.ndim == 1 and not isinstance(other, SparseTensor):
        return mv(self, other)
    if self.ndim == 1 and other.ndim == 2 and not isinstance(self, SparseTensor):
        return ops.squeeze(mm(ops.unsqueeze(self, 0), other), 0)
    raise NotImplementedError(f"pywasmtorch multiplies sparse matrices by matrices and vectors, not sizes {list(self.shape)} and {list(other.shape)}")


def addmm(self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    result = mm(mat1, mat2)
    result = result if alpha == 1 else result * alpha
    return result if beta == 0 else add(self if beta == 1 else self * beta, result) if isinstance(result, SparseTensor) else ops.add(self if beta == 1 else self * beta, result)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    result = matmul(input, weight.t())
    return result if bias is None else ops.add(result, bias)


# ---- dimensions ----
def wrapped(self: Any, dim: int) -> int:
    n = self.ndim
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def transpose(self: SparseTensor, dim0: int, dim1: int) -> Any:
    order = list(range(self.ndim))
    a, b = wrapped(self, dim0), wrapped(self, dim1)
    order[a], order[b] = order[b], order[a]
    return permute(self, order)


def permute(self: SparseTensor, dims: Any) -> Any:
    order = [wrapped(self, d) for d in dims]
    if isinstance(self, CompressedTensor):
        if order == [0, 1]:
            return self
        return CompressedTensor._of(self._starts, self._places, self._value, self._sizes[::-1], TURNED[self.layout])
    assert isinstance(self, CooTensor)
    n = self.sparse_dim()
    if sorted(order) != list(range(self.ndim)):
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions")
    if sorted(order[:n]) != list(range(n)):
        raise RuntimeError("permute(sparse_coo): sparse and dense dimensions must not change places")
    if order == list(range(self.ndim)):
        return self
    index = ops.stack([ops.select(self._index, 0, d) for d in order[:n]], 0)
    value = ops.permute(self._value, (0, *(d - n + 1 for d in order[n:])))
    return CooTensor._of(index, value, [self._sizes[d] for d in order])


def t(self: SparseTensor) -> Any:
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but self has {self.ndim} dimensions")
    return transpose(self, 0, 1) if self.ndim == 2 else self


def unsqueeze(self: SparseTensor, dim: int) -> Any:
    coo, n = coordinates("unsqueeze", self), self.ndim + 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    dim %= n
    sizes = (*coo._sizes[:dim], 1, *coo._sizes[dim:])
    if dim > coo.sparse_dim():
        return CooTensor._of(coo._index, ops.unsqueeze(coo._value, dim - coo.sparse_dim() + 1), sizes, coo._coalesced)
    zeros = ops._full((1, coo._nnz()), 0, coo._index.dtype)
    index = ops.cat([ops.narrow(coo._index, 0, 0, dim), zeros, ops.narrow(coo._index, 0, dim, coo.sparse_dim() - dim)], 0)
    return CooTensor._of(index, coo._value, sizes, coo._coalesced)


def coordinates(name: str, self: Any) -> CooTensor:
    if not isinstance(self, CooTensor):
        raise NotImplementedError(f"pywasmtorch has no torch.{name} for tensors of layout {self.layout}; use to_sparse() or to_dense()")
    return self


def cat(tensors: Any, dim: int = 0) -> Any:
    if not all(isinstance(x, SparseTensor) for x in tensors):
        raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found among them")
    parts = [coordinates("cat", x) for x in tensors]
    first, dim = parts[0], wrapped(parts[0], dim)
    n = first.sparse_dim()
    if any(x.sparse_dim() != n or x.ndim != first.ndim or any(a != b for d, (a, b) in enumerate(zip(x._sizes, first._sizes)) if d != dim) for x in parts):
        raise RuntimeError("All tensors must have the same shape, except in the dimension of concatenation, and the same number of sparse dimensions")
    if dim >= n:
        raise NotImplementedError("pywasmtorch concatenates sparse tensors along sparse dimensions")
    at, indices = 0, []
    for x in parts:
        rows = list(ops.unbind(x._index, 0))
        rows[dim] = ops.add(rows[dim], at)
        indices.append(ops.stack(rows, 0))
        at += x._sizes[dim]
    sizes = (*first._sizes[:dim], at, *first._sizes[dim + 1 :])
    return CooTensor._of(ops.cat(indices, 1), ops.cat([x._value for x in parts], 0), sizes, dim == 0 and all(x._coalesced for x in parts))


def stack(tensors: Any, dim: int = 0) -> Any:
    return cat([unsqueeze(x, dim) for x in tensors], dim)


def taken(coo: CooTensor, entries: Tensor, index: Tensor, sizes: Any, coalesced: bool) -> CooTensor:
    return CooTensor._of(index, ops.index_select(coo._value, 0, entries), sizes, coalesced)


def index_select(self: SparseTensor, dim: int, index: Tensor) -> Any:
    coo, dim = coordinates("index_select", self), wrapped(self, dim)
    n, sizes = coo.sparse_dim(), list(coo._sizes)
    if isinstance(index, SparseTensor) or index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    index = ops.reshape(index, (-1,))
    size, sizes[dim] = sizes[dim], index.shape[0]
    if dim >= n:
        return CooTensor._of(coo._index, ops.index_select(coo._value, dim - n + 1, index), sizes, coo._coalesced)
    index = ops.where(ops.lt(index, 0), index + size, index)
    rows = list(ops.unbind(coo._index, 0))
    ordered, order = ops.sort(rows[dim], stable=True)
    left, right = ops._sparse_pairs(index, ops._convert_indices_from_coo_to_csr(ordered, size))
    entries = ops.index_select(order, 0, right)
    found = [left if d == dim else ops.index_select(row, 0, entries) for d, row in enumerate(rows)]
    return taken(coo, entries, ops.stack(found, 0), sizes, coo._coalesced and dim == 0)


def select(self: SparseTensor, dim: int, index: int) -> Any:
    coo, dim = self._coo(), wrapped(self, dim)
    n, sizes = coo.sparse_dim(), list(coo._sizes)
    size = sizes.pop(dim)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    index %= size
    if dim >= n:
        return CooTensor._of(coo._index, ops.select(coo._value, dim - n + 1, index), sizes, coo._coalesced)
    entries = ops.reshape(ops.nonzero(ops.eq(ops.select(coo._index, 0, dim), index)), (-1,))
    if n == 1:
        return ops.sum_function(ops.index_select(coo._value, 0, entries), 0)
    rows = [ops.index_select(row, 0, entries) for d, row in enumerate(ops.unbind(coo._index, 0)) if d != dim]
    return taken(coo, entries, ops.stack(rows, 0), sizes, entries.shape[0] < 2)


def select_by(self: SparseTensor, index: Any) -> Any:
    """`self[i]`, `self[:, j]`: ints and whole dimensions."""
    parts = index if isinstance(index, tuple) else (index,)
    dots = [i for i, part in enumerate(parts) if part is ...]
    if dots:
        parts = (*parts[: dots[0]], *[slice(None)] * (self.ndim - len(parts) + 1), *parts[dots[0] + 1 :])
    if len(parts) > self.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self.ndim}")
    result, dim = self, 0
    for part in parts:
        if isinstance(part, slice) and part == slice(None):
            dim += 1
        elif is_int(part):
            result = ops.select(result, dim, int(part))
        else:
            raise NotImplementedError(f"pywasmtorch indexes tensors of layout {self.layout} with ints and ':', not {part!r}; use index_select or to_dense()")
    return result


# ---- reductions ----
def sum_(self: SparseTensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    value = self._value if dtype is None else self._value.to(dtype)
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        return ops.sum_function(value)
    if keepdim:
        raise NotImplementedError("pywasmtorch adds up dimensions of sparse tensors with keepdim=False")
    coo = self._coo()
    n, dims = coo.sparse_dim(), {wrapped(self, d) for d in ([dim] if isinstance(dim, int) else dim)}
    dense = [d - n + 1 for d in dims if d >= n]
    if dense:
        value = ops.sum_function(value, dense)
    kept = [d for d in range(n) if d not in dims]
    if not kept:
        return ops.sum_function(value, 0)
    sizes = [coo._sizes[d] for d in kept] + [s for d, s in enumerate(coo._sizes) if d >= n and d not in dims]
    if len(kept) == n:
        return CooTensor._of(coo._index, value, sizes, coo._coalesced).coalesce()
    return CooTensor._of(ops.stack([ops.select(coo._index, 0, d) for d in kept], 0), value, sizes).coalesce()


def norm(self: SparseTensor, p: float, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if dim is not None and len([dim] if isinstance(dim, int) else dim) not in (0, self.ndim):
        raise NotImplementedError("norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input")
    return ops._norm(self._coo().coalesce()._value, p, None, False, dtype)


def softmax(self: CooTensor, dim: int, dtype: Any = None, log: bool = False) -> CooTensor:
    """Among the elements that are there; the others count for minus infinity."""
    coo = coordinates("sparse.softmax", self).coalesce()
    value = coo._value if dtype is None else coo._value.to(dtype)
    if not value.dtype.is_floating_point:
        raise RuntimeError(f"softmax of sparse tensors is for floating dtypes, not {value.dtype}")
    dim, n = wrapped(self, dim), coo.sparse_dim()
    if dim >= n:
        return coo._with(ops.FUNCTIONS["log_softmax" if log else "softmax"](value, dim - n + 1))
    others = [d for d in range(n) if d != dim]
    flat = ops._sparse_flat(ops.index_select(coo._index, 0, index_of(others)), [coo._sizes[d] for d in others]) if others else ops._full((coo._nnz(),), 0, coo._index.dtype)
    groups, slots, _ = ops._unique2(flat, True, True)
    shape = (groups.shape[0], *value.shape[1:])
    largest = ops.index_reduce(ops._full(shape, -float("inf"), value.dtype), 0, slots, value.detach(), "amax")
    shifted = ops.sub(value, ops.index_select(largest, 0, slots))
    total = ops.index_add(ops._full(shape, 0, value.dtype), 0, slots, ops.exp(shifted))
    if log:
        return coo._with(ops.sub(shifted, ops.index_select(ops.log(total), 0, slots)))
    return coo._with(ops.FUNCTIONS["div"](ops.exp(shifted), ops.index_select(total, 0, slots)))


def index_of(dims: list[int]) -> Tensor:
    from .._functions.creation import tensor

    return tensor(dims)


def zeros_like(self: SparseTensor, dtype: Any = None, *rest: Any) -> Any:
    coo = self._coo()
    empty = CooTensor._of(ops._full((coo.sparse_dim(), 0), 0, coo._index.dtype), ops._full((0, *coo._value.shape[1:]), 0, dtype or self.dtype), self.shape, True)
    return self._back(empty)


# ---- in place ----
def fill(self: SparseTensor, value: Any) -> SparseTensor:
    if value != 0:
        raise NotImplementedError(f"pywasmtorch fills tensors of layout {self.layout} with 0 alone")
    return changed(self, zeros_like(self))


def changed(self: SparseTensor, result: Any) -> SparseTensor:
    if self.requires_grad and self.is_leaf and ops._is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if result.dtype is not self.dtype:
        result = result.to(self.dtype)
    where = "_index" if isinstance(self, CooTensor) else "_places"
    if self.__dict__[where] is result.__dict__[where]:
        self._value.copy_(result._value)
    else:
        value = result._value.requires_grad_() if self.requires_grad and not result.requires_grad else result._value
        self.__dict__.update({**result.__dict__, "_value": value})
    return self


def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def change(self: Any, *rest: Any) -> Any:
        if isinstance(self, SparseTensor):
            return changed(self, function(self, *rest))
        if function in (add, sub) and self.is_contiguous() and ops._can_cast(rest[0].dtype, self.dtype):
            return add_into(self, rest[0], rest[1] * (1 if function is add else -1))
        return self.copy_(function(self, *rest))

    return change


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: of_values(name) for name in (*LINEAR, *KEEP_ZERO) if name in ops.FUNCTIONS},
    "add": add, "sub": sub, "mul": mul, "div": div, "pow": power, "mm": mm, "mv": mv, "matmul": matmul, "addmm": addmm, "linear": linear, "transpose": transpose, "permute": permute, "t": t,
    "unsqueeze": unsqueeze, "cat": cat, "stack": stack, "index_select": index_select, "select": select, "sum": sum_, "_norm": norm, "_like": zeros_like,
    "sparse_mask": masked, "to_sparse": from_dense, "rsub": lambda self, other, alpha=1: add(other, self, -alpha), "any": lambda self, *rest: ops.any_function(self._value, *rest),
}
IN_PLACE = {name: in_place(function) for name, function in FUNCTIONS.items() if name in ("add", "sub", "mul", "div", *LINEAR, *KEEP_ZERO)} | {
    "zero": lambda self: changed(self, zeros_like(self)),
    "fill": fill,
}
TURNED = {sparse_csr: sparse_csc, sparse_csc: sparse_csr}


def _install() -> None:
    """Operators written as signs, which do not come through the slow path."""
    def sign(name: str, swap: bool = False, in_place: bool = False) -> Any:
        def operator(self: Any, other: Any) -> Any:
            if not isinstance(other, Tensor) and not is_number(other):
                return NotImplemented
            return run(name, in_place, (other, self) if swap else (self, other))

        return operator

    for sign_name, name in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "matmul": "matmul"}.items():
        setattr(SparseTensor, f"__{sign_name}__", sign(name))
        setattr(SparseTensor, f"__r{sign_name}__", sign(name, swap=True))
        setattr(SparseTensor, f"__i{sign_name}__", sign(name, in_place=True))
    for name in ("floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
        setattr(SparseTensor, f"__{name}__", sign(name))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(SparseTensor, f"__{name}__", sign(name))
    SparseTensor.__getitem__ = select_by  # type: ignore[method-assign]
    SparseTensor.__neg__ = lambda self: run("neg", False, (self,))  # type: ignore[attr-defined]
    SparseTensor.__abs__ = lambda self: run("abs", False, (self,))  # type: ignore[attr-defined]
    SparseTensor.__pos__ = lambda self: self  # type: ignore[attr-defined]
    SparseTensor.__hash__ = Tensor.__hash__  # type: ignore[method-assign]


_install()
