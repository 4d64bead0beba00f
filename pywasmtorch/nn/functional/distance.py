"""pairwise_distance and cosine_similarity."""

from __future__ import annotations

from ..._core.generated import ops
from ..._core.names import scalar_name
from ..._core.tensor_type import Tensor

__all__ = ["cosine_similarity", "pairwise_distance"]


def norm(x: Tensor, p: float, dim: int, keepdim: bool) -> Tensor:
    return ops._norm(x, float(p), dim, keepdim, None)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    return norm(x1 - x2 + eps, p, -1, keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`; norms below `eps` count as eps."""
    common = ops._promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {scalar_name(common)}")
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = ops.broadcast_tensors([x if x.dtype is common else ops._to_dtype(x, common) for x in (x1, x2)])
    n1, n2 = norm(x1, 2, dim, True), norm(x2, 2, dim, True)
    return ops.FUNCTIONS["sum"](x1 / ops.clamp_min(n1, eps) * (x2 / ops.clamp_min(n2, eps)), dim)
