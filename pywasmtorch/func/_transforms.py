"""grad, vjp, jvp, linearize, jacrev, jacfwd, hessian on nested containers of tensors.

There is no forward mode: J v comes from the double backward trick. J^T u is linear in u, and its derivative with respect to u, times v, is J v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from ..utils._pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten
from ._levels import Level, gradients, named_after, zeros_like

JVP = "jvp(f, primals, tangents)"


# ---- arguments ----
def _checked_argnums(argnums: Any, count: int) -> Any:
    def one(argnum: Any) -> int:
        if not isinstance(argnum, int):
            raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
        if not -count <= argnum < count:
            raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
        return argnum % count

    if isinstance(argnums, int):
        return one(argnums)
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = tuple([one(a) for a in argnums])
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return places


def _fresh(level: Level, arguments: tuple[Any, ...], argnums: Any) -> tuple[list[Any], Any]:
    """The arguments with fresh inputs at `argnums`, and these alone: one tree for an int, a tuple of them for a tuple."""
    places = _checked_argnums(argnums, len(arguments))
    replaced = list(arguments)
    for place in [places] if isinstance(places, int) else places:
        replaced[place] = tree_map(level.input, arguments[place])
    return replaced, replaced[places] if isinstance(places, int) else tuple([replaced[p] for p in places])


def _without_aux(outputs: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    if not has_aux:
        return outputs, None
    if not (isinstance(outputs, tuple) and len(outputs) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return outputs


def _tensor_outputs(outputs: Any, api: str) -> tuple[list[Tensor], TreeSpec]:
    flat, spec = tree_flatten(outputs)
    if not flat or (len(flat) == 1 and flat[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {flat})")
    for output in flat:
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(output)}")
    return flat, spec


def _refuse_complex(name: str, values: Any, what: str) -> None:
    for i, value in enumerate(tree_flatten(values)[0]):
        if isinstance(value, Tensor) and value.is_complex():  # type: ignore[attr-defined]
            raise RuntimeError(f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}")


# ---- gradients of scalars ----
def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that returns the gradient of `func` and its value.

    Args:
        func: returns a 0-d tensor; with `has_aux` a tuple of it and anything else, which comes along with the value.
        argnums: the arguments to differentiate, which may be nested containers of tensors: an int, or a tuple for a tuple of gradients.

    RuntimeError for results that are no 0-d tensor, ValueError for arguments that are no tensors.
    """

    def wrapper(*arguments: Any, **names: Any) -> Any:
        with Level() as level:
            replaced, inputs = _fresh(level, arguments, argnums)
            output, aux = _without_aux(func(*replaced, **names), has_aux, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim():  # type: ignore[attr-defined]
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                                   f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")  # type: ignore[attr-defined]
            flat, spec = tree_flatten(inputs)
            recorded = level.leads_outside((output,))
            found = gradients((output,), flat, None, create_graph=recorded, retain_graph=recorded or has_aux)
            results = tree_unflatten([level.result(g) for g in found], spec)
            value = output if recorded else output.detach()  # type: ignore[attr-defined]
            return (results, (value, tree_map(level.result, aux))) if has_aux else (results, value)

    return named_after(func, wrapper)


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that returns the gradient of `func`; with `has_aux` a tuple of it and what `func` returned beside its value.

    The arguments are those of :func:`grad_and_value`. Transforms nest: ``grad(grad(f))`` is the second derivative.
    """
    both = grad_and_value(func, argnums, has_aux)

    def wrapper(*arguments: Any, **names: Any) -> Any:
        results, value = both(*arguments, **names)
        return (results, value[1]) if has_aux else results

    return named_after(func, wrapper)


# ---- products with the Jacobian ----
class _Pullback:
    """What a function's value and its products from the left need: the level's inputs, the outputs, and whether the world outside
    differentiates them."""

    def __init__(self, func: Callable[..., Any], arguments: tuple[Any, ...], argnums: Any, has_aux: bool, api: str = "vjp(f, *primals)") -> None:
        with Level() as level:
            if argnums is None:
                replaced = tree_map(level.input, arguments)
                inputs: Any = replaced
            else:
                replaced, inputs = _fresh(level, arguments, argnums)
            outputs, aux = _without_aux(func(*replaced), has_aux, api)
            self.outputs, self.spec = _tensor_outputs(outputs, api)
            for output in self.outputs:
                if api is not JVP and not (output.is_floating_point() or output.is_complex()):  # type: ignore[attr-defined]
                    raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                                       f"{output.dtype}")  # type: ignore[attr-defined]
            self.inputs, self.input_spec = tree_flatten(inputs)
            self.recorded = level.leads_outside(self.outputs)
            self.results = tree_unflatten([level.result(o) for o in self.outputs], self.spec)
            self.aux = tree_map(level.result, aux)
            self.level = level

    def row(self, cotangents: Sequence[Tensor], retain_graph: bool = True, create_graph: bool | None = None) -> list[Tensor]:
        wanted = ops._is_grad_enabled() if create_graph is None else create_graph
        wanted = wanted and (self.recorded or any(ops._requires_grad(c) for c in cotangents))
        with Level() as level:
            level.recorded, level.leaves = wanted, list(self.level.leaves)
            found = gradients(self.outputs, self.inputs, cotangents, create_graph=wanted, retain_graph=retain_graph)
            return [level.result(g) for g in found]


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Returns ``func(*primals)`` and a function that multiplies cotangents, nested as the result is, with the Jacobian from the left.

    That function returns a tuple with one entry for each primal. With `has_aux` the function returns (output, aux), and aux comes third.
    RuntimeError for results that are no tensors or of integers.
    """
    pullback = _Pullback(func, primals, None, has_aux)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        flat, spec = tree_flatten(cotangents)
        if spec != pullback.spec:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                               f"cotangents: {_pattern(spec)}, primal output: {_pattern(pullback.spec)}")
        return tree_unflatten(pullback.row(flat, retain_graph, create_graph), pullback.input_spec)

    return (pullback.results, vjp_fn, pullback.aux) if has_aux else (pullback.results, vjp_fn)


