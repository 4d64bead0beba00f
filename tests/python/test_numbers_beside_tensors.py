"""Numbers that stand beside tensors: in which precision they are taken, where they fit, and what they become."""

import math

import pytest

import pywasmtorch as torch

F = torch.nn.functional
inf, nan = math.inf, math.nan
NARROW = [torch.float16, torch.bfloat16]


def values_of(kind):
    return torch.linspace(-7, 9, 331).to(kind)


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("number", [0.3, 0.1, -2.3])
def test_sixteen_bits_beside_a_number(kind, number):
    """As a factor, a divisor or a weight the number is taken in float32, otherwise rounded to sixteen bits."""
    x, y = values_of(kind), values_of(kind).flip(0)
    wide, other = x.float(), y.float()
    rounded = torch.tensor(number).to(kind).float()
    nearest = {
        "mul": wide * number,
        "div": wide / number,
        "floor_divide": torch.floor_divide(wide, number),
        "add": wide + rounded,
        "sub": wide - rounded,
        "remainder": torch.remainder(wide, rounded),
        "fmod": torch.fmod(wide, rounded),
    }
    for name, value in nearest.items():
        assert getattr(torch, name)(x, number).equal(value.to(kind)), name
        assert getattr(torch, name)(x, torch.tensor(number, dtype=torch.float64)).equal(value.to(kind)), name
    assert (number * x).equal((wide * number).to(kind)) and (number + x).equal((wide + rounded).to(kind))
    assert torch.div(x, number, rounding_mode="trunc").equal((wide / number).trunc().to(kind))
    mean = torch.lerp(wide, other, number)
    assert (torch.lerp(x, y, number).float() - mean).abs().le(mean.abs() * (2.0**-11 if kind is torch.float16 else 2.0**-8) + 1e-6).all()


@pytest.mark.parametrize("kind", NARROW)
def test_combining_slices_of_sixteen_bits_rounds_each_step(kind):
    source = torch.tensor([1.1, 0.9, 1.3, 1.7, 0.6, 1.9]).to(kind)
    product = total = torch.tensor(1.0).to(kind)
    for value in source:
        product, total = product * value, total + value
    index, ones = torch.zeros(6, dtype=torch.int64), torch.ones(1, dtype=kind)
    assert ones.index_reduce(0, index, source, "prod").tolist() == [product.item()]
    assert ones.index_reduce(0, index, source, "mean").tolist() == [(total / 7).item()]


@pytest.mark.parametrize("kind", [torch.bool, torch.uint8, torch.int8, torch.int64, torch.float16])
@pytest.mark.parametrize("value", [0.5, 1.5, 1, True, 0])
def test_masked_fill(kind, value):
    mask, x = torch.tensor([True, False]), torch.tensor([0, 1]).to(kind)
    wanted = [torch.tensor(value).to(kind).item(), x[1].item()]
    assert x.masked_fill(mask, value).tolist() == x.masked_fill(mask, torch.tensor(value)).tolist() == wanted
    assert x.clone().masked_fill_(mask, value).tolist() == wanted and x.masked_fill(mask, value).dtype == kind


@pytest.mark.parametrize("value", [1j, nan, inf, -0.5, 1e300])
def test_everything_is_true_or_false(value):
    assert torch.tensor([False, False]).masked_fill_(torch.tensor([True, False]), value).tolist() == [True, False]


@pytest.mark.parametrize(("kind", "value"), [(torch.int8, 300), (torch.uint8, -0.5), (torch.uint8, 256), (torch.int64, nan), (torch.float16, 70000.0), (torch.float32, 1e300), (torch.float32, 1j)])
def test_numbers_that_do_not_fit(kind, value):
    x, mask = torch.zeros(2, dtype=kind), torch.tensor([True, False])
    calls = [lambda: x.masked_fill(mask, value), lambda: x.scatter(0, torch.tensor([0]), value), lambda: x.index_fill(0, torch.tensor([0]), value)]
    if not isinstance(value, complex):
        calls.append(lambda: F.pad(x, (1, 0), value=value))
    if not isinstance(value, (float, complex)) or kind is torch.float32 and value == 1e300:
        calls.append(lambda: torch.where(mask, x, value))
    for call in calls:
        with pytest.raises(RuntimeError, match="converted|Converting"):
            call()


