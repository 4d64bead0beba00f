"""Sorting, selecting, searching and counting beyond the recorded cases: PyTorch 2.13's results, Python's own sort, closed forms."""

import bisect
import math
import random

import pytest

import pywasmtorch as torch

NAN, INF = math.nan, math.inf
EXAMPLE = [2.0, NAN, -INF, 1.0, 2.0, NAN, INF, -0.0, 0.0]


def listed(*tensors):
    return [t.tolist() for t in tensors]


def double(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class TestSort:
    def test_equals_keep_their_order_and_nan_is_greatest(self):
        values, indices = torch.sort(torch.tensor(EXAMPLE), stable=True)
        assert indices.tolist() == [2, 7, 8, 3, 0, 4, 6, 1, 5]
        assert str(values.tolist()) == "[-inf, -0.0, 0.0, 1.0, 2.0, 2.0, inf, nan, nan]"
        _, indices = torch.sort(torch.tensor(EXAMPLE), descending=True, stable=True)
        assert indices.tolist() == [1, 5, 6, 0, 4, 3, 7, 8, 2]

    @pytest.mark.parametrize("n", [1, 2, 12, 13, 127, 128, 129, 255, 256, 257, 1500])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int16, torch.uint8])
    def test_rows_of_any_length(self, n, dtype):
        draw = random.Random(n)
        rows = [[draw.randrange(0, 200) for _ in range(n)] for _ in range(3)]
        expected = [sorted(range(n), key=row.__getitem__) for row in rows]
        for dim, x in ((1, torch.tensor(rows, dtype=dtype)), (0, torch.tensor(rows, dtype=dtype).t())):
            values, indices = x.sort(dim=dim, stable=True)
            if dim == 0:
                assert n == 1 or values.stride() == x.stride()
                values, indices = values.t(), indices.t()
            assert indices.tolist() == expected
            assert values.dtype is dtype and values.tolist() == [[row[i] for i in order] for row, order in zip(rows, expected)]

    def test_edges(self):
        assert listed(*torch.sort(torch.tensor(3.0))) == [3.0, 0]
        assert torch.sort(torch.empty(2, 0))[0].shape == (2, 0)
        assert listed(*torch.sort(torch.tensor([True, False]))) == [[False, True], [1, 0]]
        assert torch.argsort(torch.tensor([[3, 1], [0, 2]]), dim=0).tolist() == [[1, 0], [0, 1]]
        assert torch.msort(torch.tensor([[3, 1], [0, 2]])).tolist() == [[0, 1], [3, 2]]
        with pytest.raises(IndexError, match="Dimension out of range"):
            torch.sort(torch.zeros(2), 1)
        with pytest.raises(RuntimeError, match="complex"):
            torch.sort(torch.tensor([1j]))

    def test_out(self):
        values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
        torch.sort(torch.tensor([3.0, 1.0]), out=(values, indices))
        assert listed(values, indices) == [[1, 3], [1, 0]]
        with pytest.raises(RuntimeError, match="dtype"):
            torch.sort(torch.tensor([3.0, 1.0]), out=(values, torch.empty(0)))

    def test_gradients(self):
        x = double(3.0, 1.0, 2.0)
        (torch.sort(x)[0] * torch.tensor([10.0, 20.0, 30.0])).sum().backward()
        assert x.grad.tolist() == [30, 10, 20]
        y = torch.tensor([[3.0, 1.0, 2.5], [0.5, 4.0, 2.0]], dtype=torch.float64, requires_grad=True)
        for function in (
            lambda y: torch.sort(y, 0)[0] ** 2,
            lambda y: torch.sort(y, 1, descending=True)[0] ** 3,
            lambda y: torch.topk(y, 2)[0] ** 2,
            lambda y: torch.kthvalue(y, 2, 1)[0] ** 2,
            lambda y: torch.median(y, 0)[0] ** 2,
            lambda y: torch.mode(y, 1, True)[0] ** 2,
            lambda y: torch.quantile(y, 0.3, 1) ** 2,
        ):
            assert torch.autograd.gradcheck(function, (y,))
            assert torch.autograd.gradgradcheck(function, (y,))


