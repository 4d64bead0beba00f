"""Activations, softmax, normalisation, dropout without chance, embedding, one_hot and pad."""

from ..dsl import FLOATS, HALVES, LAYOUTS, SPECIALS, Name, T, call

INF = float("inf")
NAN = float("nan")
F = "torch.nn.functional"
ACTIVATIONS = (
    "relu relu6 gelu silu sigmoid tanh leaky_relu elu softplus selu celu hardtanh hardsigmoid hardswish mish logsigmoid softsign "
    "tanhshrink softshrink hardshrink"
).split()
KINKS = [-4.0, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 3.0, 6.0, 7.0, 25.0]
VARIANTS = [
    ("gelu", {"approximate": "tanh"}), ("leaky_relu", {"negative_slope": 0.2}), ("leaky_relu", {"negative_slope": -0.5}), ("elu", {"alpha": 0.5}),
    ("celu", {"alpha": 2.0}), ("softplus", {"beta": 2, "threshold": 5}), ("hardtanh", {"min_val": -0.5, "max_val": 2}), ("softshrink", {"lambd": 1.0}),
    ("hardshrink", {"lambd": 1.0}), ("threshold", {"threshold": 0.5, "value": -2.0}),
]  # fmt: skip


def cases():
    yield from activations()
    yield from softmaxes()
    yield from batch_norm()
    yield from layer_and_group_norm()
    yield from dropout()
    yield from embedding()
    yield from one_hot()
    yield from padding()
    yield from others()


def activations():
    for op, kwargs in [*((op, {}) for op in ACTIVATIONS), *VARIANTS]:
        name = f"{F}.{op}"
        for dtype in FLOATS:
            differentiable = op != "hardsigmoid" or dtype == "float32"
            yield call(name, T(dtype, (12,), KINKS, grad=differentiable), **kwargs)
            yield call(name, T(dtype, (3, 11), grad=differentiable), **kwargs)
            # PyTorch's gelu of an infinity depends on whether it is computed in a vector.
            numbers = [0.25 if op == "gelu" and abs(number) > 1e20 else number for number in SPECIALS]
            yield call(name, T(dtype, (32,), numbers), **kwargs)
        if op == "hardsigmoid":
            # PyTorch's gradient takes a sixth in float32 even for float64.
            yield call(name, T("float64", (3, 11), grad=True), **kwargs).tol(1e-11, 1e-7)
        for dtype in HALVES:
            yield call(name, T(dtype, (3, 5)), **kwargs)
        for layout in LAYOUTS:
            yield call(name, T("float32", (3, 5), layout=layout, grad=True), **kwargs).strides()
        for size in ((), (0,), (1,)):
            yield call(name, T("float32", size, grad=True), **kwargs)
        yield call(name, T("int64", (3,)), **kwargs).may_raise()
    for op in ("relu", "relu6", "silu", "leaky_relu", "elu", "selu", "celu", "hardtanh", "hardsigmoid", "hardswish", "mish"):
        for layout in ("contiguous", "transposed", "stepped"):
            yield call(f"{F}.{op}", T("float32", (3, 4), layout=layout), inplace=True)
        yield call(f"{F}.{op}", T("float32", (3, 4)), inplace=False)
    for op in ("relu", "sigmoid", "tanh", "selu"):
        yield call(f"torch.{op}", T("float32", (3, 4), grad=True))
        yield call(f"Tensor.{op}_" if op != "selu" else "torch.selu_", T("float32", (3, 4), layout="transposed"))
    yield call("Tensor.relu_", T("float32", (3, 4), grad=True))
    yield call("torch.relu", T("int32", (4,)))
    for size in ((1,), (3,)):
        yield call(f"{F}.prelu", T("float32", (2, 3, 2), grad=True), T("float32", size, "unit", grad=True))
    for dim in (0, 1, -1):
        yield call(f"{F}.glu", T("float32", (2, 4, 6), grad=True), dim)
    yield call(f"{F}.glu", T("float32", (3,)), 0).raises(RuntimeError, "3", "even")
    yield call(f"{F}.gelu", T("float32", (3,)), approximate="none")
    yield call(f"{F}.gelu", T("float32", (3,)), approximate="sin").raises(RuntimeError, "approximate")


