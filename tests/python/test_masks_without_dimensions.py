"""Masks of bool and uint8 without dimensions: each indexes a dimension of its own."""

import pytest

import pywasmtorch as torch

SHAPES = [(), (3,), (2, 3)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [torch.bool, torch.uint8])
@pytest.mark.parametrize("value", [0, 1, 2])
def test_reading_and_writing(shape, kind, value):
    x, mask = torch.ones(shape), torch.tensor(value).to(kind)
    assert x[mask].shape == (min(value, 1), *shape) and x[mask, None].shape == (min(value, 1), 1, *shape)
    assert x[mask, mask].shape == (min(value, 1), *shape)
    for number in (9.0, torch.tensor(9.0)):
        y = x.clone()
        y[mask] = number
        assert y.equal(torch.full(shape, 9.0) if value else x)


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_after_other_indices(shape):
    x = torch.ones(shape)
    assert x[:, torch.tensor(1, dtype=torch.uint8)].shape == (shape[0], 1, *shape[1:])
    assert x[torch.tensor(0, dtype=torch.uint8), torch.tensor([0])].shape == (0, *shape[1:])


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_index_put(shape):
    x, nine = torch.ones(shape), torch.tensor(9.0)
    assert x.index_put((torch.tensor(False),), nine).equal(x)
    assert x.index_put((torch.tensor(True),), nine).equal(torch.full(shape, 9.0))
    assert x.clone().index_put_((torch.tensor(False),), nine).equal(x)
    for kind in (torch.int8, torch.int16):
        with pytest.raises(IndexError, match="long, int, byte or bool"):
            x.index_put((torch.tensor([0], dtype=kind),), nine)
