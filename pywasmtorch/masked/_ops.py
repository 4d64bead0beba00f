"""Masked sum, mean, amax, var, softmax and others, as compositions: masked-out elements are the operator's identity.

All take `input`, `mask` (a tensor that broadcasts to the input's shape; True keeps an element; None keeps all) and `dtype` (of the
result; default: the input's). Reductions take `dim` (None, an int or a tuple) and `keepdim`; where everything is left out they give
their identity: 0 for sum, 1 for prod, the lowest number for amax, NaN for mean, median, var and std. IndexError for a mask that has
more dimensions than the input.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import pywasmtorch as torch

from .._core.dtype import dtype as DType
from .._core.tensor_type import Tensor

SMALL_INTEGERS = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)
LOWEST, HIGHEST = ("amax", "argmax", "logaddexp", "logsumexp"), ("amin", "argmin")


def _inexact(dtype: DType) -> builtins.bool:
    return dtype.is_floating_point or dtype.is_complex


def _identity(name: str, dtype: DType, ord: Any = None) -> Any:
    """What changes nothing in the reduction `name`."""
    if name in ("sum", "norm"):
        return math.inf if ord is not None and ord == -math.inf else 0
    if name == "prod":
        return 1
    if name == "median":
        return math.nan
    if name in LOWEST and (dtype.is_floating_point or (name == "logsumexp" and dtype.is_complex)):
        return -math.inf
    if name in HIGHEST and dtype.is_floating_point:
        return math.inf
    if name in (*LOWEST, *HIGHEST) and not dtype.is_complex and dtype is not torch.bool:
        limits = torch.iinfo(dtype)
        return limits.min if name in LOWEST else limits.max
    raise NotImplementedError(f"identity of {name} on {dtype} input")


def _mask_of(input: Tensor, mask: Tensor) -> Tensor:
    if mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask.dtype is not torch.bool:
        mask = mask.to(dtype=torch.bool)
    return mask if mask.shape == input.shape else torch.broadcast_to(mask, input.shape)


def _kept(name: str, input: Tensor, mask: Tensor | None, ord: Any = None) -> Tensor:
    """The input with the identity where the mask leaves elements out."""
    if not isinstance(input, Tensor):
        raise TypeError(f"masked_{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if mask is None:
        return input
    value = torch.tensor(_identity(name, input.dtype, ord), dtype=input.dtype)
    return torch.where(_mask_of(input, mask), input, value)


def _dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """Every reduced dimension once, from 0 on. IndexError and RuntimeError as PyTorch's."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(max(ndim, 1)))
    ndim, dims = max(ndim, 1), []
    for d in (dim,) if isinstance(dim, int) else tuple(dim):
        if not -ndim <= d < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {d})")
        if d % ndim in dims:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        dims.append(d % ndim)
    return tuple(sorted(dims))


def _summed_type(input: Tensor, dtype: DType | None) -> DType:
    return dtype or (torch.int64 if input.dtype in SMALL_INTEGERS else input.dtype)


