"""Pickler and Unpickler with PyTorch's names and storages as persistent ids."""

from __future__ import annotations

import pickle
from types import FunctionType
from typing import Any

from .._core import dtype as _dtype
from .._core import layout as _layout
from .._tensor.storage import CLASS_NAMES, CLASSES, TypedStorage, UntypedStorage
from . import _names
from ._location import location_tag

base = getattr(pickle, "_Pickler", pickle.Pickler)  # the one whose way of writing names can be changed


class Storages:
    """The storages that an object holds, in the order in which they were met, each with the key it is saved under."""

    def __init__(self, legacy: bool) -> None:
        self.legacy = legacy
        self.keys: dict[int, str] = {}
        self.found: dict[str, UntypedStorage] = {}
        self.dtypes: dict[str, _dtype.dtype] = {}

    def id_of(self, value: Any) -> tuple[Any, ...] | None:
        """What stands for a storage in the pickle; None for anything else. RuntimeError where it was met as another dtype."""
        if isinstance(value, TypedStorage):
            storage, kind, dtype, count = value.untyped(), _class_of(value.dtype), value.dtype, value.size()
        elif isinstance(value, UntypedStorage):
            storage, kind, dtype, count = value, UntypedStorage, _dtype.uint8, value.nbytes()
        else:
            return None
        identity = storage._cdata
        key = self.keys.setdefault(identity, str(identity if self.legacy else len(self.keys)))
        if self.dtypes.setdefault(key, dtype) is not dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        self.found.setdefault(key, storage)
        result = ("storage", kind, key, location_tag(storage), count)
        return (*result, None) if self.legacy else result


def _class_of(dtype: _dtype.dtype) -> Any:
    return CLASSES[CLASS_NAMES[dtype]]


class Pickler(base):  # type: ignore[valid-type,misc]
    """Writes what is of this package under PyTorch's names."""

    def __init__(self, file: Any, protocol: int, storages: Storages) -> None:
        super().__init__(file, protocol=protocol)
        self.persistent_id = storages.id_of

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, _dtype.dtype):
            return value._name
        if isinstance(value, _layout.layout):
            return _names._get_layout, (repr(value),)
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Writes a class or function by its name."""
        written = _names.written_name(obj, name)
        if written is None:
            super().save_global(obj, name)
            return
        module, qualified = written
        if self.proto >= 4:
            self.save(module)
            self.save(qualified)
            self.write(pickle.STACK_GLOBAL)
        elif "." in qualified:
            import functools

            parent, _, last = qualified.rpartition(".")
            owner = functools.reduce(getattr, parent.split("."), _names.find(module, parent.split(".")[0]))
            self.save_reduce(getattr, (owner, last), obj=obj)
            return
        else:
            self.write(pickle.GLOBAL + f"{module}\n{qualified}\n".encode())
        self.memoize(obj)

    if hasattr(base, "dispatch"):
        dispatch = {**base.dispatch, FunctionType: save_global}


def pickled(value: Any, file: Any, pickle_module: Any, protocol: int, storages: Storages) -> None:
    if pickle_module is pickle:
        Pickler(file, protocol, storages).dump(value)
        return
    foreign = type("Pickler", (pickle_module.Pickler,), {"persistent_id": lambda self, obj: storages.id_of(obj)})
    foreign(file, protocol=protocol).dump(value)


class Unpickler(pickle.Unpickler):
    """Reads any pickle, and finds here what it names of PyTorch."""

    def __init__(self, file: Any, persistent_load: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self.persistent_load = persistent_load  # type: ignore[method-assign]

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" or module.startswith("torch."):
            return _names.find(module, name)
        return super().find_class(module, name)


def unpickled(file: Any, persistent_load: Any, pickle_module: Any, options: dict[str, Any]) -> Any:
    if pickle_module is pickle:
        return Unpickler(file, persistent_load, **options).load()

    def find_class(self: Any, module: str, name: str) -> Any:
        if module == "torch" or module.startswith("torch."):
            return _names.find(module, name)
        return super(foreign, self).find_class(module, name)

    foreign = type("Unpickler", (pickle_module.Unpickler,), {"find_class": find_class})
    unpickler = foreign(file, **options)
    unpickler.persistent_load = persistent_load
    return unpickler.load()