def _pattern(spec: TreeSpec) -> str:
    class Star:
        def __repr__(self) -> str:
            return "*"

    return repr(tree_unflatten([Star()] * spec.num_leaves, spec))


class _Pushforward:
    """J v for one linearization: the backward pass as a function of its seeds, which a second one differentiates."""

    def __init__(self, pullback: _Pullback) -> None:
        self.inputs, self.outputs, self.recorded = pullback.inputs, pullback.outputs, pullback.recorded
        with Level() as level:
            self.seeds = [level.leaf(zeros_like(o).detach()) if ops._requires_grad(o) else None for o in self.outputs]  # type: ignore
            self.backward = gradients(self.outputs, self.inputs, self.seeds, create_graph=True)
            self.leaves = [*pullback.level.leaves, *level.leaves]

    def column(self, tangents: Sequence[Tensor], retain_graph: bool = True) -> list[Tensor]:
        wanted = ops._is_grad_enabled() and (self.recorded or any(ops._requires_grad(t) for t in tangents))
        seeds = [s for s in self.seeds if s is not None]
        with Level() as level:
            level.recorded, level.leaves = wanted, list(self.leaves)
            found = iter(gradients(self.backward, seeds, tangents, create_graph=wanted, retain_graph=retain_graph) if seeds else [])
            return [zeros_like(o).detach() if s is None else level.result(next(found)) for o, s in zip(self.outputs, self.seeds)]  # type: ignore

    def independent(self) -> bool:
        return any(s is None for s in self.seeds)


