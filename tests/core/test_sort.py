"""Sorting, selecting, searching and scanning rows in the C core, against Python's own stable sort, bisect and sums."""

import array
import bisect
import collections
import ctypes
import itertools
import math
import operator
import random

import pytest

from core import native

SOURCES = (
    "src/kernels/sort/loops.c",
    "src/kernels/sort/loops_select.c",
    "src/kernels/sort/loops_search.c",
    "src/kernels/cumulative/loops.c",
    "src/base/complex_functions.c",
    "src/base/parallel.c",
    "src/base/dtype.c",
    "src/base/error.c",
)
CODES = {"i32": 1, "i64": 2, "f32": 3, "f64": 4}
LETTERS = {"i32": "i", "i64": "q", "f32": "f", "f64": "d"}
NAN, INF = math.nan, math.inf
SIZES = (0, 1, 2, 3, 11, 12, 13, 16, 17, 24, 25, 100, 127, 128, 129, 255, 256, 257, 1000, 5000)


@pytest.fixture(scope="module")
def lib():
    lib = native.load(*SOURCES)
    for name in ("pwt_sort_workspace", "pwt_select_row", "pwt_first_nan", "pwt_unique_row"):
        getattr(lib, name).restype = ctypes.c_int64
    return lib


def row(kind, values):
    return array.array(LETTERS[kind], values)


def pointer(data):
    return ctypes.c_void_p(data.buffer_info()[0]) if data is not None else None


def size(n):
    return ctypes.c_int64(n)


def indices(n):
    return array.array("q", bytes(8 * n))


def workspace(lib, kind, n):
    """As large as the core says, with a guard behind it."""
    count = lib.pwt_sort_workspace(CODES[kind], size(n))
    return ctypes.create_string_buffer(b"\xa5" * (count + 16), count + 16)


def assert_guard_holds(memory):
    assert memory.raw[-16:] == b"\xa5" * 16


def key(value):
    """torch's order: NaN is the greatest, and -0 equals 0."""
    return (value != value, 0 if value != value else value)


def stable_order(values, descending=False):
    return sorted(range(len(values)), key=lambda i: key(values[i]), reverse=descending) if not descending else _descending(values)


def _descending(values):
    groups = collections.defaultdict(list)
    for i, value in enumerate(values):
        groups[key(value)].append(i)
    return [i for group in sorted(groups, reverse=True) for i in groups[group]]


def bits(kind, values):
    return row(kind, values).tobytes()


def rows(kind, n, seed=0):
    """Rows of one length with few and with many different keys, in order, in reverse, with all the special values."""
    rng = random.Random(f"{kind} {n} {seed}")
    if kind.startswith("i"):
        limit = 2 ** (31 if kind == "i32" else 63)
        edges = (-limit, limit - 1, 0, -1, 1)
        wide = [rng.randrange(-limit, limit) for _ in range(n)]
    else:
        edges = (NAN, -NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 1.4e-45, -1.4e-45)
        wide = row(kind, [rng.gauss(0, 1) * 10 ** rng.randrange(-30, 30) for _ in range(n)]).tolist()
    few = [rng.randrange(-3, 4) for _ in range(n)]
    yield wide
    yield few
    yield sorted(wide)
    yield sorted(wide, reverse=True)
    yield [7] * n
    yield [rng.choice(edges) if rng.random() < 0.6 else value for value in wide]
    yield [rng.randrange(256) for _ in range(n)]


@pytest.mark.parametrize("descending", (False, True))
@pytest.mark.parametrize("kind", CODES)
def test_sort_is_pythons_stable_sort(lib, kind, descending):
    for n in SIZES:
        for values in rows(kind, n):
            keys, out, at = row(kind, values), row(kind, values), indices(n)
            memory = workspace(lib, kind, n)
            expected = stable_order(keys, descending)
            arguments = size(n), ctypes.c_bool(descending), memory
            lib.pwt_sort_row(CODES[kind], pointer(keys), pointer(out), pointer(at), *arguments)
            assert at.tolist() == expected
            assert out.tobytes() == bits(kind, [keys[i] for i in expected])
            lib.pwt_sort_row(CODES[kind], pointer(keys), None, pointer(at), *arguments)
            assert at.tolist() == expected
            lib.pwt_sort_row(CODES[kind], pointer(keys), pointer(keys), None, *arguments)
            assert keys.tobytes() == out.tobytes()
            assert_guard_holds(memory)


