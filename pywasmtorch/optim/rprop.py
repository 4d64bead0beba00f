"""Rprop: resilient backpropagation."""

from .._core.generated.ops import _rprop_step
from ._arguments import described
from ._differentiable import rprop_step
from ._fused import SteppedOptimizer, filled, number_tensor, zeros
from .optimizer import _get_value

__all__ = ["Rprop"]


class Rprop(SteppedOptimizer):
    __doc__ = f"""Resilient backpropagation (Riedmiller and Braun, 1993): only the gradient's sign counts.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the size of the first steps. Default: 1e-2.
        etas (tuple): what a step's size is multiplied with where the sign changed and where it did not.
            Default: (0.5, 1.2).
        step_sizes (tuple): the smallest and the largest size. Default: (1e-6, 50).
        {described("maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = ("lr", "etas", "step_sizes", "foreach", "maximize", "differentiable", "capturable")
    _checked_names = ("lr", "etas")
    _state_keys = ("prev", "step_size", "step")
    _core_step = staticmethod(_rprop_step)
    _recorded_step = staticmethod(rprop_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        super().__init__(params, self._checked(locals()))

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["prev"] = zeros(param)
        state["step_size"] = filled(grad, _get_value(group["lr"]))

    def _options_of(self, group):
        return *group["etas"], *group["step_sizes"], bool(group["maximize"])
