"""torch.return_types: named tuples of operators with several results."""

from ._core.generated.structs import *  # noqa: F403
from ._core.named_tuple import return_type  # noqa: F401
