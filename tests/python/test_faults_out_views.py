"""`out=` into views that are not contiguous: nothing outside of them changes. What has its size already keeps its strides."""

import warnings

import pytest

import pywasmtorch as torch


def target(dtype=torch.float32):
    """A view of two by two elements, and the whole that it lies in."""
    whole = torch.full((3, 5), -1.0).to(dtype)
    return whole[:2].narrow(1, 1, 2), whole


def inside(whole):
    """The elements of the view; fails where one outside of it changed."""
    outside = torch.ones(3, 5, dtype=torch.bool)
    outside[:2, 1:3] = False
    assert (whole[outside] == -1).all()
    return whole[:2, 1:3].tolist()


FILLED = {
    "zeros": (lambda o: torch.zeros(2, 2, out=o), [[0, 0], [0, 0]]),
    "ones": (lambda o: torch.ones((2, 2), out=o), [[1, 1], [1, 1]]),
    "full": (lambda o: torch.full((2, 2), 7.0, out=o), [[7, 7], [7, 7]]),
    "empty": (lambda o: torch.empty(2, 2, out=o), [[-1, -1], [-1, -1]]),
    "eye": (lambda o: torch.eye(2, out=o), [[1, 0], [0, 1]]),
    "arange": (lambda o: torch.arange(0, 4, out=o), [[0, 1], [2, 3]]),
    "arange of floats": (lambda o: torch.arange(4.0, out=o), [[0, 1], [2, 3]]),
    "linspace": (lambda o: torch.linspace(0, 3, 4, out=o), [[0, 1], [2, 3]]),
    "logspace": (lambda o: torch.logspace(0, 3, 4, out=o), [[1, 10], [100, 1000]]),
    "rfftfreq": (lambda o: torch.fft.rfftfreq(6, 1 / 6, out=o), [[0, 1], [2, 3]]),
    "normal": (lambda o: torch.normal(2.0, 0.0, (2, 2), out=o), [[2, 2], [2, 2]]),
    "randint": (lambda o: torch.randint(3, 4, (2, 2), out=o), [[3, 3], [3, 3]]),
    "add": (lambda o: torch.add(torch.eye(2), 1, out=o), [[2, 1], [1, 2]]),
    "cat": (lambda o: torch.cat([torch.ones(1, 2), torch.zeros(1, 2)], out=o), [[1, 1], [0, 0]]),
    "sum": (lambda o: torch.sum(torch.ones(2, 2, 3), 2, out=o), [[3, 3], [3, 3]]),
    "mm": (lambda o: torch.mm(torch.ones(2, 2), torch.eye(2), out=o), [[1, 1], [1, 1]]),
    "gather": (lambda o: torch.gather(torch.eye(2), 0, torch.zeros(2, 2, dtype=torch.int64), out=o), [[1, 0], [1, 0]]),
}


@pytest.mark.parametrize("name", FILLED)
def test_only_the_view_is_written(name):
    write, expected = FILLED[name]
    out, whole = target()
    strides = out.stride()
    assert write(out) is out and out.shape == (2, 2) and out.stride() == strides
    torch.testing.assert_close(torch.tensor(inside(whole)), torch.tensor(expected, dtype=torch.float32))


@pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.float64])
def test_a_range_in_another_dtype(dtype):
    out, whole = target(dtype)
    torch.arange(4, out=out)
    assert inside(whole) == [[0, 1], [2, 3]]


def test_range_is_written_like_arange():
    out, whole = target()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.range(0, 3, out=out)
    assert inside(whole) == [[0, 1], [2, 3]]


def test_a_range_of_another_length_resizes_and_warns():
    out, _ = target()
    with pytest.warns(UserWarning, match=r"The number of elements in the out tensor of shape \[2, 2\] is 4"):
        torch.arange(5, out=out)
    assert out.tolist() == [0, 1, 2, 3, 4]
    assert torch.linspace(0, 2, 3, out=torch.empty(0)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda o, d: torch.zeros(2, 2, out=o, dtype=d), lambda o, d: torch.empty(2, 2, out=o, dtype=d), lambda o, d: torch.full((2, 2), 1, out=o, dtype=d),
        lambda o, d: torch.arange(4, out=o, dtype=d), lambda o, d: torch.linspace(0, 1, 4, out=o, dtype=d), lambda o, d: torch.logspace(0, 1, 4, out=o, dtype=d),
        lambda o, d: torch.eye(2, out=o, dtype=d), lambda o, d: torch.rand(2, 2, out=o, dtype=d), lambda o, d: torch.randint(2, (2, 2), out=o, dtype=d),
    ],
)
def test_the_dtype_is_outs_own(make):
    out, _ = target()
    make(out, torch.float32)
    with pytest.raises(RuntimeError, match=r"dtype Double does not match dtype of out parameter \(Float\)"):
        make(out, torch.float64)


def test_resizing_to_the_same_size_changes_nothing():
    x = torch.arange(6.0).reshape(2, 3).t()
    assert x.resize_(3, 2) is x and x.stride() == (1, 3) and x._version == 0
    assert torch.zeros(1).expand(3).resize_(3).tolist() == [0, 0, 0]
    assert x.resize_(2, 3).tolist() == [[0, 1, 2], [3, 4, 5]] and x._version == 1


def test_resizing_counts_as_a_change():
    x = torch.arange(6.0)
    y = x[1:]
    y.resize_(2, 2)
    assert (x._version, y._version) == (1, 1) and y.tolist() == [[1, 2], [3, 4]]
    x.resize_(0)
    assert x._version == 2
    x.resize_as_(torch.zeros(2))
    assert x._version == 3


def test_a_saved_tensor_that_was_resized_is_noticed():
    x = torch.arange(6.0, requires_grad=True)
    w = x * 2
    z = (w * w).sum()
    w.detach().resize_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_out_that_is_resized_counts_once():
    out = torch.empty(0)
    torch.add(torch.ones(3), 1, out=out)
    assert out._version == 1 and out.tolist() == [2, 2, 2]
