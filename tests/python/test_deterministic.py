"""torch.utils.deterministic: what nobody has written is the same in each run."""

import math

import pytest

import pywasmtorch as torch


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield torch.utils.deterministic
    torch.utils.deterministic.fill_uninitialized_memory = True
    torch.use_deterministic_algorithms(False)


MAKERS = [
    lambda dtype: torch.empty(3, 2, dtype=dtype), lambda dtype: torch.empty_like(torch.ones(3, 2, dtype=dtype)), lambda dtype: torch.empty_strided((3, 2), (1, 3), dtype=dtype),
    lambda dtype: torch.ones(1, dtype=dtype).new_empty(3, 2), lambda dtype: torch.empty_permuted((3, 2), (1, 0), dtype=dtype), lambda dtype: torch.zeros(0, dtype=dtype).resize_(3, 2),
]  # fmt: skip


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("dtype, value", [(torch.int8, 127), (torch.uint8, 255), (torch.int64, 2**63 - 1), (torch.bool, True)])
def test_integers_are_the_greatest(deterministic, make, dtype, value):
    assert make(dtype).tolist() == [[value, value]] * 3


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_other_numbers_are_not(deterministic, make, dtype):
    assert make(dtype).isnan().all()


def test_what_was_written_stays(deterministic):
    x = torch.ones(2).resize_(4)
    assert x[:2].tolist() == [1, 1] and x[2:].isnan().all()
    assert not torch.zeros(2).isnan().any() and not torch.full_like(x, 2).isnan().any()
    assert math.isnan(torch.empty((), requires_grad=True).item())


def test_it_can_be_switched_off(deterministic):
    assert deterministic.fill_uninitialized_memory is True
    deterministic.fill_uninitialized_memory = False
    torch.full((1000,), 3.0)
    assert not torch.empty(1000).isnan().all()
    with pytest.raises(TypeError, match="must be bool, not int"):
        deterministic.fill_uninitialized_memory = 1
