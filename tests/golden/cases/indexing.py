"""Indexing, index assignment, gather and scatter."""

from ..dsl import ALL, HALVES, LAYOUTS, Name, T, call

SIZE = (3, 4, 5)
NONE, DOTS = None, ...


def s(*parts):
    return slice(*parts)


def indices(*numbers, dtype="int64", size=None):
    return T(dtype, size or (len(numbers),), list(numbers))


def mask(size, period=3):
    count = 1
    for extent in size:
        count *= extent
    return T("bool", size, [k % period == 0 for k in range(count)])


def basic_indices():
    return [
        0, -1, s(None), s(1, 3), s(None, None, 2), s(1, None, 3), s(-2, None), s(0, 0), s(3, 1), s(-100, 100), NONE, DOTS, True, False,
        (), (0,), (0, 1), (0, 1, 2), (-1, -1, -1), (s(None), 1), (s(None), s(1, 3), -1), (DOTS, 0), (0, DOTS), (DOTS, s(None, None, 2)),
        (0, DOTS, 1), (NONE, 0), (s(None), NONE), (DOTS, NONE), (NONE, DOTS, NONE, 0), (s(None, None, 2), s(1, None, 2), s(None, None, 3)),
        (s(None), s(None), s(None)), (0, s(None), NONE, 1), (s(2, 2), 0), (True,), (NONE, True, 0), (s(None, 2), DOTS, s(4, 5)),
    ]  # fmt: skip


def advanced_indices():
    return [
        indices(0, 2), indices(0, -1, 1, 1), indices(0, 2, 1, 1, size=(2, 2)), indices(dtype="int64", size=(0,)), T("int64", (), [1]),
        [0, 2], [[0, 1], [1, 2]], ([0, 2], [1, 3]), [True, False, True],
        (indices(0, 2), indices(1, 3)), (indices(0, 2, size=(2, 1)), indices(1, 2, 3)), (indices(0, 2), 1), (1, indices(0, 2)),
        (s(None), indices(0, 3)), (DOTS, indices(0, 4, 4)), (indices(1, 2), DOTS, indices(0, 3)), (indices(0, 2), s(None), indices(1, 3)),
        (s(None), indices(1, 2), indices(0, 4)), (0, s(None), indices(1, 2)), (indices(0, 1), NONE, indices(2, 3)),
        (NONE, indices(0, 2)), (s(None, None, 2), indices(0, 2)), (s(1, None), s(None, None, 2), indices(0, 4, 2)),
        (indices(2, 0), indices(1, 0), indices(4, 0)), (indices(0, 1, 1, dtype="uint8"),), (indices(0, 2, dtype="int32"), s(1, 2)),
        mask((3,)), mask((3, 4)), mask(SIZE), (s(None), mask((4,))), (DOTS, mask((5,), 2)), (mask((3,)), 0), (mask((3,)), indices(1)),
        (mask((3,), 2), s(None), indices(0, 3)), (mask((3,), 9), indices(1)), T("bool", (3,), 0), (indices(1, 2), mask((4,), 2)),
        (T("int64", (), [1]), s(None), T("int64", (), [2])), (T("bool", (), [1]),), (T("bool", (), [0]), 0),
    ]  # fmt: skip


def cases():
    yield from getting()
    yield from setting()
    yield from index_errors()
    yield from gathering()
    yield from scattering()
    yield from selecting()
    yield from index_put()
    yield from masks()