class TestSelection:
    @pytest.mark.parametrize("n, k", [(1, 1), (40, 1), (40, 16), (40, 17), (40, 40), (3000, 5), (3000, 700)])
    def test_topk_is_the_start_of_the_sorted_row(self, n, k):
        x = torch.tensor([[(i * 7919 + r) % 3001 for i in range(n)] for r in range(2)])
        for dtype in (torch.int64, torch.float32, torch.float16, torch.float64):
            y = x.to(dtype)
            for largest in (True, False):
                values, indices = torch.topk(y, k, largest=largest)
                assert torch.equal(values, torch.sort(y, descending=largest)[0][:, :k])
                assert torch.equal(torch.gather(y, 1, indices), values)

    def test_topk_edges(self):
        values, indices = torch.topk(torch.tensor([1.0, NAN, 2.0]), 2)
        assert indices.tolist() == [1, 2] and math.isnan(values[0].item())
        assert torch.topk(torch.zeros(3), 0)[0].shape == (0,)
        assert listed(*torch.topk(torch.tensor(4.0), 1)) == [4.0, 0]
        for k in (-1, 4):
            with pytest.raises(RuntimeError, match="selected index k out of range"):
                torch.topk(torch.zeros(3), k)

    def test_kthvalue(self):
        x = torch.tensor([[3, 1, 2], [9, 7, 8]])
        assert listed(*torch.kthvalue(x, 2)) == [[2, 8], [2, 2]]
        assert listed(*torch.kthvalue(x, 1, 0, True)) == [[[3, 1, 2]], [[0, 0, 0]]]
        with pytest.raises(RuntimeError, match="k out of range for dimension 1"):
            torch.kthvalue(x, 4)
        with pytest.raises(IndexError, match="Expected reduction dim 0 to have non-zero size"):
            torch.kthvalue(torch.empty(0), 1)

    def test_medians(self):
        assert torch.median(torch.tensor([4, 1, 3, 2])).item() == 2
        assert torch.median(torch.tensor([[3.0, NAN, 1.0, NAN], [4.0, 2.0, 1.0, 3.0]]), 1)[1].tolist() == [1, 1]
        assert listed(*torch.nanmedian(torch.tensor([[3.0, NAN, 1.0, NAN], [4.0, 2.0, 1.0, 3.0]]), 1)) == [[1, 2], [2, 1]]
        assert math.isnan(torch.median(torch.tensor([1.0, NAN])).item()) and torch.nanmedian(torch.tensor([1.0, NAN])).item() == 1
        assert math.isnan(torch.median(torch.empty(0)).item()) and math.isnan(torch.nanmedian(torch.full((3,), NAN)).item())
        x = double(1.0, 5.0, 1.0, 1.0, 7.0)
        torch.median(x).backward()
        assert x.grad.tolist() == [pytest.approx(1 / 3), 0, pytest.approx(1 / 3), pytest.approx(1 / 3), 0]

    def test_mode(self):
        assert listed(*torch.mode(torch.tensor([[1, 2, 2, 1, 3], [5, 5, 4, 5, 4]]))) == [[1, 5], [3, 3]]
        assert listed(*torch.mode(torch.tensor([[1, 2], [1, 2]]), 0, True)) == [[[1, 2]], [[1, 1]]]


