"""LinearCrossEntropyOptions: PyTorch's second import path."""

from ..functional.linear_loss import LinearCrossEntropyOptions

__all__ = ["LinearCrossEntropyOptions"]
