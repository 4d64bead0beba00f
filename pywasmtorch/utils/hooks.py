"""torch.utils.hooks: RemovableHandle, unserializable_hook."""

from .._core.hooks import RemovableHandle
from .._tensor.pickling import warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f):
    """Mark a tensor hook as one that pickling may drop without a warning."""
    f.__torch_unserializable__ = True
    return f
