"""Sizes beyond a block and beyond a thread's share, and many dimensions in unusual orders."""

from ..dsl import T, call

F = "torch.nn.functional"
ROWS, COLUMNS = 23, 131


def cases():
    yield from pointwise()
    yield from reductions()
    yield from movement()
    yield from products()
    yield from many_dimensions()


def matrix(dtype="float32", fill="mixed", layout="contiguous", grad=False, seed=0):
    return T(dtype, (ROWS, COLUMNS), fill, layout, grad, seed)


def pointwise():
    for layout in ("contiguous", "transposed", "stepped", "offset", "expanded"):
        yield call("torch.mul", matrix(layout=layout), T("float32", (COLUMNS,), "positive", seed=4))
    yield call("torch.exp", matrix(grad=True))
    yield call("torch.add", T("float32", (ROWS, 1), grad=True), T("float32", (1, COLUMNS), grad=True, seed=3))
    yield call("torch.add", T("bfloat16", (ROWS, COLUMNS), layout="transposed"), T("float32", (COLUMNS,)))
    yield call("torch.tanh", T("float16", (ROWS, COLUMNS)))
    yield call("torch.lt", matrix("int64", layout="transposed"), matrix("int32"))
    yield call("torch.where", matrix("bool"), matrix(layout="stepped"), matrix("float64", layout="transposed", seed=3))
    yield call("Tensor.add_", matrix(layout="transposed"), matrix(layout="stepped", seed=2))
    yield call(f"{F}.gelu", T("float32", (3001,), grad=True))
    yield call("torch.remainder", T("int32", (2051,)), 7)


def reductions():
    for layout in ("contiguous", "transposed", "stepped", "expanded"):
        for op in ("sum", "mean", "var", "amax", "logsumexp"):
            for dim in (0, 1):
                yield call(f"torch.{op}", matrix(layout=layout), dim)
    for op in ("sum", "mean", "std", "max", "argmax", "norm", "prod"):
        yield call(f"torch.{op}", T("float32", (20011,), "unit"))
        yield call(f"torch.{op}", T("float64", (30, 3, 41), "unit", "transposed"))
    for dim in (0, 1, 2, (0, 2)):
        yield call("torch.sum", T("float32", (40, 5, 60)), dim)
        yield call("torch.mean", T("float32", (6, 30, 40), layout="transposed"), dim)
    for dim in (0, 1):
        yield call("torch.softmax", matrix(grad=True), dim)
        yield call("torch.cumsum", matrix("float64", layout="transposed"), dim)
    yield call("torch.any", T("bool", (30000,), 0))
    yield call("torch.all", T("uint8", (30000,), 1))
    yield call("torch.argmin", T("int64", (50000,), 5))
    yield call("torch.sum", T("float16", (70000,), 1.0))
    yield call("torch.sum", T("float32", (100003,), 0.1))
    yield call(f"{F}.layer_norm", matrix(grad=True), (COLUMNS,)).tol(2e-5, 2e-4)
    yield call(f"{F}.batch_norm", T("float32", (50, 3, 33), grad=True), None, None, None, None, True).tol(2e-5, 2e-4)


def movement():
    yield call("torch.cat", [matrix(), matrix(layout="transposed", seed=2), T("float32", (ROWS, 1))], 1)
    yield call("Tensor.contiguous", matrix(layout="transposed"))
    yield call("torch.flip", matrix("int16"), (0, 1))
    yield call("torch.roll", matrix("int32"), (5, -7), (0, 1))
    yield call("torch.index_select", matrix(grad=True), 1, T("int64", (200,), [k * 7 % COLUMNS for k in range(200)]))
    yield call("torch.gather", matrix(), 1, T("int64", (ROWS, 50), [k * 11 % COLUMNS for k in range(ROWS * 50)]))
    yield call("operator.getitem", matrix(), matrix("bool"))
    yield call("torch.nonzero", T("uint8", (2500,), "ties"))
    yield call("torch.sort", T("int32", (3000,), [k * 7919 % 3001 for k in range(3000)]))
    yield call("torch.argsort", T("float32", (2500,), "ties"), stable=True)
    yield call("torch.topk", T("float32", (4, 1500), [k * 37 % 6007 for k in range(6000)]), 20)
    yield call("torch.unique", T("int64", (3000,), [k * 37 % 211 for k in range(3000)]), return_counts=True)
    yield call("torch.tril", matrix(), -3)
    yield call("torch.repeat_interleave", T("int32", (700,)), 3)
    yield call(f"{F}.embedding", T("int64", (300,), [k * 13 % 40 for k in range(300)]), T("float32", (40, 6), grad=True))
    yield call(
        "torch.index_add",
        T("float32", (11, 9), grad=True),
        0,
        T("int64", (150,), [k * 5 % 11 for k in range(150)]),
        T("float32", (150, 9), grad=True, seed=2),
    )
    yield call("torch.bincount", T("int64", (5000,), [k * 37 % 17 for k in range(5000)]))


