"""causal_upper_left, causal_lower_right, CausalBias."""

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]

import enum

import pywasmtorch as torch


class CausalVariant(enum.IntEnum):
    """Whether the diagonal ends in the upper left or the lower right corner."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def CausalBias(variant, seq_len_q, seq_len_kv):
    """A boolean mask (seq_len_q, seq_len_kv), true where a query may look."""
    shift = 0 if variant == CausalVariant.UPPER_LEFT else seq_len_kv - seq_len_q
    return torch.ones(seq_len_q, seq_len_kv, dtype=torch.bool).tril(diagonal=shift)


def causal_upper_left(*size):
    """The mask whose diagonal starts in the upper left corner."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size):
    """The mask whose diagonal ends in the lower right corner."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
