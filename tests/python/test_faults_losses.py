"""Losses at NaN, and targets that are no probabilities."""

import pytest

import pywasmtorch as torch

nn, F = torch.nn, torch.nn.functional
inf, nan = float("inf"), float("nan")


def gradients(function, *values, dtype=torch.float32):
    inputs = [torch.tensor(v, dtype=dtype, requires_grad=True) for v in values]
    function(*inputs).sum().backward()
    return [repr(x.grad.tolist()) for x in inputs]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("loss", ["smooth_l1_loss", "huber_loss"])
def test_nan_has_a_gradient_of_nan(loss, dtype):
    got = gradients(lambda x, t: getattr(F, loss)(x, t, reduction="sum"), [nan, 0.0, inf, 1.0, 0.5, -3.0], [0.0, nan, 0.0, 0.0, 0.0, 0.0], dtype=dtype)
    assert got == ["[nan, nan, 1.0, 1.0, 0.5, -1.0]", "[nan, nan, -1.0, -1.0, -0.5, 1.0]"]


def test_where_the_slopes_of_smooth_l1_and_huber_meet():
    assert gradients(lambda x: F.huber_loss(x, torch.zeros(3), delta=2.0, reduction="sum"), [2.0, -2.0, 4.0]) == ["[2.0, -2.0, 2.0]"]
    assert gradients(lambda x: F.smooth_l1_loss(x, torch.zeros(3), beta=2.0, reduction="sum"), [2.0, -2.0, 1.0]) == ["[1.0, -1.0, 0.5]"]
    assert gradients(lambda x: F.smooth_l1_loss(x, torch.zeros(2), beta=0.0, reduction="sum"), [nan, -2.0])[0].endswith(", -1.0]")


@pytest.mark.parametrize("function", ["elu", "celu"])
def test_the_exponential_units_at_nan(function):
    assert gradients(getattr(F, function), [nan, inf, 0.0, -inf]) == ["[1.0, 1.0, 1.0, 0.0]"]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("value", [2.0, -0.5, nan, inf])
def test_targets_of_binary_cross_entropy_are_probabilities(value, dtype):
    p, bad = torch.tensor([0.5, 0.25], dtype=dtype), torch.tensor([0.0, value], dtype=dtype)
    with pytest.raises(RuntimeError, match="all elements of target should be between 0 and 1"):
        F.binary_cross_entropy(p, bad, reduction="none")
    with pytest.raises(RuntimeError, match="all elements of target should be between 0 and 1"):
        nn.BCELoss(weight=torch.zeros(2, dtype=dtype))(p, bad)
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        F.binary_cross_entropy(bad, bad)


def test_strided_targets_of_binary_cross_entropy():
    p, t = torch.full((3, 2), 0.5).t(), torch.zeros(3, 4)[:, ::2].t()
    assert F.binary_cross_entropy(p, t).item() == pytest.approx(0.6931471824645996)
    t[1, 2] = 1.5
    with pytest.raises(RuntimeError, match="target should be between 0 and 1"):
        F.binary_cross_entropy(p, t)


def test_logits_take_any_target():
    assert F.binary_cross_entropy_with_logits(torch.tensor([0.5]), torch.tensor([2.0])).item() == pytest.approx(-0.02592301368713379)
