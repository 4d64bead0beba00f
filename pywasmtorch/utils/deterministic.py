"""torch.utils.deterministic: `fill_uninitialized_memory`, whether `torch.empty` and its kin are filled under `torch.use_deterministic_algorithms`."""

import sys
from types import ModuleType

from .._tensor.unwritten import state


class _Settings(ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether memory that nobody has written is filled (NaN, the greatest integer, True) in deterministic mode; True unless set."""
        return state["fill"]

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"_set_deterministic_fill_uninitialized_memory(): argument must be bool, not {type(value).__name__}")
        state["fill"] = value


sys.modules[__name__].__class__ = _Settings
