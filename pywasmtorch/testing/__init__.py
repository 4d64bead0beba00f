"""torch.testing: assert_close, assert_allclose, make_tensor."""

from .._core.names import absent as _absent
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

__getattr__ = _absent(__name__)
