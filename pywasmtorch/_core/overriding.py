"""`__torch_function__`: which arguments and modes are asked, and functions that ask them.

A function asks nothing until a program has something to ask: then its code object is exchanged for one that looks at the arguments first.
The function stays the same object, as tables of handlers that programs keep want it, and nobody pays who does not use it.
"""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any

from . import dtype as _dtype
from .lazy_import import lazy_import
from .tensor_type import Tensor


class State(threading.local):
    """Of each thread: whether subclasses are asked, and the modes, the innermost last."""

    def __init__(self) -> None:
        self.subclasses, self.all_disabled = True, False
        self.modes: list[Any] = []
        self.dispatch_modes: list[Any] = []


state = State()
#: modes entered in any thread
entered = 0
#: never asked; found by identity, so that most calls look no further
PLAIN: set[type] = {Tensor, int, float, bool, complex, str, type(None), _dtype.dtype, slice, type(...)}


def disabled_torch_function(*_: Any) -> Any:
    """As a class's `__torch_function__`: its instances are plain tensors for every function."""
    raise RuntimeError("a class with this __torch_function__ is not asked")


disabled_torch_function.asks_nobody = True  # type: ignore[attr-defined]


def is_asked(kind: type) -> bool:
    if kind in PLAIN:
        return False
    if hasattr(kind, "_bind") and not issubclass(kind, Tensor):  # a tensor of another import of this package
        return False
    method = getattr(kind, "__torch_function__", None)
    return method is not None and not hasattr(method, "asks_nobody") and not issubclass(kind, type)


def overloaded(values: Iterable[Any], found: list[Any] | None = None) -> list[Any]:
    """The values that have a `__torch_function__`, one of each type, subclasses before their bases; those in lists, too."""
    found = [] if found is None else found
    for value in values:
        kind = type(value)
        if kind in PLAIN:
            continue
        if kind is list or isinstance(value, tuple):
            overloaded(value, found)
        elif is_asked(kind) and not any(type(other) is kind for other in found):
            place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(place, value)
    return found


class Without:
    """A context in which a part of the state has another value."""

    def __init__(self, **values: Any) -> None:
        self._values = values
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        self._before.append({name: getattr(state, name) for name in self._values})
        state.__dict__.update(self._values)

    def __exit__(self, *_: Any) -> None:
        state.__dict__.update(self._before.pop())


class DisableTorchFunctionSubclass(Without):
    """A context in which only modes are asked."""

    def __init__(self) -> None:
        super().__init__(subclasses=False)


class DisableTorchFunction(Without):
    """A context in which nothing is asked."""

    def __init__(self) -> None:
        super().__init__(subclasses=False, modes=[], all_disabled=True)


without_subclasses = DisableTorchFunctionSubclass


resolve_name = lazy_import("overrides", "resolve_name")


def text_of(public: Any) -> str:
    module = getattr(public, "__module__", None)
    name = getattr(public, "__name__", repr(public))
    return resolve_name(public) or (f"{module}.{name}" if module else name)


