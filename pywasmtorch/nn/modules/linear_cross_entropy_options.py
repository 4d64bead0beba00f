"""Where PyTorch keeps the options of the linear cross-entropy."""

from ..functional.linear_loss import LinearCrossEntropyOptions

__all__ = ["LinearCrossEntropyOptions"]
