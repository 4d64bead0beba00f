"""grouped_mm."""

from __future__ import annotations

from ..._core.dtype import dtype
from ..._core.tensor_type import Tensor
from ..._functions.grouped import _grouped_mm

__all__ = ["grouped_mm"]


def grouped_mm(mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: dtype | None = None) -> Tensor:
    """Products of matrices group by group.

    Args:
        mat_a (Tensor): (m, k), or (g, m, k). float32, float16 or bfloat16; rows begin at multiples of 16 bytes.
        mat_b (Tensor): (g, k, n), or (k, n), of the same dtype.
        offs (Tensor): int32, of g: where each group ends along m, along n, or, of two 2-D matrices, along k; None where both are 3-D.
        bias (Tensor): None; another one raises RuntimeError, as in torch.
        out_dtype (dtype): that of `mat_a`, or None.

    Returns:
        Tensor: (m, n), (m, n), (g, m, n) or (g, m, n); 0 past the last group.
    """
    return _grouped_mm(mat_a, mat_b, offs, bias, out_dtype)
