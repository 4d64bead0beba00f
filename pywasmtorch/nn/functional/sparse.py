"""Embeddings and one-hot codes."""

from __future__ import annotations

from ..._generated import ops
from ..._tensor_type import Tensor

__all__ = ["embedding", "one_hot"]


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


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension of `num_classes` (the largest value + 1 where -1) with a 1 at each value."""
    return ops._one_hot(tensor, num_classes)
