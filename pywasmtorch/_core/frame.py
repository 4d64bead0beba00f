"""The frame in the core's memory, one for each thread of Python: put_* write arguments, take_* read results."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

from . import dtype as _dtype
from .host import load
from .host.protocol import LIST_IN_FRAME
from .host.thread_watch import before_another_thread
from .tensor_type import Tensor

host = load()
flush, dead, raise_error = host.flush, host.dead, host.raise_error
new = object.__new__
Tensor._bind(host.finalize)

#: what a fast path raises when it meets a value that it does not take as it is
BAD_ARGUMENT = (AttributeError, TypeError, ValueError, OverflowError, IndexError, RuntimeError)
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
FORM_INPLACE, FORM_OUT = 1 << 24, 2 << 24
KIND_BOOL, KIND_INT, KIND_FLOAT, KIND_COMPLEX = 1, 2, 3, 4

#: a frame: its slots as integers, the same slots as floats, and the function that calls the core with it
Frame = tuple[Any, Any, Callable[[int], int]]
#: a frame for paths that count every call of Python: its slots, where the operator's number is put and the result read, and the call itself
DirectFrame = tuple[Any, Any, Callable[[], Any]]


# ---- whose frame ----
# `current()` gives the frame of the thread that calls, or None where it has none yet; `adopt()` makes one. While Python runs a single
# thread, a context variable tells: it is empty in threads that Python did not start. Contexts can be carried into other threads, so once
# there is another thread, each looks into its own storage, which costs more.
# `direct()` gives the same as a direct frame, or None: before `adopt()`, in hosts that have none, and while frames are changed.
_of_context: ContextVar[Frame | None] = ContextVar("frame", default=None)
_direct_of_context: ContextVar[DirectFrame | None] = ContextVar("direct frame", default=None)
_of_thread = threading.local()
_followers: list[dict[str, Any]] = []
_getter: Callable[[], Frame | None] = _of_context.get
_direct_getter: Callable[[], DirectFrame | None] = _direct_of_context.get
_around: Callable[[Frame], Frame] | None = None
current, direct = _getter, _direct_getter


def follow(names: dict[str, Any]) -> None:
    """Keeps `current` and `direct` of a module, whose globals these are, what they are here."""
    _followers.append(names)
    names["current"], names["direct"] = current, direct


def find_frames(getter: Callable[[], Frame | None] | None = None, direct_getter: Callable[[], DirectFrame | None] | None = None, around: Any = ...) -> None:
    """Has `current` and `direct` ask other functions, here and in the modules that follow; `around`, if any, makes of each frame what is used."""
    global _getter, _direct_getter, _around
    _getter, _direct_getter = getter or _getter, direct_getter or _direct_getter
    _around = _around if around is ... else around
    make, change = _getter, _around
    found = make if change is None else lambda: (frame := make()) and change(frame)
    for names in (globals(), *_followers):
        names["current"] = found
        names["direct"] = _direct_getter if change is None else lambda: None


def adopt() -> Frame:
    """The frame of this thread, made where it has none."""
    frame = getattr(_of_thread, "frame", None)
    if frame is None:
        _of_thread.entered = entered = host.enter_thread()
        frame = _of_thread.frame = (entered.words, entered.doubles, entered.invoke)
        _of_thread.direct = entered.direct
    _of_context.set(frame)
    _direct_of_context.set(_of_thread.direct)
    return frame


def here() -> Frame:
    return current() or adopt()


def _tell_threads_apart() -> None:
    find_frames(partial(getattr, _of_thread, "frame", None), partial(getattr, _of_thread, "direct", None))


adopt()
before_another_thread(_tell_threads_apart)


# ---- putting arguments into a frame; each returns the next free slot ----
def put_long(words: Any, i: int, items: array[Any]) -> int:
    """A list that is too long for the frame."""
    words[i] = len(items)
    words[i + 1] = address = host.lend(len(items))
    host.write(address, items)
    return i + 2


def put_ints(words: Any, i: int, values: Any) -> int:
    if values is None:
        words[i] = -1
        return i + 1
    if isinstance(values, int):
        if values is True or values is False:
            raise TypeError("a bool is no list of ints")
        words[i] = 1
        words[i + 1] = values
        return i + 2
    if not isinstance(values, (list, tuple)):
        raise TypeError("a list or tuple of ints is needed")
    if len(values) > LIST_IN_FRAME:
        return put_long(words, i, array("q", values))
    words[i] = len(values)
    for at, value in enumerate(values, i + 1):
        words[at] = value
    return i + 1 + len(values)


def put_int_list(words: Any, i: int, values: Any) -> int:
    """A list for which no single int may stand."""
    if isinstance(values, int):
        raise TypeError("a list or tuple of ints is needed")
    return put_ints(words, i, values)


def put_floats(words: Any, doubles: Any, i: int, values: Any) -> int:
    if values is None:
        words[i] = -1
        return i + 1
    if not isinstance(values, (list, tuple)):
        raise TypeError("a list or tuple of floats is needed")
    if len(values) > LIST_IN_FRAME:
        return put_long(words, i, array("d", values))
    words[i] = len(values)
    for at, value in enumerate(values, i + 1):
        doubles[at] = value
    return i + 1 + len(values)


def put_tensors(words: Any, i: int, tensors: Any) -> int:
    if tensors is None:
        words[i] = -1
        return i + 1
    if not isinstance(tensors, (list, tuple)):
        raise TypeError("a list or tuple of tensors is needed")
    if len(tensors) > LIST_IN_FRAME:
        return put_long(words, i, array("q", [tensor._h for tensor in tensors]))
    words[i] = len(tensors)
    for at, tensor in enumerate(tensors, i + 1):
        words[at] = tensor._h
    return i + 1 + len(tensors)


def put_maybe_tensors(words: Any, i: int, tensors: Any) -> int:
    """A list in which None may stand for a tensor."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError("a list or tuple of tensors is needed")
    if len(tensors) > LIST_IN_FRAME:
        return put_long(words, i, array("q", [0 if tensor is None else tensor._h for tensor in tensors]))
    words[i] = len(tensors)
    for at, tensor in enumerate(tensors, i + 1):
        words[at] = 0 if tensor is None else tensor._h
    return i + 1 + len(tensors)


