"""The named tuples that operators with several results return."""

from ._generated.structs import *  # noqa: F403
from ._runtime import return_type  # noqa: F401
