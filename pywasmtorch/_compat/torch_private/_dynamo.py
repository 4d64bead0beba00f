"""torch._dynamo stub: settings without effect, decorators that return the function."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from ...compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset, substitute_in_graph
from ...compiler._calls import InvalidBackend, Unsupported

__all__ = [
    "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "exc", "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "mark_dynamic",
    "mark_static", "maybe_mark_dynamic", "optimize", "reset", "substitute_in_graph",
]

#: takes whatever a program sets
config = SimpleNamespace(suppress_errors=False, verbose=False, cache_size_limit=8, recompile_limit=8, capture_scalar_outputs=False, optimize_ddp=True, patch=lambda *_, **__: nullcontext(),
                         skip_fwd_side_effects_in_bwd_under_checkpoint=False)

exc = SimpleNamespace(Unsupported=Unsupported, InvalidBackend=InvalidBackend)


def optimize(*_: Any, **__: Any) -> Any:
    """A decorator that changes nothing."""
    return lambda fn: fn


def disallow_in_graph(fn: Any) -> Any:
    return fn


def forbid_in_graph(fn: Any) -> Any:
    return fn


def graph_break(msg: str = "") -> None:
    """Nothing to break: there is no graph."""


def mark_dynamic(t: Any, index: Any, **_: Any) -> None:
    """Every size is dynamic."""


maybe_mark_dynamic = mark_static = mark_dynamic