def _check_tensors(values: list[Any], name: str) -> None:
    if not values:
        raise RuntimeError(f"{JVP}: Expected {name} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, Tensor):
            raise RuntimeError(f"{JVP}: Expected {name} to only contain Tensors, got {type(value)}")


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """Returns ``func(*primals)`` and the product of its Jacobian with `tangents`, which are nested as `primals` (a tuple) are.

    `strict` refuses outputs that do not depend on the inputs (RuntimeError) instead of giving zeros; with `has_aux` the function returns
    (output, aux), and aux comes third. RuntimeError for structures and sizes that differ.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    flat_primals, spec = tree_flatten(primals)
    flat_tangents, tangent_spec = tree_flatten(tangents)
    if spec != tangent_spec:
        raise RuntimeError(f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
                           f"tensors, tangents also must be. Got primals with structure {spec} and tangents with structure {tangent_spec}")
    _check_tensors(flat_primals, "primals")
    _check_tensors(flat_tangents, "tangents")
    for primal, tangent in zip(flat_primals, flat_tangents):
        if primal.shape != tangent.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                               f"Tensor is of size {list(primal.shape)} while the given forward gradient is of size {list(tangent.shape)}.")
    pullback = _Pullback(func, primals, None, has_aux, JVP)
    forward = _Pushforward(pullback)
    if strict and forward.independent():
        raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
                           "strict=True.")
    products = tree_unflatten(forward.column(flat_tangents, retain_graph=pullback.recorded or has_aux), pullback.spec)
    return (pullback.results, products, pullback.aux) if has_aux else (pullback.results, products)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Returns ``func(*primals)`` and the function that multiplies tangents with its Jacobian there. RuntimeError for tangents whose
    structure, sizes or dtypes are not the primals'."""
    pullback = _Pullback(func, primals, None, False, JVP)
    forward = _Pushforward(pullback)
    flat_primals, spec = tree_flatten(primals)

    def jvp_fn(*tangents: Any) -> Any:
        flat, tangent_spec = tree_flatten(tangents)
        if tangent_spec != spec:
            raise RuntimeError(f"Expected the tangents {tangent_spec} to have the same argspec as the primals {spec}")
        for i, (tangent, primal) in enumerate(zip(flat, flat_primals)):
            for what in ("shape", "dtype"):
                if getattr(tangent, what) != getattr(primal, what):
                    raise RuntimeError(f"tangent:{i} with {what} {getattr(tangent, what)} in flattened pytree doesn't match the {what} "
                                       f"{getattr(primal, what)} of the corresponding primal.")
        return tree_unflatten(forward.column(flat), pullback.spec)

    return pullback.results, jvp_fn


# ---- whole Jacobians ----
def _basis(tensors: Sequence[Tensor]) -> Any:
    """One list of tensors for each element of all of them: ones there, zeros elsewhere."""
    zeros = [zeros_like(t).detach() for t in tensors]  # type: ignore[attr-defined]
    for i, tensor in enumerate(tensors):
        for k in range(tensor.numel()):  # type: ignore[attr-defined]
            unit = ops.reshape(ops.clone(zeros[i], -1), (-1,))
            ops.fill_(ops.select(unit, 0, k), 1)
            yield [*zeros[:i], ops.reshape(unit, tensor.shape), *zeros[i + 1:]]  # type: ignore[attr-defined]


def _blocks(stacked: Sequence[Tensor | None], outputs: Sequence[Tensor], inputs: Sequence[Tensor], by_rows: bool) -> list[list[Tensor]]:
    """For each output and input the block of the Jacobian, from rows (one tensor for each input) or columns (for each output)."""
    import pywasmtorch as torch

    across = inputs if by_rows else outputs
    along = outputs if by_rows else inputs
    sizes = [t.numel() for t in along]  # type: ignore[attr-defined]
    table = []
    for tensor, other in zip(stacked, across):
        if tensor is None:
            tensor = torch.zeros((0, *other.shape), dtype=other.dtype)  # type: ignore[attr-defined]
        if by_rows:
            table.append([p.reshape((*o.shape, *other.shape)) for p, o in zip(tensor.split(sizes), along)])  # type: ignore
        else:
            moved = tensor.movedim(0, -1)  # type: ignore[attr-defined]
            table.append([p.reshape((*other.shape, *i.shape)) for p, i in zip(moved.split(sizes, -1), along)])  # type: ignore
    return [list(row) for row in zip(*table)] if by_rows else table


def _stacked(rows: list[list[Tensor]], count: int) -> list[Any]:
    import pywasmtorch as torch

    return [torch.stack([row[i] for row in rows]) if rows else None for i in range(count)]


def _nested(blocks: list[list[Tensor]], spec: TreeSpec, input_spec: TreeSpec) -> Any:
    return tree_unflatten([tree_unflatten(row, input_spec) for row in blocks], spec)


def jacrev(func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
           _preallocate_and_copy: bool = False) -> Callable[..., Any]:
    """The function that returns the Jacobian of `func`, by one backward pass for each element of the result.

    The Jacobian has the result's shape followed by the input's; nested results and inputs give nested Jacobians, the result's structure
    outside. `argnums` as in :func:`grad`; with `has_aux` `func` returns (output, aux), and the Jacobian comes with aux. `chunk_size` is
    accepted. RuntimeError for complex tensors.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def wrapper(*arguments: Any) -> Any:
        _refuse_complex("jacrev", arguments, "inputs")
        pullback = _Pullback(func, arguments, argnums, has_aux)
        _refuse_complex("jacrev", pullback.outputs, "outputs")
        rows = [pullback.row(seeds) for seeds in _basis(pullback.outputs)]
        blocks = _blocks(_stacked(rows, len(pullback.inputs)), pullback.outputs, pullback.inputs, True)
        result = _nested(blocks, pullback.spec, pullback.input_spec)
        return (result, pullback.aux) if has_aux else result

    return named_after(func, wrapper)


def jacfwd(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable[..., Any]:
    """The function that returns the Jacobian of `func`, as :func:`jacrev` does; the passes run for each element of the input where those
    are fewer than the result's. `randomness` is accepted: the function itself runs once."""

    def wrapper(*arguments: Any) -> Any:
        _refuse_complex("jacfwd", arguments, "inputs")
        pullback = _Pullback(func, arguments, argnums, has_aux)
        _refuse_complex("jacfwd", pullback.outputs, "outputs")
        count = sum(o.numel() for o in pullback.outputs)  # type: ignore[attr-defined]
        if sum(i.numel() for i in pullback.inputs) < count:  # type: ignore[attr-defined]
            forward = _Pushforward(pullback)
            columns = [forward.column(tangents) for tangents in _basis(forward.inputs)]
            blocks = _blocks(_stacked(columns, len(forward.outputs)), forward.outputs, forward.inputs, False)
        else:
            rows = [pullback.row(seeds) for seeds in _basis(pullback.outputs)]
            blocks = _blocks(_stacked(rows, len(pullback.inputs)), pullback.outputs, pullback.inputs, True)
        result = _nested(blocks, pullback.spec, pullback.input_spec)
        return (result, pullback.aux) if has_aux else result

    return named_after(func, wrapper)


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The function that returns the second derivatives of `func`: the Jacobian of its Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)