def getting():
    for index in basic_indices():
        yield call("operator.getitem", T("float32", SIZE, grad=True), index).strides()
        case = call("operator.getitem", T("int64", SIZE, layout="transposed"), index)
        copies = any(isinstance(i, bool) for i in (index if isinstance(index, tuple) else (index,)))
        yield case if copies else case.strides()  # a copy's layout is the library's own affair
    for index in advanced_indices():
        yield call("operator.getitem", T("float32", SIZE, grad=True), index)
        yield call("operator.getitem", T("float64", SIZE, layout="transposed", grad=True), index)
        yield call("operator.getitem", T("int32", SIZE, layout="expanded"), index)
    for layout in LAYOUTS:
        yield call("operator.getitem", T("float32", SIZE, layout=layout), (s(1, None), s(None, None, 2), -1)).strides()
        yield call("operator.getitem", T("bfloat16", SIZE, layout=layout), (indices(0, 2), s(None), indices(1, 3)))
    for dtype in ALL:
        yield call("operator.getitem", T(dtype, (4, 3)), indices(3, 0, 0))
        yield call("operator.getitem", T(dtype, (4, 3)), mask((4, 3)))
    yield call("operator.getitem", T("float32", ()), DOTS)
    yield call("operator.getitem", T("float32", ()), NONE)
    yield call("operator.getitem", T("float32", ()), ())
    yield call("operator.getitem", T("float32", (), grad=True), True)
    yield call("operator.getitem", T("float32", (0, 3)), s(None, None, 2))
    yield call("operator.getitem", T("float32", (0, 3)), mask((0,)))
    yield call("operator.getitem", T("float32", (0, 3)), (s(None), indices(0, 1)))
    yield call("operator.getitem", T("float32", (3, 0)), (indices(0, 1),))


def setting():
    for index in basic_indices():
        yield call("operator.setitem", T("float32", SIZE), index, 9.5)
        yield call("operator.setitem", T("float32", SIZE, layout="transposed"), index, T("float32", (), [2.5]))
        yield call("operator.setitem", T("float64", SIZE, grad=True), index, T("float64", (), [2.5], grad=True))
    for index in advanced_indices():
        yield call("operator.setitem", T("float32", SIZE), index, -7).may_raise()
        yield call("operator.setitem", T("int64", SIZE, layout="stepped"), index, 99).may_raise()
        yield call("operator.setitem", T("float32", SIZE, grad=True), index, T("float32", (1,), [2.5], grad=True)).may_raise()
    shaped = [
        (0, (4, 5)), (0, (5,)), (s(1, 3), (2, 4, 5)), (s(1, 3), (4, 1)), ((DOTS, 0), (3, 4)), ((s(None), 1), (3, 5)), ((NONE, 0), (1, 4, 5)),
        (indices(0, 2), (2, 4, 5)), (indices(0, 2), (4, 5)), ((indices(0, 2), indices(1, 3)), (2, 5)), ((s(None), indices(0, 3)), (3, 2, 5)),
        ((indices(0, 2), s(None), indices(1, 3)), (2, 4)), (mask((3,)), (1, 4, 5)), (mask((3, 4)), (4, 5)), (mask(SIZE), (20,)),
        ((DOTS, mask((5,), 2)), (3, 4, 3)), (s(0, 0), (0, 4, 5)), (s(None), (1, 1, 4, 5)),
    ]  # fmt: skip
    for index, size in shaped:
        yield call("operator.setitem", T("float32", SIZE, grad=True), index, T("float32", size, grad=True, seed=5))
        yield call("operator.setitem", T("float32", SIZE, layout="transposed"), index, T("float32", size, seed=5))
        yield call("operator.setitem", T("int32", SIZE), index, T("int32", size, seed=5))
    for dtype in ALL:
        yield call("operator.setitem", T(dtype, (4,)), s(1, 3), 1)
        yield call("operator.setitem", T(dtype, (4,)), indices(3, 0), 1)
        yield call("operator.setitem", T(dtype, (4,)), s(1, 3), T("float32", (2,), [1.0, 2.0]))
        yield call("operator.setitem", T(dtype, (4,)), indices(3, 0), T("float32", (2,), [1.0, 2.0])).may_raise()
        yield call("operator.setitem", T(dtype, (4,)), mask((4,)), T("float32", (), [3.0])).may_raise()
    yield call("operator.setitem", T("float32", ()), DOTS, 3)
    yield call("operator.setitem", T("float32", ()), (), 3)
    yield call("operator.setitem", T("float32", (4,)), indices(1, 1, 1), T("float32", (3,), 5.0))


