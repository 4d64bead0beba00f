"""PyTorch under the name ``pywasmtorch``: shows that tests and programs are right about PyTorch itself."""

import importlib
import importlib.abc
import importlib.util
import pathlib
import sys

from .replay import bytes_of

REPOSITORY = pathlib.Path(__file__).parents[2]
OWN_MODULES = ("pywasmtorch.safetensors", "pywasmtorch.safetensors._file", "pywasmtorch.safetensors._model", "pywasmtorch.safetensors.torch", "pywasmtorch.datasets")


class TorchInstead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers ``import pywasmtorch.x`` with ``torch.x``, but for the modules that PyTorch does not have."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith("pywasmtorch."):
            return None
        if fullname in OWN_MODULES:
            path = REPOSITORY / fullname.replace(".", "/")
            if path.is_dir():
                return importlib.util.spec_from_file_location(fullname, path / "__init__.py", submodule_search_locations=[str(path)])
            return importlib.util.spec_from_file_location(fullname, path.with_suffix(".py"))
        return importlib.util.spec_from_loader(fullname, self)

    def create_module(self, spec):
        return importlib.import_module(spec.name.replace("pywasmtorch", "torch", 1))

    def exec_module(self, module):
        pass


def install():
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    sys.modules["pywasmtorch"] = torch
    sys.meta_path.insert(0, TorchInstead())
    for name in ("pywasmtorch.safetensors", "pywasmtorch.datasets"):
        setattr(torch, name.rpartition(".")[2], importlib.import_module(name))
    sys.modules["pywasmtorch.safetensors._file"]._bytes_of_tensor = lambda tensor: bytes_of(torch, tensor)
