"""Muon."""

import math

import pywasmtorch as torch

from ._arguments import check_at_least, check_one_element
from ._fused import with_gradients, zeros
from .optimizer import Optimizer, _evaluate, _get_value

__all__ = ["Muon"]


class Muon(Optimizer):
    """Momentum whose steps are made orthogonal by Newton and Schulz's iteration (Jordan et al., 2024), for matrices.

    Args:
        params (iterable): matrices; see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        weight_decay (float): shrinks the parameters themselves. Default: 0.1.
        momentum (float): how much of the average of gradients each step keeps. Default: 0.95.
        nesterov (bool): step from where the momentum will lead. Default: ``True``.
        ns_coefficients (tuple): of ``a X + b X X^T X + c (X X^T)^2 X``. Default: (3.4445, -4.775, 2.0315).
        eps (float): the least norm to divide by. Default: 1e-7.
        ns_steps (int): how often the polynomial is applied, in bfloat16. Default: 5.
        adjust_lr_fn (str): how the rate depends on the shape, ``"original"``, the default, or ``"match_rms_adamw"``.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        weight_decay=0.1,
        momentum=0.95,
        nesterov=True,
        ns_coefficients=(3.4445, -4.775, 2.0315),
        eps=1e-7,
        ns_steps=5,
        adjust_lr_fn=None,
    ):
        check_one_element("lr", lr)
        for name, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            check_at_least(name, value)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}")

    def step(self, closure=None):
        """Update the parameters that have gradients.

        Args:
            closure (callable, optional): computes the loss and the gradients anew; the loss is returned.
        """
        loss = _evaluate(closure)
        with torch.no_grad():
            for group in self.param_groups:
                pairs = with_gradients(group["params"])
                if any(param.is_complex() for param, _ in pairs):
                    raise RuntimeError("Muon does not support complex parameters")
                for param, grad in pairs:
                    self._update(group, param, grad)
        return loss

    def _update(self, group, param, grad):
        state = self.state[param]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = zeros(grad)
        lr, momentum = _get_value(group["lr"]), group["momentum"]
        update = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        if group["nesterov"]:
            update = grad.lerp(update, momentum)
        update = _orthogonalized(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        param.mul_(1 - lr * group["weight_decay"])
        param.add_(update, alpha=-lr * _rate_factor(group["adjust_lr_fn"], *param.shape))


def _rate_factor(name, rows, cols):
    if name == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, cols))
    return math.sqrt(max(1, rows / cols))


def _orthogonalized(matrix, coefficients, steps, eps):
    """A matrix with nearly the same singular vectors and singular values near 1, in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    is_tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.T if is_tall else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if is_tall else x