def test_padding_is_with_floats():
    x = torch.zeros(1, dtype=torch.uint8)
    assert torch.constant_pad_nd(x, (1, 0), -1).tolist() == [255, 0]
    with pytest.raises(RuntimeError, match="uint8_t without overflow"):
        F.pad(x, (1, 0), value=-1)
    with pytest.raises(TypeError, match="must be float, not complex"):
        F.pad(x, (1, 0), value=1j)
    assert F.pad(torch.zeros(1), (1, 0), value=inf).tolist() == [inf, 0]


def test_where_between_numbers():
    mask = torch.tensor([True, False])
    assert torch.where(mask, torch.zeros(2, dtype=torch.float16), 70000.0).tolist() == [0, inf]
    assert torch.where(mask, torch.zeros(2, dtype=torch.uint8), -1).tolist() == [0, 255]
    assert torch.where(mask, torch.zeros(2, dtype=torch.int8), torch.tensor(300)).tolist() == [0, 44]
    with pytest.raises(RuntimeError, match="type float without overflow"):
        torch.where(mask, 1e300, 0.0)


def test_fill_with_a_tensor():
    value = torch.tensor(2.0, requires_grad=True)
    x = torch.zeros(3) * 1
    assert x.fill_(value).tolist() == [2, 2, 2]
    x.sum().backward()
    assert value.grad.item() == 3
    assert torch.zeros(2, dtype=torch.int8).fill_(torch.tensor(300)).tolist() == [44, 44]
    with pytest.raises(RuntimeError, match="0-dimension"):
        x.detach().fill_(torch.ones(2))


def test_replacing_by_numbers_beyond_the_dtype():
    x = torch.tensor([inf, nan, -inf])
    assert x.half().nan_to_num(0.0).tolist() == [65504, 0, -65504]
    assert x.nan_to_num(1.0, 2.0, 3.0).tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("loss", "target", "kind"),
    [
        (F.soft_margin_loss, torch.tensor([1.0, -1.0]), torch.float16),
        (F.soft_margin_loss, torch.tensor([1, -1]), torch.float16),
        (F.huber_loss, torch.tensor([1.0, -1.0], dtype=torch.float64), torch.float16),
        (F.poisson_nll_loss, torch.tensor([3, 0]), torch.float16),
        (lambda x, t: F.poisson_nll_loss(x, t, full=True), torch.tensor([3, 0]), torch.float16),
        (F.binary_cross_entropy_with_logits, torch.tensor([1.0, 0.0]).double(), torch.float64),
        (lambda x, t: F.binary_cross_entropy_with_logits(x.double(), t), torch.tensor([1.0, 0.0]), torch.float32),
        (F.mse_loss, torch.tensor([1.0, 0.0]), torch.float32),
    ],
)
def test_dtypes_of_losses(loss, target, kind):
    x = torch.tensor([0.5, 0.25], dtype=torch.float16)
    assert loss(x, target).dtype == kind


def test_targets_that_no_logits_have():
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        F.binary_cross_entropy_with_logits(torch.ones(2), torch.tensor([1, 0]))
    with pytest.raises(RuntimeError, match="bool tensor"):
        F.binary_cross_entropy_with_logits(torch.ones(2), torch.tensor([True, False]))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        F.huber_loss(torch.tensor([1, 0]), torch.ones(2))


def test_arrays_without_dimensions_are_arrays():
    numpy = pytest.importorskip("numpy")
    x = torch.ones(2, dtype=torch.int8)
    assert (x + numpy.array(2, dtype="int16")).dtype == (x >> numpy.array(1, dtype="int16")).dtype == torch.int16
    assert (x + numpy.int16(2)).dtype == torch.int8
    assert (torch.ones(2) * numpy.array(2.0)).dtype == torch.float64 and (torch.ones(2) * numpy.float64(2)).dtype == torch.float32
    quotient = numpy.array([1.0, 3.0]) / torch.tensor([2.0, 4.0])
    assert quotient.dtype == torch.float64 and quotient.tolist() == [0.5, 0.75]