def products():
    for m, k, n in ((67, 129, 35), (130, 9, 70), (1, 700, 33), (97, 300, 1)):
        yield call("torch.mm", T("float32", (m, k), grad=k < 200), T("float32", (k, n), grad=k < 200, seed=3)).tol(1e-4, 2e-4)
    yield call("torch.mm", T("float64", (65, 65), layout="transposed"), T("float64", (65, 40), layout="transposed"))
    yield call("torch.mm", T("int64", (33, 40)), T("int64", (40, 21)))
    yield call("torch.bmm", T("float32", (7, 19, 23)), T("float32", (7, 23, 17), layout="transposed")).tol(1e-4)
    yield call(f"{F}.conv2d", T("float32", (2, 9, 14, 13)), T("float32", (17, 9, 3, 3), seed=3), padding=1).tol(1e-4)
    yield call(f"{F}.conv2d", T("float32", (3, 8, 15, 15)), T("float32", (8, 1, 5, 5), seed=3), stride=2, groups=8).tol(1e-4)
    yield call(f"{F}.conv1d", T("float32", (2, 5, 200)), T("float32", (7, 5, 9), seed=3), dilation=3).tol(1e-4)
    yield call(f"{F}.max_pool2d", T("float32", (2, 3, 33, 29), "distinct"), 3, 2, 1, return_indices=True)
    yield call(f"{F}.cross_entropy", T("float32", (150, 10), grad=True), T("int64", (150,), [k * 3 % 10 for k in range(150)]))


def many_dimensions():
    size = (2, 1, 3, 2, 1, 2, 3, 2)
    yield call(
        "torch.add", T("float32", size, layout="transposed", grad=True), T("float32", (3, 1, 1, 2, 1, 2), grad=True, seed=1)
    )
    yield call("torch.sum", T("float64", size, layout="transposed", grad=True), (0, 3, -1))
    yield call("torch.permute", T("float32", size), (7, 0, 6, 1, 5, 2, 4, 3)).strides()
    yield call("Tensor.contiguous", T("int64", (2,) * 9, layout="transposed"))
    yield call("torch.amax", T("int32", (2,) * 9, layout="transposed"), (0, 2, 4, 6, 8), keepdim=True)
    yield call("torch.mul", T("float32", (1,) * 15 + (3,)), T("float32", (2,) + (1,) * 15))
    yield call("torch.flip", T("float32", (2, 3, 2, 2, 2)), (0, 2, 4))
    yield call(
        "operator.getitem", T("float32", (2, 3, 2, 3, 2), layout="transposed"), (0, ..., slice(None, None, 2), 1)
    ).strides()
    yield call("torch.exp", T("float32", (2, 3, 4, 5), layout="channels_last")).strides()
    yield call("torch.add", T("float32", (2, 3, 4, 5), layout="channels_last"), T("float32", (3, 1, 1))).strides()
    yield call("torch.add", T("float32", (2, 3, 4, 5), layout="channels_last"), T("float32", (2, 3, 4, 5), seed=2)).strides()
    yield call(
        "torch.cat",
        [T("float32", (1, 3, 2, 2), layout="channels_last"), T("float32", (1, 3, 2, 2), layout="channels_last", seed=2)],
    )
