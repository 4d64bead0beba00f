"""torch.linalg: norms and products."""

from __future__ import annotations

from math import prod as _prod
from typing import Any

from . import _spectral
from ._checks import tensors_checked as _tensors_checked
from ._dtype import bfloat16 as _bfloat16
from ._dtype import bool_ as _bool
from ._dtype import dtype as DType
from ._dtype import float16 as _float16
from ._dtype import inf
from ._einsum import scalar_name as _scalar_name
from ._generated import ops
from ._generated.ops import LINALG as _LINALG
from ._host._common import LinAlgError as LinAlgError
from ._names import absent as _absent
from ._products import written as _written
from ._runtime import number_of as _number_of
from ._tensor_type import Tensor

globals().update(_LINALG)
cond, eigvalsh, matrix_rank, pinv, svdvals = _spectral.cond, _spectral.eigvalsh, _spectral.matrix_rank, _spectral.pinv, _spectral.svdvals


def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of 3 along `dim`; everything else broadcasts."""
    return _written(ops._cross(input, other, dim), out)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The sum of conj(x) * y along `dim`, broadcast."""
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {_scalar_name(x.dtype)} and y of type {_scalar_name(y.dtype)} instead")
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


def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A as a map from its last dimensions to its first `ind`; LinAlgError where it has none."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    first, last = list(A.shape[:ind]), list(A.shape[ind:])
    if _prod(first) != _prod(last):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {_prod(last)} != {_prod(first)}")
    inverse, info = ops.linalg_inv_ex(ops.reshape(A, [_prod(first), _prod(last)]))
    return _written(ops.reshape(ops._check_info(inverse, info, "inv", 0), [*last, *first]), out)


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor:
    """X with tensordot(A, X, X.ndim) == B; `dims` of A move to its end first. LinAlgError where there is none."""
    if dims is not None:
        A = ops.movedim(A, list(dims), list(range(-len(dims), 0)))
    first, last = list(A.shape[: B.ndim]), list(A.shape[B.ndim :])
    if _prod(first) != _prod(last):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
                           f"but got {_prod(last)} != {_prod(first)}")
    solution = ops.linalg_solve(ops.reshape(A, [_prod(last), _prod(last)]), ops.reshape(B, [-1]) if B.numel() else ops.reshape(B, [0]))
    return _written(ops.reshape(solution, last), out)


def _text(ord: float) -> str:
    return f"{ord:g}"


def _check_floating(name: str, x: Tensor, dtype: DType | None) -> None:
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {_scalar_name(x.dtype)}")
    if dtype is None:
        return
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"linalg.{name}: dtype should be floating point or complex, but got {_scalar_name(dtype)}")
    if x.dtype.is_complex is not dtype.is_complex:
        kind = "complex" if x.dtype.is_complex else "real"
        raise RuntimeError(f"linalg.{name}: dtype should be {kind} for {kind} inputs, but got {_scalar_name(dtype)}")
    if ops._promote_types(x.dtype, dtype) is not dtype:
        raise RuntimeError(f"linalg.{name}: the dtype of the input ({_scalar_name(x.dtype)}) should be convertible without narrowing to the specified dtype ({_scalar_name(dtype)})")


def vector_norm(input: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The norm sum(|x|^ord)^(1/ord) over all elements or along `dim`; inf and -inf are the largest and the smallest magnitude, 0 counts what is
    not 0. RuntimeError for integers, and for empty dimensions where the norm has no identity."""
    if isinstance(ord, str) or ord is None:
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    _check_floating("vector_norm", input, dtype)
    order = float(_number_of(ord))
    dims = [dim] if isinstance(dim, int) else None if dim is None else list(dim)
    if (order < 0 or order == inf) and not input.numel():
        _check_identity(input, order, dims)
    return _written(ops._norm(input, order, dims, keepdim, dtype), out)


def _check_identity(x: Tensor, order: float, dims: list[int] | None) -> None:
    reason = "because this dimension is empty and the operation does not have an identity"
    if not dims:
        raise RuntimeError(f"linalg.vector_norm cannot compute the {_text(order)} norm on an empty tensor because the operation does not have an identity")
    for d in dims:
        if x.shape[d] == 0:
            raise RuntimeError(f"linalg.vector_norm cannot compute the {_text(order)} norm on the dimension {d % x.ndim}{reason}")


def _check_matrix_dims(input: Tensor, dim: Any) -> tuple[int, int]:
    if input.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    for d in dims:
        if not -input.ndim <= d < input.ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but got {d})")
    if dims[0] % input.ndim == dims[1] % input.ndim:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, {dims[1]})")
    return dims[0] % input.ndim, dims[1] % input.ndim


def matrix_norm(input: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The norm of matrices: 'fro', 'nuc' (the sum of singular values), the largest (negative: smallest) singular value for 2 or sum of
    magnitudes, of rows for inf and of columns for 1."""
    if ord is None:
        raise TypeError("linalg_matrix_norm() received an invalid combination of arguments - got (Tensor, NoneType), but expected a Number or a str for 'ord'")
    if ord not in (1, -1, 2, -2, inf, -inf, "fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord if isinstance(ord, str) else _text(ord)} not supported.")
    rows, columns = _check_matrix_dims(input, dim)
    _check_floating("matrix_norm", input, dtype)
    if ord == "fro":
        return vector_norm(input, 2, (rows, columns), keepdim, dtype=dtype, out=out)
    if ord in (2, -2, "nuc"):
        return _written(_spectral.matrix_norm_by_values(input, ord, rows, columns, keepdim, dtype), out)
    summed, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    if not keepdim and chosen > summed:
        chosen -= 1
    sums = vector_norm(input, 1, summed, keepdim, dtype=dtype)
    if ord > 0 and not sums.shape[chosen]:  # the largest of no sums is 0
        return _written(ops.sum_function(sums, [chosen], keepdim), out)
    return _written((ops.amax if ord > 0 else ops.amin)(sums, [chosen], keepdim), out)


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


for _function in (cond, eigvalsh, matrix_norm, matrix_rank, norm, pinv, svdvals, vector_norm):
    globals()[_function.__name__] = _tensors_checked(_function)

__getattr__ = _absent(__name__)
