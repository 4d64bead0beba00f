"""ASGD: averaged stochastic gradient descent."""

from .._core.generated.ops import _asgd_step
from ._arguments import described
from ._differentiable import asgd_step
from ._fused import SteppedOptimizer, number_tensor

__all__ = ["ASGD"]


class ASGD(SteppedOptimizer):
    __doc__ = f"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992); the average is the state's ``"ax"``.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-2.
        lambd (float): how fast the parameters and the rate decay. Default: 1e-4.
        alpha (float): the power of the rate's decay. Default: 0.75.
        t0 (float): the step at which averaging begins. Default: 1e6.
        {described("weight_decay", "maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = ("lr", "lambd", "alpha", "t0", "weight_decay", "foreach", "maximize", "differentiable", "capturable")
    _checked_names = ("lr", "weight_decay")
    _state_keys = ("ax", "step", "eta", "mu")
    _numbers = {"step": 0, "eta": 0, "mu": 1}
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
        super().__init__(params, self._checked(locals()))

    def _init_state(self, state, param, grad, group):
        super()._init_state(state, param, grad, group)
        state["eta"] = number_tensor(group["lr"])

    def _options_of(self, group):
        return group["lr"], group["lambd"], group["alpha"], group["t0"], group["weight_decay"], bool(group["maximize"])
