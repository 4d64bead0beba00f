"""ctc_loss."""

from __future__ import annotations

from typing import Any

from ..._core.dtype import int64
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from .loss import settled

__all__ = ["ctc_loss"]


def lengths(given: Any, name: str) -> Tensor:
    from ..._functions.creation import tensor

    if not isinstance(given, Tensor):
        return tensor(list(given), dtype=int64)
    if given.dtype.is_floating_point or given.dtype.is_complex:
        raise RuntimeError(f"{name} must be integral")
    return given.reshape(-1)


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """The loss of Graves et al., 2006, of log-probabilities (T, N, C) or (T, C) and labels (N, S), or one sample after another in a vector. The mean
    is taken over the batch after each loss was divided by its number of labels. The gradient is that by what log_softmax was given, as in torch.
    RuntimeError for lengths and labels that do not fit."""
    reduction = settled(reduction)
    single = log_probs.ndim == 2
    if single:
        log_probs = ops.unsqueeze(log_probs, 1)
        targets = ops.unsqueeze(targets, 0) if targets.ndim == 1 else targets
    ins, outs = lengths(input_lengths, "input_lengths"), lengths(target_lengths, "target_lengths")
    losses = ops._ctc_losses(log_probs, targets, ins, outs, blank, zero_infinity)[0]
    if zero_infinity:
        losses = ops.where(losses == float("inf"), 0.0, losses)
    if reduction == "mean":
        return ops.FUNCTIONS["mean"](losses / ops.clamp_min(outs, 1))
    if reduction == "sum":
        return ops.FUNCTIONS["sum"](losses)
    return ops.squeeze(losses, 0) if single else losses
