"""Settings and queries with a constant answer, sym_* functions, errors of operators given two numbers."""

import pytest

import pywasmtorch as torch


def test_questions_about_tensors():
    x = torch.ones(2, 3)
    assert x.dim_order() == (0, 1) and x.t().dim_order() == (1, 0)
    assert x.is_set_to(x.detach()) and not x.is_set_to(x.view(3, 2)) and not x.is_nested
    assert torch.get_device(x) == -1 and torch.is_signed(x) and not torch.is_inference(x)
    assert [v.item() for v in reversed(torch.arange(3))] == [2, 1, 0]
    assert torch.frobenius_norm(x, [1]).shape == (2,)
    y = torch.zeros(2)
    assert y.map2_(torch.ones(2), torch.tensor([2.0, 3.0]), lambda a, b, c: a + b * c).tolist() == [2, 3]


def test_as_subclass_shares_memory():
    class Sub(torch.Tensor):
        pass

    x = torch.zeros(2)
    y = x.as_subclass(Sub)
    y.add_(1)
    assert type(y) is Sub and x.tolist() == [1, 1]
    with pytest.raises(TypeError):
        x.as_subclass(int)


def test_default_tensor_type():
    try:
        torch.set_default_tensor_type("torch.DoubleTensor")
        assert torch.ones(1).dtype is torch.float64
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    with pytest.raises(TypeError):
        torch.set_default_tensor_type(torch.LongTensor)


def test_symbolic_numbers():
    assert torch.sym_max(2, 3.0) == 3.0 and torch.sym_min(1, 2) == 1 and torch.sym_int(-3.7) == -3 and torch.sym_ite(True, 1, 2) == 1


@pytest.mark.parametrize("name", ["pow", "remainder", "bitwise_and", "bitwise_left_shift", "xlogy"])
def test_two_numbers_are_no_tensor(name):
    with pytest.raises(TypeError, match="invalid combination"):
        getattr(torch, name)(2, 3)
    assert getattr(torch, name)(torch.tensor([2]), 3).shape == (1,)


def test_least_dimensions():
    with pytest.raises(RuntimeError, match=">= 2-d"):
        torch.fliplr(torch.ones(1))
    with pytest.raises(RuntimeError, match=">= 1-d"):
        torch.flipud(torch.tensor(1.0))
