"""Reductions and scans: dims, keepdim, dtype, empty and 0-d tensors, NaN, ties, every layout, gradients."""

from ..dsl import ALL, FLOATS, HALVES, INTEGERS, LAYOUTS, Name, T, call

NAN = float("nan")
INF = float("inf")
DIM_CHOICES = [0, 1, -1, (0, 2), (-1, -2), (0, 1, 2), [1]]
ONE_DIM = [0, 1, -1, -3]
SUMS = ["sum", "mean", "nansum"]
SPREADS = ["var", "std"]
EXTREMES = ["max", "min"]
NAN_PATTERNS = [[NAN, 1.0, 2.0, 3.0], [1.0, NAN, 5.0, NAN], [INF, 1.0, -INF, 2.0], [INF, INF, 1.0, 0.0], [-INF, -INF, -INF, -INF]]


def cases():
    yield from sums()
    yield from products()
    yield from spreads()
    yield from norms()
    yield from extremes()
    yield from truth()
    yield from logsumexp()
    yield from scans()
    yield from long_rows()


def whole_and_dims(op, dims=DIM_CHOICES, dtypes=ALL, grad=True, fill="mixed", **kwargs):
    name = f"torch.{op}"
    for dtype in dtypes:
        yield call(name, T(dtype, (2, 3, 4), fill, grad=grad and dtype in FLOATS), **kwargs).may_raise()
        yield call(name, T(dtype, (2, 3, 4), fill), 1, **kwargs).may_raise()
    for dim in dims:
        for keepdim in (False, True):
            yield call(name, T("float32", (2, 3, 4), fill, grad=grad), dim, keepdim=keepdim, **kwargs)
            yield call(name, T("float64", (2, 3, 4), fill, grad=grad), dim=dim, keepdim=keepdim, **kwargs)
    for layout in LAYOUTS:
        yield call(name, T("float32", (3, 4, 5), fill, layout, grad=grad), **kwargs)
        for dim in (0, 1, 2):
            yield call(name, T("float32", (3, 4, 5), fill, layout, grad=grad), dim, **kwargs)
    for size in ((), (1,), (0,), (0, 3), (3, 0)):
        x = T("float32", size, fill, grad=grad)
        yield call(name, x, **kwargs).may_raise()
        yield call(name, x, 0, **kwargs).may_raise()
        yield (
            call(name, x, -1, True, **kwargs).may_raise() if op in SUMS else call(name, x, -1, keepdim=True, **kwargs).may_raise()
        )
    for pattern in NAN_PATTERNS:
        yield call(name, T("float32", (4,), pattern), **kwargs)
        yield call(name, T("float64", (2, 4), pattern + pattern[::-1]), 1, **kwargs)
        yield call(name, T("float32", (2, 4), pattern + pattern[::-1]), 0, **kwargs)
    yield call(name, T("float32", (2, 3)), 2, **kwargs).raises(IndexError, "[-2, 1]", "2")
    yield call(name, T("float32", (2, 3)), -3, **kwargs).raises(IndexError, "[-2, 1]", "-3")
    yield call(name, T("float32", ()), 1, **kwargs).raises(IndexError, "[-1, 0]", "1")


def sums():
    for op in SUMS:
        yield from whole_and_dims(op)
        for dtype in ALL:
            for target in ("float32", "float64", "int64"):
                yield call(f"torch.{op}", T(dtype, (3, 4)), 0, dtype=Name(target)).may_raise()
        yield call(f"torch.{op}", T("float32", (2, 3)), (0, 0)).raises(RuntimeError, "dim 0")
        yield call(f"torch.{op}", T("float32", (2, 3, 2), grad=True), ())
        yield call(f"torch.{op}", T("float32", (3, 4)), 1, out=T("float32", (3,), 0))
        yield call(f"Tensor.{op}", T("float32", (2, 2, 2), grad=True), (0, 2), True)
    yield call("torch.sum", T("uint8", (600,), 255))
    yield call("torch.sum", T("int32", (3,), [2**31 - 1, 2**31 - 1, 5]))
    yield call("torch.sum", T("int8", (4,), [127, 127, 127, 127]), dtype=Name("int8"))
    yield call("torch.mean", T("int64", (3,))).raises(RuntimeError, "Long", "dtype")
    for dtype in (*FLOATS, *INTEGERS):
        yield call("torch.count_nonzero", T(dtype, (3, 4)))
        yield call("torch.count_nonzero", T(dtype, (3, 4)), dim=1)


