"""Several devices: on this one, programs written for them run as they are."""

from ..._core.names import absent as _named_absent
from .data_parallel import DataParallel, data_parallel
from .distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

__getattr__ = _named_absent(__name__)
