"""Functions of the torch namespace that are no operators, and methods that make new tensors."""

from __future__ import annotations

from typing import Any

from . import _calculus, _creation, _dtype, _indexing, _state, _windows
from . import _runtime as rt
from ._arguments import is_int, type_name
from ._checks import check_elements, tensor_first, tensors_checked
from ._dtype import dtype
from ._generated import ops
from ._size import Size
from ._tensor_type import Tensor


def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


def is_storage(obj: Any) -> bool:
    return False


def is_floating_point(input: Tensor) -> bool:
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    return input.dtype.is_complex


@tensor_first
def is_nonzero(input: Tensor) -> bool:
    return bool(input)


@tensors_checked
def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.is_same_size(other)


def numel(input: Tensor) -> int:
    return input.numel()


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    return input.clone(memory_format=memory_format)


@tensor_first
def is_conj(input: Tensor) -> bool:
    """False: conj() computes at once here."""
    return False


@tensor_first
def is_neg(input: Tensor) -> bool:
    """False: no view here negates lazily."""
    return False


@tensor_first
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: conj() computes at once here."""
    return input


@tensor_first
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself: no view here negates lazily."""
    return input


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of `digamma`: `(-1)**(n + 1) * n! * zeta(n + 1, input)`. RuntimeError for a negative n."""
    return ops.polygamma(input, n, out=out)


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype that arithmetic on these two gives; tensors or numbers."""
    return ops._result_type(tensor1, tensor2)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    return ops._promote_types(type1, type2)


def can_cast(from_: dtype, to: dtype) -> bool:
    return ops._can_cast(from_, to)


# ---- comparison of whole tensors ----
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where `|input - other| <= atol + rtol * |other|`."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{str(input.dtype)[6:]} did not match {str(other.dtype)[6:]}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")
    close = input == other
    if equal_nan and (input.dtype.is_floating_point or input.dtype.is_complex):
        close = ops.logical_or(close, ops.logical_and(ops.isnan(input), ops.isnan(other)))
    if rtol == 0 and atol == 0:
        return close
    if input.dtype is _dtype.bool_:
        input, other = ops._to_dtype(input, _dtype.int64), ops._to_dtype(other, _dtype.int64)
    allowed = atol + ops.abs_function(rtol * other)
    difference = ops.abs_function(input - other)
    return ops.logical_or(close, ops.logical_and(ops.isfinite(difference), difference <= allowed))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    return bool(ops.FUNCTIONS["all"](isclose(input, other, rtol, atol, equal_nan)).item())


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """The indices of non-zero elements: a row each, or a vector for each dimension where `as_tuple`."""
    if as_tuple and input.ndim == 0:
        input = ops.reshape(input, (1,))
    places = ops.nonzero(input)
    if out is not None:
        from ._ops_extra import write_out

        return write_out(out, places)
    return ops.unbind(places, 1) if as_tuple else places


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """The first `size` rows of `nonzero`, and rows of `fill_value` where there are fewer. RuntimeError for a negative size."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    places = ops.nonzero(input)
    count, columns = places.shape
    if count >= size:
        places = ops.narrow(places, 0, 0, size)
    else:
        places = ops.cat([places, ops._full((size - count, columns), fill_value, _dtype.int64)], 0)
    return _creation.placed(ops.clone(places), out, False)


def argwhere(input: Tensor) -> Tensor:
    return ops.nonzero(input)


def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None) -> Any:
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    result = ops.where(condition, input, other)
    if out is None:
        return result
    from ._ops_extra import write_out

    return write_out(out, result)


def method_where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    return ops.where(condition, self, other)


# ---- lists of tensors ----
def flat(tensors: tuple[Any, ...]) -> Any:
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


def meshgrid(*tensors: Tensor, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid, a tensor for each axis."""
    if indexing is None:
        import warnings

        warnings.warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.", stacklevel=2)
    return ops.meshgrid(flat(tensors), indexing=indexing)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return ops.broadcast_tensors(tensors)


def broadcast_shapes(*shapes: Any) -> Size:
    """The size that tensors of these sizes broadcast to. RuntimeError where they do not."""
    result: list[int] = []
    for shape in shapes:
        sizes = [shape] if isinstance(shape, int) else list(shape)
        n = max(len(result), len(sizes))
        result = [1] * (n - len(result)) + result
        for i, size in enumerate([1] * (n - len(sizes)) + sizes):
            if size < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({size}): ({size})")
            if size != 1 and result[i] not in (1, size):
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
            result[i] = size if size != 1 else result[i]
    return Size(result)


