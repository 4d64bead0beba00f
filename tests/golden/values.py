"""Tensor contents as bytes and Python values: packing, unpacking and comparing, with the standard library only."""

import cmath
import math
import struct
from array import array

ARRAY_CODES = {"bool": "B", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "float32": "f", "float64": "d"}
ITEM_SIZES = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "float16": 2, "bfloat16": 2, "float32": 4,
    "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip
FLOATING = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGRAL = ("bool", "uint8", "int8", "int16", "int32", "int64")
TOLERANCES = {
    "float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-5, "float64": 1e-11, "complex64": 2e-5, "complex128": 1e-11,
}  # fmt: skip
GRADIENT_TOLERANCES = {
    "float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "complex128": 1e-10,
}  # fmt: skip


def pack(dtype, numbers):
    """Bytes of ``numbers`` stored as ``dtype``; floating types round to nearest, ties to even."""
    if dtype in INTEGRAL:
        return array(ARRAY_CODES[dtype], map(int, numbers)).tobytes()
    if dtype == "float64":
        return array("d", map(float, numbers)).tobytes()
    if dtype == "float32":
        return array("f", map(_in_float32_range, numbers)).tobytes()
    if dtype == "float16":
        return struct.pack(f"<{len(numbers)}e", *map(_in_float16_range, numbers))
    if dtype == "bfloat16":
        return array("H", map(_bfloat16_bits, numbers)).tobytes()
    parts = [part for number in map(complex, numbers) for part in (number.real, number.imag)]
    return pack("float32" if dtype == "complex64" else "float64", parts)


def _in_float32_range(number):
    number = float(number)
    return math.copysign(math.inf, number) if abs(number) >= 3.4028235677973366e38 else number


def _in_float16_range(number):
    number = float(number)
    return math.copysign(math.inf, number) if abs(number) >= 65520 else number


def _bfloat16_bits(number):
    if math.isnan(number):
        return 0x7FC0
    (bits,) = struct.unpack("<I", struct.pack("<f", _in_float32_range(number)))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def unpack(dtype, data):
    """The values in ``data`` as a list of Python bools, ints, floats or complex numbers."""
    if dtype == "bool":
        return [byte != 0 for byte in data]
    if dtype in ARRAY_CODES:
        return array(ARRAY_CODES[dtype], bytes(data)).tolist()
    if dtype == "float16":
        return list(struct.unpack(f"<{len(data) // 2}e", data))
    if dtype == "bfloat16":
        return array("f", array("I", [bits << 16 for bits in array("H", bytes(data))]).tobytes()).tolist()
    parts = unpack("float32" if dtype == "complex64" else "float64", data)
    return [complex(real, imag) for real, imag in zip(parts[::2], parts[1::2])]


def contiguous_strides(size):
    strides, step = [], 1
    for extent in reversed(size):
        strides.append(step)
        step *= max(extent, 1)
    return strides[::-1]


def position(index, size):
    """The coordinates of the element with row-major number ``index``."""
    coordinates = []
    for extent in reversed(size):
        index, coordinate = divmod(index, extent)
        coordinates.append(coordinate)
    return coordinates[::-1]


def close(expected, actual, tolerance, signed_zeros=False):
    if isinstance(expected, complex):
        parts = [(expected.real, actual.real), (expected.imag, actual.imag)]
        if not signed_zeros and cmath.isfinite(expected) and cmath.isfinite(actual):
            return abs(expected - actual) <= tolerance * (1 + abs(expected))  # as PyTorch compares them
        return all(close(*pair, tolerance, signed_zeros) for pair in parts)
    if expected == actual:
        return not signed_zeros or expected != 0 or math.copysign(1, expected) == math.copysign(1, actual)
    if not isinstance(expected, float):
        return False
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    if math.isinf(expected) or math.isinf(actual):
        return False
    return abs(expected - actual) <= tolerance * (1 + abs(expected))


def relatively_close(expected, actual, tolerance):
    return expected == actual or abs(expected - actual) <= tolerance * abs(expected)


def difference(expected, actual, tolerance, signed_zeros=False):
    """None where two ``(dtype, size, data)`` agree, else a sentence about the first difference."""
    dtype, size, data = expected
    actual_dtype, actual_size, actual_data = actual
    if dtype != actual_dtype:
        return f"dtype {actual_dtype}, expected {dtype}"
    if list(size) != list(actual_size):
        return f"size {list(actual_size)}, expected {list(size)}"
    if data == actual_data:
        return None
    wanted, got = unpack(dtype, data), unpack(dtype, actual_data)
    if len(wanted) != len(got):
        return f"{len(got)} elements, expected {len(wanted)}"
    wrong = [i for i, pair in enumerate(zip(wanted, got)) if not close(*pair, tolerance, signed_zeros)]
    if not wrong:
        return None
    first = wrong[0]
    where = position(first, size)
    return f"element {where} is {got[first]!r}, expected {wanted[first]!r} ({len(wrong)} of {len(wanted)} differ)"
