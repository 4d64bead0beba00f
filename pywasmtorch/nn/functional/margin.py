"""margin_ranking_loss, hinge_embedding_loss, multi_margin_loss, triplet_margin_loss and other margin losses."""

from __future__ import annotations

from typing import Any

from ..._core import dtype as _dtype
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from .distance import pairwise_distance
from .loss import settled

__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "soft_margin_loss",
    "triplet_margin_loss", "triplet_margin_with_distance_loss",
]

clamp_min, total = ops.clamp_min, ops.FUNCTIONS["sum"]


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if input1.ndim != input2.ndim or input1.ndim != target.ndim:
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} ")
    return ops._reduce_loss(clamp_min(-target * (input1 - input2) + float(margin), 0), reduction)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    far = ops.where(target == -1, clamp_min(margin - input, 0), 0)
    near = ops.where(target == 1, input, 0)
    both = (target != 1) & (target != -1)
    neither = ops.where(both, clamp_min(margin - input, 0) + input, 0)
    terms, reduction = far + near + neither, settled(reduction, size_average, reduce)
    if reduction == "mean" and not (input.is_floating_point() or input.is_complex()):
        return ops.mean(input)  # which says that integers have none
    return ops._reduce_loss(terms, reduction)


def refuse_gradient(value: Tensor | None, function: str, argument: str) -> None:
    if value is not None and value.requires_grad and ops._is_grad_enabled():
        raise RuntimeError(f"The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot have requires_grad True.")


def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype}")
    refuse_gradient(target, "soft_margin_loss", "target")
    loss = ops._soft_margin(input, target)
    return ops._reduce_loss(loss, settled(reduction, size_average, reduce))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    if not input.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    loss = -(target * ops.log_sigmoid(input) + (1 - target) * ops.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return ops._reduce_loss(ops.sum_function(loss, [-1]) / input.shape[-1], settled(reduction, size_average, reduce))


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None,
                      reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    refuse_gradient(weight, "multi_margin_loss", "weight")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    if input.ndim > 2 or input.ndim and not input.shape[-1]:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}")
    rows = input if input.ndim == 2 else ops.reshape(input, (1, -1))
    if target.ndim > 1 or target.numel() != rows.shape[0]:
        raise RuntimeError(f"multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size "
                           f"[{rows.shape[0]}], but got {list(target.shape)}. Input has shape {list(input.shape)}")
    if weight is not None and weight.numel() != rows.shape[1]:
        raise RuntimeError(f"inconsistent weight size, expected {rows.shape[1]} but got {list(weight.shape)}")
    if target.dtype is not _dtype.int64:
        raise RuntimeError(f"multi_margin_loss: expected scalar type Long for target but found {target.dtype}")
    labels = ops.reshape(target, (-1, 1))
    terms = ops.relu(margin - ops.gather(rows, 1, labels) + rows)
    if p == 2:
        terms = terms * terms
    if weight is not None:
        terms = terms * ops.reshape(ops.index_select(weight, 0, ops.reshape(target, (-1,))), (-1, 1))
    own = ops._to_dtype(ops._one_hot(ops.reshape(target, (-1,)), rows.shape[1]), rows.dtype)
    loss = total(terms * (1 - own), 1) / rows.shape[1]
    return ops._reduce_loss(ops.reshape(loss, tuple(target.shape)), reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise RuntimeError(f"inconsistent target size: {target.shape} for input of size: {input.shape}")
    rows, labels = (input, target) if input.ndim == 2 else (ops.reshape(input, (1, -1)), ops.reshape(target, (1, -1)))
    loss = ops._multilabel_margins(rows, labels)
    return ops._reduce_loss(loss if input.ndim == 2 or reduction != "none" else loss[0], reduction)


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if target.ndim not in (0, 1):
        raise RuntimeError(f"0D or 1D target tensor expected, multi-target not supported, got {target.ndim}D")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes {list(input1.shape)} and {list(input2.shape)}.")
    dots = total(input1 * input2, -1)
    epsilon = 1e-12
    cosine = dots / ops.sqrt((total(input1 * input1, -1) + epsilon) * (total(input2 * input2, -1) + epsilon))
    loss = ops.where(target == 1, 1 - cosine, 0.0) + ops.where(target == -1, clamp_min(cosine - margin, 0), 0.0)
    return ops._reduce_loss(loss, reduction)


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False,
                        size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Tensor:
    reduction = settled(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
                           f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs")
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return ops._reduce_loss(clamp_min(margin + near - far, 0), reduction)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
                                      reduction: str = "mean") -> Tensor:
    distance = pairwise_distance if distance_function is None else distance_function
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return ops._reduce_loss(clamp_min(margin + near - far, 0), settled(reduction))


