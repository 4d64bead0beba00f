"""DistributedDataParallel: one process."""

from contextlib import contextmanager

from ...distributed import is_initialized
from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Calls ``module`` as it is: in a process group of one there is nothing to average.

    Args:
        module (Module): what is called; its state stands under ``module.``.
        device_ids, output_device, dim, broadcast_buffers, process_group, bucket_cap_mb, find_unused_parameters,
            gradient_as_bucket_view, static_graph: accepted; they change nothing.

    Raises:
        ValueError: before ``torch.distributed.init_process_group``.
        RuntimeError: no parameter requires a gradient.
    """

    def __init__(
        self,
        module,
        device_ids=None,
        output_device=None,
        dim=0,
        broadcast_buffers=True,
        init_sync=True,
        process_group=None,
        bucket_cap_mb=None,
        find_unused_parameters=False,
        check_reduction=False,
        gradient_as_bucket_view=False,
        static_graph=False,
        **kwargs,
    ):
        super().__init__()
        if process_group is None and not is_initialized():
            raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
        if not any(param.requires_grad for param in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient."
            )
        self.module = module
        self.dim = dim
        self.device_ids = None
        self.output_device = None
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self):
        """A context in which gradients would not be averaged."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """A context in which processes would wait for each other."""
        yield
