"""torch.utils: data, checkpoint, benchmark, hooks, _pytree."""

from typing import Any

from . import data, hooks

__all__ = ["checkpoint", "data", "hooks"]


def __getattr__(name: str) -> Any:
    """checkpoint needs autograd, which needs hooks."""
    if name in ("benchmark", "checkpoint", "deterministic", "dlpack", "model_zoo", "_foreach_utils", "_pytree", "tensorboard"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"pywasmtorch has no torch.utils.{name}; see docs/differences.md")
