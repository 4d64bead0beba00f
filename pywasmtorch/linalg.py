"""torch.linalg: factorizations, solvers, eigenvalues, norms and matrix products."""

from __future__ import annotations

from math import prod as _prod
from typing import Any

from ._core.checks import tensors_checked as _tensors_checked
from ._core.dispatch import written as _written
from ._core.dtype import bfloat16 as _bfloat16
from ._core.dtype import bool_ as _bool
from ._core.dtype import dtype as DType
from ._core.dtype import float16 as _float16
from ._core.generated import ops
from ._core.generated.ops import LINALG as _LINALG
from ._core.host.common import LinAlgError as LinAlgError
from ._core.names import absent as _absent
from ._core.names import scalar_name as _scalar_name
from ._core.tensor_type import Tensor
from ._functions.norms import matrix_norm, vector_norm
from ._functions.singular_values import cond, eigvalsh, matrix_rank, pinv, svdvals

globals().update(_LINALG)


def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of 3 along `dim`; everything else broadcasts."""
    return _written(ops._cross(input, other, dim), out)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The sum of conj(x) * y along `dim`, broadcast."""
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {_scalar_name(x.dtype)} and y of type {_scalar_name(y.dtype)} instead")
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {_scalar_name(x.dtype)}")
    return _written(ops.sum_function(ops.conj_if_complex(x) * y, [dim]), out)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonals of matrices."""
    return ops.diagonal(A, offset, dim1, dim2)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers 0 to N - 1 of vectors' elements, (…, n) to (…, n, N); N is n unless given. RuntimeError for N below 2."""
    if x.dtype in (_bool, _float16, _bfloat16):
        raise RuntimeError(f"linalg.vander supports floating point, complex, and integer tensors, but got {_scalar_name(x.dtype)}")
    x = x if x.ndim else ops.unsqueeze(x, 0)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = ops.cumprod(ops.expand(ops.unsqueeze(x, -1), [*x.shape, count - 1]), -1)
    return ops.cat([ops._full([*x.shape, 1], 1, x.dtype), powers], -1)


def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `input` as a map from its last dimensions to its first `ind`; LinAlgError where it has none."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > input.ndim:
        raise RuntimeError(f"linalg.tensorinv: 'ind' is {ind}, but the input has {input.ndim} dimensions")
    first, last = list(input.shape[:ind]), list(input.shape[ind:])
    if _prod(first) != _prod(last):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {_prod(last)} != {_prod(first)}")
    inverse, info = ops.linalg_inv_ex(ops.reshape(input, [_prod(first), _prod(last)]))
    return _written(ops.reshape(ops._check_info(inverse, info, "inv", 0), [*last, *first]), out)


def tensorsolve(input: Tensor, other: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor:
    """X with tensordot(input, X, X.ndim) == other; `dims` of input move to its end first. LinAlgError where there is none."""
    A, B = input, other
    if dims is not None:
        A = ops.movedim(A, list(dims), list(range(-len(dims), 0)))
    first, last = list(A.shape[: B.ndim]), list(A.shape[B.ndim :])
    if _prod(first) != _prod(last):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
                           f"but got {_prod(last)} != {_prod(first)}")
    solution = ops.linalg_solve(ops.reshape(A, [_prod(last), _prod(last)]), ops.reshape(B, [-1]) if B.numel() else ops.reshape(B, [0]))
    return _written(ops.reshape(solution, last), out)


def norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
    """vector_norm for one dimension and without ord, matrix_norm for two."""
    if dim is not None:
        dims = (dim,) if isinstance(dim, int) else tuple(dim)
        if len(dims) not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    elif ord is not None and (input.ndim > 2 or (input.ndim == 0 and not isinstance(ord, str))):
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D.")
    if ord is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype, out=out)
    if isinstance(ord, str) or (len(dims) if dim is not None else input.ndim) == 2:
        return matrix_norm(input, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    return vector_norm(input, ord, dim, keepdim, dtype=dtype, out=out)


for _function in (cond, cross, eigvalsh, matrix_norm, matrix_rank, norm, pinv, svdvals, tensorinv, tensorsolve, vander, vector_norm):
    globals()[_function.__name__] = _tensors_checked(_function)


__getattr__ = _absent(__name__)
