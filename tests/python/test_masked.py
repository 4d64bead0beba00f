"""torch.masked: cases that PyTorch's samples leave out."""

import math

import pytest

import pywasmtorch as torch

NOTHING = torch.zeros(2, dtype=torch.bool)


def test_identities_where_everything_is_masked():
    x = torch.tensor([1.0, 2.0])
    results = {name: getattr(torch.masked, name)(x, mask=NOTHING).item() for name in ("sum", "prod", "amax", "amin", "norm", "logsumexp")}
    assert results == {"sum": 0, "prod": 1, "amax": -math.inf, "amin": math.inf, "norm": 0, "logsumexp": -math.inf}
    for name in ("mean", "var", "std"):
        assert math.isnan(getattr(torch.masked, name)(x, mask=NOTHING).item())
    assert torch.masked.amax(x.long(), mask=NOTHING) == -(1 << 63) and torch.masked.amin(x.to(torch.uint8), mask=NOTHING) == 255
    assert torch.masked.norm(x, -math.inf, mask=NOTHING) == math.inf
    with pytest.raises(ValueError, match="no fully masked out rows"):
        torch.masked.median(x.long(), 0, mask=NOTHING)


def test_masks_broadcast_and_need_not_be_bool():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    total = torch.masked.sum(x, 0, mask=torch.tensor([1, 0, 2]))
    assert total.tolist() == [3, 0, 7]
    total.sum().backward()
    assert x.grad.tolist() == [[1, 0, 1]] * 2
    with pytest.raises(IndexError, match="mask dimensionality higher"):
        torch.masked.sum(torch.zeros(3), mask=torch.ones(1, 3))
    with pytest.raises(RuntimeError, match="dim=1 appears multiple times"):
        torch.masked.sum(x, (1, 1))
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.masked.amax(x, 2)
    with pytest.raises(ValueError, match="Could not infer output dtype. Input dtype"):
        torch.masked.mean(x.long())
    with pytest.raises(TypeError, match="argument 'input'"):
        torch.masked.sum([1, 2])


def test_softmax_over_what_is_kept():
    x = torch.tensor([0.0, 5.0, 0.0])
    assert torch.masked.softmax(x, 0, mask=torch.tensor([True, False, True])).tolist() == [0.5, 0, 0.5]


def test_prototypes_say_that_they_are_missing():
    for call in (torch.masked.MaskedTensor, torch.masked.masked_tensor, torch.masked.as_masked_tensor):
        with pytest.raises(NotImplementedError, match="torch.masked"):
            call(NOTHING, NOTHING)
    assert not torch.masked.is_masked_tensor(NOTHING)
