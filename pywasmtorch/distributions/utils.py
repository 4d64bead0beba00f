"""broadcast_all, probs_to_logits, lazy_property, tril_matrix_to_vec and other helpers of distributions."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from numbers import Number
from typing import Any

import pywasmtorch as torch

from .._core.size import Size
from .._tensor import Tensor

euler_constant = 0.57721566490153286060

__all__ = ["broadcast_all", "clamp_probs", "euler_constant", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix"]


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors and numbers as tensors of one size; numbers take the dtype of the first tensor. ValueError for anything else."""
    if not all(isinstance(v, (Tensor, Number)) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    first = next((v for v in values if isinstance(v, Tensor)), None)
    dtype = torch.get_default_dtype() if first is None else first.dtype
    return torch.broadcast_tensors(*(v if isinstance(v, Tensor) else torch.tensor(v, dtype=dtype) for v in values))


def standard_normal(shape: Any, dtype: Any) -> Tensor:
    return torch.normal(torch.zeros(shape, dtype=dtype), torch.ones(shape, dtype=dtype))


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Normal numbers of mean 0 and deviation 1, as packages draw them for distributions of their own."""
    return torch.normal(torch.zeros(shape, dtype=dtype, device=device), torch.ones(shape, dtype=dtype, device=device))


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """Sums over the last `dims` dimensions."""
    return value if dims == 0 else value.reshape(value.shape[:-dims] + (-1,)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds to probabilities, or log-probabilities (up to a constant) along the last dimension."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, -1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1 by the epsilon of their dtype."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities to log-odds, or to log-probabilities."""
    safe = clamp_probs(probs)
    return torch.log(safe) - torch.log1p(-safe) if is_binary else torch.log(safe)


class lazy_property:
    """An attribute computed when first asked for, and kept."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The entries on and below a diagonal, row by row. ValueError for a diagonal outside the matrix."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of `tril_matrix_to_vec`. ValueError for a length that is no triangle's."""
    size = vec.shape[-1]
    # n (n+1) / 2 entries for the main diagonal; each diagonal more or less changes the triangle's side by one
    side = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * size + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    n = round(side)
    if abs(side - n) > torch.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {size} which cannot be expressed as the lower triangular part of a square D x D matrix.")
    matrix = torch.zeros(vec.shape[:-1] + (n, n), dtype=vec.dtype)
    rows, columns = torch.tril_indices(n, n, diag)
    matrix[..., rows, columns] = vec
    return matrix


def size_of(value: Any) -> Size:
    return value.shape if isinstance(value, Tensor) else Size()
