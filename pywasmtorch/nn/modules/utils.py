"""add_parameter, reset_weight_and_bias, check_dims: helpers of modules."""

import math
from collections.abc import Iterable

import pywasmtorch as torch

from .. import init
from ..parameter import Parameter
from ._state_dict import consume_prefix_in_state_dict_if_present

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse"):
    """A function that makes its argument a tuple: of its items where it has any, else of ``n`` times itself."""

    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def add_parameter(module, name, shape, device, dtype, present=True):
    """Register an uninitialised parameter, or None where it is not ``present``."""
    param = Parameter(torch.empty(shape, device=device, dtype=dtype)) if present else None
    module.register_parameter(name, param)


def reset_weight_and_bias(weight, bias):
    """The start of linear and convolution layers: uniform within 1/sqrt(fan_in).

    Kaiming's bound with a = sqrt(5) comes to the same for the weight.
    """
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


def reset_affine(weight, bias):
    """The start of normalisation layers: weight 1, bias 0; either may be None."""
    if weight is not None:
        init.ones_(weight)
    if bias is not None:
        init.zeros_(bias)


def check_dims(input, *allowed):
    """Raise ValueError unless ``input`` has one of the allowed numbers of dimensions."""
    if input.dim() not in allowed:
        expected = " or ".join(f"{n}D" for n in allowed)
        raise ValueError(f"expected {expected} input (got {input.dim()}D input)")
