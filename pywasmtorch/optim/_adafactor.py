"""Adafactor."""

from .._core.generated.ops import _adafactor_step
from ._arguments import check_at_least, check_one_element, described
from ._fused import SteppedOptimizer, number_tensor, zeros

__all__ = ["Adafactor"]


class Adafactor(SteppedOptimizer):
    __doc__ = f"""Adafactor (Shazeer and Stern, 2018): the average of squares of a matrix is kept as those of its rows and columns.

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the largest relative rate. Default: 1e-2.
        beta2_decay (float): step n takes in ``n ** beta2_decay`` of the new squares. Default: -0.8.
        eps (tuple): what the averages are at least, by default the dtype's epsilon, and what a parameter's root mean
            square counts for at least. Default: (None, 1e-3).
        d (float): the root mean square of a step is at most this. Default: 1.
        weight_decay (float): shrinks the parameters themselves. Default: 0.
        {described("maximize", "foreach")}
    """

    _option_names = ("lr", "beta2_decay", "eps", "d", "weight_decay", "foreach", "maximize")
    _late_options = {"foreach": None}
    _core_step = staticmethod(_adafactor_step)

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ):
        check_one_element("lr", lr)
        check_at_least("Learning rate", lr)
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            check_at_least("epsilon1", eps[0])
        check_at_least("epsilon2", eps[1])
        check_at_least("Clipping threshold d", d, 1)
        check_at_least("weight_decay", weight_decay)
        super().__init__(params, self._checked(locals()))

    def _check_param_of_step(self, group, param):
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0)
        if grad.dim() > 1:
            state["row_var"] = grad.new_zeros([*grad.shape[:-1], 1])
            state["col_var"] = grad.new_zeros([*grad.shape[:-2], 1, grad.shape[-1]])
        else:
            state["variance"] = zeros(grad)

    def _lists_of(self, group, states):
        rows = [state["row_var"] if "row_var" in state else state["variance"] for state in states]
        return rows, [state.get("col_var") for state in states], [state["step"] for state in states]

    def _options_of(self, group):
        return group["lr"], group["beta2_decay"], *group["eps"], group["d"], group["weight_decay"], bool(group["maximize"])
