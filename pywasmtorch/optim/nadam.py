"""NAdam."""

from .._core.generated.ops import _nadam_step
from ._arguments import described
from ._differentiable import nadam_step
from ._fused import SteppedOptimizer

__all__ = ["NAdam"]


class NAdam(SteppedOptimizer):
    __doc__ = f"""Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 2e-3.
        {described("betas")}
        eps (float): added to the denominator. Default: 1e-8.
        {described("weight_decay")}
        momentum_decay (float): how fast the momentum approaches the first beta. Default: 4e-3.
        {described("decoupled_weight_decay", "maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = (
        "lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay", "maximize", "foreach", "capturable",
        "differentiable",
    )
    _checked_names = ("lr", "eps", "betas", "weight_decay", "momentum_decay")
    _state_keys = ("exp_avg", "exp_avg_sq", "step", "mu_product")
    _numbers = {"step": 0, "mu_product": 1}
    _late_options = {**SteppedOptimizer._late_options, "decoupled_weight_decay": False}
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
        super().__init__(params, self._checked(locals()))

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
