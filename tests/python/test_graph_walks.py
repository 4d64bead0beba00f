"""What programs that walk the graph by `next_functions` find: every leaf, from whatever computed."""

import pytest

import pywasmtorch as torch
from pywasmtorch import nn
from pywasmtorch.nn import functional as F


def leaves_of(tensor):
    seen, found, waiting = set(), [], [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if node.name().endswith("AccumulateGrad"):
            found.append(node.variable)
        waiting.extend(next_node for next_node, _ in node.next_functions)
    return found


@pytest.mark.parametrize("loss", [
    lambda y: F.mse_loss(y, torch.zeros(4, 3)), lambda y: F.cross_entropy(y, torch.tensor([0, 1, 2, 0])), lambda y: F.huber_loss(y, torch.zeros(4, 3)),
    lambda y: F.binary_cross_entropy_with_logits(y, torch.zeros(4, 3)), lambda y: F.l1_loss(y, torch.zeros(4, 3)), lambda y: nn.LSTM(3, 2)(y)[0],
])  # fmt: skip
def test_every_leaf_is_reached(loss):
    x, weight, bias = torch.ones(4, 2, requires_grad=True), torch.ones(3, 2, requires_grad=True), torch.ones(3, requires_grad=True)
    found = leaves_of(loss(F.linear(x, weight, bias)))
    assert all(any(leaf is other or leaf.data_ptr() == other.data_ptr() for other in found) for leaf in (x, weight, bias))


def test_edges_stand_in_the_order_of_arguments():
    b = torch.ones(2, requires_grad=True).sin()
    for y in (2 * b, b * 2, 2 + b, b + 2, b - 2, b / 2):
        assert [node and node.name() for node, _ in y.grad_fn.next_functions] == ["SinBackward0", None]
    for y in (2 - b, b**2, b.clamp(0, 1), b.masked_fill(b > 0, 1)):
        assert [node.name() for node, _ in y.grad_fn.next_functions] == ["SinBackward0"]
    weight = torch.ones(3, 2, requires_grad=True)
    (first, _), (second, _), (third, _) = F.linear(torch.ones(4, 2), weight, torch.ones(3)).grad_fn.next_functions
    assert first is None and third is None and second.variable.shape == (3, 2)
