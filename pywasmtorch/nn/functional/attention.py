"""scaled_dot_product_attention and multi_head_attention_forward."""

from __future__ import annotations

import warnings
from typing import Any

from ..._core.dtype import bool_, float32
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from .activation import softmax
from .dropout import dropout

ROWS = 128  # queries of a block of causal attention

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


def check_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, is_causal: bool) -> None:
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead.")
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got "
                           f"query.dim: {query.ndim}, key.dim: {key.ndim} and value.dim: {value.ndim} instead.")
    if attn_mask is not None and attn_mask.dtype is not bool_ and attn_mask.dtype is not query.dtype and attn_mask.dtype is not float32:
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           f"attn_mask.dtype: {attn_mask.dtype} and  query.dtype: {query.dtype} instead.")


def repeated_heads(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    if min(query.ndim, key.ndim, value.ndim) < 3:
        raise RuntimeError("scaled_dot_product_attention: enable_gqa needs heads, and so at least 3 dimensions")
    heads = query.shape[-3]
    if heads % key.shape[-3] or heads % value.shape[-3]:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in query")
    repeat = ops.FUNCTIONS["repeat_interleave"]
    return repeat(key, heads // key.shape[-3], -3), repeat(value, heads // value.shape[-3], -3)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """softmax(query keyᵀ · scale + mask) value over (…, length, width) (Vaswani et al., 2017). A boolean mask is true where a query may look, any
    other is added; a query that may look nowhere gives 0. RuntimeError for dtypes and sizes that do not fit."""
    check_attention(query, key, value, attn_mask, is_causal)
    kind = query.dtype
    if kind.itemsize == 2:  # halves are rounded at the end only
        query, key, value = (ops._to_dtype(x, float32) for x in (query, key, value))
        attn_mask = attn_mask if attn_mask is None or attn_mask.dtype is bool_ else ops._to_dtype(attn_mask, float32)
        return ops._to_dtype(scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa), kind)
    if enable_gqa:
        key, value = repeated_heads(query, key, value)
    factor = query.shape[-1] ** -0.5 if scale is None and query.shape[-1] else 1.0 if scale is None else scale
    query, rows = query * factor, query.shape[-2]
    if not is_causal:
        return attended(query, key, value, attn_mask, dropout_p)
    if dropout_p or rows <= ROWS:
        mask = ops.tril(ops._full((rows, key.shape[-2]), True, bool_))
        return attended(query, key, value, mask, dropout_p, everywhere=True)
    parts = []  # what lies after a block of queries need not be computed
    for first in range(0, rows, ROWS):
        count, seen = min(ROWS, rows - first), min(first + ROWS, key.shape[-2])
        mask = ops.tril(ops._full((count, seen), True, bool_), first)
        parts.append(attended(ops.narrow(query, -2, first, count), ops.narrow(key, -2, 0, seen), ops.narrow(value, -2, 0, seen), mask, 0.0, everywhere=True))
    return ops.FUNCTIONS["cat"](parts, -2)


def attended(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: float, everywhere: bool = False) -> Tensor:
    """Attention with a scaled query; `everywhere` promises that each query may look somewhere."""
    scores = query @ ops.transpose(key, -2, -1)
    if attn_mask is not None:
        if attn_mask.dtype is bool_:
            scores = ops.masked_fill(scores, ops.logical_not(attn_mask), float("-inf"))
        else:
            scores = scores + ops._to_dtype(attn_mask, scores.dtype)
    weights = ops.softmax(scores, -1) if attn_mask is None or everywhere else ops._safe_softmax(scores, -1)
    if dropout_p:
        weights = ops.FUNCTIONS["dropout"](weights, dropout_p, True)
    return weights @ value


# ---- several heads ----
def float_mask(mask: Tensor | None, name: str, like: Tensor, other: Tensor | None = None, other_name: str = "") -> Tensor | None:
    """A boolean mask, true where nothing may look, as what is added to scores."""
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warnings.warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.", stacklevel=3)
    if mask.is_floating_point():
        return mask
    return ops.masked_fill(ops._full(mask.shape, 0, like.dtype), mask, float("-inf"))


def check_shapes(query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None, num_heads: int) -> bool:
    if query.ndim not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor")
    kind = "batched (3-D)" if query.ndim == 3 else "unbatched (2-D)"
    if key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertionError(f"For {kind} `query`, expected `key` and `value` to be {query.ndim}-D but found {key.ndim}-D and {value.ndim}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.ndim != query.ndim - 1:
        raise AssertionError(f"For {kind} `query`, expected `key_padding_mask` to be `None` or {query.ndim - 1}-D but found {key_padding_mask.ndim}-D tensor instead")
    if attn_mask is not None:
        if attn_mask.ndim not in (2, 3):
            raise AssertionError(f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.ndim}-D tensor instead")
        wanted = (num_heads, query.shape[0], key.shape[0])
        if query.ndim == 2 and attn_mask.ndim == 3 and attn_mask.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")
    return query.ndim == 3


def projections(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> list[Tensor]:
    """The three projections by one packed weight; of the same tensor in one product."""
    if query is key is value:
        return list(ops.FUNCTIONS["chunk"](ops.linear(query, weight, bias), 3, -1))
    weights = ops.FUNCTIONS["chunk"](weight, 3)
    biases = (None,) * 3 if bias is None else ops.FUNCTIONS["chunk"](bias, 3)
    return [ops.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)]


def widened(mask: Tensor | None, columns: int = 1) -> Tensor | None:
    return None if mask is None else ops.constant_pad_nd(mask, [0, columns], 0)


def check_mask(mask: Tensor, targets: int, sources: int, batch_heads: int) -> Tensor:
    if mask.ndim == 2:
        if mask.shape != (targets, sources):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(targets, sources)}.")
        return ops.unsqueeze(mask, 0)
    if mask.ndim != 3:
        raise RuntimeError(f"attn_mask's dimension {mask.ndim} is not supported")
    if mask.shape != (batch_heads, targets, sources):
        raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {(batch_heads, targets, sources)}.")
    return mask


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None,
    bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True,
    key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None,
    static_v: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False,
) -> Any:
    """Attention by several heads (Vaswani et al., 2017) of (L, N, E) or (L, E) to (S, N, E) or (S, E): the output and, with need_weights, the weights
    (N, L, S), of each head (N, heads, L, S) without average_attn_weights. Boolean masks are true where nothing may look. AssertionError and
    RuntimeError for shapes that do not fit."""
    batched = check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same = query is key is value
        query = ops.unsqueeze(query, 1)
        key, value = (query, query) if same else (ops.unsqueeze(key, 1), ops.unsqueeze(value, 1))
        key_padding_mask = None if key_padding_mask is None else ops.unsqueeze(key_padding_mask, 0)
    targets, batch, width = query.shape
    padding = float_mask(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method `generate_square_subsequent_mask` to create this mask.")
    if is_causal and key_padding_mask is None and not need_weights:
        mask = None
    else:
        mask, is_causal = float_mask(attn_mask, "attn_mask", query), is_causal and key_padding_mask is None
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    each = width // num_heads
    if each * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        for name, weight in (("q_proj_weight", q_proj_weight), ("k_proj_weight", k_proj_weight), ("v_proj_weight", v_proj_weight)):
            if weight is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name} is None")
        biases = (None,) * 3 if in_proj_bias is None else ops.FUNCTIONS["chunk"](in_proj_bias, 3)
        q, k, v = (ops.linear(x, w, b) for x, w, b in zip((query, key, value), (q_proj_weight, k_proj_weight, v_proj_weight), biases))
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = projections(query, key, value, in_proj_weight, in_proj_bias)
    heads = batch * num_heads
    mask = None if mask is None else check_mask(mask, targets, key.shape[0], heads)
    cat = ops.FUNCTIONS["cat"]
    if (bias_k is None) != (bias_v is None):
        raise AssertionError("bias_k is set but bias_v is None" if bias_v is None else "bias_v is set but bias_k is None")
    if bias_k is not None and bias_v is not None:
        if static_k is not None or static_v is not None:
            raise AssertionError(f"bias cannot be added to static {'key' if static_k is not None else 'value'}.")
        k, v = cat([k, ops.expand(bias_k, (1, batch, -1))]), cat([v, ops.expand(bias_v, (1, batch, -1))])
        mask, padding = widened(mask), widened(padding)

    def per_head(x: Tensor) -> Tensor:
        return ops.transpose(ops.reshape(x, (x.shape[0], heads, each)), 0, 1)

    for name, fixed in (("static_k", static_k), ("static_v", static_v)):
        if fixed is not None and (fixed.shape[0] != heads or fixed.shape[2] != each):
            raise AssertionError(f"expecting {name}.size(0) of {heads} and {name}.size(2) of {each}, but got {fixed.shape[0]} and {fixed.shape[2]}")
    q, k, v = per_head(q), per_head(k) if static_k is None else static_k, per_head(v) if static_v is None else static_v
    if add_zero_attn:
        zero = ops._full((heads, 1, each), 0, k.dtype)
        k, v, mask, padding = cat([k, zero], 1), cat([v, zero], 1), widened(mask), widened(padding)
    sources = k.shape[1]
    if padding is not None:
        if padding.shape[0] != batch:
            raise AssertionError(f"Expected key_padded_mask.shape[0] to be {batch}, but got {padding.shape[0]}")
        if padding.shape[1] != sources:
            raise AssertionError(f"Expected key_padded_mask.shape[1] to be {sources}, but got {padding.shape[1]}")
        padding = ops.reshape(ops.expand(ops.reshape(padding, (batch, 1, 1, sources)), (-1, num_heads, -1, -1)), (heads, 1, sources))
        mask = padding if mask is None else mask + padding
    dropout_p = dropout_p if training else 0.0
    weights = None
    if need_weights:
        if is_causal and mask is None:
            raise AssertionError("is_causal needs an attn_mask with need_weights")
        scores = ops.bmm(q * each**-0.5, ops.transpose(k, -2, -1))
        weights = softmax(scores if mask is None else mask + scores, -1)
        if dropout_p > 0.0:
            weights = dropout(weights, dropout_p)
        result = ops.transpose(ops.bmm(weights, v), 0, 1)
        weights = ops.reshape(weights, (batch, num_heads, targets, sources))
        if average_attn_weights:
            weights = ops.FUNCTIONS["mean"](weights, 1)
        if not batched:
            weights = ops.squeeze(weights, 0)
    else:
        if mask is not None:
            mask = ops.unsqueeze(mask, 0) if mask.shape[0] == 1 else ops.reshape(mask, (batch, num_heads, -1, sources))
        q, k, v = (ops.reshape(x, (batch, num_heads, x.shape[1], each)) for x in (q, k, v))
        result = ops.permute(scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal), (2, 0, 1, 3))
    result = ops.linear(ops.reshape(result, (targets * batch, width)), out_proj_weight, out_proj_bias)
    result = ops.reshape(result, (targets, batch, result.shape[1]))
    return result if batched else ops.squeeze(result, 1), weights
