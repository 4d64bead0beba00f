"""Adam."""

from .._core.generated.ops import _adam_step
from .._tensor import Tensor
from ._stepped import SteppedOptimizer, check_betas, check_not_negative, number_tensor, zeros
from ._steps import adam_step
from .optimizer import _check_implementation, _to_scalar

__all__ = ["Adam"]


class Adam(SteppedOptimizer):
    """Adam (Kingma and Ba, 2015).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        betas (tuple): how much of the averages of the gradient and of its square each step keeps.
            Default: (0.9, 0.999).
        eps (float): added to the denominator. Default: 1e-8.
        weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.
        amsgrad (bool): divide by the largest average so far (Reddi et al., 2018). Default: ``False``.
        maximize (bool): ascend. Default: ``False``.
        differentiable (bool): record the step for autograd. Default: ``False``.
        decoupled_weight_decay (bool): shrink the parameters themselves, as :class:`AdamW` does. Default: ``False``.
        capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.
        foreach, fused: accepted; every step is fused here.
    """

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
        _check_one_element("lr", lr, foreach and not capturable)
        check_not_negative("learning rate", lr)
        check_not_negative("epsilon value", eps)
        check_betas(betas)
        check_not_negative("weight_decay value", weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas[:2]) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i in (0, 1):
            _check_one_element(f"betas[{i}]", betas[i], foreach and not capturable)
        defaults = {
            "lr": lr,
            "betas": tuple(map(_to_scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
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

    def _init_state(self, state, param, grad, group):
        state["step"] = number_tensor(0, group["fused"])
        names = ["exp_avg", "exp_avg_sq"]
        if group["amsgrad"]:
            names.append("max_exp_avg_sq")
        for name in names:
            state[name] = zeros(param)


def _check_one_element(name, value, is_refused):
    if isinstance(value, Tensor):
        if is_refused:
            raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")
        if value.numel() != 1:
            raise ValueError(f"Tensor {name} must be 1-element")
