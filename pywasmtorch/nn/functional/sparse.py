"""Embeddings and one-hot codes."""

from __future__ import annotations

from ..._generated import ops
from ..._tensor_type import Tensor

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
    return ops.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def shorten(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the named rows down to `max_norm`, in place."""
    data = weight.detach()
    rows = ops.reshape(input.detach(), (-1,))
    named = ops.index_select(data, 0, rows)
    norms = ops._norm(named, float(norm_type), 1, True, None)
    ops.index_copy_(data, 0, rows, ops.where(norms > max_norm, named * (max_norm / (norms + 1e-7)), named))


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False,
                  mode: str = "mean", sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of the rows of `weight` in each bag: the rows of a matrix of indices, or the runs of a vector from `offsets` on."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}'). Please open a "
                                  "feature request on GitHub.")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences.")
        starts = list(range(0, input.numel() + 1, max(input.shape[1], 1))) if input.shape[1] else [0] * (input.shape[0] + 1)
        input = ops.reshape(input, (-1,))
        per_sample_weights = None if per_sample_weights is None else ops.reshape(per_sample_weights, (-1,))
    elif input.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        starts = offsets.tolist() if include_last_offset else [*offsets.tolist(), input.numel()]
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    rows = embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        rows = rows * ops.unsqueeze(per_sample_weights, 1)
    if padding_idx is not None:
        padding_idx %= weight.shape[0]
    return ops.FUNCTIONS["stack"]([bag(rows, input, a, b, mode, padding_idx) for a, b in zip(starts, starts[1:])]) if len(starts) > 1 else rows[:0]


def bag(rows: Tensor, input: Tensor, start: int, end: int, mode: str, padding_idx: int | None) -> Tensor:
    part = ops.narrow(rows, 0, start, end - start)
    if padding_idx is not None:
        kept = ops.nonzero(ops.narrow(input, 0, start, end - start) != padding_idx)
        part = ops.index_select(part, 0, ops.reshape(kept, (-1,)))
    if not part.shape[0]:
        return ops.FUNCTIONS["sum"](part, 0)
    return ops.amax(part, 0) if mode == "max" else ops.FUNCTIONS[mode](part, 0)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension of `num_classes` (the largest value + 1 where -1) with a 1 at each value."""
    return ops._one_hot(tensor, num_classes)