# ---- reductions ----
def sum(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The sum of what the mask keeps; integers in int64."""
    return torch.sum(_kept("sum", input, mask), _dims(dim, input.ndim), builtins.bool(keepdim), dtype=_summed_type(input, dtype))


def prod(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The product of what the mask keeps; integers in int64."""
    result = _kept("prod", input, mask).to(dtype=_summed_type(input, dtype))
    for d in reversed(_dims(dim, input.ndim)):
        result = result.prod(dim=d, keepdim=builtins.bool(keepdim))
    return result


def amax(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The largest of what the mask keeps."""
    return torch.amax(_kept("amax", input, mask), _dims(dim, input.ndim), builtins.bool(keepdim)).to(dtype=dtype or input.dtype)


def amin(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The smallest of what the mask keeps."""
    return torch.amin(_kept("amin", input, mask), _dims(dim, input.ndim), builtins.bool(keepdim)).to(dtype=dtype or input.dtype)


def argmax(input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """Where the largest of what the mask keeps is, in the input's dtype unless `dtype` says otherwise."""
    return torch.argmax(_kept("argmax", input, mask), dim, builtins.bool(keepdim)).to(dtype=dtype or input.dtype)


def argmin(input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """Where the smallest of what the mask keeps is, in the input's dtype unless `dtype` says otherwise."""
    return torch.argmin(_kept("argmin", input, mask), dim, builtins.bool(keepdim)).to(dtype=dtype or input.dtype)


def _count(input: Tensor, dims: tuple[int, ...], keepdim: Any, mask: Tensor | None) -> Tensor:
    kept = torch.ones_like(input, dtype=torch.bool, requires_grad=False) if mask is None else mask
    return torch.sum(kept, dims, builtins.bool(keepdim))


def mean(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The mean of what the mask keeps. ValueError for results in an integer dtype."""
    source, dtype = ("Input", input.dtype) if dtype is None else ("Optional", dtype)
    if not _inexact(dtype):
        raise ValueError(f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. Got: {dtype}")
    if mask is not None:
        mask = _mask_of(input, mask)
    total = sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _count(input, _dims(dim, input.ndim), keepdim, mask)


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The lower median along one dimension. ValueError for integers where the mask leaves out everything."""
    is_float = input.dtype.is_floating_point
    values = _kept("median", input if is_float else input.to(dtype=torch.float32), mask)
    result = torch.nanmedian(values, _dims(dim, input.ndim)[0], keepdim)[0]
    if is_float:
        return result
    if torch.isnan(result).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype=dtype or input.dtype)


def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials of what the mask keeps."""
    return torch.logsumexp(_kept("logsumexp", input, mask), _dims(dim, input.ndim), keepdim).to(dtype=dtype or input.dtype)


def norm(
    input: Tensor, ord: Any = 2.0, dim: Any = None, *, keepdim: bool | None = False, dtype: DType | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The vector norm of what the mask keeps."""
    kept = _kept("norm", input, mask, ord)
    return torch.linalg.vector_norm(kept, ord, _dims(dim, input.ndim), builtins.bool(keepdim), dtype=dtype or input.dtype)


def _variance(
    input: Tensor, dim: Any, unbiased: bool | None, correction: Any, keepdim: Any, dtype: DType | None, mask: Tensor | None
) -> tuple[Tensor, DType]:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    if dtype is None:
        dtype = input.dtype if _inexact(input.dtype) else torch.float32
    computed = dtype if _inexact(dtype) else torch.float32
    dims = _dims(dim, input.ndim)
    if mask is not None:
        mask = _mask_of(input, mask)
    count = _count(input, dims, True, mask)
    centred = input - sum(input, dims, keepdim=True, dtype=dtype, mask=mask) / count
    total = sum(centred * centred.conj(), dims, keepdim=keepdim, dtype=computed, mask=mask)
    if not keepdim:
        count = count.reshape(total.shape)
    if correction:
        real = computed if not computed.is_complex else torch.float32 if computed is torch.complex64 else torch.float64
        count = torch.clamp_min(count.to(real) - float(correction), 0)
    return (total / count).to(dtype=dtype), dtype


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool | None = False,
    dtype: DType | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The variance of what the mask keeps, over its number minus `correction` (1; with unbiased=False 0)."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)[0]


def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool | None = False,
    dtype: DType | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The square root of :func:`var`."""
    return torch.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask)[0])


# ---- along a dimension, of the input's shape; where the mask leaves elements out the result has no meaning ----
def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """Running sums of what the mask keeps."""
    dtype = dtype or input.dtype
    return torch.cumsum(_kept("sum", input, mask), _dims(dim, input.ndim)[0], dtype=dtype).to(dtype=dtype)


def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """Running products of what the mask keeps."""
    dtype = dtype or input.dtype
    return torch.cumprod(_kept("prod", input, mask), _dims(dim, input.ndim)[0], dtype=dtype).to(dtype=dtype)


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """softmax over what the mask keeps."""
    return torch.nn.functional.softmax(_kept("amax", input, mask), _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of :func:`softmax`."""
    return torch.nn.functional.log_softmax(_kept("amax", input, mask), _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """softmax of the negated elements."""
    return torch.nn.functional.softmin(_kept("amin", input, mask), _dims(dim, input.ndim)[0], dtype=dtype or input.dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """What the mask keeps over its norm, which is at least `eps`."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _kept("sum", input, mask) / torch.maximum(length, length.new_full([], eps))


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: DType | None = None, input_mask: Tensor | None = None, other_mask: Tensor | None = None
) -> Tensor:
    """log(exp(input) + exp(other)) of what each one's mask keeps."""
    result = torch.logaddexp(_kept("logaddexp", input, input_mask), _kept("logaddexp", other, other_mask))
    return result.to(dtype=dtype or input.dtype)
