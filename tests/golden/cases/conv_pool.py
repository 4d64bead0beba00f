"""Convolutions and pooling: stride, padding, dilation, groups, unbatched input, layouts, gradients, errors."""

from ..dsl import LAYOUTS, T, call

F = "torch.nn.functional"


def cases():
    yield from conv1d()
    yield from conv2d()
    yield from transposed()
    yield from max_pool()
    yield from average_pool()
    yield from adaptive()
    yield from unfolding()


def convolve(op, size, weight, bias=True, dtype="float32", layout="contiguous", **kwargs):
    out = weight[0] if "transpose" not in op else weight[1] * kwargs.get("groups", 1)
    bias = T(dtype, (out,), grad=True, seed=5) if bias else None
    return call(f"{F}.{op}", T(dtype, size, layout=layout, grad=True), T(dtype, weight, grad=True, seed=3), bias, **kwargs)


def conv1d():
    for kwargs in [
        {},
        {"stride": 2},
        {"padding": 1},
        {"dilation": 2},
        {"stride": 2, "padding": 2, "dilation": 2},
        {"stride": (3,), "padding": (1,)},
    ]:
        yield convolve("conv1d", (2, 3, 9), (4, 3, 3), **kwargs)
        yield convolve("conv1d", (2, 4, 8), (6, 2, 3), groups=2, **kwargs)
        yield convolve("conv1d", (3, 9), (2, 3, 2), bias=False, **kwargs)
    yield convolve("conv1d", (2, 3, 9), (4, 3, 1))
    yield convolve("conv1d", (2, 3, 9), (4, 3, 4), padding="same")
    yield convolve("conv1d", (2, 3, 9), (4, 3, 3), padding="valid")
    yield convolve("conv1d", (2, 4, 7), (4, 1, 3), groups=4)
    yield convolve("conv1d", (2, 3, 6), (4, 3, 3), dtype="float64", layout="transposed")
    yield convolve("conv1d", (0, 3, 6), (4, 3, 3))


def conv2d():
    options = [
        {}, {"stride": 2}, {"padding": 1}, {"dilation": 2}, {"stride": (2, 1), "padding": (0, 2)}, {"stride": 2, "padding": 1, "dilation": (1, 2)},
        {"padding": 3}, {"stride": 3, "padding": 2},
    ]  # fmt: skip
    for kwargs in options:
        yield convolve("conv2d", (2, 3, 7, 6), (4, 3, 3, 2), **kwargs)
        yield convolve("conv2d", (1, 4, 5, 7), (6, 2, 2, 3), groups=2, **kwargs)
        yield convolve("conv2d", (2, 3, 5, 5), (3, 1, 3, 3), bias=False, groups=3, **kwargs)
        yield convolve("conv2d", (1, 2, 6, 5), (3, 2, 3, 1), dtype="float64", **kwargs)
    yield convolve("conv2d", (2, 3, 4, 5), (5, 3, 1, 1))
    yield convolve("conv2d", (2, 3, 4, 5), (5, 3, 1, 1), stride=2)
    yield convolve("conv2d", (1, 1, 8, 8), (8, 1, 3, 3), padding=1)
    yield convolve("conv2d", (2, 8, 8, 8), (16, 8, 3, 3), padding=1)
    yield convolve("conv2d", (1, 17, 5, 5), (19, 17, 3, 3), padding=1).tol(1e-4, 2e-4)
    yield convolve("conv2d", (3, 5, 6), (2, 3, 3, 3))
    yield convolve("conv2d", (2, 3, 6, 5), (4, 3, 3, 2), padding="same")
    yield convolve("conv2d", (2, 3, 6, 5), (4, 3, 3, 2), padding="valid")
    yield convolve("conv2d", (2, 2, 5, 5), (4, 1, 3, 3), groups=2, padding=1)
    yield convolve("conv2d", (0, 3, 5, 5), (4, 3, 3, 3))
    yield convolve("conv2d", (1, 3, 3, 3), (4, 3, 3, 3))
    for layout in (*LAYOUTS, "channels_last"):
        yield convolve("conv2d", (2, 3, 5, 6), (4, 3, 3, 3), layout=layout, padding=1)
    yield call(f"{F}.conv2d", T("bfloat16", (1, 2, 5, 5)), T("bfloat16", (3, 2, 3, 3), seed=3))
    x = T("float32", (1, 4, 5, 5))
    yield call(f"{F}.conv2d", x, T("float32", (2, 3, 3, 3))).raises(RuntimeError, "[2, 3, 3, 3]", "[1, 4, 5, 5]", "channels")
    yield call(f"{F}.conv2d", x, T("float32", (3, 2, 3, 3)), groups=2).raises(RuntimeError, "groups")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 6, 6))).raises(RuntimeError, "6 x 6", "5 x 5")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), T("float32", (3,))).raises(RuntimeError, "bias")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), stride=0).raises(RuntimeError, "stride")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), padding=-1).raises(RuntimeError, "padding")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), padding="same", stride=2).raises(RuntimeError, "same")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), stride=(1, 2, 3)).raises(RuntimeError, "stride")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3))).raises(RuntimeError)
    yield call(f"{F}.conv2d", T("float32", (5, 5)), T("float32", (2, 4, 3, 3))).raises(RuntimeError, "[5, 5]")
    yield call(f"{F}.conv2d", T("float64", (1, 4, 5, 5)), T("float32", (2, 4, 3, 3))).raises(RuntimeError)
    yield call(f"{F}.conv1d", T("float32", (1, 4, 5)), T("float32", (2, 4, 6))).raises(RuntimeError, "6", "5")


