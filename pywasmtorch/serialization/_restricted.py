"""RestrictedUnpickler: torch.load(weights_only=True), reads pickles without running them.

A machine for the opcodes that checkpoints are made of, after the protocol's description in CPython's `pickletools`. What
a pickle may name stands in a list, PyTorch's; what it may call is called through a function here that checks the arguments
first. Work and memory grow no faster than the pickle's length.
"""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from contextlib import contextmanager
from pickle import UnpicklingError, decode_long
from typing import Any

from .._core import device as _device
from .._core import dtype as _dtype
from .._core import size as _size
from .._core.tensor_type import Tensor
from .._functions.creation import empty
from .._tensor import rebuild, storage
from . import _names

LARGEST_KEY = 1000  # items in a dictionary's key, counted through its tuples
ENCODINGS = frozenset({"latin1", "latin-1", "iso-8859-1", "ascii", "utf-8", "utf8"})
#: how many lists, dicts and sets there may be besides one for every four bytes of the pickle
CONTAINERS = 100_000
#: how much calls may cost besides what the pickle's length allows, and what making a tensor costs
CALLS, TENSOR_COST = 100_000, 40
#: how many opcodes a pickle may have besides eight for each byte that it takes in the file; what is deflated could have a thousand
STEPS, STEPS_A_BYTE = 500_000, 8
LARGEST_COLLISION = 500
#: how deep values may be nested (the interpreter frees them by recursion, which in a page it does not survive), and how often one may become
#: deeper after it was put into another
DEPTH, DEEPENED = 200, 16
LEAVES = frozenset({str, int, float, bool, complex, bytes, type(None)})
PYTHON_2 = {"__builtin__": "builtins", "copy_reg": "copyreg", "UserDict": "collections"}


def fail(fault: str) -> Any:
    raise UnpicklingError(fault)


def steps_for(stored: int) -> int:
    """How many opcodes may be read of a pickle that takes so many bytes in a file."""
    return STEPS + STEPS_A_BYTE * stored


# ---- what may be called ----
def check_key(key: Any) -> None:
    """UnpicklingError for keys that are not hashable, or that take long to hash."""
    rest, count = [key], 0
    while rest:
        value = rest.pop()
        count += 1
        if count > LARGEST_KEY:
            fail("a key has too many parts")
        if isinstance(value, tuple):
            if len(value) > LARGEST_KEY:
                fail("a key has too many parts")
            rest.extend(value)
        elif type(value).__hash__ is None:
            fail(f"a key cannot be of type {type(value).__name__}")


def check_hashes(keys: Any, counts: Counter[int]) -> None:
    """UnpicklingError where many keys have one hash, so that finding each would pass by all the others."""
    for key in keys:
        value = hash(key)
        counts[value] += 1
        if counts[value] > LARGEST_COLLISION:
            fail("too many keys have the same hash")


def checked_items(items: Any) -> Any:
    if not isinstance(items, (list, tuple, set, frozenset)):
        fail(f"a list is needed, not {type(items).__name__}")
    for item in items:
        check_key(item)
    check_hashes(items, Counter())
    return items


def make_set(*arguments: Any) -> set[Any]:
    return set(*map(checked_items, only(arguments, 0, 1)))


def only(arguments: tuple[Any, ...], least: int, most: int) -> tuple[Any, ...]:
    if not least <= len(arguments) <= most:
        fail(f"a call has {len(arguments)} arguments instead of {least} to {most}")
    return arguments


def pairs_of(arguments: tuple[Any, ...]) -> Any:
    (given,) = only(arguments, 0, 1) or ((),)
    if isinstance(given, dict):
        return given
    if not isinstance(given, (list, tuple)):
        fail(f"a dict is made of pairs, not of {type(given).__name__}")
    for pair in given:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            fail("a dict is made of pairs")
        check_key(pair[0])
    check_hashes([key for key, _ in given], Counter())
    return given


def make_ordered(*arguments: Any) -> OrderedDict[Any, Any]:
    return OrderedDict(pairs_of(arguments))


def make_counter(*arguments: Any) -> Any:
    (given,) = only(arguments, 0, 1) or ({},)
    if not isinstance(given, dict):
        fail(f"a Counter is made of a dict, not of {type(given).__name__}")
    return Counter(given)


def encode(*arguments: Any) -> bytes:
    text, *rest = only(arguments, 1, 2)
    if not isinstance(text, str) or any(not isinstance(e, str) or e.lower() not in ENCODINGS for e in rest):
        fail("only text can be encoded, as latin1, ascii or utf-8")
    return text.encode(*rest)