def softmaxes():
    for op in ("softmax", "log_softmax"):
        name = f"torch.{op}"
        for dim in (0, 1, 2, -1, -3):
            yield call(name, T("float32", (2, 3, 4), grad=True), dim)
            yield call(f"{F}.{op}", T("float64", (2, 3, 4), grad=True), dim=dim)
            for layout in LAYOUTS:
                yield call(name, T("float32", (2, 3, 4), layout=layout, grad=True), dim)
        for count in (1, 7, 16, 33, 130):
            yield call(name, T("float32", (3, count), grad=True), 1)
            yield call(name, T("float32", (count, 3), grad=True), 0)
        rows = [
            [1000.0, 1001.0, 999.0],
            [-INF, 0.0, 1.0],
            [-INF, -INF, -INF],
            [INF, 0.0, 1.0],
            [NAN, 0.0, 1.0],
            [-1000.0, -1000.0, -1000.0],
        ]
        for row in rows:
            yield call(name, T("float32", (3,), row, grad=True), 0)
        for dtype in HALVES:
            yield call(name, T(dtype, (3, 5)), 1)
        yield call(name, T("float32", (), grad=True), 0)
        yield call(name, T("float32", (0, 3), grad=True), 1)
        yield call(name, T("float32", (3, 0), grad=True), 1)
        yield call(name, T("float32", (2, 3)), 1, dtype=Name("float64"))
        yield call(name, T("bfloat16", (2, 3)), 1, dtype=Name("float32"))
        yield call(name, T("int64", (3,)), 0, dtype=Name("float32"))
        yield call(name, T("float32", (2, 3)), 2).raises(IndexError, "[-2, 1]", "2")
        yield call(name, T("float32", (2, 3))).raises(TypeError, op)
        yield call(f"Tensor.{op}", T("float32", (2, 3), grad=True), -1)
    yield call(f"{F}.softmin", T("float32", (2, 3), grad=True), 1)


def batch_norm():
    sizes = [(4, 3), (2, 3, 5), (2, 3, 4, 5), (1, 3, 2), (3, 1, 2, 2)]
    for size in sizes:
        channels = size[1]
        mean, var = T("float32", (channels,), "mixed", seed=1), T("float32", (channels,), "positive", seed=2)
        weight, bias = T("float32", (channels,), "positive", grad=True, seed=3), T("float32", (channels,), grad=True, seed=4)
        x = T("float32", size, grad=True)
        yield call(f"{F}.batch_norm", x, mean, var, weight, bias, False)
        yield call(f"{F}.batch_norm", x, None, None, weight, bias, True).tol(2e-5, 2e-4)
        yield call(f"{F}.batch_norm", x, None, None, None, None, True, eps=0.1).tol(2e-5, 2e-4)
        yield call(f"{F}.batch_norm", x, mean, var).tol(2e-5, 2e-4)
        for momentum in (0.1, 0.5, 1.0):
            yield call(f"{F}.batch_norm", T("float32", size), mean, var, T("float32", (channels,)), None, True, momentum)
        yield call(f"{F}.batch_norm", T("float64", size, grad=True), None, None, None, None, True)
    for layout in LAYOUTS:
        yield call(
            f"{F}.batch_norm",
            T("float32", (4, 3, 2), layout=layout, grad=True),
            None,
            None,
            T("float32", (3,), grad=True),
            None,
            True,
        ).tol(2e-5, 2e-4)
    yield call(
        f"{F}.batch_norm", T("float32", (2, 3, 4, 5), layout="channels_last", grad=True), None, None, None, None, True
    ).tol(2e-5, 2e-4)
    yield call(f"{F}.batch_norm", T("float32", (1, 3)), None, None, None, None, True).raises(ValueError, "[1, 3]")
    yield call(f"{F}.batch_norm", T("float32", (4, 3)), T("float32", (2,)), T("float32", (2,))).raises(
        RuntimeError, "running_mean", "3", "2"
    )
    yield call(f"{F}.batch_norm", T("float32", (4, 3)), None, None, T("float32", (2,)), None, True).raises(
        RuntimeError, "weight", "3"
    )
    yield call(f"{F}.batch_norm", T("float32", (4, 3)), None, None).may_raise()
    for size in ((2, 3, 5), (2, 3, 4, 2)):
        weight, bias = T("float32", (3,), "positive", grad=True), T("float32", (3,), grad=True)
        yield call(f"{F}.instance_norm", T("float32", size, grad=True), None, None, weight, bias).tol(2e-5, 2e-4)


