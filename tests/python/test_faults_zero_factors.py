"""beta = 0 reads nothing of what is added to, alpha = 0 nothing of the product: infinities and NaN there do not reach the sum."""

import pytest

import pywasmtorch as torch

inf, nan = float("inf"), float("nan")
KINDS = {"float32": torch.float32, "float64": torch.float64, "complex64": torch.complex64}
OPERATORS = {  # sizes of what is added to and of the factors
    "addmm": ((2, 2), (2, 3), (3, 2)),
    "addmv": ((2,), (2, 3), (3,)),
    "addbmm": ((2, 2), (4, 2, 3), (4, 3, 2)),
    "baddbmm": ((4, 20, 20), (4, 20, 20), (4, 20, 20)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OPERATORS)
def test_alpha_of_zero(name, kind):
    if name == "addmv" and kind == "complex64":
        pytest.skip("PyTorch's own complex addmv looks at its product")
    start, *factors = OPERATORS[name]
    start = torch.full(start, 2.0, dtype=KINDS[kind])
    for value in (inf, nan):
        a, b = torch.full(factors[0], value, dtype=KINDS[kind]), torch.ones(factors[1], dtype=KINDS[kind])
        for alpha in (0, 0.0, -0.0):
            assert getattr(torch, name)(start, a, b, alpha=alpha).eq(start).all()
            assert getattr(torch, name)(start, a, b, beta=3, alpha=alpha).eq(start * 3).all()
        assert getattr(torch, name)(start, a, b, alpha=0, out=torch.empty(0, dtype=KINDS[kind])).eq(start).all()
        assert getattr(start.clone(), f"{name}_")(a, b, alpha=0).eq(start).all()
        assert getattr(torch, name)(start * nan, a, b, beta=0, alpha=0).eq(0).all()


@pytest.mark.parametrize("kind", ["float16", "bfloat16", *KINDS])
@pytest.mark.parametrize("name", OPERATORS)
def test_beta_of_zero(name, kind):
    start, *factors = OPERATORS[name]
    kind = getattr(torch, kind)
    a, b = (torch.ones(size, dtype=kind) for size in factors)
    result = getattr(torch, name)(torch.full(start, nan, dtype=kind), a, b, beta=0)
    assert result.eq(a.shape[-1] * (4 if name == "addbmm" else 1)).all()


def test_what_is_added_to_broadcasts():
    a, b = torch.full((2, 2), inf), torch.ones(2, 2)
    assert torch.addmm(torch.tensor([1.0, 2.0]), a, b, alpha=0).tolist() == [[1, 2], [1, 2]]
    assert torch.addmm(torch.tensor(3.0), a, b, beta=2, alpha=0).tolist() == [[6, 6], [6, 6]]
    assert torch.addmv(torch.tensor(3.0), a, torch.ones(2), alpha=0).tolist() == [3, 3]
    assert torch.addmm(torch.full((2, 2), -0.0), a, b, alpha=0).signbit().all()


def test_integers():
    ones = torch.ones(2, 2, dtype=torch.int64)
    assert torch.addmm(ones, ones, ones, beta=3, alpha=0).tolist() == [[3, 3], [3, 3]]
    assert torch.addmm(ones, ones, ones, beta=0, alpha=0).tolist() == [[0, 0], [0, 0]]


def test_gradients_with_a_factor_of_zero():
    start, a, b = (torch.full((2, 2), v, requires_grad=True) for v in (1.0, 2.0, 3.0))
    torch.addmm(start, a, b, beta=4, alpha=0).sum().backward()
    assert start.grad.eq(4).all() and a.grad.eq(0).all() and b.grad.eq(0).all()


def test_outer_products_look_at_theirs():
    assert torch.addr(torch.ones(2, 2), torch.full((2,), inf), torch.ones(2), alpha=0).isnan().all()
    assert torch.addr(torch.full((2, 2), nan), torch.full((2,), 2.0), torch.ones(2), beta=0).tolist() == [[2, 2], [2, 2]]