class TestUnique:
    def test_everything_at_once(self):
        output, inverse, counts = torch.unique(torch.tensor([[3, 1], [2, 3]]), return_inverse=True, return_counts=True)
        assert listed(output, inverse, counts) == [[1, 2, 3], [[2, 0], [1, 2]], [1, 1, 2]]
        assert torch.unique(torch.tensor([NAN, 1.0, NAN])).shape == (3,)
        assert torch.unique(torch.empty(0, 2)).shape == (0,)

    def test_slices(self):
        x = torch.tensor([[1, 2], [0, 3], [1, 2], [1, -2]])
        output, inverse, counts = torch.unique(x, dim=0, return_inverse=True, return_counts=True)
        assert listed(output, inverse, counts) == [[[0, 3], [1, -2], [1, 2]], [2, 0, 2, 1], [1, 1, 2]]
        assert torch.equal(torch.unique(x.t(), dim=1), output.t())
        many = torch.tensor([[i * 37 % 11, i % 3] for i in range(100)])
        assert [tuple(row) for row in torch.unique(many, dim=0).tolist()] == sorted({tuple(row) for row in many.tolist()})

    def test_consecutive(self):
        output, inverse, counts = torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 2, 1]), return_inverse=True, return_counts=True)
        assert listed(output, inverse, counts) == [[1, 2, 1], [0, 0, 1, 1, 1, 2], [2, 3, 1]]
        assert torch.unique_consecutive(torch.tensor([[1, 1], [1, 1], [0, 1]]), dim=0).tolist() == [[1, 1], [0, 1]]

    def test_refused(self):
        with pytest.raises(RuntimeError, match="0 sized dimensions"):
            torch.unique(torch.empty(3, 0), dim=0)
        with pytest.raises(IndexError, match="tensor has no dimensions"):
            torch.unique(torch.tensor(1.0), dim=0)
        with pytest.raises(NotImplementedError, match="derivative"):
            torch.unique(double(1.0, 2.0)).sum().backward()


class TestSearch:
    def test_sides(self):
        edges, values = [1.0, 3.0, 3.0, 5.0], [0.0, 1.0, 3.0, 4.0, 5.0, 6.0]
        left, right = [bisect.bisect_left(edges, v) for v in values], [bisect.bisect_right(edges, v) for v in values]
        sequence, wanted = torch.tensor(edges), torch.tensor(values)
        assert torch.searchsorted(sequence, wanted).tolist() == torch.bucketize(wanted, sequence).tolist() == left
        assert torch.searchsorted(sequence, wanted, right=True).tolist() == torch.searchsorted(sequence, wanted, side="right").tolist() == right
        assert torch.bucketize(3, sequence, right=True).item() == 3
        assert torch.searchsorted(sequence, wanted, out_int32=True).dtype is torch.int32

    def test_rows_and_sorters(self):
        rows = torch.tensor([[5, 1, 3], [2, 6, 4]])
        wanted = torch.tensor([[3, 6], [1, 5]])
        assert torch.searchsorted(torch.sort(rows)[0], wanted).tolist() == [[1, 3], [0, 2]]
        assert torch.searchsorted(rows, wanted, sorter=torch.argsort(rows)).tolist() == [[1, 3], [0, 2]]

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: torch.searchsorted(torch.zeros(2), torch.zeros(1), side="middle"), "side can only be 'left' or 'right' but got middle"),
            (lambda: torch.searchsorted(torch.zeros(2), torch.zeros(1), side="left", right=True), "can't be set to opposites"),
            (lambda: torch.searchsorted(torch.zeros(2, 2), torch.zeros(3, 1)), r"boundaries tensor \[2, 2\] and input value tensor \[3, 1\]"),
            (lambda: torch.searchsorted(torch.zeros(2, 2), 1.0), "scalar only when boundaries tensor dimension is 1"),
            (lambda: torch.searchsorted(torch.zeros(2), torch.zeros(1), sorter=torch.tensor([0, 2])), "sorter index out of range"),
            (lambda: torch.bucketize(torch.zeros(2), torch.zeros(2, 2)), r"must be 1 dimension, but got dim\(2\)"),
        ],
    )
    def test_refused(self, call, message):
        with pytest.raises(RuntimeError, match=message):
            call()

    def test_isin(self):
        x = torch.tensor([[1, 2], [3, 4]])
        assert torch.isin(x, torch.tensor([4, 2])).tolist() == [[False, True], [False, True]]
        assert torch.isin(x, 3, invert=True).tolist() == [[True, True], [False, True]]
        assert torch.isin(2, x).item() is True
        assert torch.isin(torch.tensor([NAN]), torch.tensor([NAN])).tolist() == [False]
        assert torch.isin(torch.tensor([2.5, 2.0]), torch.tensor([2])).tolist() == [False, True]
        assert torch.isin(x, torch.tensor([], dtype=torch.int64)).any().item() is False


