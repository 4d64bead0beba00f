"""Embedding and EmbeddingBag."""

from typing import Any

import pywasmtorch as torch

from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module
from .utils import add_parameter

__all__ = ["Embedding", "EmbeddingBag"]


def _check_padding_idx(padding_idx, num_embeddings, message):
    """``padding_idx`` counted from the front."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise AssertionError(message)
    return padding_idx % num_embeddings


class _Table(Module):
    weight: Any
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None

    def _set_weight(self, weight, device, dtype, requires_grad=True):
        shape = (self.num_embeddings, self.embedding_dim)
        if weight is None:
            add_parameter(self, "weight", shape, device, dtype)
            self.weight.requires_grad_(requires_grad)
            self.reset_parameters()
        elif tuple(weight.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(weight, requires_grad=requires_grad)

    def reset_parameters(self):
        """Draw new values."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)

    def _lookup_options(self):
        """Those that are not the default, as ``extra_repr`` shows them."""
        parts = []
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq is not False:
            parts.append(f"scale_grad_by_freq={self.scale_grad_by_freq}")
        return parts

    @staticmethod
    def _check_pretrained(embeddings):
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return embeddings.shape


class Embedding(_Table):
    """A table of vectors looked up by index: integers (*) → (*, embedding_dim).

    The table starts normally distributed, with zeros at ``padding_idx``.

    Args:
        num_embeddings, embedding_dim (int): the table's shape.
        padding_idx (int, optional): a row that gets no gradient.
        max_norm (float, optional): rows that are looked up are first scaled down to this norm, in place.
        norm_type (float): the p of that norm. Default: 2.
        scale_grad_by_freq (bool): divide gradients by how often a row occurs. Default: ``False``.
        sparse (bool): give a sparse gradient. Default: ``False``.

    Attributes:
        weight (Parameter): (num_embeddings, embedding_dim).
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _check_padding_idx(padding_idx, num_embeddings, "Padding_idx must be within num_embeddings")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._set_weight(_weight, device, dtype, requires_grad=not _freeze)
        self.sparse = sparse

    def forward(self, input):
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self):
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        parts += self._lookup_options()
        if self.sparse is not False:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ):
        """A table with the given (num_embeddings, embedding_dim) values, fixed unless ``freeze`` is False."""
        rows, cols = cls._check_pretrained(embeddings)
        return cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of looked-up vectors.

    Shapes: integers (B, N), one bag a row; or (N,) with ``offsets`` (B,), where each bag starts. The result is
    (B, embedding_dim).

    Args:
        num_embeddings, embedding_dim (int): the table's shape.
        max_norm, norm_type, scale_grad_by_freq, sparse: as of :class:`Embedding`.
        mode (str): ``"sum"``, ``"mean"`` or ``"max"``. Default: ``"mean"``.
        include_last_offset (bool): ``offsets`` ends with the number of indices. Default: ``False``.
        padding_idx (int, optional): a row that is left out and gets no gradient.

    Attributes:
        weight (Parameter): (num_embeddings, embedding_dim).
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _check_padding_idx(padding_idx, num_embeddings, "padding_idx must be within num_embeddings")
        self._set_weight(_weight, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self):
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        parts += self._lookup_options()
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(
        cls,
        embeddings,
        freeze=True,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        include_last_offset=False,
        padding_idx=None,
    ):
        """A table with the given (num_embeddings, embedding_dim) values, fixed unless ``freeze`` is False."""
        rows, cols = cls._check_pretrained(embeddings)
        bag = cls(
            num_embeddings=rows,
            embedding_dim=cols,
            _weight=embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad_(not freeze)
        return bag
