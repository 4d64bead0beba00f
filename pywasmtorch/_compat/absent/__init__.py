"""Modules and names of PyTorch that are not here and that packages import: importing succeeds, using raises NotImplementedError by name.

A module of this package comes first, a name that has a true answer without what is absent (`answers`) second, what `names` lists last.
"""

from __future__ import annotations

import enum
import importlib
import importlib.abc
import importlib.machinery
from types import ModuleType
from typing import Any, NoReturn

from .answers import ANSWERS
from .names import MODULES

KINDS = ("classes", "functions", "decorators")


def _inside(torch_name: str) -> str:
    return torch_name.partition(".")[2]


def _refuse(torch_name: str) -> NoReturn:
    raise NotImplementedError(f"pywasmtorch has no {torch_name}; see docs/differences.md")


def _class(module: str, name: str) -> type:
    """A class to mention, to derive from and to ask isinstance of: nothing is an instance."""

    def __new__(cls: type, *_: Any, **__: Any) -> NoReturn:
        _refuse(f"{module}.{name}")

    def __class_getitem__(cls: type, item: Any) -> type:
        return cls

    doc = "Not here: making one raises NotImplementedError."
    return type(name, (), {"__new__": __new__, "__class_getitem__": classmethod(__class_getitem__), "__module__": module, "__doc__": doc})


def _function(module: str, name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        _refuse(f"{module}.{name}")

    refuse.__module__, refuse.__name__, refuse.__qualname__ = module, name, name
    return refuse


def _decorator(module: str, name: str) -> Any:
    """What may be put around a function, which then refuses when it is called."""
    refuse = _function(module, name)
    return lambda function: refuse


def has_module(torch_name: str) -> bool:
    return _inside(torch_name) in MODULES


def _has_modules_below(torch_name: str) -> bool:
    start = _inside(torch_name) + "."
    return any(name.startswith(start) for name in MODULES)


def find(module: str, name: str) -> Any:
    """The name of a module of torch, or None where it is not one of these."""
    inside = _inside(module)
    full = f"{inside}.{name}".lstrip(".")
    if full in ANSWERS:
        return ANSWERS[full]
    here = MODULES.get(inside, {})
    if name in here.get("classes", "").split():
        return _class(module, name)
    if name in here.get("functions", "").split():
        return _function(module, name)
    if name in here.get("decorators", "").split():
        return _decorator(module, name)
    if name in here and name not in KINDS:
        return enum.Enum(name, here[name], module=module)
    if full in MODULES:
        return importlib.import_module(f"torch.{full}")
    return None


def add_to(torch_name: str, module: ModuleType) -> None:
    """Lets a module that is here have, too, the names that are not."""
    if not has_module(torch_name) and not any(name.rpartition(".")[0] == _inside(torch_name) for name in (*MODULES, *ANSWERS)):
        return
    own = vars(module).get("__getattr__")
    if getattr(own, "adds_absent", False):
        return

    def __getattr__(name: str) -> Any:
        if not name.startswith("__"):
            found = find(torch_name, name)
            if found is not None:
                setattr(module, name, found)
                return found
        if own is not None:
            return own(name)
        raise AttributeError(f"module {torch_name!r} has no attribute {name!r}", name=name, obj=module)

    __getattr__.adds_absent = True  # type: ignore[attr-defined]
    module.__getattr__ = __getattr__  # type: ignore[method-assign]
    if not hasattr(module, "__path__") and _has_modules_below(torch_name):
        module.__path__ = []


class Loader(importlib.abc.Loader):
    """Makes a module of which this package has nothing."""

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__doc__ = f"{module.__name__}: not here; names to import, which say so when they are used."
        add_to(module.__name__, module)


def spec_of(torch_name: str) -> importlib.machinery.ModuleSpec:
    return importlib.machinery.ModuleSpec(torch_name, Loader(), is_package=True)
