"""Sparse tensors beyond what `golden/cases/sparse.py` records."""

import copy

import pytest

import pywasmtorch as torch


def random_sparse(rows=7, cols=5, nnz=12, dtype=torch.float64):
    torch.manual_seed(1)
    index = torch.stack([torch.randint(0, rows, (nnz,)), torch.randint(0, cols, (nnz,))])
    return index, torch.randn(nnz, dtype=dtype), (rows, cols)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_derivatives_of_products(dtype):
    index, values, size = random_sparse(dtype=dtype)
    dense = torch.randn(5, 3, dtype=dtype, requires_grad=True)
    values.requires_grad_()

    def product(v, d):
        return torch.sparse.mm(torch.sparse_coo_tensor(index, v, size), d)

    assert torch.autograd.gradcheck(product, (values, dense))
    assert torch.autograd.gradgradcheck(product, (values, dense))


def test_derivatives_through_sparse_results():
    index, values, size = random_sparse()
    values.requires_grad_()
    other = torch.randn(7, 5, dtype=torch.float64).to_sparse()

    def made(v):
        return torch.sparse_coo_tensor(index, v, size)

    for function in (
        lambda v: torch.sparse.softmax(made(v), 1).to_dense(), lambda v: torch.sparse.log_softmax(made(v), 0).to_dense(), lambda v: torch.sparse.mm(made(v), made(v).t()).to_dense(),
        lambda v: (made(v) * other).to_dense(), lambda v: torch.sparse.sum(made(v), 1).to_dense(), lambda v: made(v).index_select(0, torch.tensor([2, 2, 6])).to_dense(), lambda v: torch.cat([made(v), made(v)]).to_dense(),
        lambda v: made(v).coalesce().values(), lambda v: made(v).to_sparse_csr().to_dense(), lambda v: (made(v) + other).to_dense(), lambda v: made(v)[3].to_dense(),
    ):  # fmt: skip
        assert torch.autograd.gradcheck(function, (values,))


def test_a_large_product_is_that_of_the_dense_matrix():
    index, values, size = random_sparse(300, 200, 4000)
    dense = torch.randn(200, 64, dtype=torch.float64)
    sparse = torch.sparse_coo_tensor(index, values, size)
    expected = torch.zeros(size, dtype=torch.float64).index_put((index[0], index[1]), values, accumulate=True)
    for made in (sparse, sparse.coalesce(), sparse.to_sparse_csr(), sparse.to_sparse_csc()):
        assert torch.allclose(made.to_dense(), expected)
        assert torch.allclose(made @ dense, expected @ dense)
    assert torch.allclose(torch.sparse.mm(sparse, sparse.t()).to_dense(), expected @ expected.T)


def test_indices_outside_of_the_size_are_found_where_they_are_used():
    sparse = torch.sparse_coo_tensor(torch.tensor([[0, 9], [0, 1]]), torch.ones(2), (2, 3))
    for use in (sparse.to_dense, sparse.coalesce, lambda: sparse @ torch.ones(3, 1), sparse.to_sparse_csr):
        with pytest.raises((RuntimeError, IndexError), match="found index 9|index 9 is out of bounds"):
            use()
    broken = torch.sparse_csr_tensor([0, 5, 2], [0, 1], [1.0, 2.0], (2, 2))
    with pytest.raises(RuntimeError, match="must not decrease|not satisfied"):
        broken.to_dense()


def test_what_is_absent_says_so_by_name():
    sparse = torch.eye(2).to_sparse()
    for use, name in (
        (lambda: torch.lgamma(sparse), "lgamma"), (lambda: torch.ones(2, 2).to_sparse_bsr((1, 1)), "to_sparse_bsr"),
        (lambda: torch.sparse_bsr_tensor([0], [0], [[[1.0]]]), "sparse_bsr_tensor"), (lambda: torch.sparse.mm(sparse, torch.ones(2, 2), reduce="mean"), "reduce='sum'"), (lambda: sparse[[0]], "indexes"),
        (lambda: torch.sparse_csr_tensor([[0, 1]], [[0]], [[1.0]]), "batches"), (lambda: sparse.register_hook(print), "hooks"), (lambda: sparse.fill_(2), "fills"),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError, match=name):
            use()
    with pytest.raises(AttributeError, match="pywasmtorch has no torch.sparse.to_sparse_semi_structured"):
        torch.sparse.to_sparse_semi_structured  # noqa: B018


def test_copies_are_apart():
    sparse = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2), requires_grad=True)
    twin = copy.deepcopy(sparse)
    with torch.no_grad():
        twin.mul_(3)
    assert twin.requires_grad and sparse.to_dense().tolist() == [[0, 1], [2, 0]] and twin.to_dense().tolist() == [[0, 3], [6, 0]]


def test_checking_is_a_mode():
    bad = (torch.tensor([[0, 5]]), torch.ones(2), (2,))
    with torch.sparse.check_sparse_tensor_invariants():
        assert torch.sparse.check_sparse_tensor_invariants.is_enabled()
        with pytest.raises(RuntimeError, match="found index 5"):
            torch.sparse_coo_tensor(*bad)
    assert torch.sparse_coo_tensor(*bad)._nnz() == 2


def test_hooks_refuse_sparse_gradients():
    weight = torch.nn.Parameter(torch.ones(3, 2))
    weight.register_hook(lambda grad: grad)
    rows = torch.nn.functional.embedding(torch.tensor([1]), weight, sparse=True)
    with pytest.raises(NotImplementedError, match="hooks"):
        rows.sum().backward()


def test_a_graph_network_learns():
    torch.manual_seed(0)
    edges = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 3], [1, 2, 0, 4, 5, 3, 2, 5]])
    both = torch.cat([edges, edges.flip(0)], 1)
    adjacency = torch.sparse_coo_tensor(both, torch.ones(both.shape[1]), (6, 6)).coalesce()
    degrees = torch.sparse.sum(adjacency, 1).to_dense()
    labels = torch.tensor([0, 0, 0, 1, 1, 1])
    table = torch.nn.Embedding(6, 8, sparse=True)
    out = torch.nn.Linear(8, 2)
    steps = [torch.optim.SparseAdam(table.parameters(), lr=0.05), torch.optim.Adam(out.parameters(), lr=0.05)]
    for _ in range(60):
        for optimizer in steps:
            optimizer.zero_grad()
        hidden = torch.relu(torch.sparse.mm(adjacency, table(torch.arange(6))) / degrees[:, None])
        loss = torch.nn.functional.cross_entropy(out(hidden), labels)
        loss.backward()
        for optimizer in steps:
            optimizer.step()
    assert loss.item() < 0.05
