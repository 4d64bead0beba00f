"""_grouped_mm: products of matrices group by group, as mixtures of experts take them."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.dtype import bfloat16, dtype, float16, float32, int32
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .creation import zeros


def _wants_offsets(mat_a: Tensor, mat_b: Tensor) -> bool:
    return mat_a.ndim == 2 or mat_b.ndim == 2


def _check_rows(matrix: Tensor) -> None:
    """One of a matrix's dimensions lies close, and steps along the other are whole multiples of 16 bytes."""
    (high, wide), (across, along) = matrix.shape[-2:], matrix.stride()[-2:]
    if along == 1 and across >= max(1, wide):
        step = across
    elif across == 1 and along >= max(1, high):
        step = along
    else:
        raise RuntimeError(f"Invalid strides/sizes, got {list(matrix.stride())} for strides and {list(matrix.shape)} for sizes")
    if step * matrix.element_size() % 16:
        raise RuntimeError("strides should be multiple of 16 bytes")


def _check_groups(mat_a: Tensor, mat_b: Tensor, offs: Tensor | None, bias: Any, out_dtype: dtype | None) -> None:
    if mat_a.dtype not in (float32, bfloat16, float16):
        raise RuntimeError(f"Expected mat_a to be Float32, BFloat16 or Float16 matrix, got {mat_a.dtype._scalar_name}")
    for name, matrix in (("mat_a", mat_a), ("mat_b", mat_b)):
        if matrix.ndim not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    _check_rows(mat_a)
    _check_rows(mat_b)
    if _wants_offsets(mat_a, mat_b) != (offs is not None):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
    if offs is not None:
        if offs.ndim != 1:
            raise RuntimeError("offs has to be 1D")
        if offs.dtype != int32:
            raise RuntimeError("Offsets have to be int32")
        if any(matrix.ndim == 3 and matrix.shape[0] != offs.shape[0] for matrix in (mat_a, mat_b)):
            raise RuntimeError("matrix batch sizes have to match")
    elif mat_a.shape[0] != mat_b.shape[0]:
        raise RuntimeError("batched dimension has to match")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype not in (None, mat_a.dtype):
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")


def _grouped_mm(input: Tensor, mat2: Tensor, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: dtype | None = None) -> Tensor:
    """Products of matrices group by group: `offs`, int32, says where each group ends along the dimension of a 2-D matrix that is not the other's batch.

    Shapes: (m, k) and (g, k, n) give (m, n); (g, m, k) and (k, n) give (m, n); (m, k) and (k, n) are split along k and give (g, m, n);
    (g, m, k) and (g, k, n) need no `offs`. What lies past the last group is 0. float32, float16 and bfloat16.
    RuntimeError: other dtypes or dimensions, groups that do not match, rows that do not begin at multiples of 16 bytes.
    """
    _check_groups(input, mat2, offs, bias, out_dtype)
    if offs is None:
        return ops.bmm(input, mat2)
    in_rows, in_columns = input.ndim == 2, mat2.ndim == 2
    total = input.shape[1] if in_rows and in_columns else input.shape[0] if in_rows else mat2.shape[1]
    sizes, end = [], 0
    for offset in offs.tolist():
        sizes.append(max(0, min(offset, total) - end))
        end += sizes[-1]
    left = input.split([*sizes, total - end], 1 if in_columns else 0) if in_rows else input.unbind()
    right = mat2.split([*sizes, total - end], 0 if in_rows else 1) if in_columns else mat2.unbind()
    pieces = [ops.mm(a, b) for a, b in zip(left[:len(sizes)], right[:len(sizes)])]
    if in_rows and in_columns:
        return ops.stack(pieces)
    rest = (total - end, mat2.shape[2]) if in_rows else (input.shape[1], total - end)
    return ops.cat([*pieces, zeros(rest, dtype=input.dtype, device=input.device)], 0 if in_rows else 1)


FUNCTIONS = [tensors_checked(_grouped_mm)]
