"""Operators between tensors: tensors and plain numbers take the short way, everything else Python's own."""

from __future__ import annotations

from typing import Any

from . import _runtime as rt
from ._creation import from_array
from ._generated.schemas import SCHEMAS
from ._tensor_type import Tensor


def binary(function: Any, swap: bool = False) -> Any:
    """A dunder that gives way (NotImplemented) to types that are neither tensors nor numbers."""

    def operator(self: Tensor, other: Any) -> Any:
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


def fast(name: str, function: Any, swap: bool = False) -> Any:
    """A dunder of two tensors, or of a tensor and a float or int, that writes the frame itself."""
    word = next(i for i, (text, *_) in enumerate(SCHEMAS) if text.startswith(f"{name}(")) | 2 << 16
    words, doubles, dead, flush, invoke, new, raise_error = rt.words, rt.doubles, rt.dead, rt.flush, rt.invoke, rt.new, rt.raise_error
    rest = binary(function, swap)
    float_kind, int_kind = rt.KIND_FLOAT << 32, rt.KIND_INT << 32

    def operator(self: Tensor, other: Any) -> Any:
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
