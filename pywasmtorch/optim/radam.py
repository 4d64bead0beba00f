"""RAdam."""

from .._core.generated.ops import _radam_step
from ._arguments import described
from ._differentiable import radam_step
from ._fused import SteppedOptimizer

__all__ = ["RAdam"]


class RAdam(SteppedOptimizer):
    __doc__ = f"""Rectified Adam (Liu et al., 2020): plain momentum until the average of squares can be trusted.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        {described("betas")}
        eps (float): added to the denominator. Default: 1e-8.
        {described("weight_decay", "decoupled_weight_decay", "maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = (
        "lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable", "decoupled_weight_decay", "differentiable",
    )
    _checked_names = ("lr", "eps", "betas", "weight_decay")
    _state_keys = ("exp_avg", "exp_avg_sq", "step")
    _late_options = {**SteppedOptimizer._late_options, "decoupled_weight_decay": False}
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
        super().__init__(params, self._checked(locals()))

    def _options_of(self, group):
        return (
            group["lr"],
            *group["betas"],
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            bool(group["maximize"]),
        )