def products():
    yield from whole_and_dims("prod", dims=ONE_DIM, fill="positive")
    zeros = [[0.0, 2.0, 3.0, 4.0], [0.0, 0.0, 3.0, 4.0], [1.0, -2.0, 3.0, 0.5], [0.0, 0.0, 0.0, 0.0]]
    for numbers in zeros:
        yield call("torch.prod", T("float32", (4,), numbers, grad=True))
        yield call("torch.prod", T("float64", (2, 4), numbers + zeros[2], grad=True), 1)
        yield call("torch.prod", T("float64", (2, 4), numbers + zeros[2], grad=True), 0, True)
    yield call("torch.prod", T("int32", (5,), "positive"), dtype=Name("float32"))
    yield call("torch.prod", T("int64", (70,), 2))
    yield call("torch.prod", T("bool", (3,), [1, 1, 0]))


def spreads():
    for op in SPREADS:
        yield from whole_and_dims(op, dtypes=[*FLOATS, *HALVES])
        for correction in (0, 1, 2, 0.5):
            yield call(f"torch.{op}", T("float32", (3, 5), grad=True), 1, correction=correction)
            yield call(f"torch.{op}", T("float64", (3, 5), grad=True), (0, 1), correction=correction, keepdim=True)
        for unbiased in (False, True):
            yield call(f"torch.{op}", T("float32", (3, 5), grad=True), unbiased=unbiased)
            yield call(f"torch.{op}", T("float32", (3, 5), grad=True), 0, unbiased)
        yield call(f"torch.{op}", T("float32", (1, 3), grad=True), 0)
        yield call(f"torch.{op}", T("float32", (4,), [1e4 + 1, 1e4 + 2, 1e4 + 3, 1e4 + 4]))
        yield call(f"torch.{op}", T("float32", (4,), 3.0, grad=True), unbiased=False)
        yield call(f"torch.{op}", T("int64", (4,))).raises(RuntimeError, "floating")
        yield call(f"torch.{op}_mean", T("float64", (3, 4), grad=True), 1)
        yield call(f"torch.{op}_mean", T("float32", (3, 4), grad=True))


def norms():
    for p in (2, 1, 0, 3, 0.5, -1, INF, -INF):
        for dim in (None, 0, -1, (0, 1)):
            yield call("torch.norm", T("float32", (3, 4), grad=True), p, dim)
            yield call("torch.linalg.vector_norm", T("float64", (3, 4), grad=True), p, dim, True)
        yield call("torch.norm", T("float32", (2, 3), 0.0, grad=True), p)
        yield call("Tensor.norm", T("float32", (3, 4), layout="transposed", grad=True), p, 1)
        yield call("torch.norm", T("float32", (3,), [1.0, NAN, 2.0]), p)
    yield call("torch.norm", T("float32", (3, 4), grad=True))
    yield call("torch.norm", T("float32", (3, 4), grad=True), "fro")
    yield call("torch.norm", T("float32", (3, 4), grad=True), dim=1)
    yield call("torch.norm", T("float32", (0,)))
    yield call("torch.norm", T("float32", (2, 0)), 2, 1)
    yield call("torch.norm", T("float32", (2, 0)), INF, 1).may_raise()
    yield call("torch.norm", T("float16", (3, 4)), 2, 1)
    yield call("torch.norm", T("float32", (3, 4)), dtype=Name("float64"))
    yield call("torch.norm", T("int64", (3,))).may_raise()


