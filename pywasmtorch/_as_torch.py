"""`import torch` that finds this package."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

OURS = __name__.rpartition(".")[0]


class _Loader(importlib.abc.Loader):
    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: Any) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system put torch's name there


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname != "torch" and not fullname.startswith("torch."):
            return None
        name = OURS + fullname[len("torch") :]
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name and not name.startswith(f"{error.name}."):
                raise
            raise ModuleNotFoundError(f"pywasmtorch has no {fullname}; see docs/differences.md", name=fullname) from None
        return importlib.machinery.ModuleSpec(fullname, _Loader(name), is_package=hasattr(sys.modules[name], "__path__"))


def install_as_torch() -> None:
    """Makes `import torch` and imports from it find pywasmtorch in this process. RuntimeError where the real torch is loaded already."""
    have = sys.modules.get("torch")
    if have is not None and have is not sys.modules[OURS]:
        raise RuntimeError("install_as_torch() must run before the real torch is imported")
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    sys.modules["torch"] = sys.modules[OURS]
