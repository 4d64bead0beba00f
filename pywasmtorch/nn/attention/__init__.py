"""SDPBackend and sdpa_kernel. There is one backend, so a choice has no effect."""

import contextlib
import enum

from ..._core.names import absent as _absent

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """The names of PyTorch's algorithms."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


_chosen: list[SDPBackend] = []


def _cur_sdpa_kernel_backends(with_priority=False):
    return list(_chosen)


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """A context in which only ``backends`` may be chosen. Any choice gives the same result here.

    Args:
        backends (SDPBackend or list of SDPBackend): what may be chosen.
        set_priority (bool): accepted; it changes nothing.
    """
    if isinstance(backends, SDPBackend):
        backends = [backends]
    if not isinstance(backends, (list, tuple)) or not all(isinstance(backend, SDPBackend) for backend in backends):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    before = list(_chosen)
    _chosen[:] = dict.fromkeys(backends)
    try:
        yield {}
    finally:
        _chosen[:] = before


_otherwise = _absent(__name__)


def __getattr__(name):
    if name in ("bias", "flex_attention"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    return _otherwise(name)
