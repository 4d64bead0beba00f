"""torch.distributed.tensor: the descriptions of placements; DTensor and what distributes one are not here."""

from __future__ import annotations

from ..._core.names import absent as _absent
from .placement_types import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]

__getattr__ = _absent(__name__)
