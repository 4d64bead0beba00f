"""DataParallel and DistributedDataParallel for one device and one process."""

from ..._core.names import absent as _named_absent
from .data_parallel import DataParallel, data_parallel
from .distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

__getattr__ = _named_absent(__name__)
