"""torch.norm, and vector and matrix norms of torch.linalg."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.dispatch import written
from .._core.dtype import dtype as DType
from .._core.dtype import inf
from .._core.frame import number_of
from .._core.generated import ops
from .._core.names import scalar_name
from .._core.tensor_type import Tensor


def _text(ord: float) -> str:
    return f"{ord:g}"


def _check_floating(name: str, x: Tensor, dtype: DType | None) -> None:
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {scalar_name(x.dtype)}")
    if dtype is None:
        return
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"linalg.{name}: dtype should be floating point or complex, but got {scalar_name(dtype)}")
    if x.dtype.is_complex is not dtype.is_complex:
        kind = "complex" if x.dtype.is_complex else "real"
        raise RuntimeError(f"linalg.{name}: dtype should be {kind} for {kind} inputs, but got {scalar_name(dtype)}")
    if ops._promote_types(x.dtype, dtype) is not dtype:
        raise RuntimeError(f"linalg.{name}: the dtype of the input ({scalar_name(x.dtype)}) should be convertible without narrowing to the specified dtype ({scalar_name(dtype)})")


def vector_norm(input: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The norm sum(|x|^ord)^(1/ord) over all elements or along `dim`; inf and -inf are the largest and the smallest magnitude, 0 counts what is
    not 0. RuntimeError for integers, and for empty dimensions where the norm has no identity."""
    if isinstance(ord, str) or ord is None:
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    _check_floating("vector_norm", input, dtype)
    order = float(number_of(ord))
    dims = [dim] if isinstance(dim, int) else None if dim is None else list(dim)
    if (order < 0 or order == inf) and not input.numel():
        _check_identity(input, order, dims)
    return written(ops._norm(input, order, dims, keepdim, dtype), out)


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


def matrix_norm_by_values(A: Tensor, ord: Any, rows: int, columns: int, keepdim: bool, dtype: DType | None) -> Tensor:
    """The norms 2, -2 and 'nuc' of the matrices along two wrapped dimensions."""
    if dtype is not None:
        A = ops._to_dtype(A, dtype)
    values = ops.linalg_svdvals(ops.movedim(A, [rows, columns], [-2, -1]))
    if ord == 2 and not values.shape[-1]:  # the largest of none is 0
        ord = "nuc"
    result = ops.sum_function(values, [-1]) if ord == "nuc" else (ops.amax if ord == 2 else ops.amin)(values, [-1])
    if keepdim:
        for dim in sorted((rows, columns)):
            result = ops.unsqueeze(result, dim)
    return result


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
        return written(matrix_norm_by_values(input, ord, rows, columns, keepdim, dtype), out)
    summed, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    if not keepdim and chosen > summed:
        chosen -= 1
    sums = vector_norm(input, 1, summed, keepdim, dtype=dtype)
    if ord > 0 and not sums.shape[chosen]:  # the largest of no sums is 0
        return written(ops.sum_function(sums, [chosen], keepdim), out)
    return written((ops.amax if ord > 0 else ops.amin)(sums, [chosen], keepdim), out)


# ---- the older norms of the torch namespace ----
def frobenius_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The root of the sum of squares, of all elements where `dim` is empty."""
    dims = None if dim is None or not isinstance(dim, int) and not len(dim) else dim
    if dims is not None and not isinstance(dims, int) and len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    return ops._norm(input, 2.0, [dims] if isinstance(dims, int) else dims, keepdim, None)


def nuclear_norm(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices along two dimensions. RuntimeError for other numbers of dimensions."""
    if dim is None and input.ndim != 2:
        raise RuntimeError(f"Expected a tensor with 2 dimensions, but got a tensor with {input.ndim} dimensions instead.")
    return matrix_norm(input, "nuc", (0, 1) if dim is None else dim, keepdim, out=out)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
    """The p-norm of all elements or along `dim`; 'fro' is 2, 'nuc' the sum of singular values."""
    if p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2):
        result = vector_norm(input, 2, dim, keepdim, dtype=dtype)
    elif isinstance(p, str):
        result = matrix_norm(input, p, (-2, -1) if dim is None and input.ndim == 2 else tuple(range(input.ndim)) if dim is None else dim, keepdim, dtype=dtype)
    else:
        result = vector_norm(input, 2.0 if p is None else p, dim, keepdim, dtype=dtype)
    return written(result, out)


def method_norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
    return norm(self, p, dim, keepdim, dtype=dtype)


FUNCTIONS = [tensors_checked(frobenius_norm), tensors_checked(nuclear_norm), tensors_checked(norm, numpy_names=False)]
METHODS = {"norm": method_norm}
