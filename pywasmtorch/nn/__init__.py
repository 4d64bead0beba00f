"""Building blocks of neural networks: modules, parameters, their functions and starting values."""

from .._names import absent as _absent
from . import functional, init, modules, parameter, utils
from .functional.linear_loss import LinearCrossEntropyOptions
from .modules import *  # noqa: F403
from .modules import __all__ as _module_names
from .parameter import Buffer, Parameter

__all__ = ["Buffer", "LinearCrossEntropyOptions", "Parameter", "functional", "init", "modules", "parameter", "utils", *_module_names]

__getattr__ = _absent(__name__)
