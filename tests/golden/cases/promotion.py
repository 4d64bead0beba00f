"""Type promotion: every pair of dtypes for tensors with dimensions, 0-d tensors and Python numbers; conversions."""

from ..dsl import ALL, FLOATS, HALVES, INTEGERS, Name, T, call

EVERY = [*ALL, "complex64", "complex128"]
COMPLEX = ("complex64", "complex128")
NUMBERS = [True, 3, 2.5]


def cases():
    for left in EVERY:
        for right in EVERY:
            yield call("torch.promote_types", Name(left), Name(right))
            yield call("torch.can_cast", Name(left), Name(right))
            for left_size, right_size in (((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())):
                if is_complex_half((left, left_size), (right, right_size)):
                    continue
                yield call("torch.result_type", T(left, left_size), T(right, right_size))
        for number in NUMBERS if left == "float16" else [*NUMBERS, 1j]:
            for size in ((2,), ()):
                yield call("torch.result_type", T(left, size), number)
                yield call("torch.result_type", number, T(left, size))
    yield call("torch.result_type", 1, 2.0)
    yield call("torch.result_type", True, 2)
    yield call("torch.result_type", 1, 1)
    yield from arithmetic()
    yield from joined()
    yield from conversions()
    yield from complex_storage()
    yield from properties()


def is_complex_half(*operands):
    """Whether the result is PyTorch's complex32: a half with dimensions and a 0-d complex tensor."""
    return any(
        half == "float16" and len(half_size) > len(other_size) and other in COMPLEX
        for (half, half_size), (other, other_size) in (operands, operands[::-1])
    )


def arithmetic():
    for op in ("add", "div", "lt", "maximum"):
        for left in ALL:
            for right in ALL:
                for left_size, right_size in (((3,), (3,)), ((3,), ()), ((), (3,))):
                    yield call(f"torch.{op}", T(left, left_size, "positive"), T(right, right_size, "positive", seed=1))
            if op == "maximum":
                continue
            for number in NUMBERS:
                for size in ((3,), ()):
                    yield call(f"torch.{op}", T(left, size, "positive"), number)
    for op in ("add", "mul", "div", "pow"):
        for left in ALL:
            for right in ("bool", "int64", "float32", "float64"):
                yield call(f"Tensor.{op}_", T(left, (3,), "positive"), T(right, (), "positive")).may_raise()


def joined():
    for left in ALL:
        for right in ALL:
            yield call("torch.cat", [T(left, (2,), "positive"), T(right, (1,), "positive")])
            yield call("torch.where", T("bool", (3,)), T(left, (3,), "positive"), T(right, (), "positive"))


def conversions():
    for source in ALL:
        for target in ALL:
            yield call("Tensor.to", T(source, (12,), "positive"), Name(target))
    for target in INTEGERS[1:]:
        yield call("Tensor.to", T("float32", (6,), [-1.9, -0.5, 0.5, 1.5, 99.99, -100.0]), Name(target))
        yield call("Tensor.to", T("int64", (6,), [-1, 255, 256, 2**31, -(2**31) - 1, 2**63 - 1]), Name(target))
    yield call("Tensor.to", T("int64", (4,), [-1, 255, 256, 511]), Name("uint8"))
    yield call("Tensor.to", T("int32", (4,), [-1, 255, 256, 511]), Name("bool"))
    for source in (*FLOATS, *HALVES):
        for target in (*FLOATS, *HALVES, "bool"):
            yield call("Tensor.to", T(source, (32,), "special"), Name(target)).bits()
    ties = [1 + 2**-11, 1 + 3 * 2**-11, 65519.0, 65520.0, 2**-24, 2**-25, 3 * 2**-26, 6.1e-5, 2**-14 - 2**-26]
    ties += [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 3.39e38, 1e-40, 9.2e-41]
    for target in HALVES:
        for source in FLOATS:
            yield call("Tensor.to", T(source, (15,), ties), Name(target)).bits()
    yield call(
        "Tensor.to", T("float64", (5,), [1 + 2**-24, 1 + 3 * 2**-24, 3.4028235677973366e38, 1e-46, 1e-45]), Name("float32")
    ).bits()
    yield call("Tensor.to", T("int64", (4,), [2**24 + 1, 2**53 + 1, -(2**24) - 1, 2**62 + 1]), Name("float32")).bits()
    yield call("Tensor.to", T("int64", (4,), [2**24 + 1, 2**53 + 1, -(2**53) - 1, 2**62 + 1]), Name("float64")).bits()
    yield call("Tensor.to", T("int32", (4,), [2049, 65519, 65520, -70000]), Name("float16")).bits()
    for method in "bool byte char short int long half bfloat16 float double".split():
        yield call(f"Tensor.{method}", T("float32", (3,), "positive"))
        yield call(f"Tensor.{method}", T("int64", (3,), "positive"))
    for layout in ("transposed", "stepped", "expanded", "offset"):
        yield call("Tensor.to", T("float32", (3, 4), layout=layout, grad=True), Name("float64")).strides()
        yield call("Tensor.to", T("float32", (3, 4), layout=layout, grad=True), Name("float32")).strides()
        yield call("Tensor.to", T("float32", (3, 4), layout=layout), Name("float32"), copy=True).strides()
        yield call("Tensor.type_as", T("float32", (3, 4), layout=layout, grad=True), T("float64", ())).strides()
    yield call("Tensor.to", T("float32", (2,)), T("int64", (1,)))
    yield call("Tensor.to", T("float64", (2,), grad=True), Name("float16"))
    yield call("Tensor.type", T("int64", (2,)))
    yield call("Tensor.type", T("float32", (2,)))
    yield call("Tensor.type", T("float32", (2,)), Name("int32"))


def complex_storage():
    """Complex numbers are stored, moved, converted and shown."""
    for dtype in ("complex64", "complex128"):
        for target in EVERY:
            yield call("Tensor.to", T(dtype, (6,)), Name(target)).may_raise()
        for source in ALL:
            yield call("Tensor.to", T(source, (6,), "positive"), Name(dtype))
        z = T(dtype, (3, 4), layout="transposed")
        yield call("Tensor.tolist", z)
        yield call("Tensor.contiguous", z)
        yield call("operator.getitem", z, (1, slice(None, None, 2))).strides()
        yield call("torch.cat", [z, T(dtype, (3, 1), seed=1)], 1)
        yield call("torch.zeros", 2, dtype=Name(dtype))
        yield call("torch.full", (2,), 1.5 - 2j, dtype=Name(dtype))
        yield call("torch.equal", z, T(dtype, (3, 4)))
        yield call("Tensor.item", T(dtype, (1,)))
        yield call("operator.setitem", T(dtype, (4,)), 1, 2 + 3j)
    yield call("torch.tensor", [1 + 2j, 3])
    yield call("torch.full", (2,), 1j)
    yield call("torch.tensor", 2j, dtype=Name("complex128"))
    yield call("torch.tensor", [1j], dtype=Name("float32")).may_raise()


def properties():
    for dtype in EVERY:
        for method in ("is_floating_point", "is_complex", "is_signed", "element_size", "dtype"):
            yield call(f"Tensor.{method}", T(dtype, (2,)))
    for dtype in ALL:
        yield call("torch.is_floating_point", T(dtype, (2,)))
        yield call("torch.is_nonzero", T(dtype, (1,), "positive"))
    yield call("torch.is_nonzero", T("float32", (2,))).raises(RuntimeError, "more than one")
    yield call("torch.is_nonzero", T("float32", (0,))).raises(RuntimeError, "no values")
    yield call("Tensor.item", T("float32", (2,))).raises(RuntimeError, "2")
    for dtype in ALL:
        yield call("Tensor.item", T(dtype, (1, 1), "positive"))
        yield call("Tensor.tolist", T(dtype, (2, 2), "positive"))
        yield call("Tensor.tolist", T(dtype, ()))
    yield call("Tensor.tolist", T("float32", (2, 0)))
    yield call("Tensor.tolist", T("float32", (2, 3), layout="transposed"))
