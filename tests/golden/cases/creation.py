"""Creation: fills, ranges, tensors from Python values, the ``*_like`` and ``new_*`` forms, and their errors."""

from ..dsl import ALL, FLOATS, HALVES, LAYOUTS, Name, T, call

SIGNED_ZEROS = True
NAN = float("nan")
INF = float("inf")


def cases():
    yield from fills()
    yield from like()
    yield from ranges()
    yield from matrices()
    yield from from_python()
    yield from copies()


def fills():
    for op in ("zeros", "ones"):
        for size in ((), (0,), (3,), (2, 3), (2, 0, 4)):
            yield call(f"torch.{op}", size).strides()
            yield call(f"torch.{op}", *size).strides().may_raise()
        yield call(f"torch.{op}", [2, 2])
        yield call(f"torch.{op}", size=(2, 2))
        for dtype in ALL:
            yield call(f"torch.{op}", 2, 2, dtype=Name(dtype))
        yield call(f"torch.{op}", 2, requires_grad=True)
        yield call(f"torch.{op}", 2, dtype=Name("int64"), requires_grad=True).raises(RuntimeError, "floating")
        yield call(f"torch.{op}", -1).raises(RuntimeError, "negative")
        yield call(f"torch.{op}", 2, -3).raises(RuntimeError, "negative")
        yield call(f"torch.{op}", 2.5).raises(TypeError, op)
        yield call(f"torch.{op}", "a").raises(TypeError, op)
        yield call(f"torch.{op}", 3, out=T("float32", (3,)))
        yield call(f"torch.{op}", 2, dtype="float32").raises(TypeError, "dtype")
    yield call("torch.empty", 0)
    yield call("torch.empty", 0, 3, dtype=Name("int16")).strides()
    yield call("torch.empty", -2).raises(RuntimeError, "-2", "negative")
    for number in (3, 2.5, True, NAN, -INF):
        yield call("torch.full", (2, 3), number)
        yield call("torch.full", (), number)
    for dtype in ALL:
        yield call("torch.full", (3,), 1.5, dtype=Name(dtype))
    yield call("torch.full", (2,), 300, dtype=Name("int8")).may_raise()
    yield call("torch.full", (2,), 1e300, dtype=Name("float32")).may_raise()
    yield call("torch.full", (2,), 1, dtype=Name("float32"), requires_grad=True)
    yield call("torch.full", (-2,), 1).raises(RuntimeError, "-2", "negative")
    yield call("torch.full", 3, 1).raises(TypeError, "full")
    yield call("torch.full", (2, 2), T("float32", (), [2.5]))
    for op, number in (("Tensor.fill_", 7), ("Tensor.fill_", 1.5), ("Tensor.fill_", True)):
        for dtype in ("bool", "int32", "float32", "bfloat16"):
            yield call(op, T(dtype, (3, 2)), number)
        for layout in ("transposed", "stepped", "offset"):
            yield call(op, T("float32", (3, 2), layout=layout), number)
    yield call("Tensor.fill_", T("float32", (2,)), T("float64", (), [2.5]))
    yield call("Tensor.fill_", T("float32", (2,)), T("float64", (1,), [2.5])).raises(RuntimeError, "0-dimension")
    yield call("Tensor.fill_", T("float32", (2, 3), grad=True), 2.0)
    yield call("Tensor.zero_", T("int64", (3, 2), layout="stepped"))
    yield call("Tensor.fill_diagonal_", T("float32", (3, 4)), 9.0)
    yield call("torch.scalar_tensor", 3.5)


