"""Averaged stochastic gradient descent."""

from .._core.generated.ops import _asgd_step
from ._stepped import SteppedOptimizer, check_not_negative, check_rate, number_tensor, zeros
from ._steps import asgd_step

__all__ = ["ASGD"]


class ASGD(SteppedOptimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992); the average is the state's ``"ax"``.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-2.
        lambd (float): how fast the parameters and the rate decay. Default: 1e-4.
        alpha (float): the power of the rate's decay. Default: 0.75.
        t0 (float): the step at which averaging begins. Default: 1e6.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _state_keys = ("ax", "step", "eta", "mu")
    _number_keys = ("step", "eta", "mu")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _capturable_state = "params, mus, etas, and state_steps"
    _core_step = staticmethod(_asgd_step)
    _recorded_step = staticmethod(asgd_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_rate(lr)
        check_not_negative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["eta"] = number_tensor(group["lr"])
        state["mu"] = number_tensor(1)
        state["ax"] = zeros(param)

    def _options_of(self, group):
        return (
            group["lr"],
            group["lambd"],
            group["alpha"],
            group["t0"],
            group["weight_decay"],
            bool(group["maximize"]),
        )