def test_sort_of_special_values_as_torch(lib):
    """What torch 2.13's sort(stable=True) gave."""
    values = [NAN, 1, NAN, 0.0, -0.0, 2, 1, INF]
    for descending, expected in ((False, [3, 4, 1, 6, 5, 7, 0, 2]), (True, [0, 2, 7, 5, 1, 6, 3, 4])):
        keys, at = row("f32", values), indices(8)
        lib.pwt_sort_row(CODES["f32"], pointer(keys), None, pointer(at), size(8), ctypes.c_bool(descending), workspace(lib, "f32", 8))
        assert at.tolist() == expected


@pytest.mark.parametrize("largest", (False, True))
@pytest.mark.parametrize("kind", CODES)
def test_topk_is_the_start_of_the_sorted_row(lib, kind, largest):
    for n in (1, 2, 25, 1000, 5000):
        for values in rows(kind, n, 1):
            keys = row(kind, values)
            expected = stable_order(keys, largest)
            for k in sorted({0, 1, min(2, n), n // 3, n - 1, n}):
                out, at, memory = row(kind, [0] * k), indices(k), workspace(lib, kind, k)
                lib.pwt_topk_row(CODES[kind], pointer(keys), pointer(out), pointer(at), size(n), size(k), ctypes.c_bool(largest), memory)
                assert at.tolist() == expected[:k]
                assert out.tobytes() == bits(kind, [keys[i] for i in expected[:k]])
                assert_guard_holds(memory)


@pytest.mark.parametrize("descending", (False, True))
@pytest.mark.parametrize("kind", CODES)
def test_select_is_one_place_of_the_sorted_row(lib, kind, descending):
    for n in (1, 2, 25, 1000):
        for values in rows(kind, n, 2):
            keys = row(kind, values)
            expected = stable_order(keys, descending)
            for position in sorted({0, n // 2, max(n - 2, 0), n - 1}):
                found = lib.pwt_select_row(CODES[kind], pointer(keys), size(n), size(position), ctypes.c_bool(descending))
                assert found == expected[position]


def test_first_nan(lib):
    for kind in ("f32", "f64"):
        keys = row(kind, [1, INF, NAN, 3, NAN])
        assert lib.pwt_first_nan(CODES[kind], pointer(keys), size(5)) == 2
        assert lib.pwt_first_nan(CODES[kind], pointer(keys), size(2)) == -1
    assert lib.pwt_first_nan(CODES["i64"], pointer(row("i64", [1, 2])), size(2)) == -1


@pytest.mark.parametrize("right", (False, True))
@pytest.mark.parametrize("kind", CODES)
def test_searchsorted_is_bisect(lib, kind, right):
    rng = random.Random(5)
    for n in (0, 1, 2, 7, 100):
        plain = sorted(rng.randrange(-20, 20) for _ in range(n))
        values = row(kind, range(-22, 23))
        expected = [(bisect.bisect_right if right else bisect.bisect_left)(plain, value) for value in values]
        at = indices(len(values))
        keys = row(kind, plain)
        lib.pwt_searchsorted_row(CODES[kind], pointer(keys), None, size(n), pointer(values), pointer(at), size(len(values)), ctypes.c_bool(right))
        assert at.tolist() == expected
        places = list(range(n))
        rng.shuffle(places)
        shuffled, sorter = [0] * n, indices(n)
        for position, place in enumerate(places):
            shuffled[place], sorter[position] = plain[position], place
        keys = row(kind, shuffled)
        lib.pwt_searchsorted_row(CODES[kind], pointer(keys), pointer(sorter), size(n), pointer(values), pointer(at), size(len(values)), ctypes.c_bool(right))
        assert at.tolist() == expected


def test_searchsorted_with_nan_as_torch(lib):
    """What torch 2.13 gave for searchsorted([1, 2, nan], [nan, 2, 3])."""
    keys, values, at = row("f32", [1, 2, NAN]), row("f32", [NAN, 2, 3]), indices(3)
    for right, expected in ((False, [3, 1, 3]), (True, [3, 3, 3])):
        lib.pwt_searchsorted_row(CODES["f32"], pointer(keys), None, size(3), pointer(values), pointer(at), size(3), ctypes.c_bool(right))
        assert at.tolist() == expected


@pytest.mark.parametrize("kind", CODES)
def test_unique_counts_runs(lib, kind):
    for n in (0, 1, 2, 50, 700):
        for values in rows(kind, n, 3):
            keys = row(kind, values)
            order = stable_order(keys)
            ordered = row(kind, [keys[i] for i in order])
            groups = []
            for i in order:
                if groups and keys[groups[-1][0]] == keys[i]:
                    groups[-1].append(i)
                else:
                    groups.append([i])
            out, inverse, counts = row(kind, [0] * n), indices(n), indices(n)
            at = array.array("q", order)
            runs = lib.pwt_unique_row(CODES[kind], pointer(ordered), pointer(at), size(n), pointer(out), pointer(inverse), pointer(counts))
            assert runs == len(groups)
            assert counts[:runs].tolist() == [len(group) for group in groups]
            assert out[:runs].tobytes() == bits(kind, [keys[group[0]] for group in groups])
            expected = [0] * n
            for number, group in enumerate(groups):
                for i in group:
                    expected[i] = number
            assert inverse.tolist() == expected
            assert lib.pwt_unique_row(CODES[kind], pointer(ordered), None, size(n), None, None, None) == runs


def test_unique_consecutive_as_torch(lib):
    """What torch 2.13's unique_consecutive gave; every NaN stands alone."""
    keys = row("f32", [NAN, NAN, -0.0, 0.0, 2, 1, 1])
    out, inverse, counts = row("f32", [0] * 7), indices(7), indices(7)
    runs = lib.pwt_unique_row(CODES["f32"], pointer(keys), None, size(7), pointer(out), pointer(inverse), pointer(counts))
    assert (runs, inverse.tolist(), counts[:5].tolist()) == (5, [0, 1, 2, 2, 3, 4, 4], [1, 1, 2, 1, 2])
    assert out[:5].tobytes() == bits("f32", [NAN, NAN, -0.0, 2, 1])


# ---- scans ----


def scanned(lib, name, kind, values, narrow=False):
    data, out = row(kind, values), row(kind, values)
    function = getattr(lib, f"pwt_{name}_row")
    function(CODES[kind], pointer(data), pointer(out), size(len(data)), ctypes.c_bool(narrow))
    function(CODES[kind], pointer(data), pointer(data), size(len(data)), ctypes.c_bool(narrow))
    assert data.tobytes() == out.tobytes()  # in place too
    return out


def test_float_sums_and_products_accumulate_in_double(lib):
    rng = random.Random(1)
    values = row("f32", [rng.gauss(0, 1) for _ in range(3000)])
    near_one = row("f32", [1 + 0.01 * value for value in values])
    assert scanned(lib, "cumsum", "f32", values).tobytes() == row("f32", itertools.accumulate(values)).tobytes()
    assert scanned(lib, "cumsum", "f64", values).tolist() == list(itertools.accumulate(values))
    assert scanned(lib, "cumprod", "f32", near_one).tobytes() == row("f32", itertools.accumulate(near_one, operator.mul)).tobytes()
    assert scanned(lib, "cumprod", "f64", near_one).tolist() == list(itertools.accumulate(near_one, operator.mul))


def test_half_sums_and_products_accumulate_in_float(lib):
    rng = random.Random(2)
    values = row("f32", [round(rng.gauss(0, 1) * 256) / 256 + 0.0009765625 for _ in range(500)])

    def single(value):
        return row("f32", [value])[0]

    assert scanned(lib, "cumsum", "f32", values, narrow=True).tolist() == list(itertools.accumulate(values, lambda a, b: single(a + b)))
    assert scanned(lib, "cumprod", "f32", values, narrow=True).tolist() == list(itertools.accumulate(values, lambda a, b: single(a * b)))


@pytest.mark.parametrize("kind, bits_of", (("i32", 32), ("i64", 64)))
def test_integer_scans_wrap(lib, kind, bits_of):
    rng = random.Random(3)
    half = 2 ** (bits_of - 1)
    values = [rng.randrange(-half, half) for _ in range(200)]

    def wrapped(value):
        return (value + half) % (2 * half) - half

    assert scanned(lib, "cumsum", kind, values).tolist() == [wrapped(v) for v in itertools.accumulate(values)]
    assert scanned(lib, "cumprod", kind, values).tolist() == [wrapped(v) for v in itertools.accumulate(values, lambda a, b: a * b)]


@pytest.mark.parametrize("code, letter, tolerance", ((5, "f", 1e-6), (6, "d", 1e-14)))
def test_complex_scans(lib, code, letter, tolerance):
    rng = random.Random(4)
    values = [complex(rng.gauss(0, 1), rng.gauss(0, 1)) / 1.3 for _ in range(40)]
    flat = array.array(letter, [part for value in values for part in (value.real, value.imag)])
    values = [complex(*flat[i : i + 2]) for i in range(0, len(flat), 2)]
    for name, step in (("cumsum", lambda a, b: a + b), ("cumprod", lambda a, b: a * b)):
        out = array.array(letter, flat)
        getattr(lib, f"pwt_{name}_row")(code, pointer(flat), pointer(out), size(40), ctypes.c_bool(False))
        for i, expected in enumerate(itertools.accumulate(values, step)):
            assert abs(complex(*out[2 * i : 2 * i + 2]) - expected) <= tolerance * max(1, abs(expected))


@pytest.mark.parametrize("kind, narrow, tolerance", (("f32", False, 1e-7), ("f64", False, 4e-15), ("f32", True, 3e-6)))
def test_logcumsumexp(lib, kind, narrow, tolerance):
    rng = random.Random(6)
    values = row(kind, [rng.gauss(0, 20) for _ in range(300)])
    out = scanned(lib, "logcumsumexp", kind, values, narrow)
    for i in range(300):
        top = max(values[: i + 1])
        expected = top + math.log(math.fsum(math.exp(value - top) for value in values[: i + 1]))
        assert math.isclose(out[i], expected, rel_tol=tolerance, abs_tol=tolerance)


def test_logcumsumexp_of_special_values_as_torch(lib):
    for values, expected in (
        ([-INF, -INF, 1, INF, INF, -INF], [-INF, -INF, 1, INF, INF, INF]),
        ([INF, -INF, 2], [INF, INF, INF]),
        ([1, NAN, 2], [1, NAN, NAN]),
    ):
        for kind in ("f32", "f64"):
            assert repr(scanned(lib, "logcumsumexp", kind, values).tolist()) == repr(row(kind, expected).tolist())


def test_extremes_as_torch(lib):
    """What torch 2.13's cummax and cummin gave."""
    for name, values, best, where in (
        ("cummax", [1, NAN, 3, NAN, 5], [1, NAN, NAN, NAN, NAN], [0, 1, 1, 3, 3]),
        ("cummin", [1, NAN, 3, NAN, 5], [1, NAN, NAN, NAN, NAN], [0, 1, 1, 3, 3]),
        ("cummax", [1, 1, 3, 3, 2, 3], [1, 1, 3, 3, 3, 3], [0, 1, 2, 3, 3, 5]),
        ("cummin", [3, 3, 1, 1], [3, 3, 1, 1], [0, 1, 2, 3]),
        ("cummax", [-0.0, 0.0, -0.0], [-0.0, 0.0, -0.0], [0, 1, 2]),
        ("cummax", [], [], []),
    ):
        for kind in CODES:
            if kind.startswith("i") and any(value != value or isinstance(value, float) for value in values):
                continue
            data, out, at = row(kind, values), row(kind, values), indices(len(values))
            getattr(lib, f"pwt_{name}_row")(CODES[kind], pointer(data), pointer(out), pointer(at), size(len(values)))
            assert out.tobytes() == bits(kind, best)
            assert at.tolist() == where
