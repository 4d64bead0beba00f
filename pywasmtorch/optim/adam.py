"""Adam, AMSGrad."""

from .._core.generated.ops import _adam_step
from .._tensor import Tensor
from ._arguments import check_one_element, described
from ._differentiable import adam_step
from ._fused import SteppedOptimizer
from .optimizer import _check_implementation, _to_scalar

__all__ = ["Adam"]


class Adam(SteppedOptimizer):
    __doc__ = f"""Adam (Kingma and Ba, 2015).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        {described("betas")}
        eps (float): added to the denominator. Default: 1e-8.
        {described("weight_decay")}
        amsgrad (bool): divide by the largest average so far (Reddi et al., 2018). Default: ``False``.
        {described("maximize", "differentiable", "decoupled_weight_decay", "capturable", "foreach, fused")}
    """

    _option_names = (
        "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable", "differentiable", "fused",
        "decoupled_weight_decay",
    )
    _checked_names = ("lr", "eps", "betas", "weight_decay")
    _late_options = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }
    _core_step = staticmethod(_adam_step)
    _recorded_step = staticmethod(adam_step)

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        refuses_tensors = foreach and not capturable
        _check_one_element("lr", lr, refuses_tensors)
        options = self._checked(locals())
        if not any(all(isinstance(beta, kind) for beta in betas[:2]) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i in (0, 1):
            _check_one_element(f"betas[{i}]", betas[i], refuses_tensors)
        options["betas"] = tuple(map(_to_scalar, betas))
        super().__init__(params, options)
        _check_implementation(foreach, fused, differentiable)

    def _step_group(self, group):
        if group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")
        super()._step_group(group)

    def _keys_of(self, group):
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq" if group["amsgrad"] else None, "step")

    def _options_of(self, group):
        return (
            group["lr"],
            *group["betas"],
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            group["amsgrad"],
            bool(group["maximize"]),
        )


def _check_one_element(name, value, refuses_tensors):
    if refuses_tensors and isinstance(value, Tensor):
        raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")
    check_one_element(name, value)
