"""*_copy and *_scatter of views; gradient, trapezoid and diff."""

import math

import pytest

import pywasmtorch as torch


def test_copies_share_no_memory():
    x = torch.arange(12.0).reshape(3, 4)
    for copy in (torch.t_copy(x), torch.expand_copy(x, (2, 3, 4)), torch.view_copy(x, (12,)), torch.select_copy(x, 0, 1), torch.alias_copy(x)):
        assert copy.is_contiguous()
        copy.zero_()
    for copy in (*torch.split_copy(x, 2), *torch.unbind_copy(x), *torch.split_with_sizes_copy(x, (1, 3), 1)):
        copy.zero_()
    assert x.equal(torch.arange(12.0).reshape(3, 4))


def test_scatters_say_which_sizes_differ():
    x = torch.zeros(3, 4)
    assert torch.slice_scatter(x, torch.ones(3, 2), 1, 0, 4, 2).tolist() == [[1, 0, 1, 0]] * 3
    with pytest.raises(RuntimeError, match="expected src to have a size equal to the slice of self"):
        torch.select_scatter(x, torch.ones(1, 3), 1, 0)
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.as_strided_scatter(x, torch.ones(2), (2,), (100,))
    narrow = torch.arange(12.0).reshape(3, 4)[:, 1:3]
    assert torch.as_strided_scatter(narrow, torch.tensor([-1.0, -2.0]), (2,), (4,), 2).tolist() == [[1, -1], [5, -2], [9, 10]]


def test_renorm_and_dist():
    x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    assert torch.allclose(torch.renorm(x, 2, 0, 1.0), torch.tensor([[0.6, 0.8], [0.3, 0.4]]))
    assert torch.dist(x, torch.zeros(2), math.inf).item() == 4
    with pytest.raises(RuntimeError, match="non-positive-norm"):
        x.renorm(0, 0, 1)


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_gradient_of_scatter_reduce_with_a_larger_source(reduce, include_self):
    x = torch.tensor([[2.0, 3.0, 5.0]], dtype=torch.float64, requires_grad=True)
    source = torch.tensor([[0.0, 7.0, 1.5, 4.0]], dtype=torch.float64, requires_grad=True)
    index = torch.tensor([[1, 1, 0]])
    assert torch.autograd.gradcheck(lambda a, b: torch.scatter_reduce(a, 1, index, b, reduce, include_self=include_self), (x, source))


def test_gradient_and_trapezoid_of_parabola():
    x = torch.tensor([0.0, 1.0, 3.0, 4.0, 7.0], dtype=torch.float64)
    (slope,) = torch.gradient(x * x, spacing=(x,), edge_order=2)
    assert torch.allclose(slope, 2 * x)
    assert torch.trapezoid(x, x).item() == 24.5
    assert torch.cumulative_trapezoid(x, x).tolist() == [0.5, 4.5, 8.0, 24.5]
    with pytest.raises(RuntimeError, match="edge_order"):
        torch.gradient(x, edge_order=3)


def test_tensor_split_by_tensors():
    x = torch.arange(7)
    assert [t.tolist() for t in torch.tensor_split(x, torch.tensor([1, 4]))] == [[0], [1, 2, 3], [4, 5, 6]]
    assert [t.numel() for t in x.tensor_split(torch.tensor(3))] == [3, 2, 2]
    with pytest.raises(RuntimeError, match="dtype of long"):
        torch.tensor_split(x, torch.tensor([1.0]))
