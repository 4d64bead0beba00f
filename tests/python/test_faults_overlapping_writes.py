"""Writes where several elements share memory, and where what is read shares memory with what is written."""

import warnings

import pytest

import pywasmtorch as torch

SEVERAL = "more than one element of the written-to tensor refers to a single memory location"
SHARED = "some elements of the input tensor and the written-to tensor refer to a single memory location"


def rows():
    return torch.zeros(3, 1).expand(3, 3)


def columns():
    return torch.zeros(1, 3).expand(3, 3)


def windows():
    return torch.zeros(4).unfold(0, 2, 1)


def put(index, value):
    def write(a):
        a[index] = value

    return write


WRITES = {  # in-place operator, what it leaves in three rows of one element each, in three columns of one, and its name in the warning
    "index": (put(torch.tensor([0]), 5.0), [[5, 5, 5], [0, 0, 0], [0, 0, 0]], [[5, 5, 5]] * 3, "index_put_"),
    "two indices": (put((torch.tensor([0]), torch.tensor([1])), 5.0), [[5, 5, 5], [0, 0, 0], [0, 0, 0]], [[0, 5, 0]] * 3, "index_put_"),
    "in order": (put((torch.tensor([0, 0]), torch.tensor([1, 0])), torch.tensor([1.0, 2.0])), [[2, 2, 2], [0, 0, 0], [0, 0, 0]], [[2, 1, 0]] * 3, "index_put_"),
    "mask": (put(torch.eye(3) > 0, 5.0), [[5, 5, 5]] * 3, [[5, 5, 5]] * 3, "index_put_"),
    "accumulate": (lambda a: a.index_put_((torch.tensor([0, 1]), torch.tensor([0, 1])), torch.tensor([5.0, 6.0]), accumulate=True),
                   [[5, 5, 5], [6, 6, 6], [0, 0, 0]], [[5, 6, 0]] * 3, "index_put_"),
    "masked_fill_": (lambda a: a.masked_fill_(torch.tensor([True, False, False]), 5.0), [[5, 5, 5]] * 3, [[5, 0, 0]] * 3, "masked_fill_"),
    "masked_fill_ with a tensor": (lambda a: a.masked_fill_(torch.tensor([True, False, False]), torch.tensor(5)), [[5, 5, 5]] * 3, [[5, 0, 0]] * 3, "masked_fill_"),
    "index_fill_": (lambda a: a.index_fill_(1, torch.tensor([-1]), 5.0), [[5, 5, 5]] * 3, [[0, 0, 5]] * 3, "index_fill_"),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_to_expanded_tensors_arrive_and_warn(name):
    write, in_rows, in_columns, operator = WRITES[name]
    for make, expected in ((rows, in_rows), (columns, in_columns)):
        a = make()
        with pytest.warns(UserWarning, match=f"Use of {operator} on expanded tensors is deprecated"):
            write(a)
        assert a.tolist() == expected


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.complex128])
def test_every_width_of_elements(dtype):
    a = torch.zeros(1, dtype=dtype).expand(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a[torch.tensor([0, 2])] = torch.tensor([0, 1]).to(dtype)
        assert a.tolist() == torch.ones(3, dtype=dtype).tolist()
        a.masked_fill_(torch.tensor([False, True, False]), False)
    assert a.tolist() == torch.zeros(3, dtype=dtype).tolist()


def test_writes_to_windows_arrive_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a = windows()
        a[torch.tensor([0])] = 5.0
        assert a.tolist() == [[5, 5], [5, 0], [0, 0]]
        assert windows().index_fill_(1, torch.tensor([0]), 4.0).tolist() == [[4, 4], [4, 4], [4, 0]]
        assert windows().masked_fill_(torch.tensor([[True, False]]), 4.0).tolist() == [[4, 4], [4, 4], [4, 0]]


def test_triangles_of_expanded_tensors():
    ones = torch.ones
    assert ones(3, 1).expand(3, 3).tril_().tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    assert ones(1, 3).expand(3, 3).tril_().tolist() == [[1, 0, 0]] * 3
    assert ones(3, 1).expand(3, 3).triu_().tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert ones(1, 3, 3).expand(2, 3, 3).triu_(1).tolist() == [[[0, 1, 1], [0, 0, 1], [0, 0, 0]]] * 2
    assert ones(5).as_strided((3, 3), (1, 1)).tril_().tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_what_writes_one_value_needs_no_clone():
    assert torch.zeros(1).expand(3).fill_(2).tolist() == [2, 2, 2]
    assert torch.ones(1).expand(3).zero_().tolist() == [0, 0, 0]
    assert torch.nn.functional.threshold(torch.arange(3.0).expand(2, 3), 1, 5, inplace=True).tolist() == [[5, 5, 2]] * 2


@pytest.mark.parametrize(
    "write",
    [
        put(slice(None), 5.0), put(Ellipsis, torch.tensor([1.0, 2.0, 3.0])),
        lambda a: a.add_(1), lambda a: a.copy_(torch.ones(3, 3)), lambda a: a.index_add_(0, torch.tensor([0]), torch.ones(1, 3)),
        lambda a: a.index_copy_(0, torch.tensor([0]), torch.ones(1, 3)), lambda a: a.scatter_(0, torch.zeros(1, 3, dtype=torch.int64), 1.0),
        lambda a: a.masked_scatter_(a == 0, torch.ones(9)), lambda a: torch.add(torch.ones(3, 3), 1, out=a),
    ],
)
def test_what_torch_refuses_on_expanded_tensors(write):
    with pytest.raises(RuntimeError, match=SEVERAL):
        write(rows())


def test_one_element_of_an_expanded_tensor():
    a = torch.zeros(1).expand(3)
    a[1] = 5.0
    assert a.tolist() == [5, 5, 5]
    with pytest.raises(RuntimeError, match=SEVERAL):
        rows()[0] = 5.0


def test_no_gradient_passes_through_a_write_to_an_expanded_tensor():
    x = torch.ones(1, requires_grad=True)
    a = (x * 2).expand(3)
    with pytest.warns(UserWarning, match="Use of masked_fill_"):
        a.masked_fill_(torch.tensor([True, False, False]), 5.0)
    with pytest.raises(RuntimeError, match=SEVERAL):
        a.sum().backward()


def test_windows_see_what_those_before_them_wrote():
    assert windows().add_(1).tolist() == [[1, 2], [2, 2], [2, 1]]
    assert windows().add_(torch.ones(3, 2)).tolist() == [[1, 2], [2, 2], [2, 1]]
    assert torch.ones(4).unfold(0, 2, 1).neg_().tolist() == [[-1, 1], [1, 1], [1, -1]]
    a = torch.zeros(6).unfold(0, 4, 2)
    a += torch.arange(8.0).reshape(2, 4)
    assert a.tolist() == [[0, 1, 6, 8], [6, 8, 6, 7]]
    assert torch.zeros(3, 4).unfold(1, 2, 1).add_(1).tolist() == [[[1, 2], [2, 2], [2, 1]]] * 3
    assert torch.zeros(1000).unfold(0, 500, 100).add_(1).sum().item() == 11000


def indices():
    return torch.arange(3)


@pytest.mark.parametrize(
    "write",
    [
        lambda a, i: a.index_add_(0, torch.tensor([0]), a[1:2]), lambda a, i: a.index_copy_(0, torch.tensor([0]), a[1:2]),
        lambda a, i: a.scatter_(0, i, a), lambda a, i: a.scatter_add_(0, i, a), lambda a, i: a[:2].scatter_add_(0, i[:2], a[1:]),
        lambda a, i: a.scatter_(0, i, a, reduce="add"), lambda a, i: i.scatter_(0, i, 5), lambda a, i: i.index_fill_(0, i, 5),
        lambda a, i: i.index_add_(0, i, torch.ones(3, dtype=torch.int64)), lambda a, i: i.index_copy_(0, i, torch.ones(3, dtype=torch.int64)),
        lambda a, i: a.index_put_((i,), a), lambda a, i: put(i, 5)(i), lambda a, i: a.put_(i, a), lambda a, i: a.scatter_reduce_(0, i, a, "sum"),
        lambda a, i: (b := torch.tensor([True, False, True]))[1:].masked_fill_(b[:2], False),
    ],
)
def test_what_is_read_lies_outside_of_what_is_written(write):
    with pytest.raises(RuntimeError, match=SHARED):
        write(torch.arange(3.0), indices())


def test_what_is_read_may_lie_beside_what_is_written():
    a = torch.ones(4)
    a[:2].scatter_add_(0, torch.tensor([0, 1]), a[2:])
    assert a.tolist() == [2, 2, 1, 1]
    mask = torch.tensor([True, False])
    assert mask.masked_fill_(mask, False).tolist() == [False, False]
    a = torch.arange(3.0)
    assert a.scatter(0, indices(), a).tolist() == [0, 1, 2]
