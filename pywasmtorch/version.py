"""torch.version: version, cuda (None), git_version, debug."""

from ._core.names import absent as _absent
from ._core.version import __version__ as __version__

cuda = hip = xpu = None
git_version = "unknown"
debug = False

__getattr__ = _absent(__name__)
