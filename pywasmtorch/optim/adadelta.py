"""Adadelta."""

from .._core.generated.ops import _adadelta_step
from ._arguments import described
from ._differentiable import adadelta_step
from ._fused import CAPTURABLE_DEVICES, SteppedOptimizer

__all__ = ["Adadelta"]


class Adadelta(SteppedOptimizer):
    __doc__ = f"""Adadelta (Zeiler, 2012): the ratio of two running averages is the rate.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1.0.
        rho (float): how much of the averages of squares each step keeps. Default: 0.9.
        eps (float): added to both averages before their roots. Default: 1e-6.
        {described("weight_decay", "maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = ("lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach", "differentiable")
    _checked_names = ("lr", "rho", "eps", "weight_decay")
    _state_keys = ("square_avg", "acc_delta", "step")
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
        super().__init__(params, self._checked(locals()))

    def _options_of(self, group):
        return group["lr"], group["rho"], group["eps"], group["weight_decay"], bool(group["maximize"])
