"""Names that packages take for granted on their way to what they do."""

import pytest

import pywasmtorch as torch
from pywasmtorch import nn


def test_dlpack_has_its_module():
    from pywasmtorch.utils import dlpack

    x = torch.arange(6).reshape(2, 3)
    assert torch.equal(dlpack.from_dlpack(x), x)
    assert torch.utils.dlpack is dlpack


def test_the_module_holds_itself_and_what_private_names_give():
    assert torch.torch is torch
    assert torch._C.Generator is torch.Generator
    assert not torch._subclasses.fake_tensor.is_fake(torch.ones(1))
    with torch._tensor_str.printoptions(precision=2):
        assert str(torch.ones(1)) == "tensor([1.])" and torch._tensor_str.PRINT_OPTS.precision == torch._tensor_str.get_printoptions()["precision"] == 2
    assert torch._tensor_str.PRINT_OPTS.precision == 4
    assert torch.return_types.max is type(torch.max(torch.ones(2), 0))


def test_unsigned_dtypes_are_keys():
    sizes = {torch.uint8: 1, torch.uint16: 2, torch.uint32: 4, torch.uint64: 8}
    assert [kind.itemsize for kind in sizes] == list(sizes.values())
    assert [str(kind) for kind in sizes][1:] == ["torch.uint16", "torch.uint32", "torch.uint64"]
    assert torch.iinfo(torch.uint16).max == 65535 and not torch.uint64.is_signed and torch.bfloat16.is_signed
    assert torch.uint16 != torch.ones(1).dtype


@pytest.mark.parametrize("make", [
    lambda kind: torch.zeros(2, dtype=kind), lambda kind: torch.tensor([1], dtype=kind), lambda kind: torch.ones(2).to(kind), lambda kind: torch.empty(2, dtype=kind),
])  # fmt: skip
def test_dtypes_that_are_names_alone_are_refused_by_name(make, request):
    if request.config.getoption("--target") == "torch":
        assert torch.uint3.itemsize == 1
        return
    with pytest.raises(NotImplementedError, match="pywasmtorch has no tensors of torch.uint3"):
        make(torch.uint3)


def test_a_parameter_gives_its_array_where_no_gradient_is_recorded():
    numpy = pytest.importorskip("numpy")
    parameter = nn.Parameter(torch.tensor([1.0, 2.0]))
    with torch.no_grad():
        assert parameter.numpy().tolist() == [1, 2]
        assert numpy.asarray(parameter).tolist() == [1, 2]
    with torch.inference_mode():
        assert parameter.numpy().tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="requires grad"):
        parameter.numpy()


def test_nothing_is_a_script_module_but_what_says_so():
    assert not isinstance(nn.Sequential(), torch.jit.ScriptModule)

    class Scripted(torch.jit.ScriptModule):
        pass

    assert isinstance(Scripted(), torch.jit.ScriptModule) and isinstance(Scripted(), nn.Module)


def test_embedding_may_be_sparse_where_no_gradient_is_recorded():
    weight = torch.arange(6.0).reshape(3, 2)
    assert nn.functional.embedding(torch.tensor([2, 0]), weight, sparse=True).tolist() == [[4, 5], [0, 1]]
    assert nn.functional.embedding_bag(torch.tensor([[2, 0]]), weight, mode="sum", sparse=True).tolist() == [[4, 6]]
    with torch.no_grad():
        assert nn.Embedding(3, 2, sparse=True)(torch.tensor([1])).shape == (1, 2)
