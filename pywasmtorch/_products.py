"""Contractions, distances and norms whose arguments come in several kinds."""

from __future__ import annotations

from typing import Any

from ._dtype import dtype as DType
from ._generated import ops
from ._tensor_type import Tensor

COMPUTE_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def written(result: Tensor, out: Tensor | None) -> Tensor:
    if out is None:
        return result
    from ._ops_extra import write_out

    return write_out(out, result)


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


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = COMPUTE_MODES[0]) -> Tensor:
    """The p-norm distances between the rows of (…, P, M) and those of (…, R, M), as (…, P, R). Differences are taken before anything else in
    every compute mode, so that near rows lose no digits."""
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return ops._cdist(x1, x2, float(p))


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances of each row of a matrix to those below it, as a vector."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return ops._pdist(input, float(p))


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the order that multiplies least."""
    return written(ops.chain_matmul(matrices), out)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
    """The p-norm of all elements or along `dim`; 'fro' is 2, 'nuc' the sum of singular values."""
    from . import linalg

    if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
        result = linalg.vector_norm(input, 2, dim, keepdim, dtype=dtype)
    elif isinstance(p, str):
        result = linalg.matrix_norm(input, p, (-2, -1) if dim is None and input.ndim == 2 else tuple(range(input.ndim)) if dim is None else dim, keepdim, dtype=dtype)
    else:
        result = linalg.vector_norm(input, 2.0 if p is None else p, dim, keepdim, dtype=dtype)
    return written(result, out)


def method_norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
    return norm(self, p, dim, keepdim, dtype=dtype)


Tensor.norm = method_norm
