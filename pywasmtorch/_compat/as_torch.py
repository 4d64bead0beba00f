"""install_as_torch: `import torch` finds this package."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from .. import torch_version
from .._core.names import module_here, torch_name_of
from . import child_processes

OURS = __name__.partition(".")[0]


class _Loader(importlib.abc.Loader):
    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: Any) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        from .torch_names import take_torch_names

        module.__spec__ = self.spec  # the import system put torch's name there
        if not self.name.startswith(f"{OURS}.safetensors"):
            take_torch_names({torch_name_of(self.name): module})


def _absent(torch_name: str, name: str) -> ModuleNotFoundError:
    """`name` is not the one that was looked for: `from torch import fx` would make a message of its own of that."""
    return ModuleNotFoundError(f"pywasmtorch has no {torch_name}; see docs/differences.md", name=name)


def show_modules(but: str = "") -> None:
    """Puts every module that is loaded, but the one that is about to be, under torch's name, too. What is found there is not bound in its
    package again, where a function may stand over a module of its name, as `autograd.gradcheck` does."""
    from .torch_names import take_torch_names

    new = {}
    for name, module in list(sys.modules.items()):
        loading = hasattr(module, "__path__") and getattr(module.__spec__, "_initializing", False)  # a package's own imports still go by its name
        if name.startswith(f"{OURS}.") and not loading:
            torch_name = torch_name_of(name)
            if torch_name != but and torch_name not in sys.modules and module_here(torch_name) == name:
                new[torch_name] = module
    sys.modules.update(new)
    take_torch_names(new)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds torch's modules here, under both names, and those of safetensors where this package stands for it."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname.startswith("safetensors.") and sys.modules.get("safetensors") is sys.modules.get(f"{OURS}.safetensors"):
            name = f"{OURS}.{fullname}"
        elif fullname == "torch" or fullname.startswith("torch."):
            from . import absent

            name = module_here(fullname)
        elif fullname == child_processes.SPAWN:
            return child_processes.spec_of_spawn(path)
        else:
            return None
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not any(f"{tried}.".startswith(f"{error.name}.") for tried in (name, fullname)):
                raise
            if fullname.startswith("torch.") and absent.has_module(fullname):
                return absent.spec_of(fullname)
            raise _absent(fullname, name) from None
        show_modules(but=fullname)
        return importlib.machinery.ModuleSpec(fullname, _Loader(name), is_package=hasattr(sys.modules[name], "__path__"))

    def find_distributions(self, context: Any = None) -> Iterable[Any]:
        """importlib.metadata asks: torch is installed, whatever folders hold."""
        from .installed import distributions

        return distributions(getattr(context, "name", None))


class _LastFinder(importlib.abc.MetaPathFinder):
    """Asked when nobody found a module: of this package, where `from torch.nn import Absent` has a shorter message of its own, or
    safetensors, where that is not installed."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname == "safetensors":
            return importlib.machinery.ModuleSpec(fullname, _Loader(f"{OURS}.{fullname}"), is_package=True)
        if fullname.startswith(f"{OURS}.") and not fullname.rpartition(".")[2].startswith("__"):
            torch_name = torch_name_of(fullname)
            raise _absent(torch_name, torch_name)
        return None


def _is_stand_in(module: ModuleType) -> bool:
    """Whether it is the file that `python -m pywasmtorch install` writes, which is being imported."""
    return hasattr(module, OURS) and not hasattr(module, "Tensor")


class _Spec(importlib.machinery.ModuleSpec):
    """torch's: by its own name, while imports inside of the package go on by the package's."""

    @property
    def parent(self) -> str:
        return OURS


def _spec_of(ours: ModuleType) -> importlib.machinery.ModuleSpec:
    before = ours.__spec__
    if before is None or isinstance(before, _Spec):
        return before  # type: ignore[return-value]
    spec = _Spec("torch", before.loader, origin=before.origin)
    spec.has_location = before.has_location
    spec.submodule_search_locations = before.submodule_search_locations
    return spec


def install_as_torch() -> None:
    """Makes `import torch` and imports from it find pywasmtorch in this process and in those that Python's multiprocessing starts from
    it, and `import safetensors` where that is not installed.

    `torch.__version__` then is PyTorch's, whose names these are, with pywasmtorch's own after the plus sign: programs decide by it.
    Modules, classes and functions call themselves by PyTorch's names. RuntimeError where the real torch is loaded already.
    """
    from .torch_names import take_torch_names

    have = sys.modules.get("torch")
    if have is not None and have is not sys.modules[OURS] and not _is_stand_in(have):
        raise RuntimeError("install_as_torch() must run before the real torch is imported")
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        sys.meta_path.append(_LastFinder())
        child_processes.pass_on_when_loaded()
    ours = sys.modules["torch"] = sys.modules[OURS]
    ours.__spec__ = _spec_of(ours)
    ours.__version__ = torch_version.__version__
    ours.version.__version__ = str(torch_version.__version__)
    take_torch_names({"torch": ours})
    show_modules()
