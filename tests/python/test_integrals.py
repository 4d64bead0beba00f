"""The trapezoidal rule: which dimension of the places belongs to which of the samples."""

import pytest

import pywasmtorch as torch


def test_places_of_more_dimensions():
    """`dim` counts in the samples, also where the places have more dimensions."""
    assert torch.trapezoid(torch.ones(2), torch.ones(3, 4, 5, 2)).shape == (4, 5, 2)
    x = torch.arange(6.0).reshape(2, 3) ** 2
    assert torch.trapezoid(torch.tensor([1.0, 2.0]), x).tolist() == [13.5, 22.5, 31.5]
    y = torch.tensor([[1.0, 2.0, 4.0]])
    assert torch.trapezoid(y, x).tolist() == [10.5, 37.5]
    assert torch.cumulative_trapezoid(y, x).tolist() == [[1.5, 10.5], [10.5, 37.5]]


def test_places_of_fewer_dimensions():
    y = torch.arange(24.0).reshape(2, 3, 4)
    x = torch.tensor([[0.0], [1.0], [3.0]])
    assert torch.trapezoid(y, x, dim=1).tolist() == [[14, 17, 20, 23], [50, 53, 56, 59]]
    assert torch.trapezoid(y, torch.tensor([0.0, 1.0, 3.0]), dim=1).equal(torch.trapezoid(y, x, dim=-2))


def test_without_samples_or_dimensions():
    assert torch.trapezoid(torch.ones(2, 0)).tolist() == [0, 0] and torch.trapezoid(torch.ones(2, 1)).tolist() == [0, 0]
    assert torch.cumulative_trapezoid(torch.ones(2, 0)).shape == (2, 0)
    for function in (torch.trapezoid, torch.cumulative_trapezoid):
        with pytest.raises(IndexError, match="dim"):
            function(torch.tensor(1.0))
        with pytest.raises(IndexError, match="Dimension out of range"):
            function(torch.ones(3), dim=1)
        with pytest.raises(RuntimeError, match="bool"):
            function(torch.tensor([True, False]))
        with pytest.raises(RuntimeError, match="one `x` value for each sample point"):
            function(torch.ones(3), torch.ones(2))
