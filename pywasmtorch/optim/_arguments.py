"""Argument checks and shared docstrings of optimizers."""

from functools import partial

import pywasmtorch as torch


def check_one_element(name, value):
    if isinstance(value, torch.Tensor) and value.numel() != 1:
        raise ValueError(f"Tensor {name} must be 1-element")


def check_rate(lr):
    """Refuse a learning rate that is negative, or a tensor with several elements."""
    check_one_element("lr", lr)
    check_not_negative("learning rate", lr)


def check_not_negative(name, value):
    if not 0.0 <= value:
        raise ValueError(f"Invalid {name}: {value}")


def check_at_least(name, value, least=0):
    if not least <= value:
        raise ValueError(f"{name} should be >= {least} but is: {value}")


def check_betas(betas):
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_rho(rho):
    if not 0.0 <= rho <= 1.0:
        raise ValueError(f"Invalid rho value: {rho}")


def check_etas(etas):
    if not 0.0 < etas[0] < 1.0 < etas[1]:
        raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")


#: What refuses the value of an option, by the option's name.
CHECKS = {
    "lr": check_rate,
    "betas": check_betas,
    "rho": check_rho,
    "etas": check_etas,
    "eps": partial(check_not_negative, "epsilon value"),
    "weight_decay": partial(check_not_negative, "weight_decay value"),
    "momentum": partial(check_not_negative, "momentum value"),
    "momentum_decay": partial(check_not_negative, "momentum_decay value"),
    "alpha": partial(check_not_negative, "alpha value"),
    "lr_decay": partial(check_not_negative, "lr_decay value"),
    "initial_accumulator_value": partial(check_not_negative, "initial_accumulator_value value"),
}

#: What docstrings say about the arguments that several optimizers take.
DESCRIPTIONS = {
    "betas": (
        "betas (tuple): how much of the averages of the gradient and of its square each step keeps.\n"
        "    Default: (0.9, 0.999)."
    ),
    "weight_decay": "weight_decay (float): ``weight_decay * param`` is added to the gradient. Default: 0.",
    "decoupled_weight_decay": (
        "decoupled_weight_decay (bool): shrink the parameters themselves, as :class:`AdamW` does. Default: ``False``."
    ),
    "maximize": "maximize (bool): ascend. Default: ``False``.",
    "differentiable": "differentiable (bool): record the step for autograd. Default: ``False``.",
    "capturable": "capturable (bool): refused by ``step``, as no device here captures. Default: ``False``.",
    "foreach": "foreach: accepted; every step is fused here.",
    "foreach, fused": "foreach, fused: accepted; every step is fused here.",
}


def described(*names):
    """Lines about these arguments; those after the first begin where the arguments of a class's docstring do."""
    return "\n".join(DESCRIPTIONS[name] for name in names).replace("\n", "\n        ")
