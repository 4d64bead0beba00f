"""Adamax."""

from .._core.generated.ops import _adamax_step
from ._stepped import SteppedOptimizer, check_betas, check_not_negative, check_rate, number_tensor, zeros
from ._steps import adamax_step

__all__ = ["Adamax"]


class Adamax(SteppedOptimizer):
    """Adamax, Adam with the infinity norm (Kingma and Ba, 2015, section 7.1).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 2e-3.
        betas (tuple): how much of the averages of the gradient and the norm each step keeps.
            Default: (0.9, 0.999).
        eps (float): added to the absolute gradient. Default: 1e-8.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _state_keys = ("exp_avg", "exp_inf", "step")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    _core_step = staticmethod(_adamax_step)
    _recorded_step = staticmethod(adamax_step)

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_rate(lr)
        check_not_negative("epsilon value", eps)
        check_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["exp_avg"] = zeros(param)
        state["exp_inf"] = zeros(param)

    def _options_of(self, group):
        return (
            group["lr"],
            *group["betas"],
            group["eps"],
            group["weight_decay"],
            bool(group["maximize"]),
        )