def like():
    for op in ("zeros_like", "ones_like"):
        for dtype in ALL:
            yield call(f"torch.{op}", T(dtype, (2, 3)))
        for layout in LAYOUTS:
            yield call(f"torch.{op}", T("float32", (3, 4), layout=layout)).strides()
        yield call(f"torch.{op}", T("float32", (2, 3, 2, 2), layout="channels_last")).strides()
        yield call(f"torch.{op}", T("float32", (2, 3)), dtype=Name("int64"))
        yield call(f"torch.{op}", T("float32", (2, 3), grad=True))
        yield call(f"torch.{op}", T("float32", (2, 3)), requires_grad=True)
    yield call("torch.full_like", T("float32", (2, 3)), 7)
    yield call("torch.full_like", T("int64", (2, 3), layout="transposed"), 7.9).strides()
    yield call("torch.full_like", T("int64", (2, 3)), 7.5, dtype=Name("float64"))
    yield call("torch.empty_like", T("float32", (0, 3))).strides()
    yield call("Tensor.new_zeros", T("int32", (2,)), (2, 3))
    yield call("Tensor.new_zeros", T("int32", (2,)), 2, 3, dtype=Name("float32"))
    yield call("Tensor.new_ones", T("float64", (2,), grad=True), 3)
    yield call("Tensor.new_full", T("float16", (2,)), (2, 2), 1.25)
    yield call("Tensor.new_empty", T("float16", (2,)), (0, 2))
    yield call("Tensor.new_tensor", T("float64", (2,)), [1, 2, 3])
    yield call("Tensor.new_tensor", T("int32", (2,)), [1.5, 2.5], dtype=Name("float32"))


def ranges():
    for args in [
        (5,),
        (0,),
        (5.0,),
        (2, 7),
        (7, 2, -1),
        (0, 1, 0.25),
        (0, 1, 0.1),
        (1, 2, 0.3),
        (-3, 3, 2),
        (3, -3, -2),
        (0, 10, 3),
        (2, 2),
        (0.5, 3.2),
        (5, 5.5),
    ]:
        yield call("torch.arange", *args)
        yield call("torch.arange", *args, dtype=Name("float32"))
        yield call("torch.arange", *args, dtype=Name("int32"))
        yield call("torch.arange", *args, dtype=Name("float64"))
    yield call("torch.arange", start=1, end=6, step=2)
    yield call("torch.arange", end=4)
    yield call("torch.arange", 3, requires_grad=True).raises(RuntimeError, "floating")
    yield call("torch.arange", 3.0, requires_grad=True)
    yield call("torch.arange", 100, dtype=Name("uint8"))
    yield call("torch.arange", 9, dtype=Name("float16"))
    yield call("torch.arange", 9, dtype=Name("bfloat16"))
    yield call("torch.arange", 0, 5, -1).raises(RuntimeError, "step")
    yield call("torch.arange", 5, 0).raises(RuntimeError, "step")
    yield call("torch.arange", 0, 5, 0).raises(RuntimeError, "step", "nonzero")
    yield call("torch.arange", 0, INF).raises(RuntimeError)
    yield call("torch.arange", 0, NAN).raises(RuntimeError)
    yield call("torch.arange").raises(TypeError, "arange")
    yield call("torch.arange", "5").raises(TypeError, "arange")
    yield call("torch.arange", 4, out=T("float32", (4,)))
    for args in [(0, 1, 5), (0, 1, 1), (0, 1, 0), (-2, 3, 11), (3, -3, 7), (0, 10, 100), (0.1, 0.7, 9), (1, 1, 4), (0, 1, 2)]:
        yield call("torch.linspace", *args)
        for dtype in (*FLOATS, *HALVES, "int64", "int32"):
            yield call("torch.linspace", *args, dtype=Name(dtype))
    yield call("torch.linspace", 0, 1, -1).raises(RuntimeError, "steps", "non-negative")
    yield call("torch.linspace", 0, 1).raises(TypeError, "linspace")
    yield call("torch.linspace", start=0, end=3, steps=4, requires_grad=True)
    for args in [(0, 2, 5), (-2, 1, 4), (0, 1, 1), (0, 3, 4, 2), (1, 3, 3, 0.5)]:
        yield call("torch.logspace", *args)
        yield call("torch.logspace", *args, dtype=Name("float64"))


