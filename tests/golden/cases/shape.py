"""Operators that join, repeat, reorder and sort."""

from ..dsl import ALL, FLOATS, HALVES, INTEGERS, LAYOUTS, T, call

SIGNED_ZEROS = True
NAN = float("nan")
INF = float("inf")


def cases():
    yield from joining()
    yield from repeating()
    yield from reordering()
    yield from triangles()
    yield from sorting()
    yield from unique()
    yield from searching()


def joining():
    for op in ("cat", "concat", "concatenate"):
        yield call(f"torch.{op}", [T("float32", (2, 3)), T("float32", (1, 3), seed=2)])
    for dim in (0, 1, 2, -1):
        sizes = [[2, 3, 4] for _ in range(3)]
        for extent, size in zip((1, 3, 0), sizes):
            size[dim] = extent
        yield call("torch.cat", [T("float32", size, grad=True, seed=s) for s, size in enumerate(sizes)], dim)
        yield call("torch.cat", tuple(T("float64", size, seed=s) for s, size in enumerate(sizes)), dim=dim)
        layouts = ("transposed", "stepped", "offset")
        yield call("torch.cat", [T("float32", (2, 3, 4), layout=layout, grad=True) for layout in layouts], dim)
    for dtype in ALL:
        yield call("torch.cat", [T(dtype, (3,)), T(dtype, (33,), seed=1), T(dtype, (1,))])
    yield call("torch.cat", [T("float32", (0,)), T("float32", (2, 3), grad=True)], 1)
    yield call("torch.cat", [T("float32", (0,)), T("float32", (0,), grad=True)], 1)
    yield call("torch.cat", [T("float32", (2,), grad=True)])
    yield call("torch.cat", [T("float32", (2, 3), layout="expanded", grad=True)] * 2)
    yield call("torch.cat", []).raises(ValueError, "empty")
    yield call("torch.cat", [T("float32", ()), T("float32", (2,))]).raises(RuntimeError, "zero-dim")
    yield call("torch.cat", [T("float32", (2, 3)), T("float32", (2, 4))]).raises(RuntimeError, "3", "4")
    yield call("torch.cat", [T("float32", (2, 3)), T("float32", (2,))]).raises(RuntimeError, "dimensions")
    yield call("torch.cat", [T("float32", (2, 3))], 2).raises(IndexError, "2")
    yield call("torch.cat", T("float32", (2, 3))).raises(TypeError, "cat")
    yield call("torch.cat", [T("float32", (2,)), 1]).raises(TypeError, "int")
    yield call("torch.cat", [T("float32", (2,)), T("float32", (1,))], out=T("float32", (3,)))
    for dim in (0, 1, 2, -1):
        yield call("torch.stack", [T("float32", (2, 3), grad=True, seed=s) for s in range(3)], dim)
    yield call("torch.stack", [T("float32", ()), T("float32", (), seed=4)])
    yield call("torch.stack", [T("int64", (2,)), T("float32", (2,))])
    yield call("torch.stack", [T("float32", (2, 0))] * 2)
    yield call("torch.stack", []).raises(RuntimeError, "empty")
    yield call("torch.stack", [T("float32", (2,)), T("float32", (3,))]).raises(RuntimeError, "[2]", "[3]")
    for op in ("hstack", "vstack", "dstack", "column_stack"):
        yield call(f"torch.{op}", [T("float32", (3,), grad=True), T("float32", (3,), seed=1)])
        yield call(f"torch.{op}", [T("float32", (2, 3)), T("float32", (2, 3), seed=1)])


def repeating():
    for repeats in [(2,), (2, 3), (1, 1), (3, 1, 2), (0, 2), (2, 0)]:
        yield call("Tensor.repeat", T("float32", (2, 3), grad=True), *repeats).may_raise()
        yield call("torch.tile", T("float32", (2, 3), grad=True), repeats)
        yield call("Tensor.repeat", T("int64", (2,)), repeats)
    yield call("Tensor.repeat", T("float32", (), grad=True), 3)
    yield call("Tensor.repeat", T("float32", (2, 3), layout="transposed", grad=True), 2, 2)
    yield call("Tensor.repeat", T("float32", (2, 3)), 2).raises(RuntimeError, "repeat")
    yield call("Tensor.repeat", T("float32", (2,)), -1).raises(RuntimeError, "negative")
    for args in [(2,), (3, 0), (2, 1), (0, 1)]:
        yield call("torch.repeat_interleave", T("float32", (2, 3), grad=True), *args)
    yield call("torch.repeat_interleave", T("float32", (2, 3), grad=True), T("int64", (3,), [1, 0, 2]), 1)
    yield call("torch.repeat_interleave", T("int64", (3,), [1, 0, 2]))
    yield call("torch.repeat_interleave", T("float32", (3,)), T("int64", (2,), [1, 2]), 0).raises(RuntimeError)


