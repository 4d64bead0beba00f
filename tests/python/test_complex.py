"""Complex numbers: the parts as views, gradients in PyTorch's convention, functions against Python's cmath."""

import cmath
import itertools

import pytest

import pywasmtorch as torch

POINTS = [complex(a, b) for a, b in itertools.product((0.0, 1e-9, 0.5, -1.0, 2.5, -30.0), (0.0, 1e-9, -0.7, 1.0, 30.0))]


def test_writing_to_the_parts_reaches_the_whole_and_its_gradient():
    x = torch.tensor([[1 + 2j, 3 - 1j], [0.5 + 0.25j, 2j]], dtype=torch.complex128, requires_grad=True)
    y = x * (1 + 1j)
    y.real.mul_(3)
    y.imag[0] = 7.0
    torch.view_as_real(y)[1, 0, 1].mul_(2)
    (y * y.conj()).real.sum().backward()
    assert x.grad.tolist() == [[-18 + 18j, 72 - 72j], [10.5 + 1.5j, -32 + 40j]]


def test_writing_to_a_complex_view_reaches_its_real_base():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    base = x * 2
    view = torch.view_as_complex(base)
    view.mul_(1 + 2j)
    view[0] = 3j
    assert base.tolist() == [[0, 3], [-10, 20]]
    (base * base).sum().backward()
    assert x.grad.tolist() == [[0, 0], [120, 160]]


def test_a_part_knows_that_its_base_changed():
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    y = x * 1
    part = y.real
    y.mul_(2j)
    assert part.tolist() == [-4, 2] and part._version == 1
    (part * part).sum().backward()
    assert x.grad.tolist() == [16j, -8j]


def test_parts_can_be_assigned():
    x = torch.tensor([1 + 2j, 3 - 1j])
    x.real = torch.tensor([5.0, 6.0])
    x.imag = 1
    assert x.tolist() == [5 + 1j, 6 + 1j]
    whole = torch.tensor([1.0])
    assert whole.real is whole
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        torch.imag(whole)


@pytest.mark.parametrize("sizes, message", [
    ((3,), "last dimension of size 2"), ((), "one or more dimensions"), ((2, 2), "last dimension with stride 1"),
])
def test_what_is_no_pair_of_parts_is_refused(sizes, message):
    with pytest.raises(RuntimeError, match=message):
        torch.view_as_complex(torch.ones(sizes).T if len(sizes) == 2 else torch.ones(sizes))


def test_parts_of_different_dtypes_are_refused():
    with pytest.raises(RuntimeError, match="Expected both inputs to be Half, Float or Double tensors but got Long and Float"):
        torch.complex(torch.tensor([1]), torch.tensor([1.0]))
    with pytest.raises(RuntimeError, match="Expected object of scalar type Float but got scalar type Double for second argument"):
        torch.polar(torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float64))


@pytest.mark.parametrize("name", "tan asin acos atan sinh cosh tanh asinh acosh atanh exp log sqrt sin cos".split())
def test_functions_agree_with_cmath(name):
    reference = getattr(cmath, {"asin": "asin"}.get(name, name))
    points = [z for z in POINTS if not (name in ("log", "atanh") and z in (0, -1)) and not (name == "atan" and z in (1j,))]
    found = getattr(torch, name)(torch.tensor(points, dtype=torch.complex128)).tolist()
    for point, value in zip(points, found):
        assert cmath.isclose(value, reference(point), rel_tol=1e-13, abs_tol=1e-17), point


@pytest.mark.parametrize("name", "tan asin acos atan sinh cosh tanh asinh acosh atanh exp2 expm1 log2 log10 log1p sigmoid sinc sgn angle".split())
def test_gradients_of_functions(name):
    x = torch.tensor([0.3 + 0.4j, -0.6 + 0.2j, 0.1 - 0.8j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(getattr(torch, name), (x,))
    assert torch.autograd.gradgradcheck(getattr(torch, name), (x,))


def test_gradients_of_mixed_real_and_complex_inputs():
    real = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    whole = torch.tensor([0.5 + 1j, 2j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: a * b, (real, whole))
    assert torch.autograd.gradcheck(torch.complex, (real, real.detach().clone().requires_grad_()))
    assert torch.autograd.gradcheck(torch.polar, (real.detach().abs().requires_grad_(), real))
    assert torch.autograd.gradcheck(lambda a, b: torch.pow(a.abs(), b), (real, whole))