def matrices():
    for args in [(3,), (2, 4), (4, 2), (0,), (0, 3), (1,)]:
        yield call("torch.eye", *args)
        yield call("torch.eye", *args, dtype=Name("int64"))
    yield call("torch.eye", 2, dtype=Name("bool"))
    yield call("torch.eye", -1).raises(RuntimeError, "-1")
    for args in [(3, 3), (3, 4, 1), (4, 3, -1), (0, 3), (2, 5, 3), (3, 3, -5)]:
        yield call("torch.tril_indices", *args)
        yield call("torch.triu_indices", *args)
    for size in ((4,), (0,), (3, 4), (4, 3)):
        for offset in (0, 1, -1, 3):
            yield call("torch.diag", T("float32", size, grad=True), offset)
    for offset in (0, 2, -1):
        yield call("torch.diag_embed", T("float32", (2, 3), grad=True), offset)
        yield call("torch.diagflat", T("float32", (2, 2), grad=True), offset)
    yield call("torch.diag", T("float32", (2, 2, 2))).raises(RuntimeError, "3")
    yield call("torch.meshgrid", T("int64", (3,)), T("int64", (2,)), indexing="ij").strides()
    yield call("torch.meshgrid", T("float32", (3,), grad=True), T("float32", (2,)), T("float32", (1,)), indexing="xy")
    yield call("torch.cartesian_prod", T("int64", (3,)), T("int64", (2,)))
    yield call("torch.combinations", T("int64", (4,), "distinct"), 2)
    yield call("torch.vander", T("float32", (3,)), 4)
    for window in ("hann_window", "hamming_window", "blackman_window", "bartlett_window"):
        yield call(f"torch.{window}", 7)
        yield call(f"torch.{window}", 8, periodic=False)


def from_python():
    data = [
        3,
        2.5,
        True,
        [],
        [[]],
        [1, 2, 3],
        [1, 2.5],
        [True, False],
        [True, 2],
        [True, 2.5],
        [[1, 2], [3, 4]],
        [[1.0], [2]],
        (1, 2),
        [(1, 2), (3, 4)],
        [[[]]],
        [[], []],
        NAN,
        [INF, -0.0],
    ]
    for value in data:
        yield call("torch.tensor", value)
        yield call("torch.as_tensor", value)
        for dtype in ("bool", "uint8", "int64", "float16", "float64"):
            yield call("torch.tensor", value, dtype=Name(dtype)).may_raise()
    yield call("torch.tensor", [1, 2], requires_grad=True).raises(RuntimeError, "floating")
    yield call("torch.tensor", [1.0, 2], requires_grad=True)
    yield call("torch.tensor", [1.0, 2], dtype=Name("float64"), requires_grad=True)
    yield call("torch.tensor", [[1, 2], [3]]).raises(ValueError, "length 2", "dim 1", "1")
    yield call("torch.tensor", [[1, 2], 3]).raises(TypeError)
    yield call("torch.tensor", [1, [2, 3]]).raises(TypeError)
    yield call("torch.tensor", "abc").raises(TypeError, "str")
    yield call("torch.tensor", ["a", "b"]).raises(ValueError, "str")
    yield call("torch.tensor", None).raises(RuntimeError, "NoneType")
    yield call("torch.tensor", [None]).raises(RuntimeError, "NoneType")
    yield call("torch.tensor", [2**63]).raises(ValueError)
    yield call("torch.tensor", [2**63 - 1, -(2**63)])
    yield call("torch.tensor", [2**31], dtype=Name("int32")).may_raise()
    yield call("torch.tensor", [256], dtype=Name("uint8")).may_raise()
    yield call("torch.tensor", [-1], dtype=Name("uint8")).may_raise()
    yield call("torch.tensor", [1.7, -1.7], dtype=Name("int64"))
    yield call("torch.tensor", [T("float32", (), [1.5]), T("float32", (), [2.5])])
    yield call("torch.tensor", T("float32", (2, 3), layout="transposed", grad=True)).strides()
    yield call("torch.tensor", T("int64", (2,)), dtype=Name("float32"))
    yield call("torch.tensor", [0.1, 1 / 3, 1e-46, 3.4028235677973366e38]).bits()
    yield call("torch.as_tensor", T("float32", (2,), grad=True)).strides()
    yield call("torch.as_tensor", T("float32", (2,)), dtype=Name("int32")).strides()
    yield call("torch.Tensor", [1, 2, 3])
    yield call("torch.Tensor", 0, 3)
    yield call("torch.FloatTensor", [1, 2, 3])
    yield call("torch.LongTensor", [1, 2, 3])
    yield call("torch.BoolTensor", [1, 0, 3])


