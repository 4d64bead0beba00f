"""RMSprop."""

from .._core.generated.ops import _rmsprop_step
from ._arguments import described
from ._differentiable import rmsprop_step
from ._fused import SteppedOptimizer

__all__ = ["RMSprop"]


class RMSprop(SteppedOptimizer):
    __doc__ = f"""RMSprop (Hinton's lecture, 2012): the gradient over the root of a running average of squares.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-2.
        alpha (float): how much of the average each step keeps. Default: 0.99.
        eps (float): added to the denominator. Default: 1e-8.
        {described("weight_decay")}
        momentum (float): of the steps. Default: 0.
        centered (bool): divide by an estimate of the standard deviation (Graves, 2013). Default: ``False``.
        {described("maximize", "differentiable", "capturable", "foreach")}
    """

    _option_names = (
        "lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable", "foreach", "maximize", "differentiable",
    )
    _checked_names = ("lr", "eps", "momentum", "weight_decay", "alpha")
    _late_options = {"momentum": 0, "centered": False, **SteppedOptimizer._late_options}
    _core_step = staticmethod(_rmsprop_step)
    _recorded_step = staticmethod(rmsprop_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        super().__init__(params, self._checked(locals()))

    def _keys_of(self, group):
        buffer = "momentum_buffer" if group["momentum"] > 0 else None
        return ("square_avg", buffer, "grad_avg" if group["centered"] else None, "step")

    def _options_of(self, group):
        return (
            group["lr"],
            group["alpha"],
            group["eps"],
            group["weight_decay"],
            group["momentum"],
            group["centered"],
            bool(group["maximize"]),
        )
