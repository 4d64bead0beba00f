"""clip_grad_norm_, clip_grad_value_, get_total_norm."""

import warnings
from types import GeneratorType

import pywasmtorch as torch

from ..._tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def _as_list(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters):
    return [param.grad for param in _as_list(parameters) if param.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all tensors' elements together.

    Args:
        tensors (Tensor or iterable): any shapes.
        norm_type (float): p, or ``inf`` for the largest absolute value. Default: 2.
        error_if_nonfinite (bool): raise RuntimeError where the norm is infinite or nan. Default: ``False``.
        foreach: accepted; all tensors are one call of the core, whatever it says.
    """
    norm_type = float(norm_type)
    with torch.no_grad():
        tensors = _as_list(tensors)
        if not tensors:
            return torch.tensor(0.0)
        total_norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(tensors, norm_type)), norm_type)
    if error_if_nonfinite and not total_norm.isfinite():
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total_norm


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale the gradients by ``max_norm / (total_norm + 1e-6)`` where that is less than 1, in place."""
    grads = _grads(parameters)
    if grads:
        with torch.no_grad():
            scale = torch.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
            torch._foreach_mul_(grads, scale)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients so that the norm of all of them together is at most ``max_norm``, in place.

    Args:
        parameters (Tensor or iterable): those without a gradient are left out.
        max_norm (float): the largest norm.
        norm_type (float): p, or ``inf``. Default: 2.
        error_if_nonfinite (bool): raise RuntimeError where the norm is infinite or nan. Default: ``False``.
        foreach: accepted; all tensors are one call of the core, whatever it says.

    Returns:
        The norm before scaling.
    """
    is_generator = isinstance(parameters, GeneratorType)
    parameters = _as_list(parameters)
    if is_generator and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total_norm = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The older name of :func:`clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clamp every gradient to [-clip_value, clip_value], in place."""
    clip_value = float(clip_value)
    with torch.no_grad():
        grads = _grads(parameters)
        if grads:
            torch._foreach_clamp_min_(grads, -clip_value)
            torch._foreach_clamp_max_(grads, clip_value)
