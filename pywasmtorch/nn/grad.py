"""conv1d_input, conv1d_weight and others: gradients of convolutions."""

import pywasmtorch as torch

from .._core.names import absent as _named_absent
from . import functional as F

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def _gradient(function, by, input, weight, grad_output, how):
    with torch.enable_grad():
        factors = [input, weight]
        factors[by] = factors[by].detach().requires_grad_()
        output = function(*factors, None, *how)
        keep = torch.is_grad_enabled() and (grad_output.requires_grad or factors[1 - by].requires_grad)
        return torch.autograd.grad(output, factors[by], grad_output, create_graph=keep)[0]


def _by_input(function):
    def gradient(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        input = torch.zeros(input_size, dtype=grad_output.dtype)
        return _gradient(function, 0, input, weight, grad_output, (stride, padding, dilation, groups))

    gradient.__name__ = gradient.__qualname__ = f"{function.__name__}_input"
    gradient.__doc__ = f"The gradient of {function.__name__} by its input of size ``input_size``."
    return gradient


def _by_weight(function):
    def gradient(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        weight = torch.zeros(weight_size, dtype=grad_output.dtype)
        return _gradient(function, 1, input, weight, grad_output, (stride, padding, dilation, groups))

    gradient.__name__ = gradient.__qualname__ = f"{function.__name__}_weight"
    gradient.__doc__ = f"The gradient of {function.__name__} by its weight of size ``weight_size``."
    return gradient


conv1d_input, conv2d_input, conv3d_input = map(_by_input, (F.conv1d, F.conv2d, F.conv3d))
conv1d_weight, conv2d_weight, conv3d_weight = map(_by_weight, (F.conv1d, F.conv2d, F.conv3d))

__getattr__ = _named_absent(__name__)
