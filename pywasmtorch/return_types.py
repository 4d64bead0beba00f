"""The named tuples that operators with several results return."""

from ._generated.structs import *  # noqa: F401,F403
from ._runtime import return_type  # noqa: F401
