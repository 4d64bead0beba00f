"""Private modules of PyTorch that programs import: torch._dynamo, torch._ops, torch._jit_internal, torch._utils, each in part."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("_C", "__config__", "_dynamo", "_jit_internal", "_ops", "_subclasses", "_tensor_str", "_utils"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"pywasmtorch has no torch.{name}; see docs/differences.md")
