"""Running sums, products and extremes beyond the recorded cases: closed forms and PyTorch 2.13's results."""

import itertools
import math

import pytest

import pywasmtorch as torch

NAN, INF = math.nan, math.inf


def listed(*tensors):
    return [t.tolist() for t in tensors]


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class TestSumsAndProducts:
    @pytest.mark.parametrize("dim", [0, 1, 2, -1])
    def test_along_any_dimension_and_layout(self, dim):
        x = torch.tensor([[[(7 * i + 5 * j + 3 * k) % 11 - 5 for k in range(3)] for j in range(4)] for i in range(2)])
        for y in (x, x.permute(2, 0, 1).contiguous().permute(1, 2, 0), torch.stack([x, x], -1)[..., 0]):
            moved = torch.movedim(y, dim, -1)
            sums = [[list(itertools.accumulate(row)) for row in block] for block in moved.tolist()]
            assert torch.movedim(torch.cumsum(y, dim), dim, -1).tolist() == sums
            products = [[list(itertools.accumulate(row, lambda a, b: a * b)) for row in block] for block in moved.tolist()]
            assert torch.movedim(torch.cumprod(y, dim), dim, -1).tolist() == products
            assert torch.cumsum(y, dim).is_contiguous()

    def test_types(self):
        x = torch.tensor([100, 100, 100], dtype=torch.uint8)
        assert torch.cumsum(x, 0).dtype is torch.int64 and torch.cumsum(x, 0).tolist() == [100, 200, 300]
        assert torch.cumsum(x, 0, dtype=torch.uint8).tolist() == [100, 200, 44]
        assert x.clone().cumsum_(0).tolist() == [100, 200, 44]
        assert torch.cumprod(torch.tensor([True, True, False]), 0).tolist() == [1, 1, 0]
        assert torch.cumsum(torch.tensor([1 + 1j, 2]), 0).tolist() == [1 + 1j, 3 + 1j]
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            torch.cumsum(x, 0, dtype=torch.bool)

    def test_float32_is_added_in_double(self):
        x = torch.full((1000001,), 0.1)
        assert torch.cumsum(x, 0)[-1].item() == pytest.approx(1000001 * x[0].item(), rel=1e-7)

    def test_edges(self):
        assert torch.cumsum(torch.tensor(3), 0).item() == 3
        assert torch.cumsum(torch.empty(2, 0), 1).shape == (2, 0)
        out = torch.empty(0)
        assert torch.cumsum(torch.tensor([1.0, 2.0]), 0, out=out) is out and out.tolist() == [1, 3]
        with pytest.raises(IndexError, match="Dimension out of range"):
            torch.cumsum(torch.zeros(2), 1)

    def test_gradients_around_zeros(self):
        weight = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64)
        for values, expected in {
            (2.0, 3.0, 4.0, 1.0, 2.0): [1 + 2 * 3 + 3 * 12 + 4 * 12 + 5 * 24, 2 * 2 + 3 * 8 + 4 * 8 + 5 * 16, 3 * 6 + 4 * 6 + 5 * 12, 4 * 24 + 5 * 48, 5 * 24],
            (2.0, 0.0, 4.0, 1.0, 2.0): [1.0, 2 * 2 + 3 * 8 + 4 * 8 + 5 * 16, 0, 0, 0],
            (0.0, 3.0, 0.0, 1.0, 2.0): [1 + 2 * 3.0, 0, 0, 0, 0],
            (2.0, 3.0, 4.0, 1.0, 0.0): [1 + 2 * 3 + 3 * 12 + 4 * 12, 2 * 2 + 3 * 8 + 4 * 8, 3 * 6 + 4 * 6, 4 * 24, 5 * 24],
        }.items():
            for create_graph in (False, True):
                x = double(*values)
                (grad,) = torch.autograd.grad(torch.cumprod(x, 0), x, weight, create_graph=create_graph)
                assert grad.tolist() == pytest.approx(expected)

    def test_first_and_second_derivatives(self):
        x = torch.tensor([[1.5, 0.0, -2.0], [0.0, 0.5, 0.0], [2.0, -1.0, 3.0]], dtype=torch.float64, requires_grad=True)
        y = torch.tensor([[1.5, -0.7, 2.0], [0.3, 0.5, 1.1]], dtype=torch.float64, requires_grad=True)
        for t, dim in itertools.product((x, y), (0, 1)):
            for function in (torch.cumsum, torch.cumprod, torch.logcumsumexp):
                assert torch.autograd.gradcheck(lambda t: function(t, dim), (t,))
                assert torch.autograd.gradgradcheck(lambda t: function(t, dim), (t,))

    def test_in_place_keeps_the_history(self):
        x = double(1.0, 2.0, 3.0)
        y = x * 1
        assert y.cumprod_(0) is y
        y.sum().backward()
        assert x.grad.tolist() == [1 + 2 + 6, 1 + 3, 2]
        with pytest.raises(RuntimeError, match="leaf"):
            x.cumsum_(0)


