"""RAdam."""

from .._core.generated.ops import _radam_step
from ._stepped import SteppedOptimizer, check_betas, check_not_negative, check_rate, number_tensor, zeros
from ._steps import radam_step

__all__ = ["RAdam"]


class RAdam(SteppedOptimizer):
    """Rectified Adam (Liu et al., 2020): plain momentum until the average of squares can be trusted.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        betas (tuple): how much of the averages of the gradient and of its square each step keeps.
            Default: (0.9, 0.999).
        eps (float): added to the denominator. Default: 1e-8.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        decoupled_weight_decay (bool): shrink the parameters themselves, as :class:`AdamW` does. Default: ``False``.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _state_keys = ("exp_avg", "exp_avg_sq", "step")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
        "decoupled_weight_decay": False,
    }
    _core_step = staticmethod(_radam_step)
    _recorded_step = staticmethod(radam_step)

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["exp_avg"] = zeros(param)
        state["exp_avg_sq"] = zeros(param)

    def _options_of(self, group):
        return (
            group["lr"],
            *group["betas"],
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            bool(group["maximize"]),
        )
