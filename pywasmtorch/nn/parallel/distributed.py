"""Training on several processes, which is absent by name."""

from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Absent: NotImplementedError."""

    def __init__(self, module, *args, **kwargs):
        raise NotImplementedError("pywasmtorch has no torch.nn.parallel.DistributedDataParallel; see docs/differences.md")
