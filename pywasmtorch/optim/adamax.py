"""Adamax."""

from .._core.generated.ops import _adamax_step
from ._arguments import described
from ._differentiable import adamax_step
from ._fused import SteppedOptimizer

__all__ = ["Adamax"]


class Adamax(SteppedOptimizer):
    __doc__ = f"""Adamax, Adam with the infinity norm (Kingma and Ba, 2015, section 7.1).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 2e-3.
        betas (tuple): how much of the averages of the gradient and the norm each step keeps.
            Default: (0.9, 0.999).
        eps (float): added to the absolute gradient. Default: 1e-8.
        {described("weight_decay", "maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = ("lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable")
    _checked_names = ("lr", "eps", "betas", "weight_decay")
    _state_keys = ("exp_avg", "exp_inf", "step")
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
        super().__init__(params, self._checked(locals()))

    def _options_of(self, group):
        return group["lr"], *group["betas"], group["eps"], group["weight_decay"], bool(group["maximize"])
