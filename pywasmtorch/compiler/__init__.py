"""torch.compiler and torch.compile: nothing is compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .._core.names import absent as _absent
from ._calls import BACKENDS, InvalidBackend, by_backend, in_one_graph, with_forward

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends",
    "reset", "set_stance", "substitute_in_graph",
]

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")


def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = None, mode: str | None = None, options: Any = None,
    disable: bool = False, **_: Any,
) -> Any:
    """The model or function itself; without one, a decorator. It runs as it did.

    With `fullgraph=True` its calls raise where the program branches on a tensor, and a `backend` that is a function is called with a function of the
    tensors, which it may return or replace.
    RuntimeError for an unknown mode or backend, or for a mode with options."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if isinstance(backend, str) and backend not in BACKENDS:
        raise InvalidBackend(f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends.")
    if model is None:
        return lambda model: compile(model, fullgraph=fullgraph, backend=backend, mode=mode, options=options, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable:
        return model
    if callable(backend):
        given = {name: value for name, value in (("mode", mode), ("options", options)) if value is not None}
        model = with_forward(model, lambda function: by_backend(function, backend, given))
    return with_forward(model, in_one_graph) if fullgraph else model


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself; without one, a decorator."""
    return (lambda fn: fn) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    return fn


def assume_constant_result(fn: Any) -> Any:
    return fn


def substitute_in_graph(original_fn: Any, **_: Any) -> Callable[[Any], Any]:
    return lambda fn: fn


def is_compiling() -> bool:
    return False


def is_dynamo_compiling() -> bool:
    return False


def is_exporting() -> bool:
    return False


def cudagraph_mark_step_begin() -> None:
    """Nothing to mark: there are no graphs."""


def reset() -> None:
    """Nothing to forget: nothing is compiled."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    return []


@contextlib.contextmanager
def _stance() -> Iterator[None]:
    yield


def set_stance(stance: str = "default", **_: Any) -> Any:
    """A context, or nothing when its result is dropped; every stance is eager here."""
    return _stance()

__getattr__ = _absent(__name__)
