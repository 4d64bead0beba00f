"""Draws the cases of random_cases with the C core, built for this machine."""

import array
import ctypes
import functools
import struct

from core import native
from core import random_cases as rc

SOURCES = (
    "src/base/random_engine.c",
    "src/base/random_fill.c",
    "src/base/random_integers.c",
    "src/base/random_normal.c",
    "src/base/random_sample.c",
    "src/kernels/random/multinomial.c",
    "src/kernels/sort/loops.c",
    "src/kernels/sort/loops_select.c",
    "src/base/dtype.c",
    "src/base/error.c",
    "src/base/memory.c",
    "src/base/parallel.c",
)
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
ITEM_SIZES = dict(zip(DTYPES, (1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16)))
STATE_BYTES = 5056


class CoreError(Exception):
    """An error that the core recorded, with torch's message."""


@functools.cache
def library():
    lib = native.load(*SOURCES)
    lib.pwt_random64.restype = ctypes.c_uint64
    lib.pwt_random32.restype = ctypes.c_uint32
    return lib


def number(value):
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)


class Generator:
    def __init__(self, seed):
        self.lib = library()
        self.memory = ctypes.create_string_buffer(8192)
        self.lib.pwt_generator_seed(self.memory, ctypes.c_uint64(seed))

    def get_state(self):
        out = ctypes.create_string_buffer(STATE_BYTES)
        self.lib.pwt_generator_get_state(self.memory, out)
        return out.raw

    def set_state(self, state):
        self.check(self.call("pwt_generator_set_state", state, ctypes.c_int64(len(state))))

    def call(self, name, *arguments):
        function = getattr(self.lib, name)
        function.restype = ctypes.c_bool
        return function(self.memory, *arguments)

    def check(self, done):
        if not done:
            raise CoreError(last_error(self.lib))

    def fill(self, name, dtype, n, *arguments):
        """The bytes of ``n`` elements that pwt_fill_``name`` wrote."""
        out = ctypes.create_string_buffer(max(1, n * ITEM_SIZES[dtype]))
        extra = []
        if name.startswith("normal"):
            extra = [ctypes.c_bool(name == "normal")]
            name = "normal"
        self.check(self.call(f"pwt_fill_{name}", DTYPES.index(dtype), out, ctypes.c_int64(n), *map(number, arguments), *extra))
        return out.raw[: n * ITEM_SIZES[dtype]]

    def sample(self, name, dtype, n, *arguments):
        out = ctypes.create_string_buffer(max(1, n * ITEM_SIZES[dtype]))
        self.check(self.call(f"pwt_sample_{name}", DTYPES.index(dtype), out, *arguments))
        return out.raw[: n * ITEM_SIZES[dtype]]

    def multinomial(self, dtype, weights, rows, classes, samples, replacement):
        """The categories drawn, as the bytes of int64."""
        out = ctypes.create_string_buffer(max(1, rows * max(samples, 0) * 8))
        shape = ctypes.c_int64(rows), ctypes.c_int64(classes)
        self.check(
            self.call("pwt_sample_multinomial", DTYPES.index(dtype), weights, *shape, out, ctypes.c_int64(samples), ctypes.c_bool(replacement), ctypes.c_bool(False))
        )
        return out.raw[: rows * samples * 8]


def last_error(lib):
    kind, length = struct.unpack_from("<ii", (ctypes.c_char * 8).in_dll(lib, "pwt_error_state").raw)
    text = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(lib, "pwt_error_state")) + 8, length).decode()
    lib.pwt_clear_error()
    return text


def converted(values, to, source="float64"):
    """``values``, a list of numbers, as the bytes of a buffer of dtype ``to``."""
    packed = array.array({"float64": "d", "int64": "q"}[source], values)
    out = ctypes.create_string_buffer(max(1, len(values) * ITEM_SIZES[to]))
    source_bytes = packed.tobytes() or b"\0"
    library().pwt_convert(out, DTYPES.index(to), source_bytes, DTYPES.index(source), ctypes.c_int64(len(values)))
    return out.raw[: len(values) * ITEM_SIZES[to]]


def decoded(raw, dtype):
    """The numbers in a buffer of a floating dtype."""
    if dtype == "float64":
        return array.array("d", raw).tolist()
    if dtype == "float32":
        return array.array("f", raw).tolist()
    if dtype == "float16":
        return [value for (value,) in struct.iter_unpack("<e", raw)]
    if dtype == "bfloat16":
        return array.array("f", b"".join(b"\0\0" + raw[i : i + 2] for i in range(0, len(raw), 2))).tolist()
    return list(array.array({"bool": "B", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q"}[dtype], raw))


def fill_multinomial(generator, dtype, classes, samples, replacement):
    weights = converted(rc.cycle(rc.WEIGHTS, rc.WEIGHT_ROWS * classes), dtype)
    return generator.multinomial(dtype, weights, rc.WEIGHT_ROWS, classes, samples, replacement)


def fill(generator, case, n):
    dtype, name = case.dtype, case.fill
    if name == "multinomial":
        return fill_multinomial(generator, dtype, n, *case.arguments)
    count = ctypes.c_int64(n)
    if name == "bernoulli_tensor":
        p = converted(rc.cycle(rc.PROBABILITIES, n), case.arguments[0])
        return generator.sample("bernoulli", dtype, n, DTYPES.index(case.arguments[0]), p, count)
    if name == "poisson":
        return generator.sample(name, dtype, n, converted(rc.cycle(rc.RATES, n), dtype), count)
    if name == "gamma":
        return generator.sample(name, dtype, n, converted(rc.cycle(rc.ALPHAS, n), dtype), count)
    if name == "binomial":
        counts, chances = (converted(rc.cycle(values, n), dtype) for values in (rc.COUNTS, rc.CHANCES))
        return generator.sample(name, dtype, n, counts, chances, count)
    if name == "dirichlet":
        alphas = converted(rc.cycle(rc.ALPHAS[1:], 3 * n), dtype)
        return generator.sample(name, dtype, 3 * n, alphas, ctypes.c_int64(3), count)
    return generator.fill(name, dtype, n, *case.arguments)


def draw(case):
    """(bytes of all fills in a row, final state)"""
    generator = Generator(case.seed)
    drawn = b"".join(fill(generator, case, n) for n in case.sizes)
    return drawn, generator.get_state()