class TestLogCumSumExp:
    def test_without_overflow(self):
        found = torch.logcumsumexp(torch.tensor([1000.0, 1000.0, -1000.0], dtype=torch.float64), 0)
        assert found.tolist() == pytest.approx([1000, 1000 + math.log(2), 1000 + math.log(2)])

    def test_infinities(self):
        assert torch.logcumsumexp(torch.tensor([-INF, -INF, 0.0]), 0).tolist() == [-INF, -INF, 0]
        assert torch.logcumsumexp(torch.tensor([0.0, INF, 1.0]), 0).tolist() == [0, INF, INF]
        assert str(torch.logcumsumexp(torch.tensor([0.0, NAN, 1.0]), 0).tolist()) == "[0.0, nan, nan]"

    def test_complex(self):
        found = torch.logcumsumexp(torch.tensor([1 + 1j, 2, -1 - 2j], dtype=torch.complex128), 0).exp().tolist()
        terms = [complex(math.e) * complex(math.cos(1), math.sin(1)), math.e**2, complex(math.cos(-2), math.sin(-2)) / math.e]
        for a, b in zip(found, itertools.accumulate(terms)):
            assert abs(a - b) < 1e-12

    def test_integers_are_refused(self):
        with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
            torch.logcumsumexp(torch.tensor([1, 2]), 0)


class TestExtremes:
    def test_the_last_of_equals_counts(self):
        x = torch.tensor([[1.0, 3.0, 2.0, 3.0], [4.0, 0.0, 4.0, 5.0]])
        assert listed(*torch.cummax(x, 1)) == [[[1, 3, 3, 3], [4, 4, 4, 5]], [[0, 1, 1, 3], [0, 0, 2, 3]]]
        assert listed(*torch.cummin(x, 0)) == [[[1, 3, 2, 3], [1, 0, 2, 3]], [[0, 0, 0, 0], [0, 1, 0, 0]]]

    def test_nan_stays(self):
        values, indices = torch.cummax(torch.tensor([1.0, NAN, 3.0, NAN, 4.0]), 0)
        assert str(values.tolist()) == "[1.0, nan, nan, nan, nan]" and indices.tolist() == [0, 1, 1, 3, 3]

    def test_edges(self):
        assert listed(*torch.cummax(torch.tensor(2), 0)) == [2, 0]
        assert listed(*torch.cummin(torch.tensor([True, False]), 0)) == [[True, False], [0, 1]]
        assert torch.cummax(torch.empty(0, 3), 0)[1].shape == (0, 3)
        with pytest.raises(RuntimeError):
            torch.cummax(torch.tensor([1j]), 0)

    def test_gradients(self):
        x = double(1.0, 3.0, 2.0, 5.0)
        (torch.cummax(x, 0)[0] * torch.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
        assert x.grad.tolist() == [1, 110, 0, 1000]
        y = torch.tensor([[1.0, -3.0, 2.0], [0.5, 4.0, -1.0]], dtype=torch.float64, requires_grad=True)
        for dim, function in itertools.product((0, 1), (torch.cummax, torch.cummin)):
            assert torch.autograd.gradgradcheck(lambda y: function(y, dim)[0] ** 2, (y,))
