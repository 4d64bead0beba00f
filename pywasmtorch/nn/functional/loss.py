"""mse_loss, l1_loss, huber_loss, nll_loss, cross_entropy, binary_cross_entropy, kl_div and other losses."""

from __future__ import annotations

import warnings
from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "gaussian_nll_loss", "huber_loss", "kl_div", "l1_loss", "mse_loss", "nll_loss",
    "poisson_nll_loss", "smooth_l1_loss",
]

REDUCTIONS = ("none", "mean", "sum")


def settled(reduction: str, size_average: Any = None, reduce: Any = None) -> str:
    """The reduction that torch's older two flags mean. ValueError for unknown names."""
    if size_average is not None or reduce is not None:
        size_average, reduce = size_average is None or size_average, reduce is None or reduce
        reduction = "mean" if size_average and reduce else "sum" if reduce else "none"
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.", stacklevel=3)
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def of_one_size(input: Tensor, target: Tensor, weight: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if weight is not None and weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    if input.shape != target.shape:
        warnings.warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to incorrect results due to "
                      "broadcasting. Please ensure they have the same size.", stacklevel=3)
        input, target = ops.broadcast_tensors((input, target))
    return input, target


def weighted(terms: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    if weight is None:
        return ops._reduce_loss(terms, reduction)
    terms = terms * weight
    if reduction == "mean":
        return ops.FUNCTIONS["sum"](terms) / ops.FUNCTIONS["sum"](weight)
    return ops._reduce_loss(terms, reduction)


def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The mean of squared differences."""
    input, target = of_one_size(input, target, weight)
    reduction = settled(reduction, size_average, reduce)
    if weight is not None:
        return weighted(ops._mse_loss(input, target, "none"), weight, reduction)
    return ops._mse_loss(input, target, reduction)


def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The mean of absolute differences."""
    input, target = of_one_size(input, target, weight)
    reduction = settled(reduction, size_average, reduce)
    if weight is not None:
        return weighted(ops._l1_loss(input, target, "none"), weight, reduction)
    return ops._l1_loss(input, target, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    input, target = of_one_size(input, target)
    return ops._smooth_l1_loss(input, target, settled(reduction, size_average, reduce), beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None) -> Tensor:
    input, target = of_one_size(input, target, weight)
    if weight is not None:
        return ops._reduce_loss(ops._huber_loss(input, target, "none", delta) * weight, settled(reduction))
    return ops._huber_loss(input, target, settled(reduction), delta)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
             reduction: str = "mean") -> Tensor:
    """The negative log-likelihood of `target` classes; input holds log-probabilities, (N, C) or (N, C, d1, …)."""
    return ops._nll_loss(input, target, weight, settled(reduction, size_average, reduce), ignore_index)


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
                  reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """log_softmax and nll_loss in one; target holds classes, or probabilities of input's shape."""
    if size_average is not None or reduce is not None or reduction not in REDUCTIONS:
        reduction = settled(reduction, size_average, reduce)
    return ops._cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. Please ensure they have the same size.")
    return ops._binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
                                     pos_weight: Tensor | None = None) -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """Kullback–Leibler divergence; input holds log-probabilities, target probabilities (or their logarithms). Both are floating-point."""
    if input.is_complex() or target.is_complex():
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if reduction == "batchmean" and size_average is None and reduce is None:
        return ops._reduce_loss(ops.kl_terms(input, target, log_target), "sum") / (input.shape[0] if input.ndim else 1)
    reduction = settled(reduction, size_average, reduce)
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides only by the batch size, and aligns with the "
                      "KL div math definition. 'mean' will be changed to behave the same as 'batchmean' in the next major release.", stacklevel=2)
    return ops._reduce_loss(ops.kl_terms(input, target, log_target), reduction)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: Any = None, eps: float = 1e-8, reduce: Any = None,
                     reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    loss = ops.exp(input) - target * input if log_input else input - target * ops.log(input + eps)
    if full:
        stirling = target * ops.log(target) - target + 0.5 * ops.log(2 * 3.141592653589793 * target)
        loss = loss + ops._to_dtype(ops.masked_fill(stirling, target <= 1, 0), loss.dtype)
    return ops._reduce_loss(loss, reduction)


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    """The negative log-likelihood of `target` under normal distributions with means `input` and variances `var`."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = ops._full(input.shape, var, input.dtype)
    elif not isinstance(var, Tensor):
        raise TypeError(f"gaussian_nll_loss(): argument 'var' (position 3) must be Tensor or float, not {type(var).__name__}")
    elif var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = ops.unsqueeze(var, -1)
        elif input.ndim != var.ndim or sum(own for size, own in zip(input.shape, var.shape) if size != own) != 1:  # one variance along one dimension
            raise ValueError("var is of incorrect size")
    if not var.is_floating_point():
        raise RuntimeError(f"result type Float can't be cast to the desired output type {var.dtype}")
    if bool(ops.FUNCTIONS["any"](var < 0).item()):
        raise ValueError("var has negative entry/entries")
    clamped = ops.FUNCTIONS["clamp_min"](var.detach(), eps)
    floor = var + (clamped - var.detach())
    loss = 0.5 * (ops.log(floor) + (input - target) ** 2 / floor)
    if full:
        loss = loss + 0.9189385332046727
    return ops._reduce_loss(loss, settled(reduction))
