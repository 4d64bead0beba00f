"""Places of triangles and of combinations: counted before they are made."""

import itertools

import pytest

import pywasmtorch as torch


def here(request):
    return request.config.getoption("--target") != "torch"


@pytest.mark.parametrize("upper", [False, True])
def test_small_triangles(upper):
    indices = torch.triu_indices if upper else torch.tril_indices
    for rows, columns, offset in itertools.product(range(5), range(5), range(-7, 8)):
        wanted = [[i, j] for i in range(rows) for j in range(columns) if (j - i >= offset if upper else j - i <= offset)]
        assert indices(rows, columns, offset).t().tolist() == wanted


def test_corners_of_huge_triangles():
    n = 2**20
    assert torch.triu_indices(n, n, n - 2).tolist() == [[0, 0, 1], [n - 2, n - 1, n - 1]]
    assert torch.tril_indices(n, n, 2 - n).tolist() == [[n - 2, n - 1, n - 1], [0, 0, 1]]
    assert torch.triu_indices(2**31, 1).tolist() == [[0], [0]]
    assert torch.tril_indices(2**40, 0).shape == torch.triu_indices(0, 2**40).shape == torch.tril_indices(2**40, 2**40, -(2**40)).shape == (2, 0)


def test_offsets_beyond_every_size(request):
    most, least = 2**63 - 1, -(2**63)
    assert torch.tril_indices(2, 3, least + 1).shape == (2, 0) and torch.triu_indices(2, 3, 2**62).shape == (2, 0)
    assert torch.tril_indices(2, 3, 2**61).shape == (2, 6)
    if here(request):  # PyTorch counts beyond 64 bits
        assert torch.triu_indices(2, 3, most).shape == (2, 0) and torch.triu_indices(2, 3, least).shape == (2, 6)
        assert torch.tril_indices(2, 3, most).shape == (2, 6) and torch.tril_indices(2, 3, least).shape == (2, 0)


@pytest.mark.parametrize("sizes", [(2**31, 2**31), (2**62, 2**62), (2**63 - 1, 2**63 - 1)])
@pytest.mark.parametrize("name", ["triu_indices", "tril_indices"])
def test_triangles_too_large(sizes, name):
    with pytest.raises((RuntimeError, MemoryError)):
        getattr(torch, name)(*sizes)


def test_dtypes_and_sizes_of_triangles():
    assert torch.tril_indices(2, 2, dtype=torch.int32).dtype == torch.int32
    for kind in (torch.float32, torch.uint8, torch.int16):
        with pytest.raises(NotImplementedError, match="tril_indices"):
            torch.tril_indices(2, 2, dtype=kind)
    for sizes in ((-1, 3), (3, -1)):
        with pytest.raises(RuntimeError, match="must be non-negative"):
            torch.triu_indices(*sizes)


@pytest.mark.parametrize("repeated", [False, True])
def test_small_combinations(repeated):
    plain = itertools.combinations_with_replacement if repeated else itertools.combinations
    for n, r in itertools.product(range(6), range(1, 6)):
        got = torch.combinations(torch.arange(n) * 10, r, repeated)
        assert got.tolist() == [[10 * i for i in row] for row in plain(range(n), r)] and got.shape[1] == r
    assert torch.combinations(torch.arange(3), 0, repeated).shape == (0,)


def test_gradient_of_combinations():
    x = torch.arange(5.0, requires_grad=True)
    torch.combinations(x, 3).sum().backward()
    assert x.grad.tolist() == [6] * 5


def test_too_many_combinations():
    for x, r, repeated in ((torch.ones(100), 50, False), (torch.ones(3), 2**61, True), (torch.ones(200), 100, True), (torch.ones(100_000), 4, False)):
        with pytest.raises((RuntimeError, MemoryError)):
            torch.combinations(x, r, repeated)
    with pytest.raises(RuntimeError, match="non-negative number, but got -1"):
        torch.combinations(torch.ones(3), -1)
    with pytest.raises(RuntimeError, match="1D vector"):
        torch.combinations(torch.ones(3, 3))
