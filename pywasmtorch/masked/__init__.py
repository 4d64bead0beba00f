"""torch.masked: masked reductions and normalizations (True: kept); MaskedTensor is a stub."""

from __future__ import annotations

from typing import Any

from ._ops import (
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    normalize,
    prod,
    softmax,
    softmin,
    std,
    sum,
    var,
)

__all__ = [
    "MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor", "log_softmax", "logaddexp",
    "logsumexp", "masked_tensor", "mean", "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]


class MaskedTensor:
    """A prototype of PyTorch's that is not here: making one raises NotImplementedError."""

    def __new__(cls, *arguments: Any, **names: Any) -> Any:
        raise NotImplementedError("pywasmtorch has no torch.masked.MaskedTensor; torch.masked's functions take mask=")


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> Any:
    """NotImplementedError: there is no MaskedTensor here."""
    raise NotImplementedError("pywasmtorch has no torch.masked.masked_tensor; torch.masked's functions take mask=")


def as_masked_tensor(data: Any, mask: Any) -> Any:
    """NotImplementedError: there is no MaskedTensor here."""
    raise NotImplementedError("pywasmtorch has no torch.masked.as_masked_tensor; torch.masked's functions take mask=")


def is_masked_tensor(obj: Any) -> bool:
    """Always False."""
    return False
