"""View operators: sizes, strides, storage offsets, sharing of memory, gradients and errors."""

from ..dsl import LAYOUTS, Name, T, call

CUBE = (2, 3, 4)


def cases():
    for make in (reshaping, permuting, expanding, squeezing, selecting, splitting, windows):
        for item in make():
            yield item.strides()


def cube(layout="contiguous", size=CUBE, dtype="float32"):
    return T(dtype, size, layout=layout, grad=dtype == "float32")


def reshaping():
    for op in ("view", "reshape"):
        for size in [(24,), (4, 6), (-1,), (2, -1), (6, 4), (2, 3, 4), (2, 1, 3, 1, 4), (1, 24), (3, -1, 2), (2, 3, 2, 2)]:
            yield call(f"Tensor.{op}", cube(), size)
            yield call(f"Tensor.{op}", cube(), *size)
            for layout in LAYOUTS:
                yield call(f"Tensor.{op}", cube(layout), size).may_raise()
        yield call(f"Tensor.{op}", cube(size=(2, 0, 3)), 0)
        yield call(f"Tensor.{op}", cube(size=(2, 0, 3)), -1)
        yield call(f"Tensor.{op}", cube(size=(2, 0, 3)), 5, 0)
        yield call(f"Tensor.{op}", cube(size=(2, 0, 3)), 0, -1).raises(RuntimeError, "-1", "ambiguous")
        yield call(f"Tensor.{op}", cube(size=()), 1)
        yield call(f"Tensor.{op}", cube(size=(1, 1)), ())
        yield call(f"Tensor.{op}", cube(), 5, 5).raises(RuntimeError, "[5, 5]", "24")
        yield call(f"Tensor.{op}", cube(), -1, 7).raises(RuntimeError, "7", "24")
        yield call(f"Tensor.{op}", cube(), -1, -1).raises(RuntimeError, "one dimension")
        yield call(f"Tensor.{op}", cube(), -2, 12).raises(RuntimeError, "-2")
        yield call(f"Tensor.{op}", cube(), 2.0).raises(TypeError, op)
    yield call("Tensor.view", cube("transposed"), 24).raises(RuntimeError, "view", "stride")
    yield call("torch.reshape", cube("transposed"), (24,))
    yield call("Tensor.view_as", cube(), T("float32", (4, 6)))
    yield call("Tensor.reshape_as", cube("transposed"), T("float32", (4, 6)))
    for dtype in ("int32", "uint8", "int16", "float64"):
        yield call("Tensor.view", T("float32", (3, 4)), Name(dtype))
    yield call("Tensor.view", T("float32", (3, 3)), Name("float64")).raises(RuntimeError, "divisible")
    yield call("Tensor.view", T("uint8", (2, 8), "positive"), Name("int32"))
    for start, end in [(0, -1), (1, 2), (0, 1), (-2, -1), (1, 1)]:
        yield call("torch.flatten", cube(), start, end)
        yield call("torch.flatten", cube("transposed"), start, end)
    yield call("torch.flatten", cube(size=()))
    yield call("torch.flatten", cube(size=(2, 0)))
    yield call("torch.flatten", cube(), 2, 1).raises(RuntimeError, "start_dim")
    yield call("torch.flatten", cube(), 0, 3).raises(IndexError, "3")
    yield call("torch.unflatten", cube(), 2, (2, 2))
    yield call("torch.unflatten", cube(), -1, (-1, 2))
    yield call("torch.unflatten", cube(), 1, (2, 2)).raises(RuntimeError, "3")
    yield call("torch.ravel", cube("transposed"))
    yield call("torch.ravel", cube())


