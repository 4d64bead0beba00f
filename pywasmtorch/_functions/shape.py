"""meshgrid, atleast_*d, broadcast_*, column_stack, tensor_split, combinations, sum_to_size."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import type_name
from .._core.checks import check_elements, tensors_checked
from .._core.dispatch import into_many
from .._core.generated import ops
from .._core.meta import refuse
from .._core.size import Size
from .._core.tensor_type import Tensor
from .creation import named_size

LARGEST = 1 << 32  # elements that the core's memory cannot hold


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
        if shape is None:
            continue
        if not isinstance(shape, (int, tuple, list)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
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


def splitter(name: str, least: int, dim: Any) -> Any:
    def split(input: Tensor, *places: Any, **names: Any) -> tuple[Tensor, ...]:
        if len(places) + len(names) != 1 or not names.keys() <= {"sections", "indices"}:
            got = ", ".join([type_name(p) for p in places] + [f"{k}={type_name(v)}" for k, v in names.items()])
            raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n * (int sections)\n * (tuple of ints indices)\n")
        (indices_or_sections,) = (*places, *names.values())
        if names and isinstance(indices_or_sections, int) != ("sections" in names):
            kind = "int" if "sections" in names else "tuple of ints"
            raise TypeError(f"{name}(): argument '{next(iter(names))}' must be {kind}, not {type_name(indices_or_sections)}")
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


def copies_into(name: str) -> Any:
    """`split_copy` and its like, which take `out=`, a list of tensors, and then return nothing."""
    function = ops.FUNCTIONS[name]

    def copies(*arguments: Any, out: Any = None, **names: Any) -> Any:
        results = function(*arguments, **names)
        if out is None:
            return results
        if len(out) != len(results):
            raise RuntimeError(f"{name}(): out= holds {len(out)} tensors, but there are {len(results)} results")
        into_many(name, list(results), list(out))
        return None

    copies.__name__ = copies.__qualname__ = name
    return copies


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every combination of the vectors' elements, a row each."""
    check_elements((tensors,))
    for tensor in tensors:
        if tensor.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return ops.FUNCTIONS["stack"]([ops.reshape(g, (-1,)) for g in ops.meshgrid(tensors, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """The combinations of a vector's elements, a row each. NotImplementedError on meta, as in torch, which looks for what is true in a mask."""
    refuse("combinations", input)
    if input.ndim != 1:
        raise RuntimeError("Expect a 1D vector, but got shape " + str(list(input.shape)))
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return ops._empty((0,), input.dtype)
    n = len(input)
    if r == 2:
        pairs = ops.transpose(ops._tri_indices(n, n, 0 if with_replacement else 1, True), 0, 1)
        return ops.reshape(ops.index_select(input, 0, ops.reshape(pairs, (-1,))), (pairs.shape[0], 2))
    rows = _binomial(n + r - 1 if with_replacement and n else n, r)
    if rows * r >= 2**63 or r >= 2**60:
        raise RuntimeError(f"combinations(): {r} of {n} elements have more combinations than a tensor has elements")
    if rows * r * input.dtype.itemsize >= 2**32:
        return ops._empty((rows, r), input.dtype)  # which says that there is no memory
    if rows > 1:
        index = _chosen(n, r, with_replacement)
    else:
        index = ops._arange(0, rows * r, 1, _dtype.int64) % max(n, 1)
    return ops.reshape(ops.index_select(input, 0, ops.reshape(index, (-1,))), (rows, r))


def _binomial(n: int, r: int) -> int:
    """How many sets of r are among n; some number above 2**63 where it is above."""
    count = int(r <= n)
    for i in range(min(r, n - r)):
        count = count * (n - i) // (i + 1)
        if count >= 2**63:
            break
    return count


def _chosen(n: int, r: int, repeated: bool) -> Tensor:
    """The places of r among n in order: each prefix that can be completed, place after place, with every next one."""
    steps = [(ops._arange(0, n if repeated else n - r + 1, 1, _dtype.int64), None)]
    for k in range(2, r + 1):
        ends = steps[-1][0]
        counts = n - ends if repeated else n - r + k - 1 - ends
        parents = ops.repeat_interleave(counts)
        starts = ops.cumsum(counts, 0) - counts
        places = ops._arange(0, len(parents), 1, _dtype.int64) - ops.index_select(starts, 0, parents)
        steps.append((places + ops.index_select(ends if repeated else ends + 1, 0, parents), parents))
    columns, rows = [], None
    for ends, parents in reversed(steps):
        columns.append(ends if rows is None else ops.index_select(ends, 0, rows))
        if parents is not None:
            rows = parents if rows is None else ops.index_select(parents, 0, rows)
    return ops.stack(columns[::-1], 1)


def sum_to_size(self: Tensor, *size: Any, **names: Any) -> Tensor:
    """The sum over what broadcasting to this shape would repeat: the tensor itself where it has that shape."""
    size = named_size("sum_to_size", size, names)
    wanted = size[0] if len(size) == 1 and not hasattr(size[0], "__index__") else size
    if not len(wanted):
        return ops.sum_function(self)
    return self if tuple(self.shape) == tuple(wanted) else ops.sum_to_size(self, wanted)


def reversed_(self: Tensor) -> Tensor:
    """The order along the first dimension reversed."""
    return ops.flip(self, (0,)) if self.ndim else self


def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    return ops.narrow_copy(self, dim, start, length)


FUNCTIONS = [*map(copies_into, ("split_copy", "split_with_sizes_copy", "unbind_copy")), *map(tensors_checked, (
    atleast_1d, atleast_2d, atleast_3d, broadcast_shapes, broadcast_tensors, cartesian_prod, column_stack, combinations, dsplit,
    hsplit, meshgrid, tensor_split, vsplit,
))]
METHODS = {f.__name__: tensors_checked(f) for f in (dsplit, hsplit, narrow_copy, sum_to_size, tensor_split, vsplit)}
METHODS["__reversed__"] = reversed_
