"""transpose_, squeeze_, t_ and others with history and views, long lists, ranges of integers, ties of overlapping memory."""

import pytest

import pywasmtorch as torch


def leaf():
    return torch.arange(6.0).reshape(2, 3).requires_grad_()


def test_gradient_flows_through_a_transposed_result_and_its_older_view():
    x = leaf()
    y = x * 2
    row = y[0]
    assert y.t_() is y and y.shape == (3, 2) and y.stride() == (1, 3) and y._version == 1
    (y * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0, 4, 8], [2, 6, 10]]
    assert row.grad_fn.name() == "AsStridedBackward0"


def test_writing_to_a_view_that_was_transposed():
    x = leaf()
    y = x * 2
    view = y[:, 1:]
    view.transpose_(0, 1).mul_(3.0)
    (y * torch.arange(6.0).reshape(2, 3)).sum().backward()
    assert x.grad.tolist() == [[0, 6, 12], [6, 24, 30]]


def test_writing_to_an_older_view_of_a_strided_result():
    x = leaf()
    y = x * 2
    row = y[0]
    y.as_strided_((3, 2), (1, 3))
    row.mul_(10)
    y.sum().backward()
    assert x.grad.tolist() == [[20, 20, 20], [2, 2, 2]]


def test_refusals_of_shapes_in_place():
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        leaf().t_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        leaf()[0].unsqueeze_(0)
    x = leaf()
    y = x * 2
    z = y * y
    y.unsqueeze_(0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    x = leaf()
    with torch.no_grad():
        x.squeeze_().swapaxes_(0, 1)
    (x * x).sum().backward()
    assert x.is_leaf and x.grad.shape == (3, 2)


def test_reflected_subtraction_has_torchs_node():
    assert (1 - leaf()).grad_fn.name() == "RsubBackward1"


def test_lists_longer_than_a_frame():
    parts = [torch.tensor([1.0])] * 65600
    assert torch.cat(parts).sum().item() == 65600
    assert torch.stack(parts, 1).shape == (1, 65600)
    with pytest.raises(RuntimeError, match="at most 16 dimensions"):
        torch.zeros(1).reshape([1] * 65600)


def test_ranges_of_integers_from_floats():
    assert torch.arange(0.0, -8.000001, -4.0, dtype=torch.int64).tolist() == [0, -4]
    assert torch.arange(5, 1, -1.5, dtype=torch.int32).tolist() == [5, 4, 3]
    assert torch.linspace(4.3, -3, 5, dtype=torch.int64).tolist() == [4, 2, 0, -1, -3]
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.linspace(300, 2, 3, dtype=torch.uint8)


def test_out_that_shares_memory_is_refused_before_it_is_resized():
    x = torch.arange(6.0).reshape(2, 3)
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.add(x, x, out=x.t())
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_lerp_by_a_number_has_an_exact_gradient():
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    torch.lerp(x, torch.ones(2, dtype=torch.float64), 0.4).sum().backward()
    assert x.grad.tolist() == [0.6, 0.6]


def test_frexp_of_special_values():
    mantissa, exponent = torch.frexp(torch.tensor([0.0, 3.5, -1e-45, float("inf")]))
    assert mantissa.tolist() == [0, 0.875, -0.5, float("inf")] and exponent.tolist() == [0, 2, -148, 0]
    with pytest.raises(RuntimeError, match="floating-point"):
        torch.frexp(torch.tensor([1]))


def test_unravel_index_and_histogramdd():
    rows, columns = torch.unravel_index(torch.tensor([5, 7]), (2, 4))
    assert rows.tolist() == [1, 1] and columns.tolist() == [1, 3]
    points = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.25, 0.9], [2.0, 0.5]])
    hist, edges = torch.histogramdd(points, 2, range=[0.0, 1.0, 0.0, 1.0])
    assert hist.tolist() == [[1, 1], [0, 1]] and edges[0].tolist() == [0, 0.5, 1]
