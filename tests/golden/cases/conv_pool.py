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
    yield from other_dimensions()
    yield from unpooling()
    yield from resampling()


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
    for kwargs in ({"kernel_size": 2}, {"kernel_size": (2, 3), "stride": 2, "padding": 1, "dilation": (2, 1)}):
        yield call(f"{F}.unfold", T("float64", (3, 5, 6), layout="transposed", grad=True), **kwargs)
    yield call(f"{F}.fold", T("float64", (12, 12), grad=True), (5, 6), (2, 2), 1, 1, 2)
    yield call(f"{F}.unfold", T("float32", (0, 3, 4, 4)), 2)
    yield call(f"{F}.unfold", T("float32", (1, 3, 4, 4)), 5).raises(RuntimeError, "(4, 4)", "(5, 5)")
    yield call(f"{F}.fold", T("float32", (2, 13, 20)), (5, 6), 2).raises(RuntimeError, "13")
    yield call(f"{F}.fold", T("float32", (2, 12, 21)), (5, 6), 2).raises(RuntimeError, "21", "20")


def other_dimensions():
    for kwargs in [{}, {"stride": 2, "padding": 1}, {"dilation": 2, "groups": 2}, {"stride": (1, 2, 1), "padding": (0, 1, 2)}]:
        channels = 2 // kwargs.get("groups", 1)
        yield convolve("conv3d", (2, 2, 4, 5, 5), (4, channels, 2, 3, 2), **kwargs)
    yield convolve("conv3d", (2, 3, 3, 3), (2, 2, 2, 2, 2), dtype="float64", padding="same")
    yield convolve("conv_transpose3d", (1, 2, 2, 3, 2), (2, 3, 2, 2, 3), stride=2, output_padding=1)
    yield convolve("conv_transpose1d", (4, 5), (4, 2, 3), groups=2, dilation=2)
    for dtype in ("int64", "int32", "uint8"):
        yield call(f"{F}.conv2d", T(dtype, (2, 4, 5, 5)), T(dtype, (6, 2, 3, 3), seed=3), T(dtype, (6,)), padding=1, groups=2)
    yield call(f"{F}.conv_transpose2d", T("int64", (1, 2, 3, 3)), T("int64", (2, 3, 2, 2), seed=3), stride=2)
    x = T("float32", (1, 4, 5, 5))
    yield call(f"{F}.conv_transpose2d", x, T("float32", (3, 2, 3, 3))).raises(RuntimeError, "transposed=1", "[3, 2, 3, 3]")
    yield call(f"{F}.conv_transpose2d", x, T("float32", (4, 2, 3, 3)), output_padding=1).raises(RuntimeError, "output padding")
    yield call(f"{F}.conv_transpose2d", x, T("float32", (4, 2, 3, 3)), padding=4).raises(RuntimeError, "-1 x -1")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), dilation=0).raises(RuntimeError, "dilation")
    yield call(f"{F}.conv2d", x, T("float32", (2, 4, 3, 3)), padding="foo").raises(RuntimeError, "foo")
    yield call(f"{F}.conv3d", T("float32", (5,)), T("float32", (2, 4, 3, 3, 3))).raises(RuntimeError, "[5]", "conv3d")
    for kwargs in ({"kernel_size": 2}, {"kernel_size": (1, 2, 3), "stride": 1, "padding": (0, 1, 1), "ceil_mode": True}):
        yield call(f"{F}.max_pool3d", T("float32", (2, 2, 4, 5, 4), "distinct", grad=True), return_indices=True, **kwargs)
        yield call(f"{F}.avg_pool3d", T("float64", (2, 4, 5, 4), grad=True), **kwargs)
    yield call(f"{F}.max_pool1d", T("float64", (2, 3, 9), "distinct", grad=True), 3, 2, 1, 2, return_indices=True)
    yield call(f"{F}.adaptive_avg_pool3d", T("float32", (2, 3, 4, 5, 3), grad=True), (2, None, 5))
    yield call(f"{F}.adaptive_max_pool3d", T("float32", (2, 4, 5, 3), "distinct", grad=True), (2, 3, 2), return_indices=True)
    yield call(f"{F}.max_pool2d", T("int64", (1, 2, 5, 5)), 3, 2, 1, return_indices=True)
    yield call(f"{F}.max_pool2d", T("uint8", (2, 5, 5)), 2, ceil_mode=True)
    yield call(f"{F}.avg_pool3d", T("float32", (1, 4, 4, 4)), 5).raises(RuntimeError, "small")
    yield call(f"{F}.adaptive_avg_pool2d", T("float32", (4, 4)), 2).raises(RuntimeError, "[4, 4]")