def extremes():
    for op in EXTREMES:
        name = f"torch.{op}"
        for dtype in ALL:
            yield call(name, T(dtype, (3, 4), "distinct")).may_raise()
            yield call(name, T(dtype, (3, 4), "distinct"), 1).may_raise()
            yield call(f"torch.arg{op}", T(dtype, (3, 4), "distinct")).may_raise()
            yield call(f"torch.arg{op}", T(dtype, (3, 4), "ties"), 0).may_raise()
            yield call(f"torch.a{op}", T(dtype, (3, 4), "distinct"), 1).may_raise()
        for dim in ONE_DIM:
            for keepdim in (False, True):
                yield call(name, T("float32", (2, 3, 4), "distinct", grad=True), dim, keepdim)
                yield call(name, T("int64", (2, 3, 4), "ties"), dim, keepdim=keepdim)
                yield call(f"torch.arg{op}", T("float32", (2, 3, 4), "ties"), dim, keepdim)
        for dim in DIM_CHOICES:
            yield call(f"torch.a{op}", T("float64", (2, 3, 4), "ties", grad=True), dim, keepdim=True)
        for layout in LAYOUTS:
            x = T("float32", (3, 4, 5), "distinct", layout, grad=True)
            yield call(name, x)
            yield call(name, x, 1)
            yield call(f"torch.a{op}", x, (0, 2))
            yield call(f"torch.arg{op}", T("float32", (3, 4, 5), "distinct", layout))
            yield call(f"torch.arg{op}", T("float32", (3, 4, 5), "ties", layout), 2)
        yield call(name, T("float32", (6,), "ties", grad=True))
        yield call(name, T("float32", (3, 6), "ties", grad=True), 1)
        yield call(f"torch.a{op}", T("float32", (3, 6), "ties", grad=True), 1)
        for pattern in NAN_PATTERNS:
            yield call(name, T("float32", (4,), pattern, grad=True))
            yield call(name, T("float32", (2, 4), pattern + pattern[::-1]), 1)
            yield call(f"torch.arg{op}", T("float64", (4,), pattern))
            yield call(f"torch.arg{op}", T("float64", (2, 4), pattern + pattern[::-1]), 0)
            yield call(f"torch.a{op}", T("float32", (4,), pattern))
        for size in ((), (1,)):
            yield call(name, T("float32", size, grad=True))
            yield call(name, T("float32", size, grad=True), 0)
            yield call(f"torch.arg{op}", T("float32", size))
            yield call(f"torch.arg{op}", T("float32", size), -1)
        yield call(name, T("float32", (0,))).raises(RuntimeError, "dim")
        yield call(name, T("float32", (0, 3)), 0).raises(IndexError, "0")
        yield call(name, T("float32", (0, 3)), 1)
        yield call(f"torch.arg{op}", T("float32", (0,))).raises(IndexError, "dim")
        yield call(f"torch.arg{op}", T("float32", (0, 3)), 1)
        yield call(f"torch.a{op}", T("float32", (3, 0)), 1).raises(IndexError, "1")
        yield call(name, T("float32", (2, 3)), 2).raises(IndexError, "[-2, 1]", "2")
        yield call(name, T("float32", (2, 3)), (0, 1)).raises(TypeError, op)
        yield call(name, T("float32", (3, 4), "distinct"), T("float32", (4,), "mixed"))
        yield call(name, T("float32", (3, 4), "distinct"), 1, out=(T("float32", (3,), 0), T("int64", (3,), 0)))
    yield call("torch.aminmax", T("float32", (3, 4), "ties", grad=True))
    yield call("torch.aminmax", T("float32", (3, 4), "distinct", grad=True), dim=1, keepdim=True)