def reordering():
    for dims in [(0,), (1,), (0, 1), (-1,), (0, 1, 2), ()]:
        for layout in ["contiguous", *LAYOUTS]:
            yield call("torch.flip", T("float32", (2, 3, 4), layout=layout, grad=True), dims)
    yield call("torch.flip", T("float32", (2, 3)), (0, 0)).raises(RuntimeError, "dim 0")
    yield call("torch.flip", T("float32", (2, 3)), (2,)).raises(IndexError, "2")
    yield call("torch.flip", T("float32", (0, 3)), (0,))
    yield call("torch.fliplr", T("float32", (2, 3), grad=True))
    yield call("torch.flipud", T("float32", (2, 3), grad=True))
    for dtype in ALL:
        yield call("torch.flip", T(dtype, (3, 4)), (0, 1))
        yield call("torch.roll", T(dtype, (3, 4)), 2)
    for shifts, dims in [(1, 0), (-1, 1), (5, 2), (0, 0), ((1, 2), (0, 1)), ((1, 2), (0, 0)), (-7, -1)]:
        yield call("torch.roll", T("float32", (2, 3, 4), grad=True), shifts, dims)
        yield call("torch.roll", T("float32", (2, 3, 4), layout="transposed", grad=True), shifts, dims)
    yield call("torch.roll", T("float32", (0, 3)), 1)
    yield call("torch.roll", T("float32", ()), 1)
    yield call("torch.roll", T("float32", ()), 1, 0).raises(IndexError, "no dimensions")
    yield call("torch.roll", T("float32", (2, 3)), (1, 2), 0).raises(RuntimeError, "shifts")
    for k in (0, 1, 2, 3, -1, 5):
        yield call("torch.rot90", T("float32", (2, 3), grad=True), k)


def triangles():
    for op in ("tril", "triu"):
        for diagonal in (0, 1, -1, 3, -4):
            for size in ((3, 3), (2, 4), (4, 2), (2, 3, 3)):
                yield call(f"torch.{op}", T("float32", size, grad=True), diagonal)
            yield call(f"torch.{op}", T("float32", (3, 4), layout="transposed", grad=True), diagonal)
        for dtype in ALL:
            yield call(f"torch.{op}", T(dtype, (3, 4)))
        for size in ((0, 3), (3, 0), (0, 0)):
            yield call(f"torch.{op}", T("float32", size))
        yield call(f"torch.{op}", T("float32", (3,))).raises(RuntimeError, "2")
        yield call(f"Tensor.{op}_", T("float32", (3, 3), layout="transposed"), 1)
        yield call(f"torch.{op}", T("float32", (2, 2), [NAN, INF, 1.0, NAN]))


