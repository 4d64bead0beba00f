"""`a + b` and other binary operators: a fast path for tensors and plain numbers, dispatch for the rest."""

from __future__ import annotations

from typing import Any

from .._core import frame
from .._core.frame import adopt, settle
from .._core.generated import ops
from .._core.operators import NUMBERS
from .._core.tensor_type import Tensor
from .from_data import from_array

current, direct = frame.current, frame.direct
frame.follow(globals())

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def binary(function: Any, swap: bool = False, compares: bool = False) -> Any:
    """A dunder that gives way (NotImplemented) to types that are neither tensors nor numbers. NumPy's arrays have NumPy's rules, also those
    without dimensions; its numbers are numbers."""

    def operator(self: Tensor, other: Any) -> Any:
        if type(other).__name__ == "ndarray" and other.shape == () and not compares:
            return NotImplemented
        try:
            return function(other, self) if swap else function(self, other)
        except TypeError:
            if isinstance(other, (Tensor, bool, int, float, complex)) or type(other).__module__ == "numpy" and other.shape == ():
                raise
            return NotImplemented

    return operator


def with_arrays(function: Any) -> Any:
    """Comparisons that take an array of NumPy's: left to NumPy they would answer False."""
    return lambda self, other: function(self, from_array(other, None) if type(other).__name__ == "ndarray" else other)


def quotient_of_array(self: Tensor, other: Any) -> Any:
    return ops.reciprocal(self) * other if type(other).__name__ == "ndarray" else binary(ops.FUNCTIONS["div"], swap=True)(self, other)


def fast(name: str, function: Any, swap: bool = False, rest: Any = None) -> Any:
    """A dunder of two tensors, or of a tensor and a float or int, that writes the frame itself."""
    word = NUMBERS[name] | 2 << 16
    dead, flush, new, raise_error = frame.dead, frame.flush, frame.new, frame.raise_error
    rest = rest or binary(function, swap, name in COMPARISONS)
    float_kind, int_kind = frame.KIND_FLOAT << 32, frame.KIND_INT << 32

    def operator(self: Tensor, other: Any) -> Any:
        if type(other) is Tensor and (here := direct()):
            words, slots, call = here
            words[0] = self._h
            words[1] = other._h
            if dead:
                flush()
            slots[0] = word
            call()
            h = slots[0]
            if h and h != word:
                result = new(Tensor)
                result._h = h
                return result
            return settle(word)
        words, doubles, invoke = current() or adopt()
        if type(other) is Tensor:
            words[0] = self._h
            words[1] = other._h
        elif type(other) is float:
            words[0] = self._h
            words[1] = float_kind
            doubles[2] = other
        elif type(other) is int and -0x8000000000000000 <= other <= 0x7FFFFFFFFFFFFFFF:
            words[0] = self._h
            words[1] = int_kind
            words[2] = other
        else:
            return rest(self, other)
        if dead:
            flush()
        h = invoke(word)
        if h:
            result = new(Tensor)
            result._h = h
            return result
        raise_error()

    def reflected(self: Tensor, other: Any) -> Any:
        words, doubles, invoke = current() or adopt()
        if type(other) is float:
            words[0] = float_kind
            doubles[1] = other
        elif type(other) is int and -0x8000000000000000 <= other <= 0x7FFFFFFFFFFFFFFF:
            words[0] = int_kind
            words[1] = other
        else:
            return rest(self, other)
        words[2] = self._h
        if dead:
            flush()
        h = invoke(word)
        if h:
            result = new(Tensor)
            result._h = h
            return result
        raise_error()

    return reflected if swap else operator


def arithmetic() -> dict[str, Any]:
    """The dunders by name: each operator's own, its reflected and its in-place form."""
    methods: dict[str, Any] = {}
    for name, of in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "floordiv": "floor_divide", "mod": "remainder"}.items():
        function = ops.FUNCTIONS[of]
        methods[f"__{name}__"], methods[f"__r{name}__"] = fast(of, function), fast(of, function, swap=True)
        methods[f"__i{name}__"] = binary(ops.METHODS[f"{of}_"])
    methods["__radd__"], methods["__rmul__"], methods["__rsub__"] = methods["__add__"], methods["__mul__"], fast("rsub", ops.rsub)
    methods["__rtruediv__"] = fast("div", ops.FUNCTIONS["div"], True, quotient_of_array)
    for alias in ("div", "rdiv", "idiv"):
        methods[f"__{alias}__"] = methods[f"__{alias.replace('div', 'truediv')}__"]
    for name in COMPARISONS:
        function = ops.FUNCTIONS[name]
        methods[f"__{name}__"] = fast(name, with_arrays(function) if name in ("eq", "ne") else function)
    for name, of in {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift", "matmul": "matmul"}.items():
        function = ops.FUNCTIONS[of]
        methods[f"__{name}__"], methods[f"__r{name}__"] = binary(function), binary(function, swap=True)
        if f"{of}_" in ops.METHODS:
            methods[f"__i{name}__"] = binary(ops.METHODS[f"{of}_"])
    return methods


METHODS = arithmetic()