def permuting():
    for dims in [(0, 1), (0, 2), (1, 2), (-1, 0), (1, 1)]:
        for layout in ["contiguous", *LAYOUTS]:
            yield call("torch.transpose", cube(layout), *dims)
        yield call("torch.swapaxes", cube(), *dims)
        yield call("torch.swapdims", cube(), *dims)
    yield call("torch.transpose", cube(size=()), 0, -1)
    yield call("torch.transpose", cube(), 0, 3).raises(IndexError, "[-3, 2]", "3")
    yield call("torch.transpose", cube(), -4, 0).raises(IndexError, "[-3, 2]", "-4")
    for dims in [(0, 1, 2), (2, 0, 1), (1, 0, 2), (-1, 0, 1), (2, 1, 0)]:
        yield call("torch.permute", cube(), dims)
        yield call("Tensor.permute", cube("stepped"), *dims)
    yield call("torch.permute", cube(size=()), ())
    yield call("torch.permute", cube(), (0, 1)).raises(RuntimeError, "3", "2")
    yield call("torch.permute", cube(), (0, 1, 1)).raises(RuntimeError, "dim")
    yield call("torch.permute", cube(), (0, 1, 3)).raises(IndexError, "3")
    for op in ("movedim", "moveaxis"):
        yield call(f"torch.{op}", cube(), 0, 2)
        yield call(f"torch.{op}", cube(), -1, 0)
        yield call(f"torch.{op}", cube(), (0, 1), (2, 0))
        yield call(f"torch.{op}", cube(), (0, 1), (2,)).raises(RuntimeError, "same number")
    for size in ((2, 3), (3,), (), (0, 2)):
        yield call("torch.t", cube(size=size))
        yield call("Tensor.T", cube(size=size)).may_raise()
    yield call("torch.t", cube()).raises(RuntimeError, "3")
    yield call("Tensor.mT", cube())
    yield call("Tensor.mT", cube(size=(3,))).raises(RuntimeError, "1")
    yield call("Tensor.mH", cube())
    yield call("torch.adjoint", cube())


def expanding():
    for size in [(2, 3), (4, 2, 3), (-1, 3), (5, -1, -1), (2, -1)]:
        yield call("Tensor.expand", cube(size=(2, 1)), size)
        yield call("Tensor.expand", cube("stepped", size=(2, 1)), *size)
    yield call("Tensor.expand", cube(size=()), 2, 3)
    yield call("Tensor.expand", cube(size=(1,)), 0)
    yield call("Tensor.expand", cube(size=(0,)), 2, 0)
    yield call("Tensor.expand", cube(size=(2,)), 3).raises(RuntimeError, "3", "2", "dimension 0")
    yield call("Tensor.expand", cube(size=(2, 3)), 3).raises(RuntimeError, "[2, 3]", "[3]")
    yield call("Tensor.expand", cube(size=(2,)), -1, 2).raises(RuntimeError, "-1")
    yield call("Tensor.expand_as", cube(size=(3, 1)), T("float32", (2, 3, 4)))
    yield call("torch.broadcast_to", cube(size=(3, 1)), (2, 3, 4))
    yield call("torch.broadcast_tensors", cube(size=(3, 1)), cube(size=(4,)))
    yield call("torch.broadcast_tensors", cube(size=(3,)), cube(size=(4,))).raises(RuntimeError, "3", "4")
    yield call("torch.broadcast_shapes", (3, 1), (4,), (2, 1, 1))
    yield call("torch.broadcast_shapes", (3,), (4,)).raises(RuntimeError)


def squeezing():
    ones = (1, 2, 1, 3, 1)
    yield call("torch.squeeze", cube(size=ones))
    for dim in (0, 1, 2, -1, -4, (0, 2), (0, 1, 4), ()):
        yield call("torch.squeeze", cube(size=ones), dim)
    yield call("torch.squeeze", cube(size=()), 0)
    yield call("torch.squeeze", cube(size=(1, 1)))
    yield call("torch.squeeze", cube(size=(2,)), 1).raises(IndexError, "[-1, 0]", "1")
    for dim in (0, 1, 3, -1, -4):
        yield call("torch.unsqueeze", cube(), dim)
        yield call("torch.unsqueeze", cube("transposed"), dim)
    yield call("torch.unsqueeze", cube(size=()), 0)
    yield call("torch.unsqueeze", cube(), 4).raises(IndexError, "[-4, 3]", "4")
    yield call("torch.atleast_1d", cube(size=()))
    yield call("torch.atleast_2d", cube(size=(3,)))
    yield call("torch.atleast_3d", cube(size=(2, 3)))
    for method, args in (("squeeze_", ()), ("unsqueeze_", (1,)), ("transpose_", (0, 1)), ("t_", ())):
        yield call(f"Tensor.{method}", T("float32", (2, 3)), *args)