def put_optional_int(words: Any, i: int, value: Any) -> int:
    if value is None:
        words[i] = 0
        return i + 1
    if value is True or value is False:
        raise TypeError("a bool is no int")
    words[i] = 1
    words[i + 1] = value
    return i + 2


def put_optional_bool(words: Any, i: int, value: Any) -> int:
    if value is None:
        words[i] = 0
        return i + 1
    if value is not True and value is not False:
        raise TypeError("a bool is needed")
    words[i] = 1
    words[i + 1] = value
    return i + 2


def put_optional_float(words: Any, doubles: Any, i: int, value: Any) -> int:
    if value is None:
        words[i] = 0
        return i + 1
    words[i] = 1
    doubles[i + 1] = value
    return i + 2


def put_scalar(words: Any, doubles: Any, i: int, value: Any) -> int:
    kind = type(value)
    if kind is float:
        words[i] = KIND_FLOAT
        doubles[i + 1] = value
    elif kind is int:
        words[i] = KIND_INT
        words[i + 1] = value
    elif kind is bool:
        words[i] = KIND_BOOL
        words[i + 1] = value
    elif value is None:
        words[i] = 0
        return i + 1
    elif kind is complex:
        words[i] = KIND_COMPLEX
        doubles[i + 1] = value.real
        doubles[i + 2] = value.imag
        return i + 3
    else:
        return put_scalar(words, doubles, i, number_of(value))
    return i + 2


def put_scalars(words: Any, doubles: Any, i: int, values: Any) -> int:
    if not isinstance(values, (list, tuple)):
        raise TypeError("a list or tuple of numbers is needed")
    words[i] = len(values)
    i += 1
    for value in values:
        i = put_scalar(words, doubles, i, value)
    return i


def put_number(words: Any, doubles: Any, i: int, value: Any) -> int:
    """A Python number where a tensor may stand: its kind in the upper half of the slot."""
    end = put_scalar(words, doubles, i, value)
    words[i] = words[i] << 32
    return end


def put_text(words: Any, i: int, text: Any) -> int:
    if text is None:
        words[i] = -1
        return i + 1
    data = text.encode()
    words[i] = len(data)
    for start in range(0, len(data), 8):
        i += 1
        words[i] = int.from_bytes(data[start : start + 8], "little", signed=True) if start + 8 <= len(data) else int.from_bytes(data[start:], "little")
    return i + 1


def number_of(value: Any) -> bool | int | float | complex:
    """The Python number that a NumPy scalar, a 0-d tensor or a number's subclass stands for; TypeError for anything else."""
    for kind in (bool, int, float, complex):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Tensor) or type(value).__module__ == "numpy":
        return value.item()
    raise TypeError(f"a number is needed, not {type(value).__name__}")


# ---- taking results ----
def wrap(handle: int) -> Tensor:
    tensor = new(Tensor)
    tensor._h = handle
    return tensor


def settle(word: int) -> Tensor:
    """The result of a direct call whose slot holds 0 or the operator's number, which a trap leaves there and a handle may equal."""
    handle = host.this_thread().settle(word)
    if not handle:
        raise_error()
    return wrap(handle)


def take_tensor(words: Any, handle: int) -> Any:
    """The result of an operator that may return no tensor."""
    if not handle:
        raise_error()
    handle = words[0]
    return wrap(handle) if handle else None


def take_many(words: Any, kind: Any, count: int) -> Any:
    return kind([wrap(words[i]) if words[i] else None for i in range(count)])


def list_at(words: Any, slot: int) -> tuple[Any, int]:
    """The items of the list at a slot, and the slot behind it."""
    count = words[slot]
    if count > LIST_IN_FRAME:
        return host.read_i64(words[slot + 1], count), slot + 2
    end = slot + 1 + count
    return words[slot + 1 : end].tolist(), end


def take_list(words: Any) -> tuple[Tensor | None, ...]:
    return tuple([wrap(handle) if handle else None for handle in list_at(words, 0)[0]])


def take_scalar(words: Any, doubles: Any) -> bool | int | float | complex:
    kind = words[0]
    if kind == KIND_FLOAT:
        return doubles[1]
    if kind == KIND_COMPLEX:
        return complex(doubles[1], doubles[2])
    return bool(words[1]) if kind == KIND_BOOL else words[1]


def take_dtype(words: Any) -> _dtype.dtype:
    return _dtype.ALL_DTYPES[words[0]]
