"""NAdam."""

from .._core.generated.ops import _nadam_step
from ._stepped import SteppedOptimizer, check_betas, check_not_negative, check_rate, number_tensor, zeros
from ._steps import nadam_step

__all__ = ["NAdam"]


class NAdam(SteppedOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 2e-3.
        betas (tuple): how much of the averages of the gradient and of its square each step keeps.
            Default: (0.9, 0.999).
        eps (float): added to the denominator. Default: 1e-8.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        momentum_decay (float): how fast the momentum approaches the first beta. Default: 4e-3.
        decoupled_weight_decay (bool): shrink the parameters themselves, as :class:`AdamW` does. Default: ``False``.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _state_keys = ("exp_avg", "exp_avg_sq", "step", "mu_product")
    _number_keys = ("step", "mu_product")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
        "decoupled_weight_decay": False,
    }
    _capturable_state = "params, mu_products and state_steps"
    _core_step = staticmethod(_nadam_step)
    _recorded_step = staticmethod(nadam_step)

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
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
        check_not_negative("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["mu_product"] = number_tensor(1)
        state["exp_avg"] = zeros(param)
        state["exp_avg_sq"] = zeros(param)

    def _options_of(self, group):
        return (
            group["lr"],
            *group["betas"],
            group["eps"],
            group["weight_decay"],
            group["momentum_decay"],
            group["decoupled_weight_decay"],
            bool(group["maximize"]),
        )
