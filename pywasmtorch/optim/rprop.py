"""Resilient backpropagation."""

import pywasmtorch as torch

from .._core.generated.ops import _rprop_step
from ._stepped import SteppedOptimizer, check_rate, number_tensor, zeros
from ._steps import rprop_step
from .optimizer import _get_value

__all__ = ["Rprop"]


class Rprop(SteppedOptimizer):
    """Resilient backpropagation (Riedmiller and Braun, 1993): only the gradient's sign counts.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the size of the first steps. Default: 1e-2.
        etas (tuple): what a step's size is multiplied with where the sign changed and where it did not.
            Default: (0.5, 1.2).
        step_sizes (tuple): the smallest and the largest size. Default: (1e-6, 50).
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach: accepted; every step is fused here.
    """

    _state_keys = ("prev", "step_size", "step")
    _late_options = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
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
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        state["prev"] = zeros(param)
        size = _get_value(group["lr"])
        state["step_size"] = torch.full_like(grad, complex(size, size) if param.is_complex() else size, requires_grad=False)

    def _options_of(self, group):
        return (
            *group["etas"],
            *group["step_sizes"],
            bool(group["maximize"]),
        )
