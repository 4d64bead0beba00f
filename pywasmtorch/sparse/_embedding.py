"""embedding and embedding_bag with sparse gradients of their table."""

from __future__ import annotations

from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from ..autograd import _sparse_gradients
from ..autograd.function import Function, once_differentiable
from ._tensor import CooTensor


class EmbeddingRows(Function):
    """The rows of a leaf, whose gradient is delivered as rows."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, input: Tensor, padding_idx: int) -> Tensor:
        ctx.weight, ctx.padding_idx = weight, padding_idx
        ctx.save_for_backward(input)
        return ops.embedding(weight.detach(), input, padding_idx)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, None, None]:
        rows = ops.reshape(ctx.saved_tensors[0], (-1,)).long()
        grad = ops.reshape(grad, (rows.shape[0], ctx.weight.shape[1]))
        if ctx.padding_idx >= 0:
            kept = ops.reshape(ops.nonzero(ops.ne(rows, ctx.padding_idx)), (-1,))
            rows, grad = ops.index_select(rows, 0, kept), ops.index_select(grad, 0, kept)
        _sparse_gradients.deliver(ctx.weight, CooTensor._of(ops.unsqueeze(rows, 0), grad, ctx.weight.shape))
        return None, None, None


def embedding(weight: Tensor, input: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """The rows that `input` names; the table's gradient is sparse, a row for each of them. RuntimeError with `scale_grad_by_freq`."""
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    _sparse_gradients.expect()
    return EmbeddingRows.apply(weight, input, padding_idx)


def bags(weight: Tensor, input: Tensor, starts: Tensor, per_sample_weights: Tensor | None, mode: str, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """Sums or means of bags of rows, with a sparse gradient of the table. RuntimeError for maxima and with `scale_grad_by_freq`."""
    if mode == "max":
        raise RuntimeError("embedding_bag: max mode does not support sparse weights")
    if scale_grad_by_freq:
        raise RuntimeError("embedding_bag: scale_grad_by_freq is not supported with sparse gradients")
    count = starts.shape[0] - 1
    lengths = ops.sub(starts[1:], starts[:-1])
    bag = ops.repeat_interleave(lengths.long())
    if padding_idx >= 0:
        kept = ops.reshape(ops.nonzero(ops.ne(input, padding_idx)), (-1,))
        input, bag = ops.index_select(input, 0, kept), ops.index_select(bag, 0, kept)
        per_sample_weights = None if per_sample_weights is None else ops.index_select(per_sample_weights, 0, kept)
        lengths = ops.index_add(ops._full((count,), 0, bag.dtype), 0, bag, ops._full((bag.shape[0],), 1, bag.dtype))
    rows = embedding(weight, input, -1, False)
    if per_sample_weights is not None:
        rows = ops.mul(rows, ops.unsqueeze(per_sample_weights, 1))
    total = ops.index_add(ops._full((count, weight.shape[1]), 0, rows.dtype), 0, bag, rows)
    return total if mode == "sum" else ops.FUNCTIONS["div"](total, ops.unsqueeze(ops.clamp_min(lengths, 1), 1).to(rows.dtype))