def index_errors():
    x = T("float32", SIZE)
    bad = [
        (3, IndexError, "3", "size 3"), (-4, IndexError, "-4", "size 3"), ((0, 4), IndexError, "4", "dimension 1", "size 4"),
        ((0, 0, 0, 0), IndexError, "too many indices", "3"), (s(None, None, -1), ValueError, "step"), (s(None, None, 0), ValueError, "step"),
        ("a", TypeError), (1.5, IndexError, "float"), ((DOTS, DOTS), None), (indices(0, 3), IndexError, "3", "size 3"),
        (indices(-4), IndexError, "-4", "size 3"), (T("float32", (2,), [0.0, 1.0]), IndexError, "tensors used as indices"),
        ((indices(0, 1), indices(0, 1, 2)), IndexError, "[2]", "[3]"), (mask((4,)), IndexError, "mask", "[4]", "[3, 4, 5]"),
        ((s(None), mask((3,))), IndexError, "mask"), ((0, mask((4, 4))), IndexError, "mask"), (s(0.5, 2), TypeError), (s("a"), TypeError),
    ]  # fmt: skip
    for index, error, *fragments in bad:
        if error is None:
            yield call("operator.getitem", x, index).may_raise()
            continue
        yield call("operator.getitem", x, index).raises(error, *fragments)
        yield call("operator.setitem", x, index, 1.0).raises(error, *fragments)
    yield call("operator.getitem", T("float32", ()), 0).raises(IndexError, "0-dim")
    yield call("operator.getitem", T("float32", ()), s(None)).raises(IndexError)
    yield call("operator.setitem", x, 0, T("float32", (3, 5))).raises(RuntimeError, "3", "4")
    yield call("operator.setitem", x, indices(0, 1), T("float32", (3, 5))).raises(RuntimeError, "[3, 5]", "[2, 4, 5]")
    yield call("operator.setitem", x, mask((3, 4)), T("float32", (3, 5))).raises(RuntimeError)
    yield call("operator.setitem", x, s(None), T("float32", (2, 3, 4, 5))).raises(RuntimeError)
    yield call("operator.setitem", x, 0, "a").raises(TypeError, "str")
    yield call("operator.setitem", T("float32", (3, 4), layout="expanded"), (s(None), indices(0)), 1.0).may_raise()
    yield call("Tensor.__len__", T("float32", ())).raises(TypeError, "0-d")
    yield call("Tensor.__len__", T("float32", (0, 3)))
    yield call("Tensor.__len__", T("float32", (2, 3)))
    yield call("Tensor.__contains__", T("int64", (3,), [1, 2, 3]), 2)
    yield call("Tensor.__contains__", T("float32", (3,)), 99.0)
    for method in ("__bool__", "__int__", "__float__", "__index__"):
        yield call(f"Tensor.{method}", T("int64", (1,), [3]))
        yield call(f"Tensor.{method}", T("int64", (2,), [3, 4])).may_raise()
        yield call(f"Tensor.{method}", T("float32", (), [2.75])).may_raise()
        yield call(f"Tensor.{method}", T("bool", (), [1]))
        yield call(f"Tensor.{method}", T("float32", (0,))).may_raise()


