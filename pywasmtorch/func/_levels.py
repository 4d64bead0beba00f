"""Level: one transform's fresh inputs, and results that keep a graph only to outer inputs.

A level's inputs are leaves where nothing outside differentiates them, else views of what was given. After the level its leaves are closed:
a graph that still leads to them (a nested transform built it) treats them as constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from ..autograd.grad_mode import inference_mode


class Level:
    """One transform at work. `recorded` says whether something outside may differentiate its results."""

    def __init__(self) -> None:
        self.recorded = ops._is_grad_enabled()
        self.leaves: list[Tensor] = []

    def __enter__(self) -> Level:
        self._inference = inference_mode(False) if ops._is_inference_mode() else None
        if self._inference is not None:
            self._inference.__enter__()
        self._before = ops._set_grad_enabled(True)
        return self

    def __exit__(self, *exception: Any) -> None:
        ops._set_grad_enabled(self._before)
        if self._inference is not None:
            self._inference.__exit__(*exception)
        for leaf in self.leaves:
            ops._close_leaf(leaf)

    def leaf(self, tensor: Tensor) -> Tensor:
        result = ops._requires_grad_(tensor, True) and tensor
        self.leaves.append(result)
        return result

    def input(self, value: Any) -> Tensor:
        """The tensor that the function is differentiated with respect to."""
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        if self.recorded and ops._requires_grad(value):
            return value.view_as(value)  # type: ignore[attr-defined]
        return self.leaf(value.clone() if ops._is_inference(value) else value.detach())  # type: ignore[attr-defined]

    def leads_outside(self, tensors: Sequence[Any]) -> bool:
        """Whether something outside may differentiate these."""
        roots = [t for t in tensors if isinstance(t, Tensor) and ops._requires_grad(t)]
        return self.recorded and bool(roots) and ops._reaches_other_leaves(roots, self.leaves)

    def result(self, value: Any) -> Any:
        """A result as the world outside sees it."""
        if not isinstance(value, Tensor) or not ops._requires_grad(value) or self.leads_outside((value,)):
            return value
        return value.detach()  # type: ignore[attr-defined]


def zeros_like(tensor: Tensor) -> Tensor:
    import pywasmtorch as torch

    return torch.zeros_like(tensor)


def gradients(outputs: Sequence[Any], inputs: Sequence[Tensor], seeds: Sequence[Tensor | None] | None, create_graph: bool, retain_graph: bool = True) -> list[Tensor]:
    """Gradients, with zeros where nothing arrives."""
    pairs = [(o, s) for o, s in zip(outputs, seeds or [None] * len(outputs)) if o is not None and ops._requires_grad(o)]
    found: Sequence[Tensor | None] = [None] * len(inputs)
    if pairs:
        from ..autograd import grad

        roots, given = zip(*pairs)
        found = grad(roots, inputs, given, retain_graph=retain_graph or create_graph, create_graph=create_graph, allow_unused=True)
    return [zeros_like(i) if g is None else g for g, i in zip(found, inputs)]


def named_after(func: Callable[..., Any], wrapper: Callable[..., Any]) -> Callable[..., Any]:
    import functools

    return functools.wraps(func)(wrapper)
