"""RMSprop."""

from .._core.generated.ops import _rmsprop_step
from ._stepped import SteppedOptimizer, check_not_negative, check_rate, number_tensor, zeros
from ._steps import rmsprop_step

__all__ = ["RMSprop"]


class RMSprop(SteppedOptimizer):
    """RMSprop (Hinton's lecture, 2012): the gradient over the root of a running average of squares.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-2.
        alpha (float): how much of the average each step keeps. Default: 0.99.
        eps (float): added to the denominator. Default: 1e-8.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        momentum (float): of the steps. Default: 0.
        centered (bool): divide by an estimate of the standard deviation (Graves, 2013). Default: ``False``.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _late_options = {
        "momentum": 0,
        "centered": False,
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _core_step = staticmethod(_rmsprop_step)
    _recorded_step = staticmethod(rmsprop_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_rate(lr)
        check_not_negative("epsilon value", eps)
        check_not_negative("momentum value", momentum)
        check_not_negative("weight_decay value", weight_decay)
        check_not_negative("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _keys_of(self, group):
        buffer = "momentum_buffer" if group["momentum"] > 0 else None
        return ("square_avg", buffer, "grad_avg" if group["centered"] else None, "step")

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["square_avg"] = zeros(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(param)
        if group["centered"]:
            state["grad_avg"] = zeros(param)

    def _options_of(self, group):
        return (
            group["lr"],
            group["alpha"],
            group["eps"],
            group["weight_decay"],
            group["momentum"],
            group["centered"],
            bool(group["maximize"]),
        )
