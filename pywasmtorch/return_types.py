"""The named tuples that operators with several results return."""

from ._core.generated.structs import *  # noqa: F403
from ._core.named_tuple import return_type  # noqa: F401
