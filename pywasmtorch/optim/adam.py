"""Adam."""

import pywasmtorch as torch

from .._generated.ops import _adam_step, _grads
from .._tensor import Tensor
from ._steps import adam_step
from .optimizer import Optimizer, _as_number, _check_implementation, _evaluate, _to_scalar

__all__ = ["Adam"]


class Adam(Optimizer):
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
        foreach, fused, capturable: accepted; every step is fused here.
    """

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
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
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

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("amsgrad", False)
            group.setdefault("maximize", False)
            group.setdefault("foreach", None)
            group.setdefault("capturable", False)
            group.setdefault("differentiable", False)
            group.setdefault("decoupled_weight_decay", False)
            group.setdefault("fused", None)
            for param in group["params"]:
                param_state = self.state.get(param)
                if param_state and not isinstance(param_state["step"], Tensor):
                    step = float(param_state["step"])
                    param_state["step"] = torch.tensor(step, dtype=_step_dtype(group))

    def step(self, closure=None):
        """Update the parameters that have gradients.

        Args:
            closure (callable, optional): computes the loss and the gradients anew; the loss is returned.
        """
        loss = _evaluate(closure)
        for group in self.param_groups:
            self._step_group(group)
        return loss

    def _step_group(self, group):
        amsgrad = group["amsgrad"]
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps = [], [], [], [], [], []
        for param, grad in zip(group["params"], _grads(group["params"]), strict=True):
            if grad is None:
                continue
            state = self.state[param]
            if not state:
                self._init_state(state, param, group)
            params.append(param)
            grads.append(grad)
            exp_avgs.append(state["exp_avg"])
            exp_avg_sqs.append(state["exp_avg_sq"])
            steps.append(state["step"])
            if amsgrad:
                max_exp_avg_sqs.append(state["max_exp_avg_sq"])
        if not params:
            return
        beta1, beta2 = map(_as_number, group["betas"])
        arguments = (
            params,
            grads,
            exp_avgs,
            exp_avg_sqs,
            max_exp_avg_sqs,
            steps,
            _as_number(group["lr"]),
            beta1,
            beta2,
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            amsgrad,
            group["maximize"],
        )
        if self.defaults["differentiable"]:
            with torch.enable_grad():
                adam_step(*arguments)
        else:
            _adam_step(*arguments)

    @staticmethod
    def _init_state(state, param, group):
        state["step"] = torch.tensor(0.0, dtype=_step_dtype(group))
        names = ["exp_avg", "exp_avg_sq"]
        if group["amsgrad"]:
            names.append("max_exp_avg_sq")
        for name in names:
            state[name] = torch.zeros_like(param, requires_grad=False)


def _check_one_element(name, value, is_refused):
    if isinstance(value, Tensor):
        if is_refused:
            raise ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")
        if value.numel() != 1:
            raise ValueError(f"Tensor {name} must be 1-element")


def _step_dtype(group):
    is_double = torch.get_default_dtype() == torch.float64 and not group["fused"]
    return torch.float64 if is_double else torch.float32