def layer_and_group_norm():
    for size, shape in [
        ((3, 5), (5,)),
        ((2, 3, 4), (4,)),
        ((2, 3, 4), (3, 4)),
        ((2, 3, 4), (2, 3, 4)),
        ((3, 33), (33,)),
        ((5,), (5,)),
        ((0, 3), (3,)),
    ]:
        weight, bias = T("float32", shape, grad=True, seed=2), T("float32", shape, grad=True, seed=3)
        yield call(f"{F}.layer_norm", T("float32", size, grad=True), shape).tol(2e-5, 2e-4)
        yield call(f"{F}.layer_norm", T("float32", size, grad=True), shape, weight, bias).tol(2e-5, 2e-4)
        yield call(f"{F}.layer_norm", T("float32", size, grad=True), list(shape), weight, None, 0.1).tol(2e-5, 2e-4)
        yield call(f"{F}.layer_norm", T("float64", size, grad=True), shape)
        yield call(f"{F}.rms_norm", T("float32", size, grad=True), shape, weight).tol(2e-5, 2e-4)
    for layout in LAYOUTS:
        yield call(f"{F}.layer_norm", T("float32", (3, 4, 5), layout=layout, grad=True), (5,)).tol(2e-5, 2e-4)
    yield call(f"{F}.layer_norm", T("float32", (2, 3)), (4,)).raises(RuntimeError, "normalized_shape", "4")
    yield call(f"{F}.layer_norm", T("float32", (2, 3)), (3,), T("float32", (2,))).raises(RuntimeError, "weight")
    yield call(f"{F}.layer_norm", T("float32", (2, 3)), ()).raises(RuntimeError, "normalized_shape")
    yield call(f"{F}.layer_norm", T("float32", (2, 3), 1.0, grad=True), (3,))
    yield call(f"{F}.layer_norm", T("bfloat16", (2, 8)), (8,))
    for size, groups in [((2, 4), 2), ((2, 4, 3), 1), ((2, 4, 3), 4), ((2, 6, 2, 3), 3), ((1, 4, 5), 2)]:
        weight, bias = T("float32", (size[1],), grad=True, seed=2), T("float32", (size[1],), grad=True, seed=3)
        yield call(f"{F}.group_norm", T("float32", size, grad=True), groups, weight, bias).tol(2e-5, 2e-4)
        yield call(f"{F}.group_norm", T("float64", size, grad=True), groups)
        yield call(f"{F}.group_norm", T("float32", size, layout="transposed", grad=True), groups, None, bias, 0.01).tol(
            2e-5, 2e-4
        )
    yield call(f"{F}.group_norm", T("float32", (2, 4, 3)), 3).raises(RuntimeError, "4", "3")
    for dim in (0, 1, -1):
        for p in (2.0, 1.0, INF):
            yield call(f"{F}.normalize", T("float32", (3, 4), grad=True), p, dim)
    yield call(f"{F}.normalize", T("float32", (2, 3), 0.0))


def dropout():
    for p, training in ((0.0, True), (0.5, False), (1.0, True), (0.0, False)):
        yield call(f"{F}.dropout", T("float32", (3, 4), grad=True), p, training)
    yield call(f"{F}.dropout", T("float32", (3, 4)), 0.3, False, inplace=True)
    yield call(f"{F}.dropout", T("float32", (3,)), -0.1).raises(ValueError, "-0.1")
    yield call(f"{F}.dropout", T("float32", (3,)), 1.5).raises(ValueError, "1.5")


def embedding():
    table = T("float32", (5, 3), grad=True)
    for indices, size in (([0, 4, 4, 1], (4,)), ([2, 0, 1, 1, 3, 3], (2, 3)), ([], (0,)), ([3], ())):
        yield call(f"{F}.embedding", T("int64", size, indices), table)
        yield call(f"{F}.embedding", T("int32", size, indices), T("float64", (5, 3), layout="transposed", grad=True))
    yield call(f"{F}.embedding", T("int64", (4,), [0, 1, 1, 2]), table, padding_idx=1)
    yield call(f"{F}.embedding", T("int64", (4,), [0, 4, 1, 2]), table, padding_idx=-1)
    yield call(f"{F}.embedding", T("int64", (4,), [0, 1, 1, 1]), table, scale_grad_by_freq=True)
    yield call(f"{F}.embedding", T("int64", (2,), [0, 5]), table).raises(IndexError, "index")
    yield call(f"{F}.embedding", T("int64", (2,), [0, -1]), table).raises(IndexError, "index")
    yield call(f"{F}.embedding", T("float32", (2,), [0.0, 1.0]), table).raises(RuntimeError, "indices")
    for mode in ("sum", "mean", "max"):
        yield call(f"{F}.embedding_bag", T("int64", (2, 3), [0, 4, 4, 1, 2, 0]), table, mode=mode)


