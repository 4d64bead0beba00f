"""Arguments that PyTorch takes and that it refuses: golden/recorded/arguments.txt holds calls and what PyTorch 2.13 gave."""

import pathlib
import warnings

import pytest
from golden.keyword_calls import argument_outcome

import pywasmtorch as torch
import pywasmtorch.nn.functional as F

RECORDED = pathlib.Path(__file__).parents[1] / "golden" / "recorded" / "arguments.txt"


def test_each_recorded_call_gives_what_pytorch_gave():
    lines = RECORDED.read_text().splitlines()
    assert len(lines) > 300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = [(call, outcome, found) for call, _, outcome in (line.rpartition(" -> ") for line in lines) if (found := argument_outcome(torch, call)) != outcome]
    assert not wrong


def test_edges_of_the_graph_stand_for_inputs_and_outputs():
    from pywasmtorch.autograd.graph import get_gradient_edge

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    (found,) = torch.autograd.grad((y * 3).sum(), get_gradient_edge(y), retain_graph=True)
    assert found.tolist() == [3, 3]
    of_y, of_x = torch.autograd.grad((y * 3).sum(), [get_gradient_edge(y), get_gradient_edge(x)], retain_graph=True)
    assert (of_y.tolist(), of_x.tolist()) == ([3, 3], [6, 12])
    parts = x.unbind()
    (found,) = torch.autograd.grad(parts[1] * 5, [get_gradient_edge(parts[1])], retain_graph=True)
    assert found.item() == 5
    (found,) = torch.autograd.grad([get_gradient_edge(y)], x, torch.tensor([1.0, 10.0]))
    assert found.tolist() == [2, 40]


def test_weights_of_other_ranks_and_numbers_of_other_kinds_in_the_array_api(request):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch's tensors have no array namespace")
    xp = torch.ones(1).__array_namespace__()
    a, b = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert xp.linalg.cross(a, b).tolist() == [[0, 0, 1], [0, -1, 0]]
    assert xp.linalg.cross(b, a).tolist() == [[0, 0, -1], [0, 1, 0]]
    with pytest.raises(IndexError, match="axis -2"):
        xp.linalg.cross(a, b, axis=-2)


def test_a_class_without_distributions_may_be_registered():
    class Other:
        pass

    register = torch.distributions.register_kl(torch.distributions.Normal, Other)
    assert register(len) is len
    with pytest.raises(TypeError):
        torch.distributions.register_kl(torch.distributions.Normal, 3)


@pytest.mark.parametrize("name", ["to_mkldnn", "q_scale", "record_stream"])
def test_absent_methods_say_so(name, request):
    if request.config.getoption("--target") == "torch":
        assert hasattr(torch.Tensor, name)
        return
    with pytest.raises(AttributeError) as caught:
        getattr(torch.ones(1), name)
    assert str(caught.value) == f"pywasmtorch has no torch.Tensor.{name}; see docs/differences.md"


def test_names_that_nobody_has_are_plain_errors():
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'nosuch'"):
        torch.ones(1).nosuch  # noqa: B018
    assert not hasattr(torch.ones(1), "nosuch") and getattr(torch.ones(1), "nosuch", 3) == 3


@pytest.mark.parametrize("call, text", [
    (lambda: F.leaky_relu(torch.ones(1), 1e300), "value cannot be converted to type float without overflow"),
    (lambda: torch.clamp(torch.ones(1, dtype=torch.int8), -200), "value cannot be converted to type int8_t without overflow"),
    (lambda: F.softshrink(torch.ones(1, dtype=torch.float16), 1e300), "lambda must be in range .0, 65504. for input dtype Half, but found 1e"),
    (lambda: F.cross_entropy(torch.tensor([0, 1]), torch.tensor([0, 1])), "Expected floating point type for target with class probabilities, got Long"),
    (lambda: torch.combinations(torch.ones(3), -1), "Expect a non-negative number, but got -1"),
    (lambda: torch.range(0, -1, 0), "step must be nonzero"),
    (lambda: F.cosine_similarity(torch.ones(2, 2), torch.ones(2, 2), eps=-1), "eps must be non-negative, got: -1"),
])  # fmt: skip
def test_errors_name_the_argument_and_its_value(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_flags_in_place_of_factors():
    whole, floats, flags = torch.ones(2, dtype=torch.int64), torch.ones(2), torch.tensor([True, False])
    for call in (lambda: torch.add(whole, 1, alpha=True), lambda: torch.sub(floats, floats, alpha=True), lambda: floats.add_(floats, alpha=True)):
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
            call()
    assert torch.add(flags, flags, alpha=True).tolist() == [True, False]


def test_triangles_whose_offset_is_huge_are_whole_or_empty():
    for offset in (2**63 - 1, 2**62):
        assert torch.triu_indices(3, 3, offset).shape == (2, 0) and torch.tril_indices(3, 3, offset).tolist() == torch.ones(3, 3).nonzero().T.tolist()
    assert torch.tril_indices(3, 3, -(2**63)).shape == (2, 0) and torch.triu_indices(3, 3, -(2**63)).shape == (2, 9)
