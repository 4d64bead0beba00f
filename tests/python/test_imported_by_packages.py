"""Names that graph networks and trainers import: what works gives PyTorch's values, what is not here says so when it is used."""

import pytest

import pywasmtorch as torch
from pywasmtorch._compat.absent import find
from pywasmtorch._compat.torch_private._tensor_str import _tensor_str
from pywasmtorch.utils.data import functional_datapipe

aten = torch.ops.aten


def test_operators_of_aten():
    x = torch.arange(4.0)
    alias = aten.alias.default(x)
    alias[0] = 5
    assert x.tolist() == [5, 1, 2, 3] and alias is not x
    product = aten._sparse_addmm.default(torch.ones(2, 2), torch.tensor([[1.0, 0.0], [0.0, 2.0]]).to_sparse(), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), beta=2, alpha=3)
    assert product.tolist() == [[5, 8], [20, 26]]
    with pytest.raises(NotImplementedError, match="_sparse_mm_reduce_impl"):
        aten._sparse_mm_reduce_impl.default(x, x, "mean")


def test_what_stands_between_the_brackets():
    x = torch.arange(6).view(2, 3)
    assert _tensor_str(x, 0) == "[[0, 1, 2],\n [3, 4, 5]]"
    assert _tensor_str(x, 8) == "[[0, 1, 2],\n         [3, 4, 5]]"
    assert _tensor_str(torch.tensor([1.5]), 0) == "[1.5000]"


def test_a_data_pipe_can_be_declared_and_not_made():
    @functional_datapipe("batch_graphs")
    class Batcher:
        def __init__(self, source):
            self.source = source

    class Derived(Batcher):
        pass

    for kind in (Batcher, Derived):
        with pytest.raises(NotImplementedError, match=rf"torch.utils.data.functional_datapipe, which {kind.__name__} \('batch_graphs'\)"):
            kind([1])


def test_a_function_under_an_absent_decorator_refuses_when_it_is_called():
    gathered = find("torch.distributed.rpc.api", "_require_initialized")(lambda: 1)
    with pytest.raises(NotImplementedError, match="torch.distributed.rpc.api._require_initialized"):
        gathered()


def test_an_absent_function_of_nn_functional_is_named():
    with pytest.raises(AttributeError, match="pywasmtorch has no torch.nn.functional.foo"):
        torch.nn.functional.foo  # noqa: B018