def gathering():
    for dim in (0, 1, -1):
        index = indices(0, 1, 2, 2, 1, 0, size=(2, 3))
        for layout in ["contiguous", *LAYOUTS]:
            yield call("torch.gather", T("float32", (3, 4), layout=layout, grad=True), dim, index)
        yield call("torch.gather", T("float64", (3, 4), grad=True), dim, T("int64", (2, 3), [0, 2, 1, 1, 2, 0], "transposed"))
        yield call(
            "torch.take_along_dim", T("float32", (3, 4), grad=True), indices(0, 1, 2, 0, size=(4, 1) if dim else (1, 4)), dim
        ).may_raise()
        yield call("torch.gather", T("float32", (3, 4)), dim, T("int64", (0, 2), []))
    for dtype in ALL:
        yield call("torch.gather", T(dtype, (4,)), 0, indices(3, 3, 0))
    yield call("torch.take_along_dim", T("float32", (3, 4), grad=True), indices(0, 5, 11, 5))
    yield call("torch.take_along_dim", T("float32", (3, 4)), T("float32", (3, 1)), 1).raises(RuntimeError, "long")
    yield call("torch.gather", T("float32", (), grad=True), 0, T("int64", (), [0]))
    yield call("torch.gather", T("float32", (3, 4)), 0, indices(0, 3, size=(1, 2))).raises(RuntimeError, "3", "size 3")
    yield call("torch.gather", T("float32", (3, 4)), 1, indices(-1, 0, size=(1, 2))).raises(RuntimeError, "-1", "size 4")
    yield call("torch.gather", T("float32", (3, 4)), 0, indices(0, 1)).raises(RuntimeError, "dimensions")
    yield call("torch.gather", T("float32", (3, 4)), 2, indices(0, size=(1, 1))).raises(IndexError, "2")
    yield call("torch.gather", T("float32", (3, 4)), 0, T("float32", (1, 1), [0.0])).raises(RuntimeError, "index")
    yield call("torch.gather", T("float32", (3, 4)), 0, indices(*[0] * 5, size=(1, 5))).raises(RuntimeError, "5", "4")
    yield call("torch.take", T("float32", (3, 4), grad=True), indices(0, -1, 5, 5, size=(2, 2)))
    yield call("torch.take", T("float32", (3, 4), layout="transposed", grad=True), indices(0, 11))
    yield call("torch.take", T("float32", (3, 4)), indices(12)).raises(IndexError, "12")


def scattering():
    index = indices(0, 1, 2, 2, 0, 0, size=(2, 3))
    source = T("float32", (2, 3), grad=True, seed=4)
    for dim in (0, 1):
        for layout in ("contiguous", "transposed", "stepped", "offset"):
            yield call("Tensor.scatter_add_", T("float32", (3, 4), layout=layout), dim, index, T("float32", (2, 3), seed=4))
            yield call(
                "Tensor.scatter_",
                T("float32", (3, 4), layout=layout),
                dim,
                indices(0, 1, 2, 1, 2, 0, size=(2, 3)),
                T("float32", (3, 3), seed=4),
            )
        yield call("torch.scatter", T("float32", (3, 4), grad=True), dim, indices(0, 1, 2, 1, 2, 0, size=(2, 3)), source)
        yield call("torch.scatter", T("float32", (3, 4), grad=True), dim, index, 2.5)
        yield call("torch.scatter_add", T("float32", (3, 4), grad=True), dim, index, source)
        yield call(
            "torch.scatter_add", T("float64", (3, 4), grad=True), dim, index, T("float64", (3, 5), layout="transposed", grad=True)
        )
        for reduce in ("sum", "prod", "mean", "amax", "amin"):
            for include in (True, False):
                yield call(
                    "torch.scatter_reduce",
                    T("float32", (3, 4), "positive", grad=True),
                    dim,
                    index,
                    T("float32", (2, 3), "distinct", grad=True, seed=4),
                    reduce,
                    include_self=include,
                )
    for dtype in ALL:
        yield call("torch.scatter", T(dtype, (4,)), 0, indices(3, 0), T(dtype, (2,), seed=2))
        yield call("torch.scatter_add", T(dtype, (4,)), 0, indices(3, 3, 0), T(dtype, (3,), seed=2))
    yield call("Tensor.scatter_", T("float32", (3, 4)), 1, indices(0, 2, 1, size=(3, 1)), 1.0)
    yield call("Tensor.scatter_", T("float32", (3, 4)), 0, indices(0, 2, size=(1, 2)), 2.0, reduce="add")
    yield call("Tensor.scatter_", T("float32", (3, 4)), 0, indices(0, 2, size=(1, 2)), T("float32", (1, 2)), reduce="multiply")
    yield call("torch.scatter", T("float32", (3, 4)), 0, T("int64", (0, 2), []), T("float32", (0, 2)))
    yield call("torch.scatter", T("float32", (3, 4)), 0, indices(3, size=(1, 1)), 1.0).raises(RuntimeError, "3", "size 3")
    yield call("torch.scatter_add", T("float32", (3, 4)), 0, indices(-1, size=(1, 1)), T("float32", (1, 1))).raises(
        RuntimeError, "-1", "size 3"
    )
    yield call("torch.scatter", T("float32", (3, 4)), 0, index, T("float32", (1, 1))).raises(RuntimeError)
    yield call("torch.scatter_add", T("float32", (3, 4)), 0, index, T("float64", (2, 3))).raises(RuntimeError, "dtype")


