"""The names that modules, classes and functions call themselves by, once this package stands for torch: PyTorch's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FunctionType, ModuleType

from .._core.tensor_type import Tensor
from .._tensor.storage import CLASSES
from .absent import add_to

OURS = __name__.partition(".")[0]
#: what files name by the place where PyTorch defines it
PLACES = {
    "Generator": "torch._C", "TypedStorage": "torch.storage", "UntypedStorage": "torch.storage", "_rebuild_parameter": "torch._utils",
    "_rebuild_parameter_with_state": "torch._utils", **dict.fromkeys(CLASSES, "torch"),
}


def take_torch_names(modules: Mapping[str, ModuleType]) -> None:
    """Renames modules, given by their names in PyTorch, and what they hold. What a pickle would not find by its new name keeps its own."""
    for torch_name, module in modules.items():
        module.__name__ = torch_name
        add_to(torch_name, module)
        for name, value in list(vars(module).items()):
            if isinstance(value, (type, FunctionType)) and is_ours(value):
                if torch_name == "torch" and value.__name__ == f"{name}_function":
                    value.__name__ = value.__qualname__ = name  # Python's own sum, max and their like were in its way
                value.__module__ = public_place(value, module) or value.__module__
    if "torch" in modules:
        for name, value in vars(Tensor).items():
            if isinstance(value, FunctionType) and is_ours(value):
                value.__module__, value.__name__, value.__qualname__ = "torch", name, f"Tensor.{name}"


def is_ours(value: type | FunctionType) -> bool:
    return value.__module__.partition(".")[0] == OURS


def public_place(value: type | FunctionType, otherwise: ModuleType) -> str | None:
    """PyTorch's name of the module without an underscore that has the value under its own name: the one that defines it or one above,
    else the other. None where there is none."""
    if value.__qualname__ in PLACES:
        return PLACES[value.__qualname__]
    path = value.__module__.split(".")
    while len(path) > 1:
        if not any(part.startswith("_") for part in path) and has(sys.modules.get(".".join(path)), value):
            return ".".join(["torch", *path[1:]])
        path.pop()
    return otherwise.__name__ if "._" not in otherwise.__name__ and has(otherwise, value) else None


def has(module: ModuleType | None, value: type | FunctionType) -> bool:
    return module is not None and vars(module).get(value.__qualname__) is value
