"""Tensors of JavaScript's typed arrays: of their dtype, by one copy."""

import sys
from array import array

import pytest

import pywasmtorch as torch


class TypedArray:
    """What Pyodide shows of one, as far as it is used."""

    def __init__(self, letter, numbers):
        self._buffer = memoryview(array(letter, numbers))

    def to_py(self):
        return self._buffer

    to_memoryview = to_py


@pytest.mark.parametrize("letter, name, dtype", [
    ("f", "Float32Array", torch.float32), ("d", "Float64Array", torch.float64), ("b", "Int8Array", torch.int8), ("B", "Uint8Array", torch.uint8), ("h", "Int16Array", torch.int16),
    ("i", "Int32Array", torch.int32), ("H", "Uint16Array", torch.int32), ("I", "Uint32Array", torch.int64),
])  # fmt: skip
def test_typed_arrays_keep_their_dtype(letter, name, dtype):
    if sys.platform == "emscripten":
        import js
        from pyodide.ffi import to_js

        made = getattr(js, name).new(to_js([1, 2, 3]))
    else:
        made = TypedArray(letter, [1, 2, 3])
    x = torch.tensor(made)
    assert x.dtype is dtype and x.tolist() == [1, 2, 3]
    assert torch.tensor(made, dtype=torch.float64).dtype is torch.float64


def test_unsigned_numbers_stay_what_they_are():
    if sys.platform == "emscripten":
        pytest.skip("the arrays of the page are tested above")
    assert torch.tensor(TypedArray("I", [2**32 - 1])).tolist() == [2**32 - 1]
    assert torch.tensor(TypedArray("H", [2**16 - 1])).tolist() == [2**16 - 1]
