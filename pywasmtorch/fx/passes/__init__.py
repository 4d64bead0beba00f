"""torch.fx.passes: shapes of values, splitting a module."""

from ..._core.names import absent as _absent
from . import shape_prop, split_module

__all__ = ["shape_prop", "split_module"]

__getattr__ = _absent(__name__)
