"""Sparse gradients of dense leaves, as of `embedding(sparse=True)`: the core's gradients are dense, so these stand beside them."""

from __future__ import annotations

import threading
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor

KEY = "_sparse_grad"


class _Pass(threading.local):
    """What a pass for named inputs found for them; None in a pass for all leaves."""

    found: dict[int, Any] | None = None


_pass = _Pass()
_met = False  # whether there was a sparse gradient yet


def met() -> bool:
    return _met


def expect() -> None:
    """From now on there may be sparse gradients."""
    global _met
    _met = True


def deliver(leaf: Tensor, grad: Any) -> None:
    """Adds a sparse gradient to a leaf's, or to what the pass at work is asked for."""
    if leaf.__dict__.get("_hooks"):
        raise NotImplementedError("pywasmtorch calls no hooks with sparse gradients; remove those of the tensor or use sparse=False")
    found = _pass.found
    if found is None:
        old = leaf.__dict__.get(KEY)
        leaf.__dict__[KEY] = grad if old is None else old + grad
    elif id(leaf) in found:
        old = found[id(leaf)]
        found[id(leaf)] = grad if old is None else old + grad


def of(leaf: Tensor) -> Any:
    """The gradient of a leaf that has a sparse one: with what is dense of it, dense."""
    sparse, dense = leaf.__dict__[KEY], ops._grad(leaf)
    if dense is None:
        return sparse
    del leaf.__dict__[KEY]
    leaf.grad = dense + sparse
    return leaf.grad


def assign(leaf: Tensor, grad: Any) -> None:
    """RuntimeError for a gradient of another size or dtype."""
    if grad.shape != leaf.shape:
        raise RuntimeError(f"assigned grad has data of a different size: {list(grad.shape)} for a tensor of size {list(leaf.shape)}")
    if grad.dtype is not leaf.dtype:
        raise RuntimeError(f"assigned grad has data of a different type: {grad.dtype} for a tensor of {leaf.dtype}")
    expect()
    ops._set_grad(leaf, None)
    leaf.__dict__[KEY] = grad


class for_inputs:
    """A pass for named inputs, whose sparse gradients `results` adds to what the core found."""

    def __init__(self, inputs: Any) -> None:
        self.inputs, self.found = inputs, {id(t): None for t in inputs}

    def __enter__(self) -> for_inputs:
        self.before, _pass.found = _pass.found, self.found
        return self

    def __exit__(self, *exception: Any) -> None:
        _pass.found = self.before

    def results(self, results: Any, allow_unused: bool) -> tuple[Any, ...]:
        both = [(dense, self.found[id(t)]) for dense, t in zip(results, self.inputs)]
        if not allow_unused and any(dense is None and sparse is None for dense, sparse in both):
            raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.")
        return tuple([dense if sparse is None else sparse if dense is None else dense + sparse for dense, sparse in both])

    def accumulate(self) -> None:
        for t in self.inputs:
            if self.found[id(t)] is not None:
                _pass_of_all(t, self.found[id(t)])


def _pass_of_all(leaf: Tensor, grad: Any) -> None:
    before, _pass.found = _pass.found, None
    try:
        deliver(leaf, grad)
    finally:
        _pass.found = before
