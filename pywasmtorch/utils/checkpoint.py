"""checkpoint and checkpoint_sequential: recompute activations in the backward pass instead of keeping them."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from .. import autograd
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._functions.random import default_generator
from ..autograd._passes import _is_checkpoint_valid
from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ._pytree import tree_leaves

__all__ = ["CheckpointError", "CheckpointFunction", "checkpoint", "checkpoint_sequential", "set_checkpoint_early_stop"]

PASS_IT = (
    "{}: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
    "exception. use_reentrant=False is recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True."
)
INCOMPATIBLE = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to .backward(). To resolve this "
    "error, you can either set use_reentrant=False, or call .backward() without passing the `inputs` argument."
)
NO_GRADIENT = "none of output has requires_grad=True, this checkpoint() is not necessary"


class CheckpointError(RuntimeError):
    """The function did something else when it ran again."""


class _Enough(Exception):
    """Everything that was asked for has been computed."""


_early_stop: bool | None = None


class set_checkpoint_early_stop:
    """Overrides, inside the block, whether checkpoints stop to compute again as soon as they have what is needed."""

    def __init__(self, enable: bool) -> None:
        self.enable = enable

    def __enter__(self) -> None:
        global _early_stop
        self._before, _early_stop = _early_stop, self.enable

    def __exit__(self, *exception: Any) -> None:
        global _early_stop
        _early_stop = self._before


def noop_context_fn() -> tuple[Any, Any]:
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def _random_state(state: Tensor | None) -> Any:
    """The generator's state as it was then, for the block."""
    if state is None:
        yield
        return
    now = default_generator.get_state()
    default_generator.set_state(state)
    try:
        yield
    finally:
        default_generator.set_state(now)


