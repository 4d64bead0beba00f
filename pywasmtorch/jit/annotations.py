"""torch.jit.annotations: names of types that programs import from it."""

from typing import Any, Callable, Dict, List, Optional, Tuple, Union  # noqa: UP035 -- these very names

from .._core.names import absent as _absent

__all__ = [
    "Any", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "BroadcastingList4", "BroadcastingList5", "BroadcastingList6", "Callable", "Dict", "List",
    "Optional", "Tuple", "Union",
]

#: a list, for which a single value may stand
BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = List  # noqa: UP006

__getattr__ = _absent(__name__)