def selecting():
    for dim in (0, 1, 2, -1):
        for layout in ["contiguous", *LAYOUTS]:
            yield call("torch.index_select", T("float32", SIZE, layout=layout, grad=True), dim, indices(2, 0, 0))
    for dtype in ALL:
        yield call("torch.index_select", T(dtype, (4, 2)), 0, indices(3, 1, dtype="int32"))
    yield call("torch.index_select", T("float32", SIZE), 1, T("int64", (0,), []))
    yield call("torch.index_select", T("float32", (3,)), 0, T("int64", (), [2]))
    yield call("torch.index_select", T("float32", SIZE), 0, indices(3)).raises(IndexError, "index")
    yield call("torch.index_select", T("float32", SIZE), 0, indices(-1)).raises(IndexError, "index")
    yield call("torch.index_select", T("float32", SIZE), 0, indices(0, 1, size=(1, 2))).raises(IndexError, "vector")
    yield call("torch.index_select", T("float32", SIZE), 0, T("float32", (1,), [0.0])).raises(RuntimeError)
    for dim, size in ((0, (2, 4, 5)), (1, (3, 2, 5)), (-1, (3, 4, 2))):
        for alpha in (1, -2.5):
            x, source = T("float32", SIZE, grad=True), T("float32", size, grad=True, seed=3)
            yield call("torch.index_add", x, dim, indices(1, 1), source, alpha=alpha)
        yield call("torch.index_copy", T("float32", SIZE, grad=True), dim, indices(2, 0), T("float32", size, grad=True, seed=3))
        yield call("Tensor.index_add_", T("int64", SIZE, layout="transposed"), dim, indices(0, 2), T("int64", size, seed=3))
        yield call("Tensor.index_copy_", T("float32", SIZE, layout="stepped"), dim, indices(0, 2), T("float32", size, seed=3))
        yield call("torch.index_fill", T("float32", SIZE, grad=True), dim, indices(2, 0), 7.5)
        yield call("Tensor.index_fill_", T("int32", SIZE), dim, indices(1), 7)
    yield call("torch.index_add", T("float32", (3,)), 0, indices(3), T("float32", (1,))).raises(IndexError, "index")
    yield call("torch.index_add", T("float32", (3, 2)), 0, indices(0, 1), T("float32", (1, 2))).raises(RuntimeError)
    yield call("torch.index_add", T("float32", (3,)), 0, indices(0), T("float64", (1,))).raises(RuntimeError)


