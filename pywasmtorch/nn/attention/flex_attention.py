"""flex_attention stub: raises, because PyTorch compiles it."""

from ..._core.names import absent as _named_absent

__all__ = ["BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention", "noop_mask", "or_masks"]


def _absent(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f"pywasmtorch has no torch.nn.attention.flex_attention.{name}; see docs/differences.md")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Absent: raises NotImplementedError."
    return function


class BlockMask:
    """Absent: raises NotImplementedError."""

    def __init__(self, *args, **kwargs):
        _absent("BlockMask")()


and_masks, create_block_mask, create_mask, flex_attention, noop_mask, or_masks = map(_absent, __all__[1:])

__getattr__ = _named_absent(__name__)
