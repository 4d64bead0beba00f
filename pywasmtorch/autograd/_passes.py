"""backward accumulates gradients in leaves; grad returns them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._functions.creation import zeros_like
from . import _sparse_gradients
from .graph import GradientEdge

CREATES_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can "
    "cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this "
    "function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


_selective = 0  # passes at work that want the gradients of named inputs alone
_more = 0  # loops at work in which the same pass may come again, as that of vmap over samples


@contextmanager
def more_passes() -> Iterator[None]:
    """Passes of `grad` in here keep their graphs, whatever they are told."""
    global _more
    _more += 1
    try:
        yield
    finally:
        _more -= 1


def _is_checkpoint_valid() -> bool:
    """Whether the pass at work accumulates into every leaf, as a checkpoint that runs another pass needs."""
    return not _selective


def _as_tuple(tensors: Any) -> tuple[Any, ...]:
    if isinstance(tensors, Tensor):
        return (tensors,)
    given = (tensors,) if isinstance(tensors, GradientEdge) else tensors
    return tuple([ops._edge_tensor(t.node._h, t.output_nr) if isinstance(t, GradientEdge) else t for t in given])


def _values(tensors: Any) -> list[Any]:
    """The values of sparse tensors, which carry their history; others as they are."""
    return [t._value if isinstance(t, Tensor) and t._sparse else t for t in tensors]


def _gradients(given: Any, count: int) -> list[Tensor | None]:
    """One gradient or None for each root."""
    if given is None:
        return [None] * count
    gradients = _as_tuple(given)[:count]
    for gradient in gradients:
        if gradient is not None and not isinstance(gradient, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return _values(gradients)


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Adds the gradients of the sum of ``tensors`` to the ``grad`` of the leaves.

    Args:
        tensors: what to differentiate.
        grad_tensors: for each of them the gradient of something with respect to it, of its size; None stands for 1 and is for
            tensors with one element.
        retain_graph: keeps what operators saved, so that there can be another pass. Default: the value of ``create_graph``.
        create_graph: records the pass, so that gradients can be differentiated again.
        inputs: only these get a gradient; others than leaves get it, too. Default: every leaf.

    RuntimeError for tensors without history, for a missing gradient of a tensor with several elements, for sizes that differ,
    for a second pass through a graph that was not retained, and where a saved tensor was changed in place.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                               "use `grad_tensors`.")
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = _as_tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _as_tuple(tensors)
    gradients = _gradients(grad_tensors, len(roots))
    if retain_graph is None:
        retain_graph = create_graph
    if create_graph:
        warnings.warn(CREATES_CYCLE, stacklevel=2)
    global _selective
    _selective += inputs is not None
    try:
        if inputs is None or not _sparse_gradients.met():
            ops._backward(_values(roots), gradients, bool(retain_graph), bool(create_graph), None if inputs is None else _values(inputs), True, True)
        else:
            with _sparse_gradients.for_inputs(inputs) as found:
                ops._backward(_values(roots), gradients, bool(retain_graph), bool(create_graph), _values(inputs), True, True)
            found.accumulate()
    finally:
        _selective -= inputs is not None


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Returns the gradients of the sum of ``outputs`` with respect to ``inputs``, and leaves every ``grad`` as it is.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in :func:`backward`.
        inputs: tensors that require grad; leaves or not.
        allow_unused: None instead of an error (RuntimeError) for an input that no output depends on.
        is_grads_batched: each of ``grad_outputs`` has a further first dimension; so have the results.
        materialize_grads: zeros instead of None for inputs that no output depends on.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    if allow_unused is None:
        allow_unused = materialize_grads
    roots, wanted = _as_tuple(outputs), _as_tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other "
                      "parts of the graph, please use torch.autograd.backward.", FutureWarning, stacklevel=2)
    retain_graph = bool(_more or (create_graph if retain_graph is None else retain_graph))
    gradients = _gradients(grad_outputs, len(roots))
    global _selective
    _selective += 1
    try:
        if is_grads_batched:
            results = _batched(roots, gradients, retain_graph, create_graph, wanted, allow_unused)
        else:
            results = _of_inputs(roots, gradients, bool(retain_graph), bool(create_graph), wanted, bool(allow_unused))
    finally:
        _selective -= 1
    if materialize_grads and any(r is None for r in results):
        return tuple([zeros_like(i, requires_grad=create_graph) if r is None else r for r, i in zip(results, wanted)])
    return results


def _of_inputs(roots: Any, gradients: Any, retain_graph: bool, create_graph: bool, wanted: Any, allow_unused: bool) -> Any:
    if _sparse_gradients.met():
        with _sparse_gradients.for_inputs(wanted) as found:
            results = ops._backward(_values(roots), gradients, retain_graph, create_graph, _values(wanted), False, True)
        results = found.results(results, allow_unused)
    else:
        results = ops._backward(_values(roots), gradients, retain_graph, create_graph, _values(wanted), False, allow_unused)
    return tuple([w._with(r) if w._sparse and r is not None else r for w, r in zip(wanted, results)])


def _batched(roots: Any, gradients: Any, retain_graph: bool, create_graph: bool, wanted: Any, allow_unused: bool) -> Any:
    count = None
    for i, (root, gradient) in enumerate(zip(roots, gradients)):
        if gradient is None:
            continue
        if gradient.ndim == 0 or gradient.shape[1:] != root.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes "
                "of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {gradient.shape} and output[{i}] has a shape of {root.shape}. If you only want "
                "some tensors in `grad_output` to be considered batched, consider using vmap.")
        if count not in (None, gradient.shape[0]):
            raise ValueError(f"grad_outputs have batches of {count} and {gradient.shape[0]}; expected one size")
        count = gradient.shape[0]
    if count is None:
        raise ValueError("is_grads_batched=True needs grad_outputs")
    rows = []
    for k in range(count):
        keep = retain_graph or k + 1 < count
        row = [None if g is None else g[k] for g in gradients]
        rows.append(ops._backward(roots, row, bool(keep), bool(create_graph), wanted, False, bool(allow_unused)))
    return tuple([None if column[0] is None else ops.stack(column) for column in zip(*rows)])