def index_put():
    for accumulate in (False, True):
        x, values = T("float32", SIZE, grad=True), T("float32", (2, 5), grad=True, seed=3)
        yield call("torch.index_put", x, (indices(0, 2), indices(1, 3)), values, accumulate)
        yield call("Tensor.index_put_", T("float32", SIZE, layout="transposed"), (indices(0, 2),), T("float32", (5,)), accumulate)
        yield call("Tensor.index_put_", T("int64", SIZE), (mask(SIZE),), T("int64", (), [4]), accumulate)
        yield call(
            "torch.index_put", T("float32", (3, 4)), (indices(0, size=(1, 1)), indices(1, 2)), T("float32", (1, 2)), accumulate
        )
    yield call(
        "torch.index_put", T("float32", (3,), grad=True), (indices(1, 1, 2, 1),), T("float32", (4,), grad=True, seed=3), True
    )
    yield call("torch.index_put", T("float64", (3, 2), grad=True), (indices(1, 1, 1),), T("float64", (2,), grad=True), True)
    yield call("torch.index_put", T("int32", (3,)), (indices(1, 1, 1),), T("int32", (), [2]), True)
    yield call("torch.index_put", T("float32", (3,)), (indices(5),), T("float32", ())).raises(IndexError, "5", "size 3")
    yield call("torch.index_put", T("float32", (3,)), (indices(0),), T("float64", ())).raises(RuntimeError, "dtype")
    for args in ((indices(0, 5), T("float32", (2,), seed=3)), (indices(5, 5), T("float32", (2,), seed=3), True)):
        yield call("torch.put", T("float32", (3, 4), grad=True), *args)


def masks():
    for layout in ["contiguous", *LAYOUTS]:
        x = T("float32", (3, 4), layout=layout, grad=True)
        yield call("torch.masked_fill", x, mask((3, 4)), 2.5)
        yield call("torch.masked_fill", x, mask((4,), 2), T("float32", (), [1.5], grad=True))
        yield call("torch.masked_fill", x, mask((2, 1, 1), 2), -float("inf"))
        yield call("torch.masked_select", x, mask((3, 4)))
        yield call("torch.masked_select", x, mask((3, 1), 2))
        yield call("torch.nonzero", T("int64", (3, 4), "ties", layout))
    for dtype in ALL:
        yield call("torch.masked_fill", T(dtype, (6,)), mask((6,)), 1)
        yield call("torch.masked_select", T(dtype, (6,)), mask((6,)))
        yield call("torch.nonzero", T(dtype, (3, 4), "ties"))
    for dtype in HALVES:
        yield call("torch.masked_fill", T(dtype, (6,)), mask((6,)), 0.3)
    for size in ((), (0,), (2, 0), (2, 2, 2)):
        yield call("torch.nonzero", T("float32", size, "ties"))
        yield call("torch.nonzero", T("float32", size, "ties"), as_tuple=True)
        yield call("torch.argwhere", T("float32", size, "ties"))
    yield call("torch.nonzero", T("float32", (), [0.0]))
    yield call("torch.nonzero", T("float32", (4,), [0.0, -0.0, float("nan"), 1e-45]))
    yield call("Tensor.masked_fill_", T("float32", (3, 4), layout="transposed"), mask((4,)), 9)
    yield call("Tensor.masked_fill_", T("int64", (4,)), mask((4,)), 1.5).may_raise()
    yield call("Tensor.masked_fill_", T("float32", (4,)), T("int64", (4,)), 1.0).raises(RuntimeError, "bool")
    yield call("torch.masked_fill", T("float32", (4,)), mask((4,)), T("float32", (1,))).raises(RuntimeError, "0-dim")
    yield call("torch.masked_fill", T("float32", (4,)), mask((3,)), 1.0).raises(RuntimeError, "4", "3")
    yield call("torch.masked_select", T("float32", (4,)), T("int64", (4,))).raises(RuntimeError, "mask")
    for size, count in (((3, 4), 12), ((4,), 6)):
        yield call("torch.masked_scatter", T("float32", (3, 4), grad=True), mask(size), T("float32", (count,), grad=True, seed=2))
    yield call("torch.masked_scatter", T("float32", (3, 4)), mask((3, 4), 1), T("float32", (3,))).raises(RuntimeError)
    yield call("torch.Tensor.to", T("bool", (2,)), Name("float32"))