def copies():
    for layout in ["contiguous", *LAYOUTS]:
        yield call("torch.clone", T("float32", (3, 4), layout=layout, grad=True)).strides()
        yield call("Tensor.contiguous", T("float32", (3, 4), layout=layout, grad=True)).strides()
        yield call("torch.clone", T("float32", (3, 4), layout=layout), memory_format=Name("contiguous_format")).strides()
        yield call("Tensor.detach", T("float32", (3, 4), layout=layout, grad=True)).strides()
        yield call("Tensor.is_contiguous", T("float32", (3, 4), layout=layout))
        yield call("Tensor.stride", T("float32", (3, 4), layout=layout))
    yield call("torch.clone", T("float32", (2, 3, 2, 2), layout="channels_last")).strides()
    yield call("Tensor.contiguous", T("float32", (2, 3, 2, 2), layout="channels_last")).strides()
    yield call("Tensor.contiguous", T("float32", (2, 3, 2, 2)), memory_format=Name("channels_last")).strides()
    yield call("Tensor.is_contiguous", T("float32", (2, 3, 2, 2), layout="channels_last"), memory_format=Name("channels_last"))
    for layout in ("contiguous", "transposed", "stepped", "offset"):
        for source in ALL:
            yield call("Tensor.copy_", T("float32", (3, 4), 0, layout), T(source, (4,)))
        yield call("Tensor.copy_", T("int64", (3, 4), 0, layout), T("float32", (3, 4), "positive", "transposed"))
    yield call("Tensor.copy_", T("float32", (3, 4), grad=True), T("float64", (4,), grad=True))
    yield call("Tensor.copy_", T("float32", (3,)), T("float32", (2,))).raises(RuntimeError, "2", "3")
    yield call("Tensor.copy_", T("float32", (2,)), 3)
    for size in ((), (0,), (2, 3), (2, 0)):
        for method in ("numel", "dim", "size", "nelement", "ndimension", "shape", "ndim", "element_size", "nbytes", "itemsize"):
            yield call(f"Tensor.{method}", T("float32", size))
    yield call("Tensor.size", T("float32", (2, 3)), -1)
    yield call("Tensor.size", T("float32", (2, 3)), 2).raises(IndexError, "[-2, 1]", "2")
    yield call("Tensor.stride", T("float32", (2, 3)), 0)
    yield call("Tensor.resize_", T("float32", (2, 3)), 3, 2)
    yield call("Tensor.resize_", T("float32", (2, 3)), (2, 2)).may_raise()
    for dtype in ALL:
        for other in ("contiguous", "transposed"):
            yield call("torch.equal", T(dtype, (3, 4), layout=other), T(dtype, (3, 4)))
    yield call("torch.equal", T("float32", (2,), [NAN, 1.0]), T("float32", (2,), [NAN, 1.0]))
    yield call("torch.equal", T("float32", (2,)), T("float32", (3,)))
    for tolerances in ({}, {"rtol": 0.1}, {"atol": 0.5}, {"equal_nan": True}):
        left, right = T("float32", (4,), [1.0, NAN, INF, 2.0]), T("float32", (4,), [1.05, NAN, INF, 2.4])
        yield call("torch.isclose", left, right, **tolerances)
        yield call("torch.allclose", left, right, **tolerances)
    yield call("torch.allclose", T("float32", (2,)), T("float64", (2,))).may_raise()
