"""PairwiseDistance and CosineSimilarity."""

from .. import functional as F
from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of the difference along the last dimension: (*, D), (*, D) → (*), or (*, 1) with ``keepdim``.

    Args:
        p (float): the norm. Default: 2.
        eps (float): added to the difference. Default: 1e-6.
        keepdim (bool): keep the last dimension. Default: ``False``.
    """

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``dim``, which is removed.

    Args:
        dim (int): the vectors' dimension. Default: 1.
        eps (float): the least norm to divide by. Default: 1e-8.
    """

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
