"""Adagrad."""

from .._core.generated.ops import _adagrad_step
from ._arguments import described
from ._differentiable import adagrad_step
from ._fused import SteppedOptimizer, filled, number_tensor
from ._sparse import adagrad_step as sparse_adagrad_step
from .optimizer import _check_implementation, _get_value

__all__ = ["Adagrad"]


class Adagrad(SteppedOptimizer):
    __doc__ = f"""Adagrad (Duchi, Hazan and Singer, 2011): the rate falls with the sum of the squares so far.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-2.
        lr_decay (float): the rate of step n is ``lr / (1 + (n - 1) * lr_decay)``. Default: 0.
        {described("weight_decay")}
        initial_accumulator_value (float): what the sums of squares begin with. Default: 0.
        eps (float): added to the denominator. Default: 1e-10.
        {described("maximize", "differentiable", "foreach, fused")}
    """

    _option_names = (
        "lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", "foreach", "maximize", "differentiable",
        "fused",
    )
    _checked_names = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")
    _state_keys = ("sum", "step")
    _late_options = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}
    _core_step = staticmethod(_adagrad_step)
    _recorded_step = staticmethod(adagrad_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(params, self._checked(locals()))
        _check_implementation(foreach, fused, differentiable)
        for group in self.param_groups:
            for param in group["params"]:
                self._init_state(self.state[param], param, None, group)

    def _step_group(self, group):
        if group["fused"]:
            for param in group["params"]:
                self._check_param_of_step(group, param)
        super()._step_group(group)

    def _sparse_step(self, group, params):
        names = ("lr", "lr_decay", "weight_decay", "eps", "maximize")
        sparse_adagrad_step(params, self.state, *(_get_value(group[name]) for name in names))

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0, group["fused"])
        state["sum"] = filled(param, self.defaults["initial_accumulator_value"])

    def _options_of(self, group):
        return group["lr"], group["lr_decay"], group["weight_decay"], group["eps"], bool(group["maximize"])

    def share_memory(self):
        """NotImplementedError where there is any state: processes do not share tensors here."""
        for state in self.state.values():
            state["sum"].share_memory_()
