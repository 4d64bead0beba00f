"""Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import pywasmtorch as torch

from ..._tensor import Tensor
from ..parameter import Parameter
from .module import Module, _indent

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(idx, size):
    """``idx`` as a position from the front; raises IndexError where it is out of range."""
    idx = operator.index(idx)
    if not -size <= idx < size:
        raise IndexError(f"index {idx} is out of range")
    return idx % size


def _pairs(kind, items):
    """Check the items of a dictionary-like ``update`` one by one."""
    for j, item in enumerate(items):
        if not isinstance(item, Iterable):
            raise TypeError(f"{kind} update sequence element #{j} should be Iterable; is{type(item).__name__}")
        pair = tuple(item)
        if len(pair) != 2:
            raise ValueError(f"{kind} update sequence element #{j} has length {len(pair)}; 2 is required")
        yield pair


class _NumberedModules(Module):
    """What ``Sequential`` and ``ModuleList`` share: children in order, mostly named by their number."""

    def __getitem__(self, idx):
        raise NotImplementedError

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __setitem__(self, idx, module):
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx):
        keys = list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]
        for key in keys:
            delattr(self, key)
        self._number(self._modules.values())

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def _key(self, idx):
        return list(self._modules)[_position(idx, len(self))]

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Remove and return the module at position ``key``."""
        module = self[key]
        del self[key]
        return module

    def _insert(self, index, module):
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._number(modules)

    def _number(self, modules):
        self._modules = {str(i): module for i, module in enumerate(modules)}


class Sequential(_NumberedModules):
    """Calls its modules one after the other, each on the result of the one before.

    Args:
        *args: modules, which get the names ``"0"``, ``"1"``, …; or one ``OrderedDict`` of named modules.
    """

    def __init__(self, *args):
        super().__init__()
        named: dict[str, Any] = {str(i): module for i, module in enumerate(args)}
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0]
        for name, module in named.items():
            self.add_module(name, module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __add__(self, other):
        self._check_addend(other)
        return Sequential(*self, *other)

    def __iadd__(self, other):
        self._check_addend(other)
        return self.extend(list(other))

    @staticmethod
    def _check_addend(other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __mul__(self, other):
        self._check_factor(other)
        return Sequential(*(list(self) * other))

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def insert(self, index, module):
        """Put a module before position ``index``."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        self._insert(index, module)
        return self

    def extend(self, sequential):
        """Add the modules of ``sequential`` at the end."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_NumberedModules):
    """A list whose modules are registered.

    Args:
        modules (iterable, optional): the modules to start with.
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def _key(self, idx):
        return str(_position(idx, len(self)))

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList(chain(self, other))

    def insert(self, index, module):
        """Put a module before position ``index``."""
        self._insert(index, module)

    def extend(self, modules):
        """Add the modules of an iterable at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self

    def __repr__(self):
        blocks: list[Any] = []
        for i, module in enumerate(self):
            text = repr(module)
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = i
            else:
                blocks.append([i, i, text])
        if not blocks:
            return f"{self._get_name()}()"
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in blocks
        ]
        body = "\n  ".join(_indent(line) for line in lines)
        return f"{self._get_name()}(\n  {body}\n)"


class ModuleDict(Module):
    """A dictionary whose modules are registered.

    Args:
        modules (iterable, optional): a mapping from str to module, or an iterable of such pairs.
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key):
        """Remove and return the module under ``key``."""
        return self._modules.pop(key)

    def keys(self):
        """A view of the names."""
        return self._modules.keys()

    def items(self):
        """A view of the (name, module) pairs."""
        return self._modules.items()

    def values(self):
        """A view of the modules."""
        return self._modules.values()

    def update(self, modules):
        """Add or replace modules from a mapping or from an iterable of pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleDict.update should be called with an iterable of key/value pairs, but got {type(modules).__name__}"
            )
        items = modules.items() if isinstance(modules, (ModuleDict, Mapping)) else _pairs("ModuleDict", modules)
        for key, module in items:
            self[key] = module


def _as_parameter(value):
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _describe(key, value, type_name):
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(n) for n in value.size())
    return f"  ({key}): {kind} containing: [{type_name(value)} of size {size}]"


class ParameterList(Module):
    """A list whose parameters are registered; plain tensors become parameters, other values are kept as they are.

    Args:
        values (iterable, optional): the values to start with.
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, str(_position(idx, len(self))))

    def __setitem__(self, idx, param):
        setattr(self, str(_position(idx, len(self))), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value):
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Add the values of an iterable at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(_describe(i, value, lambda t: t.dtype) for i, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary whose parameters are registered; plain tensors become parameters, other values stay as they are.

    Args:
        parameters (iterable, optional): a mapping from str to value, or an iterable of such pairs.
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _check_key(key):
        if not isinstance(key, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}')."
            )

    def __getitem__(self, key):
        self._check_key(key)
        return getattr(self, key)

    def __setitem__(self, key, value):
        self._check_key(key)
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A new ``ParameterDict`` with the same values."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key, default=None):
        """The value under ``key``, which is set to ``default`` where it is absent."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key, default=None):
        """The value under ``key``, or ``default``."""
        return self[key] if key in self else default

    def clear(self):
        """Remove all values."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Remove and return the value under ``key``."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Remove and return the last (key, value) pair."""
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def fromkeys(self, keys, default=None):
        """A new ``ParameterDict`` with ``default`` under each of ``keys``."""
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """A view of the keys."""
        return self._keys.keys()

    def items(self):
        """The (key, value) pairs, in order."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The values, in order."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Add or replace values from a mapping (in sorted order unless it is an ordered one) or from pairs."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                f"ParametersDict.update should be called with an iterable of key/value pairs, but got {type(parameters).__name__}"
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            items = parameters.items()
        elif isinstance(parameters, Mapping):
            items = sorted(parameters.items())
        else:
            items = _pairs("ParameterDict", parameters)
        for key, value in items:
            self[key] = value

    def extra_repr(self):
        return "\n".join(_describe(key, value, torch.typename) for key, value in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        merged = self.copy()
        merged.update(other)
        return merged

    def __ror__(self, other):
        merged = other.copy()
        merged.update(self)
        return merged

    def __ior__(self, other):
        self.update(other)
        return self


class Container(Module):
    """An older way of naming children, by keyword; use a subclass of ``Module``."""

    def __init__(self, **kwargs):
        super().__init__()
        warnings.warn(
            "nn.Container is deprecated. All of it's functionality is now implemented in nn.Module. Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)