def make_bytearray(*arguments: Any) -> bytearray:
    if not arguments:
        return bytearray()
    if len(arguments) == 2:
        return bytearray(encode(*arguments))
    (data,) = only(arguments, 0, 1)
    if not isinstance(data, (bytes, bytearray)):
        fail(f"a bytearray is made of bytes, not of {type(data).__name__}")
    return bytearray(data)


def make_complex(*arguments: Any) -> complex:
    if any(type(v) not in (int, float, complex) for v in only(arguments, 0, 2)):
        fail("a complex number is made of numbers")
    return complex(*arguments)


def make_size(*arguments: Any) -> Any:
    (sizes,) = only(arguments, 0, 1) or ((),)
    if not isinstance(sizes, (tuple, list)) or any(type(v) is not int for v in sizes):
        fail("a torch.Size is made of ints")
    return _size.Size(sizes)


def make_device(*arguments: Any) -> Any:
    kind, *index = only(arguments, 1, 2)
    if not isinstance(kind, str) or any(i is not None and type(i) is not int for i in index):
        fail("a torch.device is made of a name and an index")
    return _device.device(kind, *index)


def make_tensor(*arguments: Any) -> Tensor:
    """An empty tensor, which its state fills: early versions wrote tensors so."""
    only(arguments, 0, 0)
    return empty(0)


def make_parameter(*arguments: Any) -> Tensor:
    from ..nn import Parameter

    data, *requires_grad = only(arguments, 1, 2)
    if not isinstance(data, Tensor) or any(type(r) is not bool for r in requires_grad):
        fail("a Parameter is made of a tensor")
    return Parameter(data, *requires_grad)


def layout_of(*arguments: Any) -> Any:
    (name,) = only(arguments, 1, 1)
    return _names._get_layout(name)


class _Allowed:
    """What pickles may name: the values by their names, and what stands for each when it is called."""

    def __init__(self) -> None:
        from ..nn import parameter

        self.values: dict[str, Any] = {}
        self.calls: dict[int, Any] = {}
        for name, value, call in (
            ("collections.OrderedDict", OrderedDict, make_ordered),
            ("collections.Counter", Counter, make_counter),
            ("torch.nn.parameter.Parameter", parameter.Parameter, make_parameter),
            ("torch.serialization._get_layout", _names._get_layout, layout_of),
            ("torch.Size", _size.Size, make_size),
            ("torch.Tensor", Tensor, make_tensor),
            ("torch.device", _device.device, make_device),
            ("_codecs.encode", __import__("_codecs").encode, encode),
            ("builtins.bytearray", bytearray, make_bytearray),
            ("builtins.set", set, make_set),
            ("builtins.complex", complex, make_complex),
        ):
            self.add(name, value, call)
        for kind in _dtype.ALL_DTYPES:
            self.values[f"torch.{kind._name}"] = kind
        for name, kind in storage.CLASSES.items():
            self.values[f"torch.{name}"] = self.values[f"torch.cuda.{name}"] = kind
        self.values["torch.storage.TypedStorage"] = storage.TypedStorage
        self.values["torch.storage.UntypedStorage"] = storage.UntypedStorage
        for name, function in (*vars(rebuild).items(), *vars(parameter).items()):
            if name.startswith("_rebuild_") and name not in ("_rebuild_from_type_v2", "_rebuild_uninitialized"):
                self.add(f"torch._utils.{name}", function, function)
        self.add("torch._tensor._rebuild_from_type_v2", rebuild._rebuild_from_type_v2, self._rebuild_from_type)
        for prefix in ("", "cuda."):
            for name in "Float Double Half BFloat16 Long Int Short Char Byte Bool".split():
                value = _LegacyClass(f"torch.{prefix}{name}Tensor")
                self.add(value.name, value, make_tensor)

    def add(self, name: str, value: Any, call: Any) -> None:
        self.values[name] = value
        self.calls[id(value)] = call

    def _rebuild_from_type(self, *arguments: Any) -> Tensor:
        function, kind, given, state = only(arguments, 4, 4)
        if self.calls.get(id(function)) is not function or not isinstance(given, tuple):
            fail("a tensor's subclass must be made by one of torch._utils._rebuild_...")
        if not any(kind is value for value in (Tensor, self.values["torch.nn.parameter.Parameter"], *user_values())):
            fail("a tensor's class must be an allowed one")
        return rebuild._rebuild_from_type_v2(function, kind, given, state)


