"""Tensor.grad, backward, retain_grad, requires_grad_ and other autograd methods of Tensor."""

from __future__ import annotations

from typing import Any

from .._core import frame
from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.operators import NUMBERS
from .._core.tensor_type import Tensor
from .._core.warning import warn
from . import _passes, _sparse_gradients
from .graph import node_of, register_post_accumulate_grad_hook, register_tensor_hook

BACKWARD = NUMBERS["_backward"] | 7 << 16


def get_grad(self: Tensor) -> Tensor | None:
    if "_sparse_grad" in self.__dict__:
        return _sparse_gradients.of(self)
    grad = ops._grad(self)
    if grad is None:
        if not ops._is_leaf(self) and not ops._retains_grad(self):
            warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed: backward() does not fill it, unless retain_grad() was called")
        self.__dict__.pop("_grad", None)
        return None
    known = self.__dict__.get("_grad")
    if known is not None and known._h == grad._h:
        return known
    self.__dict__["_grad"] = grad
    return grad


def set_grad(self: Tensor, value: Tensor | None) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    self.__dict__.pop("_grad", None)
    self.__dict__.pop("_sparse_grad", None)
    if value is not None and value._sparse:
        return _sparse_gradients.assign(self, value)
    ops._set_grad(self, value)
    if value is not None:
        self.__dict__["_grad"] = value


def del_grad(self: Tensor) -> None:
    set_grad(self, None)


def backward(self: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None) -> None:
    """Adds the gradient of this tensor to the `grad` of every leaf that it was computed from."""
    if gradient is None and not retain_graph and not create_graph and inputs is None:
        words, _, invoke = frame.here()
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7] = 1, self._h, 0, 0, 0, -1, 1, 0
        if frame.dead:
            frame.flush()
        if not invoke(BACKWARD):
            frame.raise_error()
        return
    _passes.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def retain_grad(self: Tensor) -> None:
    """Has backward passes store the gradient of a tensor that is no leaf in its `grad`, too."""
    ops._retain_grad(self)


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Says whether operators on this tensor are recorded, and returns it. RuntimeError for dtypes without gradients, and for
    False on a tensor that is itself a result."""
    ops._requires_grad_(self, requires_grad)
    return self


METHODS = {
    "backward": backward, "register_hook": register_tensor_hook, "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "retain_grad": retain_grad, "requires_grad_": tensors_checked(requires_grad_),
}
PROPERTIES = {
    "requires_grad": (ops._requires_grad, ops._set_requires_grad), "grad": (get_grad, set_grad, del_grad), "data": (ops._data, ops._set_data), "grad_fn": (node_of,),
    "is_leaf": (ops._is_leaf,), "_version": (ops._version,), "_base": (ops._base,), "output_nr": (ops._output_nr,), "retains_grad": (ops._retains_grad,),
}
