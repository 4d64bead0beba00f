"""Tensors with one element where an operator takes a number."""

import pytest

import pywasmtorch as torch


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda x: x.select(0, torch.tensor(1)), [3, 4, 5]),
        (lambda x: x.select(torch.tensor(1), torch.tensor(-1)), [2, 5]),
        (lambda x: x.add(x, alpha=torch.tensor(3)), [[0, 4, 8], [12, 16, 20]]),
        (lambda x: x.sum(torch.tensor(1)), [3, 12]),
        (lambda x: x.flatten(torch.tensor(0), torch.tensor(1)), [0, 1, 2, 3, 4, 5]),
        (lambda x: x.reshape(torch.tensor(3), 2), [[0, 1], [2, 3], [4, 5]]),
        (lambda x: x.clone().fill_(torch.tensor(2.0)), [[2, 2, 2], [2, 2, 2]]),
        (lambda x: torch.full((2,), torch.tensor(7)), [7, 7]),
    ],
)
def test_they_are_read_while_the_call_is_prepared(call, expected):
    assert call(torch.arange(6).reshape(2, 3)).tolist() == expected
