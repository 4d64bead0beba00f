"""ldexp, which rounds once, and rounding to decimals, whose scale need not fit into sixteen bits."""

import math

import pytest

import pywasmtorch as torch

inf, nan = math.inf, math.nan


def same(got, wanted):
    return str(got.tolist()) == str(wanted)


@pytest.mark.parametrize(
    ("x", "power", "wanted"),
    [
        (2.0**-30, 140, 2.0**110),
        (2.0**-140, 200, 2.0**60),
        (2.0**100, -200, 2.0**-100),
        (1.0, -140, 2.0**-140),
        (2.0**-126 * 1.25, -21, 5 * 2.0**-149),
        (2.0**-126 * 1.2500001, -22, 3 * 2.0**-149),
        (3 * 2.0**-149, -1, 2.0**-148),
        (inf, -2000, inf),
        (-inf, 5, -inf),
        (nan, 3, nan),
        (3.0, 255, inf),
        (0.0, 2**31 - 1, 0.0),
        (1.0, 2**31, 0.0),
        (1.0, 2**62, 1.0),
        (-0.0, 4, -0.0),
    ],
)
def test_ldexp_of_floats(x, power, wanted):
    powers = torch.tensor([power])
    assert same(torch.ldexp(torch.tensor([x]), powers), [wanted])
    assert same(torch.tensor([x]).ldexp_(powers), [wanted])
    assert same(torch.ldexp(torch.tensor([x, x])[::2], powers, out=torch.zeros(1)), [wanted])


def test_ldexp_in_other_precisions():
    double = torch.float64
    assert same(torch.ldexp(torch.tensor([1.0, 2.0**-1074, 2.0**1000, 2.0**-500, 3 * 2.0**-1074], dtype=double), torch.tensor([1100, 2097, -2000, -1031, -1])),
                [inf, 2.0**1023, 2.0**-1000, 0.0, 2.0**-1073])
    half = torch.tensor([2.0**-24] * 5, dtype=torch.float16)
    assert torch.ldexp(half, torch.tensor([20, 30, 39, 40, -1])).tolist() == [0.0625, 64, 32768, inf, 0]
    assert torch.ldexp(torch.tensor([2.0**-120]).bfloat16(), torch.tensor([247])).tolist() == [2.0**127]
    assert torch.ldexp(half, torch.tensor([1], dtype=torch.int8)).dtype == torch.float16


def test_ldexp_of_integers_is_a_product():
    assert same(torch.ldexp(torch.tensor([0, 1, 3]), torch.tensor([2**62, 2**31, 255])), [nan, inf, inf])
    assert torch.ldexp(torch.tensor([3]), torch.tensor([-2**63])).tolist() == [0]
    assert torch.ldexp(torch.tensor([3.0]), torch.tensor([1.5])).tolist() == pytest.approx([3 * 2**1.5])
    assert torch.ldexp(torch.tensor([True]), torch.tensor([True])).tolist() == [2]
    with pytest.raises(NotImplementedError, match="Bool"):
        torch.ldexp(torch.tensor([1.0]), torch.tensor([True]))


def test_gradient_of_ldexp(request):
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    y = torch.ldexp(x, torch.tensor([3, 1]))
    (y * y).sum().backward()
    assert y.grad_fn.name() == "LdexpBackward0" and x.grad.tolist() == [128, -16]
    if request.config.getoption("--target") != "torch":  # PyTorch's power of two is an integer there
        half = torch.ldexp(x.half(), torch.tensor([-1, -20]))
        assert torch.autograd.grad(half.sum(), x)[0].tolist() == [0.5, 2.0**-20]
    power = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.ldexp(torch.tensor([3.0, 1.0]), power).sum().backward()
    assert power.grad.tolist() == pytest.approx([6 * math.log(2), 4 * math.log(2)])


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("decimals", [5, 8, 30])
def test_many_decimals_of_sixteen_bits(kind, decimals):
    x = torch.tensor([-1.5, 3.14, 65000.0, 0.0], dtype=kind)
    assert x.round(decimals=decimals).equal(x)


def test_decimals():
    x = torch.tensor([-1.5, 3.14159, 0.005, -0.0449, 2.5, 12345.678])
    assert x.half().round(decimals=1).tolist() == [-1.5, 3.099609375, 0, 0, 2.5, 12344]
    assert x.half().round(decimals=2).tolist() == [-1.5, 3.140625, 0.01000213623046875, -0.040008544921875, 2.5, 12344]
    assert x.bfloat16().round(decimals=-1).tolist() == [0, 0, 0, 0, 0, 12352]
    assert x.bfloat16().round(decimals=2).tolist() == [-1.5, 3.140625, 0.010009765625, -0.0400390625, 2.5, 12352]
    assert x.double().round(decimals=39)[:2].tolist() == [-1.5, 3.141590118408203]
    assert same(torch.tensor([inf, -inf, nan]).half().round(decimals=3), [inf, -inf, nan])
    x = torch.tensor([1.25], dtype=torch.float16, requires_grad=True)
    x.round(decimals=1).sum().backward()
    assert x.grad.tolist() == [0] and x.detach().clone().round_(decimals=1).tolist() == [1.2001953125]
