"""torch._tensor_str: how tensors print, by the names that programs use beside torch.set_printoptions."""

from typing import Any

from ..._tensor import printing
from ..._tensor.printing import contents as _tensor_str
from ..._tensor.printing import get_printoptions, printoptions, set_printoptions

__all__ = ["_tensor_str", "get_printoptions", "printoptions", "set_printoptions"]


def __getattr__(name: str) -> Any:
    if name == "PRINT_OPTS":
        return printing._options
    raise AttributeError(f"pywasmtorch has no torch._tensor_str.{name}; see docs/differences.md")