class _LegacyClass:
    """Stands for torch.FloatTensor and its like, from which early versions made tensors."""

    def __init__(self, name: str) -> None:
        self.name = name


_allowed: _Allowed | None = None


def allowed() -> _Allowed:
    global _allowed
    if _allowed is None:
        _allowed = _Allowed()
    return _allowed


# ---- what users allow ----
_user_globals: list[Any] = []


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Lets `torch.load(weights_only=True)` use these classes and functions; a tuple (object, "module.name") names one."""
    for entry in safe_globals:
        _named(entry)
    _user_globals.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """What was added by `add_safe_globals`."""
    return list(_user_globals)


def clear_safe_globals() -> None:
    """Forgets what was added by `add_safe_globals`."""
    _user_globals.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Any:
    """`add_safe_globals` within a block."""
    before = list(_user_globals)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _user_globals[:] = before


def _named(entry: Any) -> tuple[list[str], Any]:
    """The names in pickles of an allowed object."""
    if isinstance(entry, tuple):
        if len(entry) != 2 or not isinstance(entry[1], str):
            raise ValueError("Expected tuple of (global, str of its full path), got another tuple")
        return [entry[1]], entry[0]
    module, name = getattr(entry, "__module__", None), getattr(entry, "__qualname__", None) or getattr(entry, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"a class or a function is needed, got {type(entry).__name__}")
    names = [f"{module}.{name}"]
    written = _names.written_name(entry)
    if written is not None:
        names.append(".".join(written))
    return names, entry


def user_globals() -> dict[str, Any]:
    return {name: value for entry in _user_globals for names, value in [_named(entry)] for name in names}


def user_values() -> list[Any]:
    return [_named(entry)[1] for entry in _user_globals]


# ---- the machine ----
class Mark:
    pass


MARK = Mark()


class RestrictedUnpickler:
    """Reads one pickle from `stream`, which has `read(n)` (as many bytes or an error) and `readline()`. Its length is `length`; in the file it takes
    `stored` bytes."""

    def __init__(self, stream: Any, persistent_load: Any, encoding: str, length: int, stored: int) -> None:
        self.read, self.readline = stream.read, stream.readline
        self.persistent_load, self.encoding = persistent_load, encoding
        self.allowed, self.users = allowed(), user_globals()
        length = min(length, STEPS_A_BYTE * stored)
        self.budget = CONTAINERS + length // 4
        self.calls_left = CALLS + length
        self.steps = steps_for(stored)
        self.hashes: dict[int, Counter[int]] = {}
        self.depths: dict[int, int] = {}
        self.fetched: set[int] = set()
        self.deepened_left = DEEPENED

    def load(self) -> Any:
        """The pickled value. UnpicklingError for whatever is not allowed or broken."""
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        read, operations = self.read, OPERATIONS
        for _ in range(self.steps):
            code = read(1)
            if code == b".":
                return self.pop()
            operation = operations.get(code)
            if operation is None:
                fail(f"Unsupported operand {code[0]}")
            operation(self)
        return fail("it has too many opcodes for the bytes that it takes in the file")

    def items(self) -> list[Any]:
        """What was put on the stack since the last mark."""
        stack = self.stack
        at = len(stack) - 1
        while at >= 0 and stack[at] is not MARK:
            at -= 1
        if at < 0:
            fail("a mark is missing")
        found = stack[at + 1 :]
        del stack[at:]
        return found

    def pop(self) -> Any:
        value = self.stack.pop()
        if value is MARK:
            fail("a value is missing after a mark")
        return value

    def container(self, value: Any) -> None:
        self.budget -= 1
        if self.budget < 0:
            fail("there are too many lists, dicts and sets for its length")
        self.depths.pop(id(value), None)
        self.stack.append(value)

    def put_inside(self, value: Any, items: Any, new: bool) -> None:
        """Notes how deep `value` is with `items` in it. Of a depth of one there is no note."""
        depths, depth = self.depths, 1
        for item in items:
            if type(item) not in LEAVES:
                inside = depths.get(id(item), 1) + 1
                if inside > depth:
                    depth = inside
        if depth > DEPTH:
            fail("values are nested too deeply")
        key = id(value)
        if new:
            depths.pop(key, None)
        elif depth > depths.get(key, 1) and key in self.fetched:
            self.deepened_left -= 1
            if self.deepened_left < 0:
                fail("too many values change after they were put into others")
        if depth > depths.get(key, 1):
            depths[key] = depth

    def push_tuple(self, items: tuple[Any, ...]) -> None:
        self.put_inside(items, items, True)
        self.stack.append(items)

    def number(self, form: struct.Struct) -> Any:
        return form.unpack(self.read(form.size))[0]

    def global_(self, module: str, name: str) -> None:
        module = PYTHON_2.get(module, module)
        full = f"{module}.{name}"
        if full in self.users:
            value = self.users[full]
        elif full in self.allowed.values:
            value = self.allowed.values[full]
        else:
            _names.refuse_absent(module, name)
            shown = full.removeprefix("builtins.")[:200]
            fail(f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use `torch.serialization.add_safe_globals([{shown}])` "
                 f"or the `torch.serialization.safe_globals([{shown}])` context manager to allowlist this global if you trust this class/function.")
        self.stack.append(value)

    def charge(self, cost: int, given: tuple[Any, ...]) -> None:
        """Counts what is copied, which values that stand in the pickle once may be often."""
        self.calls_left -= cost + sum(len(v) for v in given if isinstance(v, (str, bytes, bytearray, list, tuple, dict, set)))
        if self.calls_left < 0:
            fail("there are too many calls for its length")

    def call(self, function: Any, arguments: Any, new: bool) -> Any:
        if not isinstance(arguments, tuple):
            fail(f"arguments must be a tuple, not {type(arguments).__name__}")
        call = self.allowed.calls.get(id(function))
        if call is not None:
            self.charge(TENSOR_COST if getattr(call, "__name__", "").startswith("_rebuild_tensor") else 4, arguments)
            return call(*arguments)
        if any(function is value for value in self.users.values()):
            return function.__new__(function, *arguments) if new else function(*arguments)
        fail(f"Trying to call {'new' if new else 'reduce'} for unrecognized function {getattr(function, '__name__', type(function).__name__)}")

    def build(self) -> None:
        state, target = self.pop(), self.stack[-1]
        kind = type(target)
        self.put_inside(target, (state,), False)
        if any(kind is value for value in self.users.values()):
            if hasattr(target, "__setstate__"):
                target.__setstate__(state)
            else:
                plain, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
                target.__dict__.update(plain or {})
                for name, value in (slots or {}).items():
                    setattr(target, name, value)
        elif isinstance(target, Tensor):
            target.__setstate__(state)
        elif kind is OrderedDict:
            self.charge(4, (state,))
            if not isinstance(state, dict) or any(not isinstance(name, str) for name in state):
                fail(f"the state of an OrderedDict must be a dict, not {type(state).__name__}")
            target.__dict__.update(state)
        else:
            fail(f"Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got {kind.__name__}")

    def set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict, Counter):
            fail(f"Can only set items of dict, collections.OrderedDict, collections.Counter, but got {type(target).__name__}")
        if len(items) % 2:
            fail("a key has no value")
        self.put_inside(target, items, False)
        if len(target) + len(items) > LARGEST_COLLISION:
            others = [key for key in items[::2] if type(key) is not str]
            for key in others:
                check_key(key)
            check_hashes(others, self.hashes.setdefault(id(target), Counter()))
        for at in range(0, len(items), 2):
            key = items[at]
            if type(key) is not str:
                check_key(key)
            target[key] = items[at + 1]

    def extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            fail(f"Can only append to lists, but got {type(target).__name__}")
        self.put_inside(target, items, False)
        target.extend(items)

    def add_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not set:
            fail(f"Can only add to sets, but got {type(target).__name__}")
        self.put_inside(target, items, False)
        target.update(checked_items(items))

    def persistent(self) -> None:
        pid = self.pop()
        if type(pid) is not tuple:
            fail(f"persistent_load id must be tuple, but got {type(pid).__name__}")
        kind = pid[0] if pid else None
        if kind not in ("storage", b"storage"):
            fail("Only persistent_load of storage is allowed")
        storage = self.persistent_load(pid)
        self.depths.pop(id(storage), None)
        self.stack.append(storage)

    def text(self, count: int, encoding: str = "utf-8") -> None:
        self.stack.append(str(self.read(count), encoding, "surrogatepass"))

    def old_text(self, count: int) -> None:
        data = self.read(count)
        self.stack.append(data if self.encoding == "bytes" else data.decode(self.encoding))

    def put(self, key: int) -> None:
        value = self.stack[-1]
        self.memo[key] = value

    def get(self, key: int) -> None:
        if key not in self.memo:
            fail(f"Memo value not found at index {key}")
        value = self.memo[key]
        if type(value) not in LEAVES:
            self.fetched.add(id(value))
        self.stack.append(value)

    def tuple_(self, count: int) -> None:
        stack = self.stack
        items = tuple(stack[-count:])
        if len(items) < count or any(item is MARK for item in items):
            fail("a tuple's items are missing")
        del stack[-count:]
        self.push_tuple(items)

    def protocol(self) -> None:
        version = self.read(1)[0]
        if version > 5:
            fail(f"unsupported pickle protocol: {version}")

    def named(self) -> None:
        name, module = self.pop(), self.pop()
        if type(name) is not str or type(module) is not str:
            fail("STACK_GLOBAL requires str")
        self.global_(module, name)

    def reduce(self, new: bool) -> None:
        arguments, function = self.pop(), self.pop()
        value = self.call(function, arguments, new)
        self.put_inside(value, (arguments,), True)
        self.stack.append(value)


U8, I16, I32, U32, U64, F64 = map(struct.Struct, ("<B", "<H", "<i", "<I", "<Q", ">d"))
Machine = RestrictedUnpickler

OPERATIONS: dict[bytes, Any] = {
    b"\x80": Machine.protocol,
    b"\x95": lambda m: m.read(8),  # the length of a frame
    b"(": lambda m: m.stack.append(MARK),
    b"0": lambda m: m.pop(),
    b"1": lambda m: m.items(),
    b"N": lambda m: m.stack.append(None),
    b"\x88": lambda m: m.stack.append(True),
    b"\x89": lambda m: m.stack.append(False),
    b"J": lambda m: m.stack.append(m.number(I32)),
    b"K": lambda m: m.stack.append(m.read(1)[0]),
    b"M": lambda m: m.stack.append(m.number(I16)),
    b"G": lambda m: m.stack.append(m.number(F64)),
    b"\x8a": lambda m: m.stack.append(decode_long(m.read(m.read(1)[0]))),
    b"X": lambda m: m.text(m.number(U32)),
    b"\x8c": lambda m: m.text(m.read(1)[0]),
    b"\x8d": lambda m: m.text(m.number(U64)),
    b"U": lambda m: m.old_text(m.read(1)[0]),
    b"T": lambda m: m.old_text(m.number(U32)),
    b"C": lambda m: m.stack.append(m.read(m.read(1)[0])),
    b"B": lambda m: m.stack.append(m.read(m.number(U32))),
    b"\x8e": lambda m: m.stack.append(m.read(m.number(U64))),
    b"\x96": lambda m: m.stack.append(bytearray(m.read(m.number(U64)))),
    b")": lambda m: m.stack.append(()),
    b"t": lambda m: m.push_tuple(tuple(m.items())),
    b"\x85": lambda m: m.tuple_(1),
    b"\x86": lambda m: m.tuple_(2),
    b"\x87": lambda m: m.tuple_(3),
    b"]": lambda m: m.container([]),
    b"}": lambda m: m.container({}),
    b"\x8f": lambda m: m.container(set()),
    b"a": lambda m: m.extend([m.pop()]),
    b"e": lambda m: m.extend(m.items()),
    b"s": lambda m: m.set_items([m.pop(), m.pop()][::-1]),
    b"u": lambda m: m.set_items(m.items()),
    b"\x90": lambda m: m.add_items(m.items()),
    b"q": lambda m: m.put(m.read(1)[0]),
    b"r": lambda m: m.put(m.number(U32)),
    b"\x94": lambda m: m.put(len(m.memo)),
    b"h": lambda m: m.get(m.read(1)[0]),
    b"j": lambda m: m.get(m.number(U32)),
    b"c": lambda m: m.global_(m.readline(), m.readline()),
    b"\x93": Machine.named,
    b"R": lambda m: m.reduce(False),
    b"\x81": lambda m: m.reduce(True),
    b"b": Machine.build,
    b"Q": Machine.persistent,
}


class Stream:
    """A file read in order, which asks for no more than is left: `length` is where it ends."""

    def __init__(self, file: Any, length: int) -> None:
        self.file, self.left = file, length - file.tell()

    def read(self, count: int) -> bytes:
        if count > self.left:
            raise Truncated("Ran out of input")
        data = self.file.read(count)
        if len(data) != count:
            raise Truncated("Ran out of input")
        self.left -= count
        return data

    def readline(self) -> str:
        line = self.file.readline(1000)
        self.left -= len(line)
        if not line.endswith(b"\n"):
            fail("a name is too long or cut off")
        return line[:-1].decode("utf-8")


class Truncated(UnpicklingError, EOFError):
    """The file ends too early."""
