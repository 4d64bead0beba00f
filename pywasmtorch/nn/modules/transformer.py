"""Transformer, TransformerEncoder, TransformerDecoder and their layers (Vaswani et al., 2017)."""

import copy
import warnings

import pywasmtorch as torch

from .. import functional as F
from .. import init
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _generate_square_subsequent_mask(sz, device=None, dtype=None):
    """(sz, sz): -inf above the diagonal, where a position would look ahead, and 0 elsewhere."""
    return torch.full((sz, sz), float("-inf"), dtype=dtype, device=device).triu(diagonal=1)


def _get_activation_fn(activation):
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """Whether a mask is the causal one; ``is_causal`` decides where it is given."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(mask.size(-2) if size is None else size, mask.device, mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _length(tensor, batch_first):
    """The sequences' length, or None for what is no sequence."""
    if tensor.dim() not in (2, 3):
        return None
    return tensor.size(1 if tensor.dim() == 3 and batch_first else 0)


def _as_float_mask(mask, like):
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=like.dtype).masked_fill(mask, float("-inf"))


def _check_mask(mask, name, other, other_name):
    if mask is None:
        return
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and other.dtype != mask.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.", stacklevel=4
        )


def _attended(attention, x, memory, attn_mask, key_padding_mask, is_causal):
    return attention(
        x, memory, memory, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
    )[0]


