"""Arguments of the wrong kind: the exception types are those of torch 2.13, and the messages name the argument."""

import pytest

import pywasmtorch as torch

X = torch.arange(6, dtype=torch.float32).reshape(2, 3)


@pytest.mark.parametrize(
    "call, error, fragment",
    [
        (lambda: torch.is_same_size(None, X), TypeError, "'input' (position 1) must be Tensor, not NoneType"),
        (lambda: X.is_same_size(1), TypeError, "'other' (position 1) must be Tensor, not int"),
        (lambda: torch.block_diag(X, "a"), TypeError, "element 1 in argument 0, but got str"),
        (lambda: torch.atleast_2d([X, 1]), TypeError, "element 1 in argument 0, but got int"),
        (lambda: torch.cartesian_prod([X]), TypeError, "element 0 in argument 0, but got list"),
        (lambda: torch.column_stack(X), TypeError, "'tensors' (position 1) must be tuple of Tensors, not Tensor"),
        (lambda: torch.is_nonzero(None), TypeError, "'input'"),
        (lambda: X.bool(None), TypeError, "argument"),
        (lambda: X.byte("a"), TypeError, "argument"),
        (lambda: X.to([]), TypeError, "got (list)"),
        (lambda: X.sum(True), TypeError, "sum()"),
        (lambda: X.select(True, 0), TypeError, "select()"),
        (lambda: X.softmax(True), TypeError, "'dim'"),
        (lambda: X.sum(0, keepdim=1), TypeError, "sum()"),
        (lambda: torch.reshape(X, 6), TypeError, "'shape'"),
        (lambda: X.argsort(X), TypeError, "argsort()"),
        (lambda: torch.hann_window(1.5), TypeError, "'window_length'"),
        (lambda: torch.hann_window(None), TypeError, "'window_length'"),
        (lambda: torch.arange(X), TypeError, "'end'"),
        (lambda: torch.arange(1j), RuntimeError, "value cannot be converted"),
        (lambda: torch.arange(0, 5, 0.5, dtype=torch.int64), ValueError, "step must be nonzero"),
        (lambda: torch.range(1), TypeError, '"end"'),
        (lambda: torch.combinations(torch.arange(3), "a"), TypeError, "'r'"),
        (lambda: torch.eye("a"), TypeError, "'n'"),
        (lambda: torch.full((2,), X), TypeError, "'fill_value'"),
        (lambda: torch.linspace(X, 1, 2), RuntimeError, "0-dimensional"),
        (lambda: X.select(2**63, 0), ValueError, "Overflow"),
        (lambda: X.sum((2**63,)), ValueError, "Overflow"),
        (lambda: torch.bitwise_and(2, 3), TypeError, "(int, int)"),
        (lambda: torch.pow(2, 3), TypeError, "(int, int)"),
        (lambda: torch.nn.functional.elu(X, 1j), RuntimeError, "value cannot be converted"),
        (lambda: torch.lerp(X, X, 1j), RuntimeError, "value cannot be converted"),
    ],
)
def test_the_argument_is_named(call, error, fragment):
    with pytest.raises(error) as caught:
        call()
    assert fragment in str(caught.value)


def test_other_objects_may_answer_for_the_operator():
    class Right:
        def __rmul__(self, other):
            return "right"

    x = X.clone()
    x *= Right()
    assert x == "right"


def test_outs_that_are_read_while_they_are_written():
    x, index = torch.arange(6.0), torch.tensor([5, 0, 1])
    for call in (lambda: torch.gather(x, 0, index, out=x), lambda: torch.take(x, index, out=x[:3]), lambda: torch.cat([x, x], out=x)):
        with pytest.raises(RuntimeError, match="single memory location"):
            call()
    with pytest.raises(RuntimeError, match="dtype"):
        torch.gather(x, 0, index, out=torch.empty(3, dtype=torch.float64))
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    assert torch.gather(x, 0, index, out=torch.empty(0)).tolist() == [5, 0, 1]


def test_tensors_of_a_core_that_was_restarted():
    host = torch._core.frame.host
    lost = X.clone()
    handle, lost._h = lost._h, 16
    host._stopped = True
    try:
        with pytest.raises(RuntimeError, match="restarted"):
            lost + 1
    finally:
        host._stopped, lost._h = False, handle
