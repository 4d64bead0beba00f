"""MultiheadAttention."""

import pywasmtorch as torch

from .. import functional as F
from .. import init
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module
from .utils import add_parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention by several heads (Vaswani et al., 2017) of queries to keys and values.

    ``forward(query, key, value)`` takes (L, N, E), (S, N, kdim) and (S, N, vdim), the batch first under ``batch_first``,
    or without a batch; it gives the output (L, N, E) and, with ``need_weights``, the weights (N, L, S), of each head
    (N, heads, L, S) without ``average_attn_weights``. Boolean masks are true where nothing may look.

    Args:
        embed_dim (int): E, a multiple of ``num_heads``.
        num_heads (int): parallel heads.
        dropout (float): of the weights. Default: 0.
        bias (bool): whether projections have biases. Default: ``True``.
        add_bias_kv (bool): adds a learnt key and value. Default: ``False``.
        add_zero_attn (bool): adds a key and value of zeros. Default: ``False``.
        kdim, vdim (int, optional): features of keys and values. Default: ``embed_dim``.
        batch_first (bool): whether the batch is the first dimension. Default: ``False``.

    Attributes:
        in_proj_weight (Parameter or None): (3 * E, E); with other features ``q_proj_weight``, ``k_proj_weight`` and
            ``v_proj_weight`` stand in its place.
        in_proj_bias (Parameter or None): (3 * E,).
        out_proj (Module): the output's projection.
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        separate = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            add_parameter(self, "in_proj_weight", (3 * embed_dim, embed_dim), device, dtype)
        for name, width in separate.items():
            add_parameter(self, name, (embed_dim, width), device, dtype, present=not self._qkv_same_embed_dim)
        if not self._qkv_same_embed_dim:
            self.register_parameter("in_proj_weight", None)
        add_parameter(self, "in_proj_bias", (3 * embed_dim,), device, dtype, present=bias)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = Parameter(torch.empty((1, 1, embed_dim), device=device, dtype=dtype))
            self.bias_v = Parameter(torch.empty((1, 1, embed_dim), device=device, dtype=dtype))
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for value in (self.bias_k, self.bias_v):
            if value is not None:
                init.xavier_normal_(value)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        swapped = self.batch_first and query.dim() == 3
        if swapped:
            # The same tensor stays the same one, so that it is projected once.
            turned = {id(tensor): tensor.transpose(1, 0) for tensor in (query, key, value)}
            query, key, value = (turned[id(tensor)] for tensor in (query, key, value))
        separate = {}
        if not self._qkv_same_embed_dim:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            separate = {"use_separate_proj_weight": True, **{name: getattr(self, name) for name in names}}
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **separate,
        )
        return (output.transpose(1, 0) if swapped else output), weights