def _clones(module, count):
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class _Layer(Module):
    """What the layers of both stacks share: attentions, a feed-forward part, and where normalisation stands."""

    #: The attentions, each with a normalisation and a dropout of the same number.
    _attentions = ("self_attn",)

    def __init__(
        self, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype
    ):
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        for name in self._attentions:
            attention = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **factory)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **factory)
        self.norm_first = norm_first
        numbers = range(1, len(self._attentions) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout1(_attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _feed_forward(self, x, dropout):
        return dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def _in_order(self, x, parts):
        """Each part's result is added to its input, normalised before (``norm_first``) or after."""
        for norm, part in parts:
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x

    def __setstate__(self, state):
        super().__setstate__(state)
        if "activation" not in self.__dict__ and "activation" not in self._modules:
            self.activation = F.relu


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a residual connection and layer normalisation.

    ``forward(src)`` takes (L, N, E), the batch first under ``batch_first``, or (L, E), and gives the same shape.

    Args:
        d_model (int): E.
        nhead (int): heads of attention.
        dim_feedforward (int): width of the feed-forward network. Default: 2048.
        dropout (float): Default: 0.1.
        activation (str or callable): ``"relu"``, ``"gelu"`` or a function. Default: ``relu``.
        layer_norm_eps (float): Default: 1e-5.
        batch_first (bool): Default: ``False``.
        norm_first (bool): normalise before each part rather than after it. Default: ``False``.
        bias (bool): whether linear maps and normalisations have biases. Default: ``True``.
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype
        )
        if isinstance(self.activation, Module):
            self.activation_relu_or_gelu = {"ReLU": 1, "GELU": 2}.get(type(self.activation).__name__, 0)
        else:
            self.activation_relu_or_gelu = {F.relu: 1, F.gelu: 2}.get(self.activation, 0)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        _check_mask(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask")
        _check_mask(src_mask, "src_mask", None, "")
        padding, mask = _as_float_mask(src_key_padding_mask, src), _as_float_mask(src_mask, src)
        return self._in_order(
            src,
            [
                (self.norm1, lambda x: self._sa_block(x, mask, padding, is_causal)),
                (self.norm2, self._ff_block),
            ],
        )

    def _ff_block(self, x):
        return self._feed_forward(x, self.dropout2)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, and a feed-forward network.

    ``forward(tgt, memory)`` takes (T, N, E) and (S, N, E), the batch first under ``batch_first``, or without a batch, and
    gives the shape of ``tgt``. Arguments are those of :class:`TransformerEncoderLayer`.
    """

    _attentions = ("self_attn", "multihead_attn")

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype
        )

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        return self._in_order(
            tgt,
            [
                (self.norm1, lambda x: self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)),
                (self.norm2, lambda x: self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal)),
                (self.norm3, self._ff_block),
            ],
        )

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return self.dropout2(_attended(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x):
        return self._feed_forward(x, self.dropout3)


def _why_not_nested(layer):
    """Why PyTorch would not run padded sequences as nested tensors; the empty text where it would."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    for is_missing, why in (
        (layer.norm_first, "norm_first was True"),
        (
            not attention.batch_first,
            "self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (not attention._qkv_same_embed_dim, "self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, "self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, "activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, "norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, "self_attn.num_heads is odd"),
    ):
        if is_missing:
            return f"encoder_layer.{why}"
    return ""


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer.

    Args:
        encoder_layer (TransformerEncoderLayer): copied ``num_layers`` times.
        num_layers (int): how many.
        norm (Module, optional): over the last layer's output.
        enable_nested_tensor (bool): in evaluation without gradients, outputs at padded positions are zeros, as where PyTorch
            leaves them out. Default: ``True``.
        mask_check (bool): do so only where the padding stands at each sequence's end. Default: ``True``.
    """

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = _why_not_nested(encoder_layer)
        if enable_nested_tensor and why:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}", stacklevel=2
            )
            self.use_nested_tensor = False

    def _leaves_padding_out(self, src, mask, padding):
        first = self.layers[0]
        if not getattr(self, "use_nested_tensor", False) or first.training or src.dim() != 3 or padding is None:
            return False
        if mask is not None or torch.is_autocast_enabled():
            return False
        if getattr(self, "mask_check", True) and bool((padding[:, :-1] & ~padding[:, 1:]).any()):
            return False
        tensors = [src, *first.self_attn.parameters(), *first.norm1.parameters(), *first.norm2.parameters()]
        tensors += [*first.linear1.parameters(), *first.linear2.parameters()]
        return not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors))

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        _check_mask(src_key_padding_mask, "src_key_padding_mask", mask, "mask")
        _check_mask(mask, "mask", None, "")
        hidden = None
        if src_key_padding_mask is not None:
            hidden = src_key_padding_mask if src_key_padding_mask.dtype == torch.bool else src_key_padding_mask != 0
        padding, mask = _as_float_mask(src_key_padding_mask, src), _as_float_mask(mask, src)
        blank = self._leaves_padding_out(src, mask, hidden)
        is_causal = _detect_is_causal_mask(mask, is_causal, _length(src, self.layers[0].self_attn.batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if blank:
            output = output.masked_fill(hidden.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer.

    Args:
        decoder_layer (TransformerDecoderLayer): copied ``num_layers`` times.
        num_layers (int): how many.
        norm (Module, optional): over the last layer's output.
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        length = _length(tgt, self.layers[0].self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder: (S, N, E) and (T, N, E) → (T, N, E), the batch first under ``batch_first``, or without one.

    Matrices start Xavier-uniform.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias: as of
            :class:`TransformerEncoderLayer`. Defaults for the first two: 512 and 8.
        num_encoder_layers, num_decoder_layers (int): Default: 6.
        custom_encoder, custom_decoder (Module, optional): in place of the stacks.
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation=F.relu,
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        device=None,
        dtype=None,
    ):
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def stack(kind, layer_kind, num_layers):
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **factory)
            return kind(layer_kind(*layer, **factory), num_layers, norm)

        if custom_encoder is None:
            custom_encoder = stack(TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)
        if custom_decoder is None:
            custom_decoder = stack(TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        if src.dim() == 3:
            batch_dim = 0 if self.batch_first else 1
            if src.size(batch_dim) != tgt.size(batch_dim):
                raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """(sz, sz): -inf above the diagonal, where a position would look ahead, and 0 elsewhere."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self):
        for param in self.parameters():
            if param.dim() > 1:
                init.xavier_uniform_(param)