def unpooling():
    places = T("int64", (1, 2, 2, 2), [0, 3, 8, 15, 5, 1, 10, 12])
    yield call(f"{F}.max_unpool2d", T("float32", (1, 2, 2, 2), grad=True), places, 2)
    yield call(f"{F}.max_unpool2d", T("float64", (1, 2, 2, 2), grad=True), places, 2, output_size=(5, 4))
    yield call(f"{F}.max_unpool1d", T("float32", (2, 2), grad=True), T("int64", (2, 2), [0, 3, 1, 2]), 2)
    yield call(f"{F}.max_unpool3d", T("float32", (1, 1, 2, 2), grad=True), T("int64", (1, 1, 2, 2), [0, 3, 8, 15]), (1, 2, 2))
    yield call(f"{F}.max_unpool2d", T("float32", (1, 1, 1, 1)), T("int64", (1, 1, 1, 1), [4]), 2).raises(RuntimeError, "4", "2x2")
    yield call(f"{F}.max_unpool2d", T("float32", (1, 1, 2, 2)), T("int64", (1, 1, 2, 3), 0), 2).raises(RuntimeError, "[1, 1, 2, 3]")
    yield call(f"{F}.max_unpool2d", T("float32", (1, 2, 2, 2)), places, 2, output_size=(9, 5)).raises(ValueError, "(9, 5)")
    for dims, size in ((1, (2, 3, 9)), (2, (2, 7, 6)), (3, (1, 2, 4, 5, 4))):
        yield call(f"{F}.lp_pool{dims}d", T("float64", size, grad=True), 2, 2)
        yield call(f"{F}.lp_pool{dims}d", T("float32", size, "positive", grad=True), 3, 2, 1, True)


def resampling():
    images = T("float64", (2, 2, 3, 5), grad=True)
    for mode in ("nearest", "nearest-exact", "area", "bilinear", "bicubic"):
        for kwargs in ({"scale_factor": 2}, {"size": (5, 3)}, {"scale_factor": (1.5, 0.7)}, {"scale_factor": 2.3, "recompute_scale_factor": True}):
            yield call(f"{F}.interpolate", images, mode=mode, **kwargs)
    for mode in ("bilinear", "bicubic"):
        yield call(f"{F}.interpolate", images, size=(6, 4), mode=mode, align_corners=True)
    for mode in ("nearest", "linear"):
        yield call(f"{F}.interpolate", T("float32", (2, 2, 6), grad=True), scale_factor=1.6, mode=mode)
    yield call(f"{F}.interpolate", T("float32", (1, 2, 6)), scale_factor=1.1)
    yield call(f"{F}.interpolate", T("float64", (1, 2, 3, 2, 4), grad=True), size=(2, 3, 5), mode="trilinear")
    yield call(f"{F}.interpolate", T("uint8", (1, 2, 3, 2)), scale_factor=2)
    yield call(f"{F}.interpolate", T("bfloat16", (1, 2, 3, 2)), scale_factor=2, mode="bilinear")
    yield call(f"{F}.interpolate", images).raises(ValueError, "size or scale_factor")
    yield call(f"{F}.interpolate", images, size=3, scale_factor=2).raises(ValueError, "only one")
    yield call(f"{F}.interpolate", images, scale_factor=2, mode="linear").raises(NotImplementedError, "4D", "linear")
    yield call(f"{F}.interpolate", images, scale_factor=2, mode="foo").raises(NotImplementedError, "foo")
    yield call(f"{F}.interpolate", images, scale_factor=0.1).raises(RuntimeError, "greater than 0")
    yield call(f"{F}.interpolate", images, scale_factor=2, align_corners=True).raises(ValueError, "align_corners")