class TestQuantile:
    def test_interpolations(self):
        x = torch.tensor([0.0, 1.0, 4.0, 9.0])
        found = {kind: torch.quantile(x, 0.4, interpolation=kind).item() for kind in ("linear", "lower", "higher", "midpoint", "nearest")}
        assert found == {"linear": pytest.approx(1.6), "lower": 1, "higher": 4, "midpoint": 2.5, "nearest": 1}

    def test_dimensions(self):
        x = torch.arange(12.0).reshape(3, 4)
        q = torch.tensor([0.0, 0.5, 1.0])
        assert torch.quantile(x, q, dim=0).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
        assert torch.quantile(x, q, dim=1, keepdim=True).shape == (3, 3, 1)
        assert torch.quantile(x, 0.5, keepdim=True).tolist() == [[5.5]]

    def test_nan(self):
        x = torch.tensor([[1.0, NAN, 3.0], [2.0, 4.0, 6.0], [NAN, NAN, NAN]])
        assert str(torch.quantile(x, 0.5, 1).tolist()) == "[nan, 4.0, nan]"
        assert str(torch.nanquantile(x, 0.5, 1).tolist()) == "[2.0, 4.0, nan]"

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: torch.quantile(torch.zeros(2), 1.5), "range .0, 1. but got 1.5"),
            (lambda: torch.quantile(torch.zeros(2), torch.tensor([2.0])), "q values must be in the range"),
            (lambda: torch.quantile(torch.zeros(2), torch.zeros(1, 1)), "scalar or 1D"),
            (lambda: torch.quantile(torch.tensor([1, 2]), 0.5), "either float or double"),
            (lambda: torch.quantile(torch.empty(0), 0.5), "non-empty"),
            (lambda: torch.quantile(torch.zeros(2), 0.5, interpolation="cubic"), "got cubic"),
        ],
    )
    def test_refused(self, call, message):
        with pytest.raises(RuntimeError, match=message):
            call()


class TestCounting:
    def test_histc(self):
        x = torch.tensor([1.0, 2.0, 1.0, 0.5, 3.0, NAN, 7.0])
        assert torch.histc(x, 4, 0, 4).tolist() == [1, 2, 1, 1]
        assert torch.histc(torch.tensor([1.0, 2.0, 3.0]), 2).tolist() == [1, 2]
        assert torch.histc(torch.ones(2), 5).tolist() == [0, 0, 2, 0, 0]
        with pytest.raises(RuntimeError, match="max must be larger than min"):
            torch.histc(x, 5, 3, 1)
        with pytest.raises(RuntimeError, match="not finite"):
            torch.histc(x, 5)

    def test_histogram(self):
        x, weight = torch.tensor([0.1, 0.5, 0.9, 1.0]), torch.tensor([1.0, 2.0, 3.0, 4.0])
        hist, edges = torch.histogram(x, 2, range=(0.0, 1.0), weight=weight)
        assert listed(hist, edges) == [[1, 9], [0, 0.5, 1]]
        hist, _ = torch.histogram(x, torch.tensor([0.0, 0.5, 2.5]), density=True)
        assert hist.tolist() == [0.5, 0.375]
        with pytest.raises(RuntimeError, match="bins must be > 0"):
            torch.histogram(x, 0)

    def test_bincount(self):
        assert torch.bincount(torch.tensor([1, 3, 1]), minlength=6).tolist() == [0, 2, 0, 1, 0, 0]
        assert torch.bincount(torch.tensor([1, 3, 1]), torch.tensor([0.5, 1.0, 2.0])).tolist() == [0, 2.5, 0, 1]
        assert torch.bincount(torch.tensor([1]), torch.tensor([3])).dtype is torch.float64
        for wrong in (torch.tensor([-1]), torch.tensor([[1]])):
            with pytest.raises(RuntimeError, match="1-d non-negative integral"):
                torch.bincount(wrong)
