"""Losses and normalizations as torch.* has them: integer reductions, another order of arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.checks import tensors_checked
from ..._core.tensor_type import Tensor
from .. import functional as F
from . import sampling
from .norm import over_batch
from .sparse import shorten

# PyTorch documents these with reduction=1, but its binding takes 0, none, where none is given.
REDUCTIONS = ("none", "mean", "sum")


def reduced(reduction: int) -> str:
    if reduction not in (0, 1, 2):
        raise RuntimeError(f"reduction must be 0 (none), 1 (mean) or 2 (sum), got {reduction}")
    return REDUCTIONS[reduction]


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=reduced(reduction))


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    return F.hinge_embedding_loss(input, target, margin, reduction=reduced(reduction))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0) -> Tensor:
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=reduced(reduction))


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                        reduction: int = 0) -> Tensor:
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=reduced(reduction))


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    total = F.kl_div(input, target, reduction="none" if reduction == 0 else "sum", log_target=log_target)
    return total / max(input.numel(), 1) if reduced(reduction) == "mean" else total


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=reduced(reduction))


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = 0) -> Tensor:
    return F.binary_cross_entropy_with_logits(input, target, weight, reduction=reduced(reduction), pos_weight=pos_weight)


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = 0, zero_infinity: bool = False) -> Tensor:
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduced(reduction), zero_infinity)


def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float,
               eps: float, cudnn_enabled: bool) -> Tensor:
    return over_batch(input, weight, bias, running_mean, running_var, training, momentum, eps)


def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: bool,
                  momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    return F.rrelu(input, lower, upper, training)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Shortens the rows that `indices` name to `max_norm`, in place."""
    shorten(input, indices, max_norm, norm_type)
    return input


OWN = (binary_cross_entropy_with_logits, batch_norm, cosine_embedding_loss, ctc_loss, embedding_renorm_, hinge_embedding_loss, instance_norm, kl_div,
       margin_ranking_loss, poisson_nll_loss, rrelu, triplet_margin_loss, sampling.affine_grid_generator)
SHARED = (F.channel_shuffle, F.cosine_similarity, F.pairwise_distance, F.pixel_shuffle, F.pixel_unshuffle, F.rrelu_)
FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (*map(tensors_checked, OWN), *SHARED)}
