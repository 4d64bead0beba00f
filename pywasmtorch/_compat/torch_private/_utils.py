"""torch._utils: the functions that pickles of tensors and parameters call."""

from ..._tensor import rebuild
from ...nn.parameter import _rebuild_parameter, _rebuild_parameter_with_state

__all__ = ["_rebuild_parameter", "_rebuild_parameter_with_state"]

globals().update({name: value for name, value in vars(rebuild).items() if getattr(value, "__module__", None) == rebuild.__name__})