def at_least(ndim: int) -> Any:
    def convert(*tensors: Tensor) -> Any:
        def one(t: Tensor) -> Tensor:
            if t.ndim == 0:
                t = ops.reshape(t, (1,))
            if t.ndim == 1 and ndim > 1:
                t = ops.unsqueeze(t, 0)
            return ops.unsqueeze(t, -1) if t.ndim == 2 and ndim > 2 else t

        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return one(tensors[0])
        return tuple(one(t) for t in flat(tensors))

    convert.__name__ = convert.__qualname__ = f"atleast_{ndim}d"
    return convert


atleast_1d, atleast_2d, atleast_3d = at_least(1), at_least(2), at_least(3)


def column_stack(tensors: tuple[Tensor, ...], *, out: Tensor | None = None) -> Tensor:
    if isinstance(tensors, Tensor):
        raise TypeError("column_stack(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    columns = [ops.reshape(t, (t.numel(), 1)) if t.ndim <= 1 else t for t in tensors]
    return ops.FUNCTIONS["hstack"](columns, out=out)


def tensor_split(input: Tensor, *arguments: Any, **names: Any) -> tuple[Tensor, ...]:
    """Views cut into sections whose sizes differ by at most one, or at indices; either may be an integer tensor of int64."""
    arguments = tuple(split_places(a) if i == 0 else a for i, a in enumerate(arguments))
    if "tensor_indices_or_sections" in names:
        arguments = (split_places(names.pop("tensor_indices_or_sections")),)
    if arguments:
        name = "sections" if isinstance(arguments[0], int) else "indices"
        names = {name: arguments[0], **dict(zip(("dim",), arguments[1:])), **names}
    return ops.FUNCTIONS["tensor_split"](input, **names)


def split_places(where: Any) -> Any:
    if isinstance(where, Tensor):
        if where.dtype is not _dtype.int64:
            raise RuntimeError(f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {where.dtype._name}")
        if where.ndim > 1:
            raise RuntimeError(f"tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with {where.ndim} dims")
        return where.tolist()
    return where


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates of positions in a flattened tensor of this shape, a tensor for each dimension. TypeError where indices are no integers."""
    if indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype is _dtype.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, list, tuple)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    coordinates, rest = [], ops._to_dtype(indices, _dtype.int64)
    for size in reversed(sizes):
        coordinates.append(ops.remainder(rest, size))
        rest = ops.floor_divide(rest, size)
    return tuple(coordinates[::-1])


def splitter(name: str, least: int, dim: Any) -> Any:
    def split(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
        if input.ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension{'s' if least > 1 else ''}, but got a tensor with {input.ndim} dimensions!")
        d = dim(input)
        if isinstance(indices_or_sections, int) and (indices_or_sections < 1 or input.shape[d] % indices_or_sections):
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size of the dimension {input.shape[d]} is not divisible by the split_size "
                               f"{indices_or_sections}!")
        return ops.FUNCTIONS["tensor_split"](input, indices_or_sections, d)

    split.__name__ = split.__qualname__ = name
    return split


hsplit = splitter("hsplit", 1, lambda t: 0 if t.ndim == 1 else 1)
vsplit = splitter("vsplit", 2, lambda t: 0)
dsplit = splitter("dsplit", 3, lambda t: 2)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Puts a number on the main diagonal, in place; in a tall matrix again below it where `wrap`."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    length, step = min(self.shape), sum(self.stride())
    ops.fill_(ops.as_strided(self, (length,), (step,), self.storage_offset()), fill_value)
    if wrap and self.ndim == 2 and self.shape[0] > self.shape[1] + 1:
        rows = self[self.shape[1] + 1 :]
        fill_diagonal_(rows, fill_value, True)
    return self


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every combination of the vectors' elements, a row each."""
    check_elements((tensors,))
    if len(tensors) == 1:
        return tensors[0]
    return ops.FUNCTIONS["stack"]([ops.reshape(g, (-1,)) for g in ops.meshgrid(tensors, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """The combinations of a vector's elements, a row each."""
    from itertools import combinations as plain
    from itertools import combinations_with_replacement as repeated

    if input.ndim != 1:
        raise RuntimeError("Expect a 1D vector, but got shape " + str(list(input.shape)))
    if r == 2:
        n = len(input)
        pairs = ops.transpose(ops._tri_indices(n, n, 0 if with_replacement else 1, True), 0, 1)
        return ops.reshape(ops.index_select(input, 0, ops.reshape(pairs, (-1,))), (pairs.shape[0], 2))
    rows = list((repeated if with_replacement else plain)(range(len(input)), r))
    if r == 0:
        return ops._empty((0,), input.dtype)
    index = _creation.from_data(rows, _dtype.int64)
    return ops.reshape(ops.index_select(input, 0, ops.reshape(index, (-1,))), (len(rows), r))


def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given ones along its diagonal."""
    check_elements((tensors,))
    for i, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {tensor.ndim} dimensions")
    blocks = [atleast_2d(t) for t in tensors]
    total = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for b in blocks:
        rows.append(ops.constant_pad_nd(b, (start, total - start - b.shape[1]), 0))
        start += b.shape[1]
    return ops.cat(rows, 0)


def triangle(upper: bool) -> Any:
    def indices(row: int, col: int, offset: int = 0, *, dtype: dtype = _dtype.int64, device: Any = None, layout: Any = None) -> Tensor:
        _creation.check_options(device, layout, False)
        result = ops._tri_indices(row, col, offset, upper)
        return result if dtype is _dtype.int64 else ops._to_dtype(result, dtype)

    indices.__name__ = indices.__qualname__ = "triu_indices" if upper else "tril_indices"
    return indices


tril_indices, triu_indices = triangle(False), triangle(True)


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum over what broadcasting to this shape would repeat: the tensor itself where it has that shape."""
    wanted = size[0] if len(size) == 1 and not hasattr(size[0], "__index__") else size
    if not len(wanted):
        return ops.sum_function(self)
    return self if tuple(self.shape) == tuple(wanted) else ops.sum_to_size(self, wanted)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of a vector's elements, as columns."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    if N is not None and not is_int(N):
        raise TypeError(f"vander(): argument 'N' must be int, not {type_name(N)}")
    if N is not None and N < 0:
        raise RuntimeError("N must be non-negative.")
    powers = _creation.arange(len(x) if N is None else int(N))
    columns = ops.pow_function(ops.unsqueeze(x, -1), powers)
    return columns if increasing else ops.flip(columns, (1,))


# ---- new tensors after the manner of another ----
def new_maker(name: str) -> Any:
    function = getattr(_creation, name)

    def new(self: Tensor, *size: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
        if "size" in options:
            size = (options.pop("size"),)
        return function(*size, dtype=dtype or self.dtype, **options)

    new.__name__ = f"new_{name}"
    return new


def new_empty_strided(self: Tensor, size: Any, stride: Any, dtype: dtype | None = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
                      requires_grad: bool = False) -> Tensor:
    return _creation.empty_strided(size, stride, dtype=dtype or self.dtype, layout=layout, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """The shape of another tensor, in place."""
    return self.resize_(the_template.shape)


def empty_permuted(size: Any, physical_layout: Any, *, dtype: dtype | None = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
                   pin_memory: bool = False) -> Tensor:
    """A dense tensor without initial values whose dimensions lie in memory in the order of `physical_layout`, the outermost first."""
    size, order = tuple(size), tuple(physical_layout)
    if len(size) != len(order):
        raise RuntimeError(f"Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {len(size)} is not equal to len(physical_layout) = {len(order)}")
    strides, step = [0] * len(size), 1
    for position, d in reversed(list(enumerate(order))):
        if not 0 <= d < len(size):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {d} at index {position}).  NB: negative dims not currently supported; file an issue if you want it.")
        if strides[d]:
            raise RuntimeError("Duplicate dim not allowed")
        strides[d] = step
        step *= max(size[d], 1)
    return _creation.empty_strided(size, strides, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    return _creation.full(size, fill_value, dtype=dtype or self.dtype, **options)


def new(self: Tensor, *arguments: Any) -> Tensor:
    if arguments and not isinstance(arguments[0], int):
        return _creation.from_data(arguments[0], self.dtype)
    return _creation.empty(*arguments or (0,), dtype=self.dtype)


class _Legacy(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype  # type: ignore[attr-defined]


def legacy_constructor(kind: dtype) -> type:
    """FloatTensor and its like: sizes as ints, or data as a sequence; a type for isinstance, too."""

    def make(cls: Any, *arguments: Any) -> Tensor:
        if not arguments:
            return _creation.empty(0, dtype=kind)
        if all(isinstance(a, int) for a in arguments):
            return _creation.empty(*arguments, dtype=kind)
        if len(arguments) == 1:
            if isinstance(arguments[0], Size):
                return _creation.empty(arguments[0], dtype=kind)
            if isinstance(arguments[0], Tensor) and arguments[0].dtype is not kind:
                raise TypeError(f"expected a tensor of {kind} (got {arguments[0].dtype})")
            if isinstance(arguments[0], (float, complex)):
                raise TypeError(f"new(): data must be a sequence (got {type_name(arguments[0])})")
            return _creation.from_data(arguments[0], kind)
        raise TypeError(f"{cls.__name__}() takes sizes as ints, or one sequence of data")

    from ._tensor import LEGACY

    name = next(n for n, d in LEGACY.items() if d is kind) + "Tensor"
    return _Legacy(name, (), {"__new__": make, "dtype": kind, "__module__": "torch"})


# ---- the core's state ----
def set_num_threads(n: int) -> None:
    """At most `n` threads work on one operator. RuntimeError for n < 1."""
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    rt.host.start_threads(n)


def get_num_threads() -> int:
    """How many threads may work on one operator, the caller among them."""
    pool = getattr(rt.host, "pool", None)
    return pool.wanted if pool is not None else int(rt.host.call_export("pwt_get_num_threads"))


def memory_allocated(device: Any = None) -> int:
    """Bytes of the core's memory that are in use."""
    rt.flush()
    return ops._memory(0)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in use at once since the last reset."""
    return ops._memory(1)


def reset_peak_memory_stats(device: Any = None) -> None:
    ops._memory(2)


positive = Tensor.positive


def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """`input ** exponent` in float64 or complex128."""
    result = ops.float_power(input, exponent)
    if out is not None and out.dtype is not result.dtype:
        raise RuntimeError(f"the output given to float_power has dtype {out.dtype} but the operation's result requires dtype {result.dtype}")
    return _creation.placed(result, out, False)


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    result = ops.float_power(self, exponent)
    if self.dtype is not result.dtype:
        raise RuntimeError(f"the base given to float_power_ has dtype {self.dtype} but the operation's result requires dtype {result.dtype}")
    return self.copy_(result)


def stft(input: Tensor, n_fft: int, *arguments: Any, **names: Any) -> Tensor:
    """The transforms of frames of `n_fft` samples; see pywasmtorch/_stft.py."""
    from . import _stft

    return _stft.stft(input, n_fft, *arguments, **names)


def istft(input: Tensor, n_fft: int, *arguments: Any, **names: Any) -> Tensor:
    """The signal of such transforms; see pywasmtorch/_stft.py."""
    from . import _stft

    return _stft.istft(input, n_fft, *arguments, **names)


index_put, zero_, detach_ = _indexing.index_put, Tensor.zero_, Tensor.detach_

FUNCTIONS = [
    polygamma, is_conj, is_neg, resolve_conj, resolve_neg, stft, istft,
    dsplit, float_power, hsplit, positive, vsplit, *_calculus.FUNCTIONS, *_state.FUNCTIONS, *_windows.FUNCTIONS,
    detach_, empty_permuted, index_put, resize_as_, zero_, nonzero_static, tensor_split, unravel_index,
    allclose, argwhere, atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_shapes, broadcast_tensors, can_cast, cartesian_prod, clone, column_stack, combinations,
    get_num_threads, is_complex, is_floating_point, is_nonzero, is_same_size, is_storage, is_tensor, isclose, max_memory_allocated, memory_allocated, meshgrid, nonzero,
    numel, promote_types, reset_peak_memory_stats, result_type, set_num_threads, tril_indices, triu_indices, vander, where,
]
def record_stream(self: Tensor, stream: Any) -> None:
    """NotImplementedError, as in torch on the CPU: there are no streams."""
    raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


METHODS = {
    "record_stream": record_stream,
    "stft": stft, "istft": istft, "is_conj": is_conj, "is_neg": is_neg, "resolve_conj": resolve_conj, "resolve_neg": resolve_neg,
    "fill_diagonal_": fill_diagonal_, "hsplit": hsplit, "vsplit": vsplit, "dsplit": dsplit,
    "float_power": float_power, "float_power_": float_power_,
    "index_put": _indexing.index_put, "index_put_": _indexing.index_put_,
    "allclose": allclose, "argwhere": argwhere, "isclose": isclose, "nonzero": nonzero, "where": method_where, "new": new, "new_full": new_full, "diff": _calculus.diff,
    "is_nonzero": is_nonzero, "nonzero_static": nonzero_static, "sum_to_size": sum_to_size, "tensor_split": tensor_split, "new_empty_strided": new_empty_strided, "resize_as_": resize_as_,
    **{f"new_{n}": new_maker(n) for n in ("empty", "zeros", "ones")},
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, tensors_checked(_method))
