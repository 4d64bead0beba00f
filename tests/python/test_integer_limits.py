"""Integers at the ends of their ranges: nothing traps, and what wraps around wraps as in PyTorch."""

import pytest

import pywasmtorch as torch

INTEGERS = {torch.int8: 8, torch.int16: 16, torch.int32: 32, torch.int64: 64}
ENDS = [(kind, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for kind, bits in INTEGERS.items()]


@pytest.mark.parametrize(("kind", "least", "most"), ENDS)
def test_least_common_multiples(request, kind, least, most):
    x = torch.tensor([12, most, 0, 6], dtype=kind)
    assert torch.lcm(x, torch.tensor([18, 1, 5, -4], dtype=kind)).tolist() == [36, most, 0, 12]
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch ends the process at the least integer")
    ends = torch.tensor([least, 5, least, least, 0], dtype=kind)
    others = torch.tensor([5, least, least, 0, least], dtype=kind)
    assert torch.gcd(ends, others).tolist() == [1, 1, least, least, least]  # 2^31 wraps around to the least integer
    assert torch.lcm(ends, others).tolist() == [least, least, least, 0, 0]  # 5 times 2^31, modulo 2^32
    x = ends.clone()
    assert x.lcm_(others).equal(torch.lcm(ends, others)) and torch.gcd(ends, others, out=x).equal(torch.gcd(ends, others))


@pytest.mark.parametrize(("kind", "least", "most"), ENDS)
def test_closeness_does_not_wrap_around(kind, least, most):
    ends, others = torch.tensor([least, most, least, most], dtype=kind), torch.tensor([0, least, most, most], dtype=kind)
    assert torch.isclose(ends, others).tolist() == [False, False, False, True]
    assert not torch.allclose(ends, others) and not torch.isclose(others, ends)[:3].any()


def test_closeness_of_bools_and_of_neighbours():
    assert torch.isclose(torch.tensor([True, False]), torch.tensor([True, True])).tolist() == [True, False]
    assert torch.isclose(torch.tensor([2**40]), torch.tensor([2**40 + 1])).tolist() == [True]
    assert torch.isclose(torch.tensor([1000]), torch.tensor([1001]), rtol=0, atol=0.5).tolist() == [False]
    assert torch.isclose(torch.tensor([1, 1]), torch.tensor([1, 2]), rtol=0, atol=0).tolist() == [True, False]


@pytest.mark.parametrize(("kind", "exponent"), [(torch.uint8, 256), (torch.int8, 128), (torch.int16, 2**15), (torch.int32, 2**31)])
def test_exponents_beyond_the_dtype(kind, exponent):
    x = torch.tensor([1, 2], dtype=kind)
    for power in (lambda: x**exponent, lambda: torch.pow(x, exponent), lambda: x.clone().pow_(exponent)):
        with pytest.raises(RuntimeError, match="without overflow"):
            power()
    assert (x ** (exponent - 1)).tolist()[0] == 1


@pytest.mark.parametrize("name", ["__rshift__", "__lshift__", "__and__", "__or__", "__xor__"])
@pytest.mark.parametrize(("kind", "other", "result"), [(torch.int16, torch.int8, torch.int16), (torch.int8, torch.int16, torch.int16), (torch.uint8, torch.int8, torch.int16)])
def test_bits_promote(name, kind, other, result):
    assert getattr(torch.tensor([5], dtype=kind), name)(torch.tensor([1], dtype=other)).dtype == result
    assert getattr(torch.tensor([5], dtype=kind), name)(torch.tensor(1, dtype=other)).dtype == kind


@pytest.mark.parametrize("weight", [0.5, torch.tensor([0.5])])
def test_no_weighted_means_of_integers(weight):
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch.lerp(torch.tensor([1]), torch.tensor([3]), weight)
    with pytest.raises(RuntimeError, match="expected dtype float for `weight` but got dtype double"):
        torch.lerp(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([0.5], dtype=torch.float64))
    assert torch.lerp(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor(0.5, dtype=torch.float64)).tolist() == [2]
