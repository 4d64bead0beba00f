"""SparseAdam stub: raises."""

from .optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Absent: there are no sparse gradients here.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        raise NotImplementedError("torch.optim.SparseAdam is not implemented: there are no sparse gradients; use Adam")
