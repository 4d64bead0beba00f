"""What a compiled function does at its calls: it refuses branches on data where one graph was asked for, and asks a backend of the program's own."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from .._core.tensor_type import Tensor
from .._core.warning import HERE
from .._tensor.values import as_bool
from ..utils._pytree import tree_flatten, tree_unflatten

#: PyTorch's, whose names programs may give; all are the same here
BACKENDS = (
    "aot_eager", "aot_eager_decomp_partition", "aot_eager_default_partitioner", "aot_ts", "cudagraphs", "eager", "eager_debug", "eager_noexcept", "inductor", "ipex", "onnxrt",
    "openxla", "pre_dispatch_eager", "torchxla_trace_once", "ts", "tvm",
)
HOLE = object()  # where a tensor stood
_whole: ContextVar[bool] = ContextVar("whole", default=False)


class Unsupported(RuntimeError):
    """What a single graph cannot hold."""


class InvalidBackend(RuntimeError):
    pass


def _bool(self: Tensor) -> bool:
    if _whole.get() and not sys._getframe(1).f_code.co_filename.startswith(HERE):
        raise Unsupported("Data-dependent branching: with fullgraph=True the program cannot ask whether a tensor is true. torch.where and torch.cond choose by data")
    return as_bool(self)


def in_one_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def whole(*arguments: Any, **names: Any) -> Any:
        Tensor.__bool__ = _bool  # type: ignore[attr-defined]
        before = _whole.set(True)
        try:
            return function(*arguments, **names)
        finally:
            _whole.reset(before)

    return whole


class Graph:
    """What a backend gets: a function of the tensors among the arguments, which returns those among the results as a tuple."""

    def __init__(self, function: Callable[..., Any], leaves: list[Any], spec: Any) -> None:
        self._function, self._leaves, self._spec = function, leaves, spec
        self.result: tuple[list[Any], Any] | None = None

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        given = iter(tensors)
        leaves = [next(given) if leaf is HOLE else leaf for leaf in self._leaves]
        arguments, names = tree_unflatten(leaves, self._spec)
        found, spec = tree_flatten(self._function(*arguments, **names))
        self.result = [HOLE if isinstance(leaf, Tensor) else leaf for leaf in found], spec
        return tuple(leaf for leaf in found if isinstance(leaf, Tensor))

    __call__ = forward

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"pywasmtorch has no graph of operators, so no GraphModule.{name}; see docs/differences.md")


def by_backend(function: Callable[..., Any], backend: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Calls what `backend` makes of the function: once for each structure of arguments, with what is no tensor, and for the tensors' dtypes."""
    made: dict[Any, tuple[Graph, Callable[..., Any]]] = {}

    @functools.wraps(function)
    def compiled(*arguments: Any, **names: Any) -> Any:
        leaves, spec = tree_flatten((arguments, names))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        key = (str(spec), *((leaf.dtype, leaf.ndim, leaf.requires_grad) if isinstance(leaf, Tensor) else repr(leaf) for leaf in leaves))  # type: ignore[attr-defined]
        if key not in made:
            graph = Graph(function, [HOLE if isinstance(leaf, Tensor) else leaf for leaf in leaves], spec)
            made[key] = graph, backend(graph, tensors, **options)
        graph, run = made[key]
        results = run(*tensors)
        if graph.result is None:
            graph.forward(*tensors)
        assert graph.result is not None
        others, out_spec = graph.result
        given = iter(results if isinstance(results, (tuple, list)) else [results])
        return tree_unflatten([next(given) if other is HOLE else other for other in others], out_spec)

    return compiled


def with_forward(model: Any, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Any:
    """The function, wrapped; of a module a copy with the same parameters, whose `forward` is."""
    if not hasattr(model, "_parameters"):  # modules are a layer above
        return wrap(model)
    found = copy.copy(model)
    found.forward = wrap(model.forward)
    return found
