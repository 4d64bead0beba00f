"""Stochastic gradient descent."""

import pywasmtorch as torch

from .._generated.ops import _grads, _sgd_step
from .._tensor import Tensor
from ._steps import sgd_step
from .optimizer import Optimizer, _as_number, _check_implementation, _evaluate

__all__ = ["SGD"]

Tensors = tuple[list[Tensor], list[Tensor], list[Tensor]]


class SGD(Optimizer):
    """Stochastic gradient descent: ``param -= lr * grad``.

    With momentum, ``buf = momentum * buf + (1 - dampening) * grad`` takes the gradient's place, ``buf`` being the
    gradient at first; in Nesterov's form ``grad + momentum * buf`` does (Sutskever et al., 2013).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        momentum, dampening, weight_decay (float): default 0; ``weight_decay * param`` is added to the gradient.
        nesterov (bool): needs momentum and no dampening. Default: ``False``.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        foreach, fused: accepted; every step is fused here.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        _check_implementation(foreach, fused, differentiable)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("nesterov", False)
            group.setdefault("maximize", False)
            group.setdefault("foreach", None)
            group.setdefault("differentiable", False)
            group.setdefault("fused", False)

    def step(self, closure=None):
        """Update the parameters that have gradients.

        Args:
            closure (callable, optional): computes the loss and the gradients anew; the loss is returned.
        """
        loss = _evaluate(closure)
        for group in self.param_groups:
            self._step_group(group)
        return loss

    def _step_group(self, group):
        momentum = group["momentum"]
        started: Tensors = ([], [], [])
        fresh: Tensors = ([], [], [])
        for param, grad in zip(group["params"], _grads(group["params"]), strict=True):
            if grad is None:
                continue
            params, grads, bufs = started
            if momentum != 0:
                state = self.state[param]
                buf = state.get("momentum_buffer")
                if buf is None:
                    params, grads, bufs = fresh
                    buf = state["momentum_buffer"] = torch.zeros_like(param, requires_grad=False)
                bufs.append(buf)
            params.append(param)
            grads.append(grad)
        # The first gradient enters the momentum whole.
        for tensors, dampening in ((started, group["dampening"]), (fresh, 0)):
            if tensors[0]:
                self._update(group, tensors, dampening)

    def _update(self, group, tensors, dampening):
        arguments = (
            *tensors,
            _as_number(group["lr"]),
            group["momentum"],
            dampening,
            group["weight_decay"],
            group["nesterov"],
            group["maximize"],
        )
        if self.defaults["differentiable"]:
            with torch.enable_grad():
                sgd_step(*arguments)
        else:
            _sgd_step(*arguments)
