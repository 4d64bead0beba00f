"""Adagrad."""

import pywasmtorch as torch

from .._core.generated.ops import _adagrad_step
from ._stepped import SteppedOptimizer, check_not_negative, check_rate, number_tensor
from ._steps import adagrad_step
from .optimizer import _check_implementation

__all__ = ["Adagrad"]


class Adagrad(SteppedOptimizer):
    """Adagrad (Duchi, Hazan and Singer, 2011): the rate falls with the sum of the squares so far.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-2.
        lr_decay (float): the rate of step n is ``lr / (1 + (n - 1) * lr_decay)``. Default: 0.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        initial_accumulator_value (float): what the sums of squares begin with. Default: 0.
        eps (float): added to the denominator. Default: 1e-10.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        foreach, fused: accepted; every step is fused here.
    """

    _state_keys = ("sum", "step")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "fused": None,
    }
    _core_step = staticmethod(_adagrad_step)
    _recorded_step = staticmethod(adagrad_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        check_rate(lr)
        check_not_negative("lr_decay value", lr_decay)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("initial_accumulator_value value", initial_accumulator_value)
        check_not_negative("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        _check_implementation(foreach, fused, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self._init_state(self.state[param], param, None, group)

    def _step_group(self, group):
        if group["fused"]:
            for param in group["params"]:
                self._check_param_of_step(group, param)
        super()._step_group(group)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0, group["fused"])
        start = self.defaults["initial_accumulator_value"]
        state["sum"] = torch.full_like(param, complex(start, start) if param.is_complex() else start, requires_grad=False)

    def _options_of(self, group):
        return (
            group["lr"],
            group["lr_decay"],
            group["weight_decay"],
            group["eps"],
            bool(group["maximize"]),
        )

    def share_memory(self):
        """Accepted: no other process shares this memory."""