# ---- a pass within the pass ----
def _detached(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    results = []
    for value in arguments:
        if isinstance(value, Tensor):
            plain = value.detach()  # type: ignore[attr-defined]
            value = plain.requires_grad_() if value.requires_grad else plain  # type: ignore[attr-defined]
        results.append(value)
    return tuple(results)


class CheckpointFunction(autograd.Function):
    """The checkpoint that runs a backward pass of its own inside the backward pass."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *arguments: Any) -> Any:
        ctx.run_function = run_function
        ctx.state = default_generator.get_state() if preserve_rng_state else None
        ctx.arguments = [None if isinstance(a, Tensor) else a for a in arguments]
        ctx.places = [i for i, a in enumerate(arguments) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(arguments[i] for i in ctx.places))
        return run_function(*arguments)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if not _is_checkpoint_valid():
            raise RuntimeError(INCOMPATIBLE)
        arguments = list(ctx.arguments)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            arguments[place] = tensor
        inputs = _detached(tuple(arguments))
        with _random_state(ctx.state), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
        pairs = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]  # type: ignore[attr-defined]
        if not pairs:
            raise RuntimeError(NO_GRADIENT)
        autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return None, None, *(i.grad if isinstance(i, Tensor) else None for i in inputs)  # type: ignore[attr-defined]


# ---- saved tensors, computed again ----
class _Place:
    """Stands in a node for a saved tensor; `value` is that of the pass `number`."""

    __slots__ = ("__weakref__", "number", "value")

    def __init__(self) -> None:
        self.number, self.value = -1, None


class _Frame:
    """One checkpointed call: the places of what it saved, in order, and how to run it again."""

    def __init__(self, run: Callable[[], Any], tensors: list[Tensor], check: bool, early_stop: bool) -> None:
        self.run, self.check, self.early_stop = run, check, early_stop
        self.tensors = [(t, t._version) for t in tensors if not ops._is_inference(t)]  # type: ignore[attr-defined]
        self.places: list[weakref.ref[_Place]] = []
        self.shapes: list[Any] = []
        self.complete = False

    def pack(self, tensor: Tensor) -> _Place:
        place = _Place()
        self.places.append(weakref.ref(place))
        self.shapes.append((tensor.shape, tensor.dtype))  # type: ignore[attr-defined]
        return place

    def unpack(self, place: _Place) -> Tensor:
        number = ops._running_pass()
        if place.value is None or place.number != number or not number:
            self.compute(number)
        if place.value is None:
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                                  f"Number of tensors saved during forward: {len(self.places)}")
        value = place.value
        if number and not ops._is_grad_enabled():
            place.value = None  # its node needs it no more in this pass; a second look computes it again
        return value

    def compute(self, number: int) -> None:
        for tensor, version in self.tensors:
            if tensor._version != version:  # type: ignore[attr-defined]
                raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace operation: a tensor given "
                                   f"to checkpoint() is at version {tensor._version}; expected version {version} instead.")  # type: ignore
        count = 0

        def keep(tensor: Tensor) -> None:
            nonlocal count
            k, count = count, count + 1
            if k >= len(self.places):
                if self.early_stop:
                    raise _Enough
                return
            if self.check and self.shapes[k] != (tensor.shape, tensor.dtype):  # type: ignore[attr-defined]
                raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
                                      f"forward pass.\ntensor at position {k}:\nsaved metadata: {self.shapes[k]}\n"
                                      f"recomputed metadata: {(tensor.shape, tensor.dtype)}")  # type: ignore[attr-defined]
            place = self.places[k]()
            if place is not None:
                place.value, place.number = tensor, number
            if count == len(self.places) and self.early_stop:
                raise _Enough

        def refuse(packed: Any) -> Any:
            raise CheckpointError("torch.utils.checkpoint: Unpack is being called on recomputed tensors.")

        try:
            with saved_tensors_hooks(keep, refuse), enable_grad():
                self.run()
        except _Enough as stop:
            stop.__traceback__ = None  # its frames refer to it, and hold what was computed
            return
        if count != len(self.places):
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                                  f"Number of tensors saved during forward: {len(self.places)}\nNumber of tensors saved during recomputation: {count}")


def _without_reentry(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any], preserve: bool, context_fn: Any,
                     determinism_check: str, early_stop: bool) -> Any:
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of 'default', 'none', but got {determinism_check}")
    forward_context, recompute_context = context_fn()
    if not ops._is_grad_enabled():
        return function(*arguments, **names)
    state = default_generator.get_state() if preserve else None

    def run() -> None:
        with _random_state(state), recompute_context:
            function(*arguments, **names)

    tensors = [t for t in tree_leaves((arguments, names)) if isinstance(t, Tensor)]
    frame = _Frame(run, tensors, determinism_check == "default", early_stop if _early_stop is None else _early_stop)
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        return function(*arguments, **names)


def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None, context_fn: Any = noop_context_fn,
    determinism_check: str = "default", debug: bool = False, early_stop: bool = True, **kwargs: Any,
) -> Any:
    """Calls ``function(*args, **kwargs)`` and keeps nothing of what its backward pass needs: that calls it again.

    Args:
        use_reentrant: False keeps places for the saved tensors, and works with everything that autograd can do. True runs without gradients and
            then a backward pass of its own within the backward pass: at least one of `args` must require grad, gradients for named inputs
            are an error (RuntimeError), and keyword arguments are refused (ValueError). None warns and means True.
        preserve_rng_state: gives the second call the random numbers of the first (default True).
        context_fn: returns two context managers, for the first call and for later ones; only without reentry.
        determinism_check: "default" compares sizes and dtypes of what is saved both times (CheckpointError), "none" does not.
        debug: NotImplementedError.
        early_stop: stops the second call as soon as everything is there.
    """
    if use_reentrant is None:
        warnings.warn(PASS_IT.format("torch.utils.checkpoint"), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if ops._is_grad_enabled() and not any(isinstance(a, Tensor) and a.requires_grad for a in args):  # type: ignore[attr-defined]
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
        return CheckpointFunction.apply(function, preserve, *args)
    if debug:
        raise NotImplementedError("pywasmtorch has no torch.utils.checkpoint(debug=True)")
    return _without_reentry(function, args, kwargs, preserve, context_fn, determinism_check, early_stop)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Runs a Sequential, or a list of functions, in `segments` parts; all but the last are checkpoints."""
    if use_reentrant is None:
        warnings.warn(PASS_IT.format("torch.utils.checkpoint.checkpoint_sequential"), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    from ..nn import Sequential

    steps = list(functions.children()) if isinstance(functions, Sequential) else list(functions)

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for step in steps[start:end]:
                value = step(value)
            return value

        return run

    size = len(steps) // segments
    for k in range(segments - 1):
        input = checkpoint(part(k * size, (k + 1) * size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part((segments - 1) * size, len(steps))(input)
