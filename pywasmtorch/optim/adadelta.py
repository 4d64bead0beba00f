"""Adadelta."""

from .._core.generated.ops import _adadelta_step
from ._stepped import CAPTURABLE_DEVICES, SteppedOptimizer, check_not_negative, check_rate, number_tensor, zeros
from ._steps import adadelta_step

__all__ = ["Adadelta"]


class Adadelta(SteppedOptimizer):
    """Adadelta (Zeiler, 2012): the ratio of two running averages is the rate.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1.0.
        rho (float): how much of the averages of squares each step keeps. Default: 0.9.
        eps (float): added to both averages before their roots. Default: 1e-6.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _state_keys = ("square_avg", "acc_delta", "step")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _capturable_devices = CAPTURABLE_DEVICES[:-1]
    _core_step = staticmethod(_adadelta_step)
    _recorded_step = staticmethod(adadelta_step)

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ):
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("epsilon value", eps)
        check_not_negative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["square_avg"] = zeros(param)
        state["acc_delta"] = zeros(param)

    def _options_of(self, group):
        return (
            group["lr"],
            group["rho"],
            group["eps"],
            group["weight_decay"],
            bool(group["maximize"]),
        )
