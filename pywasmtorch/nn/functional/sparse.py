"""embedding, embedding_bag, one_hot."""

from __future__ import annotations

from ..._core.dispatch import records_gradients
from ..._core.dtype import int64
from ..._core.generated import ops
from ..._core.lazy_import import lazy_import
from ..._core.tensor_type import Tensor

__all__ = ["embedding", "embedding_bag", "one_hot"]


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Tensor:
    """The rows of `weight` that `input` names; the row `padding_idx` gets no gradient, rows longer than `max_norm` are shortened first."""
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.shape[0]
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        shorten(weight, input, max_norm, norm_type)
    if sparse and records_gradients() and weight.requires_grad and weight.is_leaf:
        return sparse_embedding(weight, input, padding_idx, scale_grad_by_freq)
    return ops.embedding(weight, input, padding_idx, scale_grad_by_freq)


sparse_embedding = lazy_import("sparse._embedding", "embedding")
sparse_bags = lazy_import("sparse._embedding", "bags")


def shorten(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the named rows down to `max_norm`, in place."""
    data = weight.detach()
    rows = ops.reshape(input.detach(), (-1,))
    named = ops.index_select(data, 0, rows)
    norms = ops._norm(named, float(norm_type), 1, True, None)
    ops.index_copy_(data, 0, ops._to_dtype(rows, int64), ops.where(norms > max_norm, named * (max_norm / (norms + 1e-7)), named))


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False,
                  mode: str = "mean", sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of the rows of `weight` in each bag: the rows of a matrix of indices, or the runs of a vector from `offsets` on."""
    from ..._functions.creation import arange

    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}'). Please open a "
                                  "feature request on GitHub.")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences.")
        if per_sample_weights is not None and per_sample_weights.shape != input.shape:
            raise ValueError(f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it must have the same shape as the input "
                             f"({list(input.shape)})")
        starts = arange(0, (input.shape[0] + 1) * input.shape[1], input.shape[1]) if input.shape[1] else ops._full((input.shape[0] + 1,), 0, int64)
        input = ops.reshape(input, (-1,))
        per_sample_weights = None if per_sample_weights is None else ops.reshape(per_sample_weights, (-1,))
    elif input.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        if include_last_offset and not offsets.numel():
            raise RuntimeError("include_last_offset: number of offset should be at least 1")
        check_offsets(offsets, input)
        starts = offsets if include_last_offset else ops.FUNCTIONS["cat"]([offsets, ops._full((1,), input.numel(), offsets.dtype)])
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it must have the same shape as the input "
                         f"({list(input.shape)})")
    if max_norm is not None:
        shorten(weight, input, max_norm, norm_type)
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.shape[0]
        if not -rows <= padding_idx < rows:
            raise RuntimeError(f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1} but got {padding_idx}")
        padding_idx %= rows
    if sparse and records_gradients() and weight.requires_grad and weight.is_leaf:
        return sparse_bags(weight, input, starts, per_sample_weights, mode, padding_idx, scale_grad_by_freq)
    return ops._bags(weight, input, starts, per_sample_weights, ("sum", "mean", "max").index(mode), padding_idx, scale_grad_by_freq)[0]


def check_offsets(offsets: Tensor, input: Tensor) -> None:
    if not offsets.numel() or offsets.is_meta:
        return
    first, last = int(offsets[0].item()), int(offsets[-1].item())
    if first:
        raise RuntimeError(f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {first}")
    if last > input.numel():
        raise RuntimeError(f"offsets[-1] can not be greater than input's length({input.numel()}) but got offsets[-1] of {last}")


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension of `num_classes` (the largest value + 1 where -1) with a 1 at each value."""
    return ops._one_hot(tensor, num_classes)
