"""Tensors of Python numbers that their dtype cannot hold: infinities, NaN beside them, integers that do not fit."""

import pytest

import pywasmtorch as torch

inf, nan = float("inf"), float("nan")


def shown(tensor):
    return repr(tensor.tolist())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("make", ["tensor", "as_tensor", "asarray"])
def test_nan_stays_beside_what_overflows(make, dtype):
    made = getattr(torch, make)([nan, 1e39, -1e39, 1.0], dtype=getattr(torch, dtype))
    assert shown(made) == "[nan, inf, -inf, 1.0]"


def test_other_ways_to_make_them():
    assert shown(torch.Tensor([nan, 1e39])) == "[nan, inf]"
    assert shown(torch.ones(1).new_tensor([nan, 1e39])) == "[nan, inf]"
    assert shown(torch.HalfTensor([nan, 1e39])) == "[nan, inf]"
    assert shown(torch.tensor([[nan, 1], [1e39, 2]])) == "[[nan, 1.0], [inf, 2.0]]"
    assert shown(torch.tensor([torch.tensor(nan), 1e39])) == "[nan, inf]"
    assert shown(torch.tensor([10**40, nan], dtype=torch.float32)) == "[inf, nan]"
    assert shown(torch.tensor([nan, 1e39], dtype=torch.float64)) == "[nan, 1e+39]"


def test_the_greatest_float32_and_what_rounds_to_it():
    assert shown(torch.tensor([3.40282356e38, 3.40282358e38])) == "[3.4028234663852886e+38, inf]"


def test_parts_of_complex_numbers():
    assert shown(torch.tensor([1e300 + 1j, complex(nan, -1e300)])) == "[(inf+1j), (nan-infj)]"
    assert shown(torch.tensor([1e300], dtype=torch.complex64)) == "[(inf+0j)]"
    assert shown(torch.tensor(1e300 + 1j, dtype=torch.complex128)) == "(1e+300+1j)"


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(nan, "int32"), (inf, "int64"), (1e39, "int64"), (9.3e18, "int64"), (256, "uint8"), (-256, "uint8"), (-0.5, "uint8"), (255.5, "uint8"), (-129, "int8"), (127.5, "int8"), (2**62, "int8")],
)
def test_integers_that_do_not_fit(value, dtype):
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {dtype} without overflow"):
        torch.tensor([value], dtype=getattr(torch, dtype))


def test_negative_integers_wrap_in_uint8():
    assert torch.tensor([-1, -255], dtype=torch.uint8).tolist() == [255, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_integers_beyond_double(dtype):
    with pytest.raises(OverflowError, match="int too large to convert to float"):
        torch.tensor([10**400], dtype=getattr(torch, dtype))


def test_complex_numbers_are_no_others():
    with pytest.raises(TypeError, match="must be real number, not complex"):
        torch.tensor([1 + 0j], dtype=torch.float32)
    with pytest.raises(TypeError, match="'complex' object cannot be interpreted as an integer"):
        torch.tensor([1 + 0j], dtype=torch.int32)
