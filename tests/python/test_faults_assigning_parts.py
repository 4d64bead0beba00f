"""A part of a tensor assigned to the tensor itself; `Tensor.new` of sizes."""

import pytest

import pywasmtorch as torch


def table():
    return torch.arange(6.0).reshape(3, 2)


ASSIGNED = {
    "a row its element": (0, lambda t: t[0][1], [[1, 1], [2, 3], [4, 5]]),
    "all a row": (Ellipsis, lambda t: t[2], [[4, 5], [4, 5], [4, 5]]),
    "a full slice": (slice(None), lambda t: t[2], [[4, 5], [4, 5], [4, 5]]),
    "a row of one more dimension": (0, lambda t: t[0:1, 1:2], [[1, 1], [2, 3], [4, 5]]),
    "a mask an element": (torch.tensor([True, False, True]), lambda t: t[0, 1], [[1, 1], [2, 3], [1, 1]]),
    "a mask of elements": (torch.arange(6).reshape(3, 2) > 2, lambda t: t[0, 1], [[0, 1], [2, 1], [1, 1]]),
    "a mask of columns": ((slice(None), torch.tensor([True, False])), lambda t: t[1, 1], [[3, 1], [3, 3], [3, 5]]),
    "another row": (1, lambda t: t[0], [[0, 1], [0, 1], [4, 5]]),
    "a column": ((slice(None), 0), lambda t: t[:, 1], [[1, 1], [3, 3], [5, 5]]),
    "itself": (0, lambda t: t[0], [[0, 1], [2, 3], [4, 5]]),
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_a_part_that_is_repeated_may_lie_where_it_is_written(name):
    index, part, expected = ASSIGNED[name]
    t = table()
    t[index] = part(t)
    assert t.tolist() == expected


def test_a_vector_its_own_element():
    t = torch.arange(6.0)
    t[1:5] = t[3]
    assert t.tolist() == [0, 3, 3, 3, 3, 5]
    t = torch.arange(6.0)
    t[1:5] = t[1:2]
    assert t.tolist() == [0, 1, 1, 1, 1, 5]


def test_gradients_of_such_assignments():
    t = torch.arange(6.0, requires_grad=True)
    u = (t * 1).reshape(3, 2)
    u[0] = u[0][1]
    u.sum().backward()
    assert t.grad.tolist() == [0, 2, 1, 1, 1, 1]
    t = torch.arange(6.0, requires_grad=True)
    u = (t * 1).reshape(3, 2)
    u[...] = u[2]
    (u * table()).sum().backward()
    assert t.grad.tolist() == [0, 0, 0, 0, 6, 9]


@pytest.mark.parametrize(
    "assign",
    [
        lambda t: t.copy_(t[0]), lambda t: t[:2].copy_(t[1:]), lambda t: t.__setitem__(slice(2), t[1:]), lambda t: t.__setitem__(torch.tensor([0, 1]), t[0, 1]),
        lambda t: t.add_(t[0]),
    ],
)
def test_what_torch_refuses(assign):
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single memory location"):
        assign(table())


def test_assigning_what_does_not_fit():
    with pytest.raises(RuntimeError, match=r"The expanded size of the tensor \(4\) must match the existing size \(3\)"):
        torch.arange(6.0)[1:5] = torch.ones(3)


def test_new_of_sizes():
    x = torch.ones(2)
    assert x.new(torch.Size([3, 4])).shape == (3, 4) and x.new(torch.Size([])).shape == () and x.new(torch.ones(3).shape).shape == (3,)
    assert x.new(3, 4).shape == x.new(size=(3, 4)).shape == (3, 4) and x.new().shape == (0,) and x.new(2, device="cpu").shape == (2,)
    assert x.new([3, 4]).tolist() == x.new((3, 4)).tolist() == [3.0, 4.0]


def test_new_of_a_tensor_shares_its_memory():
    y = torch.arange(3.0)
    z = torch.ones(2).new(y)
    z[0] = 5
    assert y.tolist() == [5, 1, 2]
    assert torch.ones(2).new(y.untyped_storage()).tolist() == [5, 1, 2]
    with pytest.raises(TypeError):
        torch.ones(2).new(torch.tensor([1]))


@pytest.mark.parametrize("data", [3.5, True, 1j])
def test_new_of_one_number(data):
    with pytest.raises(TypeError, match=r"new\(\): data must be a sequence"):
        torch.ones(2).new(data)