def truth():
    for op in ("any", "all"):
        yield from whole_and_dims(op, grad=False, fill="ties")
        yield call(f"torch.{op}", T("bool", (3, 2), [1, 1, 1, 0, 0, 0]), 1)
        yield call(f"torch.{op}", T("bool", (2, 2), 1))
        yield call(f"torch.{op}", T("bool", (2, 2), 0))
        yield call(f"torch.{op}", T("float32", (2,), [0.0, -0.0]))


def logsumexp():
    for dim in (0, -1, (0, 1), (0, 2), (0, 1, 2)):
        for keepdim in (False, True):
            yield call("torch.logsumexp", T("float32", (2, 3, 4), grad=True), dim, keepdim)
    for pattern in NAN_PATTERNS:
        yield call("torch.logsumexp", T("float32", (4,), pattern), 0)
    yield call("torch.logsumexp", T("float32", (2,), [-INF, -INF], grad=True), 0)
    yield call("torch.logsumexp", T("float32", (3,), [1000.0, 1000.0, 999.0], grad=True), 0)
    yield call("torch.logsumexp", T("float64", (3,), [-1000.0, -1001.0, -1002.0], grad=True), 0)
    for layout in LAYOUTS:
        yield call("torch.logsumexp", T("float64", (3, 4), layout=layout, grad=True), 1)
    yield call("torch.logsumexp", T("float32", (0, 3)), 0)
    yield call("torch.logsumexp", T("float32", ()), 0)
    yield call("torch.logsumexp", T("int64", (3,)), 0)
    for dtype in HALVES:
        yield call("torch.logsumexp", T(dtype, (3, 5)), 1)
    yield call("torch.logsumexp", T("float32", (2, 3)), 5).raises(IndexError, "5")


def scans():
    for op in ("cumsum", "cumprod"):
        name = f"torch.{op}"
        for dtype in ALL:
            yield call(name, T(dtype, (3, 4), "ties"), 1)
        for dtype in ("bool", "int32", "float32"):
            for target in ("float64", "int64", "int32"):
                yield call(name, T(dtype, (5,), "positive"), 0, dtype=Name(target))
        for dim in ONE_DIM:
            yield call(name, T("float32", (2, 3, 4), grad=True), dim)
        for layout in LAYOUTS:
            for dim in (0, 1):
                yield call(name, T("float64", (3, 4), "mixed", layout, grad=True), dim).strides()
        for size in ((), (0,), (1,), (0, 3), (3, 0)):
            yield call(name, T("float32", size, grad=True), 0)
        for pattern in NAN_PATTERNS:
            yield call(name, T("float32", (4,), pattern), 0)
        yield call(name, T("float32", (2, 3)), 2).raises(IndexError, "[-2, 1]", "2")
        yield call(name, T("float32", (2, 3))).raises(TypeError, op)
        yield call(f"Tensor.{op}_", T("float32", (3, 4), layout="transposed"), 0)
        yield call(name, T("float32", (3,)), 0, out=T("float32", (3,)))
    for numbers in ([0.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 2.0], [2.0, 3.0, 0.0, 4.0], [1.0, -2.0, 0.5, 3.0]):
        yield call("torch.cumprod", T("float64", (4,), numbers, grad=True), 0)
        yield call("torch.cumprod", T("float32", (2, 4), numbers + numbers[::-1], grad=True), 1)


def long_rows():
    """Sizes at and around vector widths, unrolling and blocks."""
    for count in (2, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129, 255, 257, 1023, 1025, 2049):
        for op in ("sum", "mean", "var", "prod", "max", "argmax", "logsumexp", "cumsum"):
            if op == "prod" and count > 65:
                continue
            args = [0] if op in ("logsumexp", "cumsum") else []
            if op == "cumsum" and count > 300:
                continue
            yield call(f"torch.{op}", T("float32", (count,), "unit"), *args)
    for rows, columns in ((1, 33), (33, 1), (5, 67), (67, 5), (16, 16)):
        for op in ("sum", "mean", "var", "amax", "argmin", "logsumexp"):
            for dim in (0, 1):
                yield call(f"torch.{op}", T("float32", (rows, columns), "distinct"), dim)
