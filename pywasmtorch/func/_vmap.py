"""vmap: calls the function once for each sample of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._functions.random import default_generator
from ..autograd._passes import more_passes
from ..utils._pytree import TreeSpec, _broadcast_to_and_flatten, tree_flatten, tree_leaves, tree_unflatten

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or "
    "perform the randomness operation out of vmap"
)
IN_PLACE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because `self` is an input with in_dim=None: each sample would change it again. "
    "Please try to use out-of-place operators instead of inplace arithmetic."
)


def name_of(func: Any) -> str:
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, functools.partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return repr(func)


def _check_out_dims(func: Any, out_dims: Any) -> None:
    for leaf in [out_dims] if isinstance(out_dims, int) else tree_leaves(out_dims):
        if not isinstance(leaf, int) and leaf is not None:
            raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
                             "representing where in the outputs the vmapped dimension should appear.")


def _flat_inputs(func: Any, in_dims: Any, arguments: tuple[Any, ...]) -> tuple[list[Any], list[Any], TreeSpec, int]:
    """The leaves of the arguments, the dimension of each that is mapped, the structure and the number of samples."""
    where = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f"{where}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}.")
    if not arguments:
        raise ValueError(f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
                         "with no inputs. The latter is unsupported.")
    leaves, spec = tree_flatten(arguments)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(f"{where}: in_dims is not compatible with the structure of `inputs`. in_dims has structure {tree_flatten(in_dims)[1]} but "
                         f"inputs has structure {spec}.")
    sizes = []
    for i, (leaf, dim) in enumerate(zip(leaves, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(f"{where}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(leaf, Tensor):
            raise ValueError(f"{where}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor arguments, "
                             "please use None as the respective in_dim")
        ndim = leaf.dim()  # type: ignore[attr-defined]
        if not -ndim <= dim < ndim:
            raise ValueError(f"{where}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {ndim} so expected in_dim to "
                             f"satisfy -{ndim} <= in_dim < {ndim}.")
        dims[i] = dim % ndim
        sizes.append(leaf.shape[dims[i]])  # type: ignore[attr-defined]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension")
    return leaves, dims, spec, sizes[0]


def _flat_out_dims(func: Any, out_dims: Any, outputs: Any, spec: TreeSpec) -> list[Any]:
    dims = None
    if not isinstance(outputs, Tensor):
        dims = _broadcast_to_and_flatten(out_dims, spec)
    elif out_dims is None or isinstance(out_dims, int):
        dims = [out_dims]
    elif isinstance(out_dims, tuple) and len(out_dims) == 1:
        dims = list(out_dims)
    if dims is None:
        raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
                         f"out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}.")
    return dims


def _same_everywhere(name: str, column: list[Any]) -> Any:
    """What does not depend on the sample."""
    first = column[0]
    if not isinstance(first, Tensor):
        return first
    if any(other is not first and not _equal(first, other) for other in column[1:]):
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    return first


def _equal(a: Any, b: Any) -> bool:
    return isinstance(b, Tensor) and a.shape == b.shape and a.dtype is b.dtype and bool(((a == b) | ((a != a) & (b != b))).all())  # type: ignore


def _joined(name: str, column: list[Any], dim: int) -> Tensor:
    import pywasmtorch as torch

    for value in column:
        if not isinstance(value, Tensor):
            raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. Did you mean to set out_dims= to None "
                             "for output?")
    return torch.stack(column, dim)


def _empty_batch(func: Any, leaves: list[Any], dims: list[Any], spec: TreeSpec, out_dims: Any, names: dict[str, Any]) -> Any:
    """No samples: a sample of zeros tells sizes and dtypes of the results."""
    import pywasmtorch as torch

    state = default_generator.get_state()
    sample = [leaf if dim is None else torch.zeros([s for i, s in enumerate(leaf.shape) if i != dim], dtype=leaf.dtype)
              for leaf, dim in zip(leaves, dims)]
    try:
        with torch.no_grad():
            outputs = func(*tree_unflatten(sample, spec), **names)
    finally:
        default_generator.set_state(state)
    flat, out_spec = tree_flatten(outputs)
    results = [value if dim is None else ops.narrow(_joined(name_of(func), [value], dim), dim, 0, 0).clone()
               for value, dim in zip(flat, _flat_out_dims(func, out_dims, outputs, out_spec))]
    return tree_unflatten(results, out_spec)


def _samples(func: Any, leaves: list[Any], dims: list[Any], spec: TreeSpec, count: int, randomness: str, names: dict[str, Any]) -> list[Any]:
    state = default_generator.get_state() if randomness != "different" else None
    shared = [leaf for leaf, dim in zip(leaves, dims) if dim is None and isinstance(leaf, Tensor)]
    versions = [leaf._version for leaf in shared] if count > 1 and not ops._is_inference_mode() else []  # type: ignore[attr-defined]
    results = []
    for k in range(count):
        if k and randomness == "same":
            default_generator.set_state(state)
        sample = [leaf if dim is None else ops.select(leaf, dim, k) for leaf, dim in zip(leaves, dims)]
        with more_passes() if k + 1 < count else nullcontext():
            results.append(func(*tree_unflatten(sample, spec), **names))
        if k == 0 and any(leaf._version != version for leaf, version in zip(shared, versions)):  # type: ignore[attr-defined]
            raise RuntimeError(IN_PLACE)
        if randomness == "error" and k in (0, count - 1) and not ops.equal(state, default_generator.get_state()):
            default_generator.set_state(state)
            raise RuntimeError(RANDOM)
    return results


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None) -> Callable[..., Any]:
    """The function that calls `func` for each sample and stacks the results.

    Args:
        func: takes samples, returns a tensor or nested containers of tensors.
        in_dims: the dimension of each argument that counts samples; None: every sample sees the whole argument. An int for all, or a
            tuple with one for each argument, nested as the argument is.
        out_dims: where that dimension goes in the results; None for a result that is the same for all samples.
        randomness: "error" refuses random operators (RuntimeError), "same" gives all samples the same numbers, "different" their own.
        chunk_size: accepted; the samples run one after the other either way.

    Keyword arguments are passed on as they are. As the function runs once per sample, it may look at values,
    and what it changes outside itself changes once per sample. ValueError for dims that do not fit the arguments or the results.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*arguments: Any, **names: Any) -> Any:
        _check_out_dims(func, out_dims)
        leaves, dims, spec, count = _flat_inputs(func, in_dims, arguments)
        if not count:
            return _empty_batch(func, leaves, dims, spec, out_dims, names)
        results = _samples(func, leaves, dims, spec, count, randomness, names)
        flat = [tree_flatten(result) for result in results]
        out_spec = flat[0][1]
        if any(other != out_spec for _, other in flat):
            raise ValueError(f"vmap({name_of(func)}, ...): `{name_of(func)}` returned different structures for different samples")
        places = _flat_out_dims(func, out_dims, results[0], out_spec)
        columns = [[values[i] for values, _ in flat] for i in range(len(places))]
        joined = [_same_everywhere(name_of(func), c) if dim is None else _joined(name_of(func), c, dim) for c, dim in zip(columns, places)]
        return tree_unflatten(joined, out_spec)

    return wrapped
