"""tensordot, chain_matmul, addbmm_, spmm."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.dispatch import written
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._core.warning import warn


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """`mm`: every matrix is dense here."""
    return ops.mm(input, mat2)


def addbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """addbmm in place; as in torch the one of its kin that resizes a tensor that broadcasts to the result."""
    plain = ops.METHODS["addbmm_"]
    if older or not isinstance(batch1, Tensor) or not isinstance(batch2, Tensor):
        return plain(self, batch1, batch2, *older, beta=beta, alpha=alpha)
    if self.shape == (*batch1.shape[1:2], *batch2.shape[2:]) or self.requires_grad:
        return plain(self, batch1, batch2, beta=beta, alpha=alpha)
    result = ops.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)
    ops._resize(self, result.shape)
    return ops.copy__(self, result)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over `dims`: how many of a's last and b's first dimensions, or the two lists of them. RuntimeError where sizes differ."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)):
        left, right = dims
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        left, right = list(range(-dims, 0)), list(range(dims))
    return written(ops.tensordot(a, b, left, right), out)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the order that multiplies least."""
    return written(ops.chain_matmul(matrices), out)


def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product along `dim`; without it along the first dimension of size 3."""
    if dim is None:
        warn("Using torch.cross without specifying the dim arg is deprecated: pass it, or call torch.linalg.cross, which takes the last")
    return ops.cross(input, other, dim, out=out)


FUNCTIONS = [*map(tensors_checked, (chain_matmul, cross, spmm, tensordot))]
METHODS = {"addbmm_": tensors_checked(addbmm_), "cross": tensors_checked(cross)}
