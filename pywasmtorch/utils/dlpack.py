"""torch.utils.dlpack: tensors handed to other libraries and taken from them."""

from .._functions.creation import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
