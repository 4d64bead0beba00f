"""torch.nn: modules, Parameter, functional, init, utils."""

from .._core.names import absent as _absent
from . import attention, common_types, functional, grad, init, modules, parallel, parameter, utils
from .functional.linear_loss import LinearCrossEntropyOptions
from .modules import *  # noqa: F403
from .modules import __all__ as _module_names
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "LinearCrossEntropyOptions",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "common_types",
    "factory_kwargs",
    "functional",
    "grad",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
    *_module_names,
]


def factory_kwargs(kwargs):
    """The ``device``, ``dtype`` and ``memory_format`` among ``kwargs`` and in its ``factory_kwargs``; TypeError for other names."""
    if kwargs is None:
        return {}
    names = {"device", "dtype", "memory_format"}
    unknown = kwargs.keys() - (names | {"factory_kwargs"})
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    result = dict(kwargs.get("factory_kwargs", {}))
    for name in names & kwargs.keys():
        if name in result:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        result[name] = kwargs[name]
    return result


__getattr__ = _absent(__name__)
