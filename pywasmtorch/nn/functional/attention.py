"""Attention."""

from __future__ import annotations

from ..._generated import ops
from ..._tensor_type import Tensor

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """softmax(query keyᵀ · scale + mask) value over (…, length, width) (Vaswani et al., 2017)."""
    from ..._dtype import bool_

    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        key = ops.FUNCTIONS["repeat_interleave"](key, query.shape[-3] // key.shape[-3], -3)
        value = ops.FUNCTIONS["repeat_interleave"](value, query.shape[-3] // value.shape[-3], -3)
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query * factor) @ ops.transpose(key, -2, -1)
    if is_causal:
        rows, columns = query.shape[-2], key.shape[-2]
        attn_mask = ops.tril(ops._full((rows, columns), True, bool_))
    if attn_mask is not None:
        if attn_mask.dtype is bool_:
            scores = ops.masked_fill(scores, ops.logical_not(attn_mask), float("-inf"))
        else:
            scores = scores + attn_mask
    weights = ops.softmax(scores, -1)
    if is_causal or (attn_mask is not None and attn_mask.dtype is bool_):
        # a row that may look nowhere attends to nothing
        weights = ops.masked_fill(weights, ops.isnan(weights), 0.0)
    if dropout_p:
        weights = ops.FUNCTIONS["dropout"](weights, dropout_p, True)
    return weights @ value
