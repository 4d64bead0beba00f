"""torch._ops: the classes of operators."""

from ...ops import OpOverload, OpOverloadPacket

__all__ = ["OpOverload", "OpOverloadPacket"]
