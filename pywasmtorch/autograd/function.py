"""Function: custom operators with a backward written in Python."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from . import _callbacks, graph

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


class FunctionCtx:
    """What a :class:`Function`'s ``forward`` hands to its ``backward``; any attribute may be set on it."""

    needs_input_grad: tuple[bool, ...] = ()
    _to_save: tuple[Tensor | None, ...] = ()
    _dirty: tuple[Tensor, ...] = ()
    _non_differentiable: tuple[Tensor, ...] = ()
    _materialize = True
    _address = 0  # of the node, while its backward runs

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors (or None) for ``backward``, which finds them in :attr:`saved_tensors`. An in-place change of one of
        them in between is an error (RuntimeError) there."""
        for i, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {type(tensor).__name__}")
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Forward-mode differentiation is not here; accepts what programs written for it pass."""

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Names the inputs that ``forward`` changed in place. They must be returned, too."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Names the outputs that are constants for autograd."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether gradients that did not arrive are zeros (the default) or None in ``backward``."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What ``forward`` saved. RuntimeError after a backward pass freed it, or where it was changed in place."""
        return ops._node_saved(self._address) if self._address else ()

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The former name of :attr:`saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    # ---- what the engine asks ----
    _function: type[Function]
    _input_is_tensor: tuple[bool, ...]
    _output_positions: tuple[int, ...]
    _output_count: int

    def _node_class(self) -> type[graph.Node]:
        return self._function._backward_class()

    def _run_backward(self, address: int, grads: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        arguments: list[Tensor | None] = [None] * self._output_count
        for position, grad in zip(self._output_positions, grads):
            arguments[position] = grad
        before, self._address = self._address, address
        try:
            results = self._function._backward_of()(self, *arguments)
        finally:
            self._address = before
        return self._checked_gradients(results if isinstance(results, tuple) else (results,))

    def _checked_gradients(self, results: tuple[Any, ...]) -> list[Tensor | None]:
        name, expected = f"{self._function.__name__}Backward", len(self._input_is_tensor)
        if len(results) != expected and (len(results) < expected or any(r is not None for r in results[expected:])):
            raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected {expected}, got {len(results)})")
        grads: list[Tensor | None] = []
        for i, (result, is_tensor) in enumerate(zip(results, self._input_is_tensor)):
            if not is_tensor:
                if result is not None:
                    raise RuntimeError(f"function {name} returned a gradient different than None at position {i + 1}, but the "
                                       "corresponding forward input was not a Variable")
                continue
            if result is not None and not isinstance(result, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
            grads.append(result)
        return grads


class BackwardCFunction(graph.Node):
    """The node of a custom Function: it has the attributes that ``forward`` set on its context."""

    __slots__ = ("_context",)
    _context: FunctionCtx

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What ``forward`` saved."""
        return ops._node_saved(self._h)

    def __getattr__(self, name: str) -> Any:
        if name in ("_context", "_h"):
            raise AttributeError(name)
        return getattr(self._context, name)

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {self._h:#x}>"


def _not_here(what: str) -> Callable[..., Any]:
    def raising(*arguments: Any, **names: Any) -> Any:
        raise NotImplementedError(what)

    return staticmethod(raising)  # type: ignore[return-value]


class Function:
    """A custom operator.

    Subclasses define the static methods ``forward(ctx, *args)`` (or ``forward(*args)`` and
    ``setup_context(ctx, inputs, output)``) and ``backward(ctx, *grad_outputs)``, which returns one gradient or None for each
    argument of ``forward``. Use ``apply`` to call the operator.
    """

    generate_vmap_rule = False

    def __init__(self, *arguments: Any, **names: Any) -> None:
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
                      "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
                      "version of PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *arguments: Any, **names: Any) -> Any:
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
                           "function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    forward: Any = _not_here("You must implement the forward function for custom autograd.Function.")
    setup_context: Any = _not_here("setup_context is not implemented.")
    backward: Any = _not_here("You must implement either the backward or vjp method for your custom autograd.Function to use it "
                              "with backward mode AD.")
    vjp: Any = backward
    jvp: Any = _not_here("You must implement the jvp function for custom autograd.Function to use it with forward mode AD.")
    vmap: Any = _not_here("To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
                          "generate_vmap_rule=True.")

    @classmethod
    def _backward_of(cls) -> Callable[..., Any]:
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                               "implement one of them.")
        return cls.vjp if cls.vjp is not Function.vjp else cls.backward

    @classmethod
    def _backward_class(cls) -> type[graph.Node]:
        known = cls.__dict__.get("_node_class")
        if known is None:
            name = f"{cls.__name__}Backward"
            known = type(name, (BackwardCFunction,), {"__slots__": (), "__module__": "torch.autograd.function", "_name": name})
            cls._node_class = known  # type: ignore[attr-defined]
        return known

    @classmethod
    def apply(cls, *arguments: Any, **names: Any) -> Any:
        """Runs ``forward`` and records the operator. Arguments may be of any type; gradients flow to those that are tensors."""
        has_setup = cls.setup_context is not Function.setup_context
        if has_setup:
            bound = inspect.signature(cls.forward).bind(*arguments, **names)
            bound.apply_defaults()
            arguments = bound.args
        elif names:
            raise TypeError(f"{cls.__name__}.apply() takes no keyword arguments")
        context = FunctionCtx()
        context._function = cls
        context._input_is_tensor = is_tensor = tuple([isinstance(a, Tensor) for a in arguments])
        inputs = [a for a, tensor in zip(arguments, is_tensor) if tensor]
        context.needs_input_grad = tuple([tensor and ops._requires_grad(a) for a, tensor in zip(arguments, is_tensor)])
        grad_mode = ops._set_grad_enabled(False)
        try:
            if has_setup:
                outputs = cls.forward(*arguments)
                cls.setup_context(context, arguments, outputs)
                _check_saved_inputs(context, inputs, outputs)
            else:
                outputs = cls.forward(context, *arguments)
        finally:
            ops._set_grad_enabled(grad_mode)
        return _record(context, inputs, outputs, grad_mode and any(context.needs_input_grad))


def _check_saved_inputs(context: FunctionCtx, inputs: list[Tensor], outputs: Any) -> None:
    """setup_context saw an input where the caller will get a view of it: what it saved would not be the output."""
    as_they_are = {o._h for o in _as_tuple(outputs) if isinstance(o, Tensor)} & {i._h for i in inputs}
    as_they_are -= {d._h for d in context._dirty}
    if any(t is not None and t._h in as_they_are for t in context._to_save):
        raise RuntimeError("An input that has been returned as-is as output is being saved for backward. This is not supported "
                           "if you override setup_context. You should return and save a view of the input instead, e.g. with "
                           "x.view_as(x) or setup ctx inside the forward function itself.")


def _as_tuple(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


def _record(context: FunctionCtx, inputs: list[Tensor], outputs: Any, records: bool) -> Any:
    """Gives the outputs their history. Returns what `apply` returns."""
    results = list(_as_tuple(outputs))
    context._output_count = len(results)
    context._output_positions = tuple([i for i, r in enumerate(results) if isinstance(r, Tensor)])
    tensors = [results[i] for i in context._output_positions]
    handles = {t._h for t in inputs}
    if not records and not any(t._h in handles for t in tensors) and not context._dirty:
        return outputs
    if any(t._h not in handles for t in context._dirty):
        warnings.warn("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                      "should be passed to ctx.mark_dirty().", stacklevel=3)
    number = _callbacks.register(context) if records else 0
    try:
        recorded = ops._function_record(f"{context._function.__name__}Backward", inputs, tensors, context._dirty,
                                        context._non_differentiable, context._to_save, number, records, context._materialize)
    except BaseException:
        _callbacks.forget(number)
        raise
    for position, before, after in zip(context._output_positions, tensors, recorded):
        results[position] = before if before._h == after._h else after
    context._to_save = context._dirty = context._non_differentiable = ()
    return tuple(results) if isinstance(outputs, tuple) else results[0]


class InplaceFunction(Function):
    """For programs that subclass it; the same as :class:`Function`."""


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` that is not differentiable itself: a second derivative through it is an error (RuntimeError)
    when it is computed."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *arguments: Any) -> Any:
        grad_mode = ops._set_grad_enabled(False)
        try:
            outputs = fn(ctx, *arguments)
        finally:
            ops._set_grad_enabled(grad_mode)
        if not grad_mode or not any(isinstance(a, Tensor) and ops._requires_grad(a) for a in arguments):
            return outputs
        results = list(_as_tuple(outputs))
        positions = [i for i, r in enumerate(results) if isinstance(r, Tensor)]
        late = ops._delayed_error([results[i] for i in positions], TWICE)
        for position, tensor in zip(positions, late):
            results[position] = tensor
        return tuple(results) if isinstance(outputs, tuple) else results[0]

    return wrapper
