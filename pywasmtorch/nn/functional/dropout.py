"""dropout, dropout1d, dropout2d, dropout3d, alpha_dropout, feature_alpha_dropout."""

from __future__ import annotations

from typing import Any
from warnings import warn

from ..._core.checks import tensor_first
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from ..._functions.random import alpha_dropout_, dropout_, feature_alpha_dropout_, feature_dropout_

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]


def check_probability(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropped(new: Any, inplace_form: Any, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    check_probability(p)
    if p == 0 or not training or not input.numel():
        if not isinstance(input, Tensor):
            raise TypeError(f"{new.__name__}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return input
    return (inplace_form if inplace else new)(input, p, training)


def dropped_channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    if batched:
        return dropped(ops.feature_dropout, feature_dropout_, input, p, training, inplace)
    result = dropped(ops.feature_dropout, feature_dropout_, input.unsqueeze(0), p, training, inplace)
    return input if inplace else result.squeeze(0)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element zero with probability p, the others divided by 1 - p. ValueError for p outside [0, 1]."""
    return dropped(ops.dropout, dropout_, input, p, training, inplace)


@tensor_first
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps the mean and the variance of what SELU gives. ValueError for p outside [0, 1]."""
    return dropped(ops.alpha_dropout, alpha_dropout_, input, p, training, inplace)


@tensor_first
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Alpha dropout of whole channels. ValueError for p outside [0, 1]."""
    return dropped(ops.feature_alpha_dropout, feature_alpha_dropout_, input, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of [N, C, L] or [C, L]. RuntimeError for other numbers of dimensions."""
    check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input.")
    return dropped_channels(input, p, training, inplace, batched=input.ndim == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of [N, C, H, W]; three dimensions count as [N, C, L], with a warning, as in torch."""
    check_probability(p)
    if input.ndim not in (3, 4):
        warn(f"dropout2d: a {input.ndim}-D input is deprecated; it should be [N, C, H, W]", stacklevel=2)
    elif input.ndim == 3:
        warn("dropout2d: a 3-D input counts as [N, C, L]; use dropout1d for that", stacklevel=2)
    return dropped_channels(input, p, training, inplace, batched=True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of [N, C, D, H, W] or [C, D, H, W]; warns about other numbers of dimensions."""
    check_probability(p)
    if input.ndim not in (4, 5):
        warn(f"dropout3d: a {input.ndim}-D input is deprecated; it should be [N, C, D, H, W]", stacklevel=2)
    return dropped_channels(input, p, training, inplace, batched=input.ndim == 5)