def transposed():
    for kwargs in [{}, {"stride": 2}, {"padding": 1}, {"stride": 2, "padding": 1, "output_padding": 1}, {"dilation": 2}]:
        yield convolve("conv_transpose2d", (2, 3, 4, 5), (3, 4, 3, 2), **kwargs)
        yield convolve("conv_transpose2d", (1, 4, 3, 3), (4, 3, 2, 3), groups=2, **kwargs)
        yield convolve("conv_transpose1d", (2, 3, 5), (3, 4, 3), **kwargs)


def max_pool():
    options = [
        {"kernel_size": 2}, {"kernel_size": 3, "stride": 1}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": (2, 3)},
        {"kernel_size": 2, "dilation": 2}, {"kernel_size": 2, "stride": 3, "ceil_mode": True}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    ]  # fmt: skip
    for kwargs in options:
        for fill in ("distinct", "ties"):
            yield call(f"{F}.max_pool2d", T("float32", (2, 2, 7, 8), fill, grad=True), **kwargs)
            yield call(f"{F}.max_pool2d", T("float64", (1, 6, 7), fill, grad=True), return_indices=True, **kwargs)
        if kwargs["kernel_size"] != (2, 3):
            yield call(f"{F}.max_pool1d", T("float32", (2, 3, 9), "distinct", grad=True), **kwargs)
    for layout in (*LAYOUTS, "channels_last"):
        yield call(f"{F}.max_pool2d", T("float32", (2, 3, 4, 6), "distinct", layout, grad=True), 2)
    nan = [float("nan") if k % 7 == 3 else k % 5 for k in range(16)]
    yield call(f"{F}.max_pool2d", T("float32", (1, 1, 4, 4), nan), 2, return_indices=True)
    yield call(f"{F}.max_pool2d", T("float32", (1, 1, 4, 4), -float("inf")), 2, return_indices=True)
    yield call(f"{F}.max_pool2d", T("float32", (0, 2, 4, 4)), 2)
    x = T("float32", (1, 1, 4, 4))
    yield call(f"{F}.max_pool2d", x, 2, padding=2).raises(RuntimeError, "pad", "half")
    yield call(f"{F}.max_pool2d", x, 5).raises(RuntimeError, "size", "small")
    yield call(f"{F}.max_pool2d", x, 0).raises(RuntimeError, "zero")
    yield call(f"{F}.max_pool2d", x, 2, 0).raises(RuntimeError, "stride")
    yield call(f"{F}.max_pool2d", T("float32", (4, 4)), 2).raises(RuntimeError, "3D")


def average_pool():
    options = [
        {"kernel_size": 2}, {"kernel_size": 3, "stride": 1}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False},
        {"kernel_size": 2, "stride": 3, "ceil_mode": True}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
    ]  # fmt: skip
    for kwargs in options:
        yield call(f"{F}.avg_pool2d", T("float32", (2, 2, 7, 8), grad=True), **kwargs)
        yield call(f"{F}.avg_pool2d", T("float64", (3, 6, 7), layout="transposed", grad=True), **kwargs)
        yield call(f"{F}.avg_pool1d", T("float32", (2, 3, 9), grad=True), **kwargs)
    yield call(f"{F}.avg_pool2d", T("float32", (1, 2, 6, 6), grad=True), (2, 3), (1, 2), divisor_override=5)
    yield call(f"{F}.avg_pool2d", T("float32", (1, 3, 4, 4), layout="channels_last", grad=True), 2)
    yield call(f"{F}.avg_pool2d", T("float32", (1, 1, 4, 4)), 2, padding=2).raises(RuntimeError, "pad", "half")
    yield call(f"{F}.avg_pool2d", T("float32", (1, 1, 4, 4)), 5).raises(RuntimeError, "size", "small")


def adaptive():
    for size in (1, (1, 1), (2, 3), (3, None), (7, 5)):
        yield call(f"{F}.adaptive_avg_pool2d", T("float32", (2, 3, 5, 6), grad=True), size)
        if size != (3, None):
            yield call(f"{F}.adaptive_max_pool2d", T("float32", (2, 3, 5, 6), "distinct", grad=True), size)
    for size in (1, 2, 5):
        yield call(f"{F}.adaptive_avg_pool1d", T("float32", (2, 3, 5), grad=True), size)
        yield call(f"{F}.adaptive_max_pool1d", T("float32", (2, 3, 5), "distinct", grad=True), size)


def unfolding():
    for kwargs in ({"kernel_size": 2}, {"kernel_size": (2, 3), "stride": 2, "padding": 1}, {"kernel_size": 2, "dilation": 2}):
        yield call(f"{F}.unfold", T("float32", (2, 3, 5, 6), grad=True), **kwargs)
    yield call(f"{F}.fold", T("float32", (2, 12, 20), grad=True), (5, 6), 2)