def selecting():
    for dim, index in [(0, 1), (1, -1), (2, 3), (-1, -4), (0, -2)]:
        for layout in ["contiguous", *LAYOUTS]:
            yield call("torch.select", cube(layout), dim, index)
    yield call("torch.select", cube(), 0, 2).raises(IndexError, "2", "[2, 3, 4]", "0")
    yield call("torch.select", cube(), 1, -4).raises(IndexError, "-4", "[2, 3, 4]")
    yield call("torch.select", cube(), 3, 0).raises(IndexError, "[-3, 2]", "3")
    yield call("torch.select", cube(size=()), 0, 0).raises(IndexError)
    for dim, start, length in [(0, 0, 1), (1, 1, 2), (2, -3, 2), (-1, 0, 0), (2, 4, 0), (1, 3, 0)]:
        yield call("torch.narrow", cube(), dim, start, length)
        yield call("torch.narrow", cube("transposed"), dim, start, length)
    yield call("torch.narrow", cube(), 1, 2, 2).raises(RuntimeError, "2", "3")
    yield call("torch.narrow", cube(), 1, 0, -1).raises(RuntimeError, "negative")
    yield call("torch.narrow", cube(), 1, 4, 0).raises(IndexError, "4")
    yield call("torch.narrow", cube(size=()), 0, 0, 0).raises(RuntimeError, "0-dim")
    for offset in (0, 1, -1, 5, -5):
        for dims in ((0, 1), (1, 2), (2, 0), (-1, -2)):
            yield call("torch.diagonal", cube(), offset, *dims)
        yield call("torch.diagonal", cube("stepped"), offset)
    yield call("torch.diagonal", cube(), 0, 1, 1).raises(RuntimeError, "1")
    yield call("torch.diagonal", cube(size=(3,))).raises(IndexError)
    for size, stride, offset in [
        ((2, 2), (1, 2), 0),
        ((3,), (4,), 2),
        ((2, 3), (0, 1), 5),
        ((3, 3), (1, 1), 0),
        ((), (), 7),
        ((0, 2), (1, 1), 3),
    ]:
        yield call("torch.as_strided", cube(), size, stride, offset)
        yield call("torch.as_strided", cube("stepped"), size, stride, offset)
    yield call("torch.as_strided", cube("offset"), (2, 2), (2, 1))
    yield call("torch.as_strided", T("float32", (4,)), (3,), (2,)).raises(RuntimeError, "storage")
    yield call("torch.as_strided", T("float32", (4,)), (2,), (-1,)).raises(RuntimeError, "negative")
    yield call("torch.as_strided", T("float32", (4,)), (2,), (1, 1)).raises(RuntimeError)
    yield call("torch.as_strided", T("float32", (4,)), (2,), (1,), -1).raises(RuntimeError, "-1")


def splitting():
    for size, dim in [(1, 0), (2, 1), (3, 2), (5, 2), (4, -1), ([1, 2], 1), ([1, 0, 3], 2), ([2], 0)]:
        yield call("torch.split", cube(), size, dim)
        yield call("torch.split", cube("transposed"), size, dim)
    yield call("torch.split", cube(), [1, 1], 1).raises(RuntimeError, "3", "[1, 1]")
    yield call("torch.split", cube(), -1, 1).raises(RuntimeError, "-1")
    yield call("torch.split", cube(), 0, 1).raises(RuntimeError, "0")
    yield call("torch.split", cube(size=(0, 2)), 0, 0)
    for chunks, dim in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 2), (2, -1)]:
        yield call("torch.chunk", cube(), chunks, dim)
    yield call("torch.chunk", cube(), 0).raises(RuntimeError, "chunks", "0")
    yield call("torch.chunk", cube(size=(0, 2)), 3)
    for sections, dim in [(2, 0), (3, 1), ([1, 2], 2), (3, 2), ([2, 2], 1)]:
        yield call("torch.tensor_split", cube(), sections, dim)
    for dim in (0, 1, -1):
        yield call("torch.unbind", cube(), dim)
        yield call("torch.unbind", cube("stepped"), dim)
    yield call("torch.unbind", cube(size=())).raises(IndexError)
    yield call("torch.unbind", cube(size=(0, 2)))
    yield call("torch.hsplit", cube(size=(2, 4)), 2)
    yield call("torch.vsplit", cube(size=(4, 2)), 2)


def windows():
    for dim, size, step in [(0, 2, 1), (1, 2, 1), (2, 3, 1), (2, 2, 2), (-1, 4, 3), (2, 1, 1), (2, 0, 1)]:
        yield call("Tensor.unfold", cube(), dim, size, step)
        yield call("Tensor.unfold", cube("transposed"), dim, size, step)
    yield call("Tensor.unfold", cube(), 0, 3, 1).raises(RuntimeError, "3", "2")
    yield call("Tensor.unfold", cube(), 0, 1, 0).raises(RuntimeError, "step", "0")
    yield call("Tensor.unfold", cube(size=()), 0, 1, 1)