def sorting():
    for dtype in ALL:
        for descending in (False, True):
            yield call("torch.sort", T(dtype, (9,), "distinct"), descending=descending)
            yield call("torch.sort", T(dtype, (20,), "ties"), stable=True, descending=descending)
            yield call("torch.argsort", T(dtype, (20,), "ties"), stable=True, descending=descending)
            yield call("torch.topk", T(dtype, (3, 9), "distinct"), 4, largest=descending).may_raise()
    for size in ((), (0,), (1,), (3, 0), (0, 3)):
        yield call("torch.sort", T("float32", size), 0)
        yield call("torch.argsort", T("float32", size), 0)
    for dim in (0, 1, 2, -1):
        for layout in ["contiguous", *LAYOUTS]:
            yield call("torch.sort", T("float32", (3, 4, 5), "distinct", layout, grad=True), dim, True)
        yield call("torch.argsort", T("float32", (3, 4, 5), "distinct"), dim, True)
        yield call("torch.topk", T("float32", (3, 4, 5), "distinct", grad=True), 2, dim)
        yield call("torch.topk", T("float32", (3, 4, 5), "distinct", "transposed", grad=True), 3, dim, False)
        yield call("torch.kthvalue", T("float32", (3, 4, 5), "distinct", grad=True), 2, dim)
        yield call("torch.median", T("float32", (3, 4, 5), "distinct", grad=True), dim)
    for numbers in ([NAN, 1.0, INF, -INF, NAN, 0.0, -0.0, 2.0], [3.0, NAN, 3.0, 1.0, 1.0, NAN, -1.0, 3.0]):
        for descending in (False, True):
            for dtype in (*FLOATS, *HALVES):
                yield call("torch.sort", T(dtype, (8,), numbers), stable=True, descending=descending)
            yield call("torch.sort", T("float32", (4, 2), numbers), stable=True, dim=0, descending=descending)
        yield call("torch.topk", T("float32", (8,), numbers), 3)
        yield call("torch.median", T("float32", (8,), numbers))
    yield call("torch.topk", T("float32", (5,)), 6).raises(RuntimeError, "k")
    yield call("torch.topk", T("float32", (5,)), -1).raises(RuntimeError, "k")
    yield call("torch.topk", T("float32", (5,), "distinct"), 0)
    yield call("torch.topk", T("float32", ()), 1)
    yield call("torch.sort", T("float32", (2,)), 1).raises(IndexError, "1")
    yield call("torch.sort", T("float32", (200,), "distinct"))
    yield call("torch.sort", T("int64", (300,), "ties"), stable=True)
    yield call("torch.msort", T("float32", (5, 3), "distinct", grad=True))
    yield call("torch.median", T("float32", (6,), "distinct", grad=True))
    yield call("torch.median", T("int64", (5,), "distinct"))


def unique():
    for dtype in ALL:
        yield call("torch.unique", T(dtype, (20,), "ties"))
        yield call("torch.unique", T(dtype, (3, 5)), return_inverse=True, return_counts=True)
        yield call(
            "torch.unique_consecutive", T(dtype, (9,), [1, 1, 0, 0, 0, 1, 1, 1, 0]), return_inverse=True, return_counts=True
        )
    for dim in (0, 1):
        rows = [1, 2, 1, 0, 1, 2, 1, 0, 2, 2, 1, 0]
        yield call("torch.unique", T("int64", (4, 3), rows), dim=dim, return_inverse=True, return_counts=True)
        yield call("torch.unique", T("float32", (4, 3), rows), dim=dim)
        yield call("torch.unique_consecutive", T("int64", (4, 3), rows), dim=dim, return_counts=True)
    yield call("torch.unique", T("float32", (0,)), return_inverse=True)
    yield call("torch.unique", T("float32", (), [2.0]), return_counts=True)
    yield call("torch.unique", T("float32", (6,), [NAN, 1.0, NAN, -0.0, 0.0, 1.0]))
    yield call("torch.unique", T("float32", (3, 4), "ties", "transposed"), return_inverse=True)


def searching():
    boundaries = T("float32", (4,), [-1.0, 0.0, 0.0, 2.0])
    values = T("float32", (2, 3), [-2.0, -1.0, 0.0, 1.0, 2.0, NAN])
    for right in (False, True):
        yield call("torch.searchsorted", boundaries, values, right=right)
        yield call("torch.bucketize", values, boundaries, right=right)
    for dtype in ("uint8", "int32", "int64"):
        yield call("torch.bincount", T(dtype, (9,), "ties"))
    yield call("torch.bincount", T("int64", (4,), [0, 2, 2, 5]), T("float32", (4,)), 8)
    yield call("torch.bincount", T("int64", (0,)))
    yield call("torch.bincount", T("int64", (2,), [-1, 2])).raises(RuntimeError, "non-negative")
    yield call("torch.histc", T("float32", (20,)), 5)
    yield call("torch.histc", T("float32", (20,)), 4, -1, 2)
    for dtype in (*FLOATS, *INTEGERS):
        yield call("torch.isin", T(dtype, (6,)), T(dtype, (3,)))
        yield call("torch.diff", T(dtype, (6,), "distinct"))
    for kwargs in ({"n": 2}, {"dim": 0}, {"prepend": T("float32", (3, 1)), "append": T("float32", (3, 2))}):
        yield call("torch.diff", T("float32", (3, 4), grad=True), **kwargs)