def ask(public: Any, values: list[Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """What the innermost mode or the first value answers that does not return NotImplemented. TypeError where none does."""
    types = tuple(type(value) for value in values)
    modes = state.modes
    if modes:
        method = modes[-1].__torch_function__
        if isinstance(getattr(method, "__self__", None), type):
            raise RuntimeError(f"Defining your mode's `__torch_function__` as a classmethod is not supported, please make it a plain method: {type(modes[-1]).__name__}")
        with Without(modes=modes[:-1]):
            result = method(public, types, arguments, names)
        if result is not NotImplemented:
            return result
    for value in values:
        method = value.__torch_function__
        if getattr(method, "__self__", None) is value:
            warnings.warn("Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, please define it as a classmethod.",
                          DeprecationWarning, stacklevel=3)
        result = method(public, types, arguments, names)
        if result is not NotImplemented:
            return result
    asked = [f"  - mode object {mode}" for mode in modes[-1:]] + [f"  - tensor subclass {kind}" for kind in types]
    raise TypeError(f"Multiple dispatch failed for '{text_of(public)}'; all __torch_function__ handlers returned NotImplemented:\n\n" + "\n".join(asked))


def convert(result: Any, cls: type) -> Any:
    """Tensors in a result as instances of a subclass."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        items = [convert(item, cls) for item in result]
        return type(result)(*items) if type(result).__base__ is tuple and hasattr(result, "_make") else type(result)(items)
    return result


#: functions whose results stay what they are; filled by torch.overrides
unwrapped: set[Any] = set()


def default_torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Calls the function on the tensors as they are; tensors of its result become instances of the class."""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with without_subclasses():
        result = func(*args, **(kwargs or {}))
    return result if func in unwrapped else convert(result, cls)


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[attr-defined]


# ---- functions that ask ----
PLACEHOLDER = "the entry"


@functools.cache
def asking(free: int) -> CodeType:
    """Code that calls a constant with its arguments, for functions with a closure of so many cells: a frame needs them all, or whoever
    looks at its variables finds none where they must be."""
    cells = [f"cell{i}" for i in range(free)]
    names: dict[str, Any] = {}
    here = sys._getframe().f_lineno  # the lines that tracebacks show of it
    text = ("\n" * here + f"def outer({', '.join(cells)}):\n"
            f" def asking(*arguments, **names):\n  entry = {PLACEHOLDER!r}\n  return entry(arguments, names)\n  {', '.join(cells) or None}\n return asking")
    exec(compile(text, __file__, "exec"), names)  # of a file of this package: warnings are shown at the program's line
    return names["outer"](*cells).__code__


#: function -> what its code was before
originals: dict[FunctionType, FunctionType] = {}
Shape = Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def original_of(function: FunctionType) -> FunctionType:
    """A function of the same code, closure and defaults, which stays as it is."""
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__dict__.update(function.__dict__)
    copy.__annotations__, copy.__doc__, copy.__qualname__, copy.__module__ = function.__annotations__, function.__doc__, function.__qualname__, function.__module__
    return copy


def make_ask(function: FunctionType, public: Any = None, shape: Shape | None = None, only_modes: bool = False) -> None:
    """Has a function ask its arguments and the modes before it runs. They are told of `public` (default: the function itself) with the
    arguments as given, or as `shape` makes them; `only_modes`: arguments are not asked."""
    if function in originals:
        return
    original = originals[function] = original_of(function)
    told = function if public is None else public

    def entry(arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
        if entered and (state.modes or state.dispatch_modes):
            values = [] if only_modes or not state.subclasses else overloaded((*arguments, *names.values()))
        elif not state.subclasses:
            return original(*arguments, **names)
        elif only_modes:
            with without_subclasses():
                return original(*arguments, **names)
        else:
            for value in arguments:
                if type(value) not in PLAIN:
                    break
            else:
                if not names:
                    return original(*arguments)
            values = overloaded((*arguments, *names.values()))
            if not values:
                return original(*arguments, **names)
        if values or state.modes:
            if shape is not None:
                arguments, names = shape(arguments, names)
            return ask(told, values, arguments, names)
        return state.dispatch_modes[-1]._of_function(told, original, arguments, names) if state.dispatch_modes else original(*arguments, **names)

    code = asking(len(function.__code__.co_freevars))
    function.__dict__.setdefault("__wrapped__", original)
    function.__code__ = code.replace(
        co_consts=tuple(entry if value == PLACEHOLDER else value for value in code.co_consts),
        co_freevars=function.__code__.co_freevars, co_name=function.__code__.co_name,
    )


def restore(function: FunctionType) -> None:
    """Ends what `make_ask` began."""
    original = originals.pop(function)
    function.__code__ = original.__code__
    if function.__dict__.get("__wrapped__") is original:
        del function.__dict__["__wrapped__"]
