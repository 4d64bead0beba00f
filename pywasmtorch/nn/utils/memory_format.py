"""convert_conv2d_weight_memory_format, convert_conv3d_weight_memory_format."""

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _converted(module, kinds, memory_format):
    for child in module.modules():
        if isinstance(child, kinds):
            child.weight.data = child.weight.detach().clone().contiguous(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """Store the weights of the two-dimensional convolutions in ``module`` in ``memory_format``."""
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module, memory_format):
    """Store the weights of the three-dimensional convolutions in ``module`` in ``memory_format``."""
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)