def one_hot():
    yield call(f"{F}.one_hot", T("int64", (4,), [0, 2, 1, 2]))
    yield call(f"{F}.one_hot", T("int64", (2, 2), [0, 2, 1, 2]), 5)
    yield call(f"{F}.one_hot", T("int64", (), [2]), 3)
    yield call(f"{F}.one_hot", T("int64", (0,)), 3)
    yield call(f"{F}.one_hot", T("int64", (0,))).raises(RuntimeError, "empty")
    yield call(f"{F}.one_hot", T("int64", (2,), [0, 3]), 3).raises(RuntimeError, "num_classes")
    yield call(f"{F}.one_hot", T("int64", (2,), [0, -1])).raises(RuntimeError, "non-negative")
    yield call(f"{F}.one_hot", T("float32", (2,), [0.0, 1.0])).raises(RuntimeError, "LongTensor")


def padding():
    for pads in [(1, 2), (0, 0), (1, 0, 2, 1), (-1, 1), (-1, -1), (0, 1, -1, 2), (1, 1, 1, 1, 1, 1)]:
        for value in (None, 0.0, 2.5):
            yield call(f"{F}.pad", T("float32", (2, 3, 4), grad=True), pads, "constant", value)
        yield call(f"{F}.pad", T("int64", (2, 3, 4), layout="transposed"), pads, value=7)
    for mode in ("reflect", "replicate", "circular"):
        yield call(f"{F}.pad", T("float32", (2, 3, 4), grad=True), (1, 2), mode)
        yield call(f"{F}.pad", T("float32", (2, 2, 3, 4), grad=True), (1, 2, 2, 1), mode)
        yield call(f"{F}.pad", T("float64", (2, 2, 3, 4), layout="transposed", grad=True), (3, 0, 0, 1), mode)
    yield call(f"{F}.pad", T("float32", (2, 3)), (1,)).raises(RuntimeError)
    yield call(f"{F}.pad", T("float32", (2,)), (1, 1, 1, 1)).raises(RuntimeError)
    yield call(f"{F}.pad", T("float32", (2, 3)), (-2, -2)).raises(RuntimeError, "negative")
    yield call(f"{F}.pad", T("float32", (1, 2, 3)), (3, 3), "reflect").raises(RuntimeError, "3")
    yield call(f"{F}.pad", T("float32", (2, 3)), (1, 1), "mirror").raises(NotImplementedError)
    yield call(f"{F}.pad", T("bool", (2, 3)), (1, 1), value=1)


def others():
    yield call(f"{F}.cosine_similarity", T("float32", (3, 4), grad=True), T("float32", (3, 4), grad=True, seed=3))
    yield call(f"{F}.cosine_similarity", T("float32", (3, 4), grad=True), T("float32", (1, 4), grad=True, seed=3), 0)
    yield call(f"{F}.pairwise_distance", T("float32", (3, 4), grad=True), T("float32", (3, 4), grad=True, seed=3))
    query, key, value = (T("float32", (2, 3, 4, 8), grad=True, seed=s) for s in range(3))
    yield call(f"{F}.scaled_dot_product_attention", query, key, value)
    yield call(f"{F}.scaled_dot_product_attention", query, key, value, is_causal=True)
    yield call(f"{F}.scaled_dot_product_attention", query, key, value, T("float32", (4, 4), "mixed"))
    for mode in ("nearest", "bilinear"):
        yield call(f"{F}.interpolate", T("float32", (1, 2, 3, 4), grad=True), scale_factor=2, mode=mode)
        yield call(f"{F}.interpolate", T("float32", (1, 2, 3, 4), grad=True), size=(5, 3), mode=mode)
    yield call(f"{F}.pixel_shuffle", T("float32", (1, 8, 2, 3), grad=True), 2)
